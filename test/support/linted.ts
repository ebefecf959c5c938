/** What `tranche lint` says of a repository, as who runs it reads it. */

import { type LintOptions, lint } from '../../src/commands/lint.ts';
import { COMMON_OPTIONS } from './common-options.ts';
import type { World } from './world.ts';

/** Where nothing but the repository is named. */
export const LINT_OPTIONS = COMMON_OPTIONS;

type Asked = Partial<LintOptions> & { readonly env?: Readonly<Record<string, string>> };

/** The exit code, and all that was printed. */
export async function linted(
  world: World,
  { env = {}, ...options }: Asked = {},
): Promise<{ readonly code: number; readonly out: string }> {
  let out = '';
  const code = await lint({ ...LINT_OPTIONS, ...options }, world.ports(), {
    env,
    folder: '/',
    out: (text) => void (out += text),
    err: () => undefined,
    isTerminal: false,
    signal: new AbortController().signal,
  });
  return { code, out };
}
