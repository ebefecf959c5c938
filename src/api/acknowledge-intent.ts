/** One rewrite of main that someone accepts, as an annotation on the Rollout. */

import { parseCommit } from './marks.ts';

/** The commit that a record stood on and main has lost, and main as its giver saw it: no other rewrite is accepted. */
export type AcknowledgeIntent = { readonly recorded: string; readonly main: string };

/** `<lost> <main>`. */
export function printAcknowledge({ recorded, main }: AcknowledgeIntent): string {
  return `${recorded} ${main}`;
}

/** undefined: it is not two commits of 40 hex digits. */
export function parseAcknowledge(text: string): AcknowledgeIntent | undefined {
  const [recorded, main, ...more] = text.split(' ').map(parseCommit);
  if (recorded === undefined || main === undefined || more.length > 0) return undefined;
  return { recorded, main };
}
