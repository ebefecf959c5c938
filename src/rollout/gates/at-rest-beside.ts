/** What an audit finds next to the user's own workload: its second one, Services and routes, and the groups that serve. */

import type { Marks } from '../../api/marks.ts';
import { inShort } from '../../api/release.ts';
import { SENTINEL } from '../../api/workload.ts';
import { APPLY_DEADLINE_SECONDS, WAITING_FOR_AGENT } from '../applied.ts';
import { type Hold, hold } from '../hold.ts';
import { delivering } from '../ladders/delivering.ts';
import { greenServes } from '../ladders/delivery.ts';
import { differences, type LiveDifference } from '../ladders/differences.ts';
import { servingTemplateEdited } from '../ladders/edited-by-hand.ts';
import { groupsOn, workloadOf } from '../ladders/traffic-view.ts';
import type { Seen } from '../situation.ts';
import { atRest } from './at-rest.ts';
import { colourElsewhere } from './colour-elsewhere.ts';

/**
 * Nothing of it moves a step at rest, so all of it is only reported: a share that a hand has written, groups of a colour that is
 * to have none, and those of the second workload where that serves. Nothing where no delivery of the Rollout has documents.
 */
export function besideAtRest(seen: Seen, marks: Marks): readonly Hold[] {
  const on = delivering(seen, marks, marks.release);
  if (on?.view === undefined) return [];
  const { delivery, view } = on;
  const differs = differences(delivery, view);
  const drift = differs.kind === 'known' && differs.value.length > 0 ? [drifted(differs.value, agentsTurn(seen))] : [];
  if (!greenServes(delivery)) return drift;
  const edited = servingTemplateEdited(delivery);
  if (edited !== undefined) return [...drift, edited];
  const { name, document, ...side } = workloadOf(delivery, view, 'stable');
  const found = groupsOn({ name, document, ...side });
  if (found.kind === 'unknown')
    return [...drift, hold('ClusterUnreadable', { seen: `${name}, which serves: ${found.why}`, waits: 'reading' })];
  // Not there: that is a difference.
  if (found.kind === 'absent') return drift;
  const { lws, leaderSet, groups } = found.value;
  const elsewhere = colourElsewhere({ name, document, live: side.live, groups });
  if (elsewhere !== undefined) return [...drift, elsewhere];
  const { replicas } = lws;
  const observed = { ...seen.observed, lws, leaderSet, groups };
  const unrested = atRest({ ...seen, observed, replicas, asked: replicas, partition: SENTINEL });
  return unrested === undefined
    ? drift
    : [...drift, hold(unrested.reason, { ...unrested, seen: `${name}, which serves: ${unrested.seen}` })];
}

/** All in one: several objects are often edited by one hand. */
function drifted(differs: readonly LiveDifference[], action: string): Hold {
  const seen = differs.map(({ object: { kind, name }, field, git, live }) => {
    const what = field === '' ? `${kind} ${name}` : `${field} of ${kind} ${name}`;
    return `${what} is ${inShort(live)} in the cluster, Git says ${inShort(git)}`;
  });
  return hold('Drift', { seen: seen.join('; '), action });
}

/** After a commit of ours what is live is the one before: nobody else has written it as long as the agent has its usual time. */
function agentsTurn({ snapshot: { now, record } }: Seen): string {
  // Settling counts as an audit, so that this is the time of its commit.
  const isFresh = record !== undefined && now - record.auditedAt < APPLY_DEADLINE_SECONDS;
  return isFresh
    ? WAITING_FOR_AGENT
    : 'If the agent does not put it back soon, look at its sync errors, and at who else writes it';
}
