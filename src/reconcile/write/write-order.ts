/** Pushes what someone orders: drawn on main as it is, and drawn again when somebody else was first. */

import type { Git } from '../../ports/git.ts';
import { PortError } from '../../ports/port-error.ts';
import { type Batch, execute } from './execute.ts';

export type OrderResult =
  | ({ readonly kind: 'written'; readonly commits: readonly string[] } & Said)
  /** `diff`: what the order would have written, or what stands in its way. */
  | { readonly kind: 'refused'; readonly why: string; readonly diff?: string };

/** `next`: what is to be ordered afterwards. */
type Said = { readonly what: string; readonly diff: string; readonly next?: string };

/** What is to be pushed, and what is said of it then. */
type Draft = { readonly kind: 'push'; readonly batch: Batch } & Said;

const ATTEMPTS = 5;

/** `draw` reads afresh each time; what it has answered itself is the answer. Throws PortError where main never holds still. */
export async function writeOrder(git: Git, draw: () => Promise<Draft | OrderResult>): Promise<OrderResult> {
  git.begin();
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const drawn = await draw();
    if (drawn.kind !== 'push') return drawn;
    const { kind: _, batch, ...said } = drawn;
    const done = await execute(git, batch);
    if (done.kind === 'written') return { kind: 'written', commits: done.steps, ...said };
    if (done.kind === 'refused')
      return {
        kind: 'refused',
        why: `the push to ${done.branch} was refused: ${done.rule}. ${done.advice ?? 'Open a pull request with the change below, or allow the push'}`,
        diff: said.diff,
      };
  }
  throw new PortError(`main moved ${ATTEMPTS} times in a row`, {
    port: 'git',
    operation: 'push',
    retryable: true,
    hint: 'Nothing was written. Try again.',
  });
}
