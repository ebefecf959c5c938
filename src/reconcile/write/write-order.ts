/** Pushes what someone orders: drawn on main as it is, and drawn again when somebody else was first. */

import type { Forge } from '../../ports/forge.ts';
import type { Git } from '../../ports/git.ts';
import { PortError } from '../../ports/port-error.ts';
import { type Batch, execute } from './execute.ts';
import type { BranchProposed } from './propose-branch.ts';
import { proposeOrder } from './propose-order.ts';

export type OrderResult =
  | ({ readonly kind: 'written'; readonly commits: readonly string[] } & Said)
  | (BranchProposed & Said)
  /** `diff`: what the order would have written, or what stands in its way. */
  | { readonly kind: 'refused'; readonly why: string; readonly diff?: string };

/** `next`: what is to be ordered afterwards. */
type Said = { readonly what: string; readonly diff: string; readonly next?: string };

/** What is to be pushed, and what is said of it then. */
type Draft = { readonly kind: 'push'; readonly batch: Batch } & Said;

const ATTEMPTS = 5;

/** How an order reaches main: by a push, or by a pull request that someone merges. */
type OrderVia = {
  /** Not there: by a push. */
  readonly pullRequest?: boolean;
  /** Whom the pull request names. */
  readonly by: string;
};

/** `draw` reads afresh each time; what it has answered itself is the answer. Throws PortError where main never holds still. */
export async function writeOrder(
  ports: { readonly git: Git; readonly forge?: Forge | undefined },
  via: OrderVia,
  draw: () => Promise<Draft | OrderResult>,
): Promise<OrderResult> {
  ports.git.begin();
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const drawn = await draw();
    if (drawn.kind !== 'push') return drawn;
    const { kind: _, batch, ...said } = drawn;
    const done =
      via.pullRequest === true ? await propose(ports, batch, { ...via, said }) : await push(ports, batch, said);
    if (done !== 'moved') return done;
  }
  throw new PortError(`main moved ${ATTEMPTS} times in a row`, {
    port: 'git',
    operation: 'push',
    retryable: true,
    hint: 'Nothing was written. Try again.',
  });
}

async function push({ git }: { readonly git: Git }, batch: Batch, said: Said): Promise<OrderResult | 'moved'> {
  const done = await execute(git, batch);
  if (done.kind === 'moved') return 'moved';
  if (done.kind === 'written') return { kind: 'written', commits: done.steps, ...said };
  const way = done.advice ?? 'Give the order again with --pull-request, or allow the push';
  return { kind: 'refused', why: `the push to ${done.branch} was refused: ${done.rule}. ${way}`, diff: said.diff };
}

async function propose(
  { git, forge }: { readonly git: Git; readonly forge?: Forge | undefined },
  batch: Batch,
  { by, said }: { readonly by: string; readonly said: Said },
): Promise<OrderResult | 'moved'> {
  const done = await proposeOrder({ git, forge }, batch, { by, next: said.next });
  if (done.kind === 'moved') return 'moved';
  return done.kind === 'refused' ? { ...done, diff: said.diff } : { ...done, ...said };
}
