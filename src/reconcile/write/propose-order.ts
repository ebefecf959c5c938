/** Proposes what someone orders: a branch with its commits, and a pull request of it, for a main that takes no push. */

import { createHash } from 'node:crypto';
import type { Forge } from '../../ports/forge.ts';
import type { Git } from '../../ports/git.ts';
import { type OrderPull, orderPull } from '../../rollout/orders/order-pull.ts';
import { pushRefused } from './allowed.ts';
import type { Batch } from './execute.ts';
import { type BranchProposed, type NotProposed, proposeBranch, refusedPush } from './propose-branch.ts';

type Of = { readonly by: string; readonly next: string | undefined };

/**
 * Pushes the commits of `batch` to a branch that the same order finds again, and opens its pull request. `moved`: somebody
 * else changed that branch in this moment. Throws PortError where Git fails; where the forge fails the answer says so.
 */
export async function proposeOrder(
  ports: { readonly git: Git; readonly forge: Forge | undefined },
  batch: Batch,
  of: Of,
): Promise<BranchProposed | NotProposed | { readonly kind: 'moved' }> {
  const { config, main, steps } = batch;
  const never = pushRefused(config, steps);
  if (never !== undefined) return refusedPush(never.rule, never.advice);
  return proposeBranch(ports, { ...textOf(batch, of), main, base: config.branch, steps });
}

function textOf({ steps }: Batch, { by, next }: Of): OrderPull {
  const writes = new Map(steps.flatMap((step) => step.writes.map(({ path, text }) => [path, text ?? null] as const)));
  const digest = createHash('sha256')
    .update(JSON.stringify([...writes]))
    .digest('hex');
  const subjects = steps.map(({ message }) => message.slice(0, message.indexOf('\n')));
  return orderPull({ subjects, next, by, files: [...writes.keys()], digest });
}
