/** What one pull request of a delivery with a second workload approves: all rungs of its step, or of the promotion. */

import type { RolloutStep } from '../../api/rollout-steps.ts';
import { isOneWorkload, type RollingStyle, takesTurns } from '../../api/styles.ts';
import type { PlannedCommit } from '../commits/planned-commit.ts';
import { plannedGroups } from '../observed/batches.ts';
import type { Snapshot } from '../snapshot.ts';

type Of = { readonly snapshot: Snapshot; readonly commit: PlannedCommit };

/** For a title and for the body; undefined: the commit is all that it approves. */
export function wholeOf({
  snapshot,
  commit,
}: Of): { readonly label: string; readonly short: string; readonly long: string } | undefined {
  const { step, at } = commit.progress.marks ?? {};
  const rollout = snapshot.rollout?.rollout;
  if (step === undefined || at === undefined || rollout === undefined) return undefined;
  if (step.kind === 'promote') return { label: 'promote', ...PROMOTIONS[rollout.style] };
  const plan = step.kind === 'step' ? rollout.steps[step.index - 1] : undefined;
  if (plan === undefined || step.kind !== 'step') return undefined;
  // With blueGreen the user's own workload may be the idle one.
  const of = takesTurns(rollout.style) ? undefined : snapshot.workload?.workload.replicas;
  const [groups, share] = [groupsText(plan, of), shareText(plan)];
  const short = [groups, share].filter((part) => part !== '').join(', ');
  const gets = isOneWorkload(rollout.style)
    ? `${groups} get the new version: those that do not have it yet restart, as many at a time as maxUnavailable allows. ${share === '' ? 'Requests go to all groups alike.' : `They get ${share}.`}`
    : `the new version gets ${short} next to the version that serves.`;
  const long = `The approval covers the whole step: ${gets} tranche commits the rest of the step without another approval, unless somebody pauses the Rollout.`;
  return { label: `${step.index}/${step.of}`, short, long };
}

const PROMOTIONS: { readonly [S in RollingStyle]: { readonly short: string; readonly long: string } } = {
  partition: { short: '', long: '' },
  canary: {
    short: 'all groups',
    long: 'The approval covers the whole promotion: all groups of the primary restart on the new version, as many at a time as maxUnavailable allows. Then all requests go to the primary, and the second workload is scaled to no groups. None of these commits needs another approval.',
  },
  blueGreen: {
    short: 'all requests',
    long: 'The approval covers the whole promotion: all requests go to the new version, and the Service is switched to it. Once the bake is over, the stable version is scaled to no groups. None of these commits needs another approval.',
  },
};

/** `of`: all groups; undefined: how many these are is not known. */
function groupsText({ replicas }: RolloutStep, of: number | undefined): string {
  if (of !== undefined) return `${plannedGroups(replicas, of)} of ${of} groups`;
  if (typeof replicas === 'string') return `${replicas} of the groups`;
  return replicas === 1 ? '1 group' : `${replicas} groups`;
}

function shareText({ traffic, matches }: RolloutStep): string {
  if (traffic !== undefined) return `${traffic} of requests`;
  return matches.length > 0 ? 'the requests that match' : '';
}
