/** What the forge says of branches that would be proposed and that no record knows: people may have turned them down before. */

import type { Forge, Pull } from '../../ports/forge.ts';
import type { Reconciled } from '../outcome.ts';
import { ask, type ForgeAnswer } from '../write/execute-proposal.ts';
import { caseOf, inForm } from './case.ts';

/** `unsaid`: of which it is not known what was said of their branches, and why, so that nobody is asked once more. */
type Unknown = {
  readonly pulls: readonly Pull[];
  readonly unsaid: ReadonlyMap<Reconciled, Exclude<ForgeAnswer<unknown>, { readonly kind: 'done' }>>;
};

/** The pull requests of the branches that no record knows, of each Rollout by itself: who fills those of one keeps no other waiting. */
export async function unknownBranches(forge: Forge, meant: readonly Reconciled[]): Promise<Unknown> {
  const pulls: Pull[] = [];
  const unsaid = new Map<Reconciled, Exclude<ForgeAnswer<unknown>, { readonly kind: 'done' }>>();
  for (const one of meant) {
    const branches = unknownBranch(one);
    if (branches.length === 0) continue;
    const said = await ask(() => forge.pulls({ prefix: undefined, numbers: [], branches }));
    if (said.kind === 'done') pulls.push(...said.value);
    else unsaid.set(one, said);
  }
  return { pulls, unsaid };
}

/** All of them, each once: some are of a branch that no record knows, and open as well. */
export function newestFirst(pulls: readonly Pull[]): readonly Pull[] {
  const byNumber = new Map(pulls.map((pull) => [pull.number, pull]));
  return [...byNumber.values()].sort((left, right) => right.number - left.number);
}

/** What would be proposed, in each form, and is not what the record speaks of: people may have said something of it before. */
function unknownBranch({ key, snapshot, plan }: Reconciled): readonly string[] {
  const { wanted } = caseOf(snapshot, plan);
  if (wanted === undefined || wanted.branch === snapshot?.record?.proposal?.branch) return [];
  return [inForm(key, wanted, 'Guarded').branch, inForm(key, wanted, undefined).branch];
}
