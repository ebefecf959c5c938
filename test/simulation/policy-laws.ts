/** The laws about policies: what a commit of ours may not do under the policy that its parent holds. */

import { secondIn } from './files.ts';
import { begins, CLIMBING, emptiesOnly, FORWARD, isLocked, type OurCommit, SURGING } from './our-commit.ts';
import { GATES_FILE, type Said, saidIn } from './policy-said.ts';

/** Clocks that differ by less are not told from right ones. */
const CLOCK_SECONDS = 120;
const HOUR = 3600;

/** What policies hold: the first commit of a step, and what lets the primary or the requests go. */
export function isHeld({
  reason,
  before,
  after,
  workload,
}: Pick<OurCommit, 'reason' | 'before' | 'after' | 'workload'>): boolean {
  // Every group is through: only marks are left to be written.
  if (workload.fills === undefined && isLocked(before) && !begins(before, after)) return false;
  if (reason === 'RungReady') return after.marks?.at === 'switch';
  // A step that has no share any more: what takes requests away from a new version waits for nobody.
  if (reason === 'StepsEdited' && after.marks?.at === 'route-restored') return false;
  if (emptiesOnly({ reason, after, workload })) return false;
  return [...FORWARD, ...SURGING.slice(0, 1), ...CLIMBING].includes(reason);
}

/** A policy is obeyed as the parent of the commit holds it: what was read is not there any more where it was edited. */
export function policiesObeyed(commit: OurCommit): string | undefined {
  const { universe, parent, reason } = commit;
  if (universe.setup.policies !== true || !isHeld(commit)) return undefined;
  const said = saidIn(universe.text(parent, GATES_FILE));
  const wrong = rules.find((rule) => rule(commit, said) !== undefined)?.(commit, said);
  return wrong === undefined ? undefined : `${reason}: ${wrong}`;
}

const rules: readonly ((commit: OurCommit, said: Said) => string | undefined)[] = [
  (_commit, { broken }) => (broken === true ? 'under a policy that cannot be read' : undefined),
  (_commit, { stopped }) => (stopped === true ? 'though the line is stopped' : undefined),
  outsideWindows,
  outOfTurn,
  tooManyGroups,
];

/** The time of the pass that planned it counts, by the clock of the world. */
function outsideWindows({ universe, oid }: OurCommit, { allowMinutes }: Said): string | undefined {
  const at = universe.plannedAt(oid);
  if (allowMinutes === undefined) return undefined;
  const open = 60 * allowMinutes;
  const since = at % HOUR;
  // As far as clocks may differ without anybody seeing it.
  return since < open + CLOCK_SECONDS || since >= HOUR - CLOCK_SECONDS ? undefined : `${since} s after the hour`;
}

/** A delivery starts only where there is room on main. */
function outOfTurn({ universe, workload, before, after, parent }: OurCommit, said: Said): string | undefined {
  const most = said.maxDeliveriesPerNamespace;
  if (most === undefined || before.marks?.step !== undefined || !begins(before, after)) return undefined;
  const others = universe.setup.workloads.filter(({ name }) => name !== workload.name);
  const underWay = others.filter(({ name }) => /tranche\.dev\/step:/.test(universe.lws(name, parent) ?? ''));
  return underWay.length < most ? undefined : `next to ${underWay.map(({ name }) => name).join(' and ')}`;
}

/** Groups that one commit releases, of the primary or of the second workload. */
function tooManyGroups({ universe, workload, before, after, parent, oid }: OurCommit, said: Said): string | undefined {
  const most = said.maxStepGroups;
  if (most === undefined || workload.autoscaled) return undefined;
  const second = (commit: string): number => secondIn(universe.lws(workload.name, commit) ?? '')?.replicas ?? 0;
  const groups =
    workload.fills === undefined
      ? Math.min(before.partition, before.replicas) - Math.min(after.partition, before.replicas)
      : second(oid) - second(parent);
  return groups <= most ? undefined : `lets ${groups} groups go, and ${most} may`;
}
