/** Pull requests as those who review them read them, kept in files: a change of their words is seen in the diff. */

import { expect } from 'vitest';

type Pull = { readonly title: string; readonly body: string };

/** Title and body of each, one after another, in `fixtures/proposals/NAME.md`; commits have no digits of their own there. */
export async function golden(name: string, pulls: readonly Pull[]): Promise<void> {
  const text = pulls
    .map(({ title, body }) => `# ${title}\n\n${body.replaceAll(/\b[0-9a-f]{40}\b/g, 'COMMIT')}\n`)
    .join('\n');
  const file = new URL(`../../fixtures/proposals/${name}.md`, import.meta.url).pathname;
  await expect(text).toMatchFileSnapshot(file);
}
