/** Since when the groups of the step in Git have all been there: pauses and soaks count from then. */

import type { Instant } from '../../api/time.ts';
import { SENTINEL } from '../../api/workload.ts';
import { clockText } from '../ladders/traffic-view.ts';
import { toleratedFailures } from '../observed/batches.ts';
import type { Group } from '../observed/groups.ts';
import { wanted } from '../observed/groups-asked.ts';
import { routesWrittenAt, rungCame } from '../observed/unsigned.ts';
import type { Seen, Situation } from '../situation.ts';
import type { Snapshot } from '../snapshot.ts';
import { recordedStep } from './restarts.ts';

/**
 * The latest of what shows it: the pass that first saw the step done, the commit that wrote it, and the groups' own
 * times, which come from the API server. Our clock may have been wrong once, and a group may have been restarted
 * between two passes. What lies in the future shows nothing. undefined: no pass has seen it done.
 */
export function soakingSince(situation: Situation): Instant | undefined {
  const step = recordedStep(situation);
  const { now } = situation.snapshot;
  if (step?.doneSince === undefined) return undefined;
  const ready = situation.state.kind === 'ladder' ? filledAt(situation) : seenReadyAt(situation);
  const { unsigned, traffic } = situation.snapshot;
  const byOthers = unsigned === undefined ? [] : [rungCame(situation.snapshot), routesWrittenAt({ traffic }, now)];
  const shown = [step.writtenAt, ...byOthers, ready].filter((at) => at !== undefined && at <= now);
  return Math.max(step.doneSince > now ? now : step.doneSince, ...shown.filter((at) => at !== undefined));
}

/**
 * For how many seconds the groups of the step have all been there, for pauses and soaks; 0 where no pass has seen it.
 * Where our clock runs ahead of those of the servers, theirs says what time it is: a wrong clock ends no pause early.
 */
export function soakedSeconds(situation: Situation): number {
  const { now, clockOffSeconds = 0 } = situation.snapshot;
  const since = soakingSince(situation) ?? now;
  return Math.max(0, now + Math.min(0, clockOffSeconds) - since);
}

/** The same for people: what was seen done by a clock that runs ahead takes that much longer. Empty: ours does not. */
export function clockAhead({ clockOffSeconds = 0 }: Pick<Snapshot, 'clockOffSeconds'>): string {
  return clockOffSeconds < 0 ? clockText(clockOffSeconds) : '';
}

function seenReadyAt(situation: Situation): Instant | undefined {
  return situation.view === 'seen' ? batchReadyAt(situation) : undefined;
}

/** When the last group of the second workload got ready: the user's own has none on the release yet. */
function filledAt({ snapshot }: Situation): Instant | undefined {
  const leaders = snapshot.traffic?.second.leaders;
  const times = (leaders?.kind === 'known' ? leaders.value : []).flatMap(({ createdAt, readyAt }) => [
    createdAt,
    readyAt,
  ]);
  const past = times.filter((at) => at !== undefined && at <= snapshot.now);
  return past.length === 0 ? undefined : Math.max(...past.map((at) => at ?? 0));
}

/** Whether some group is younger than this pass: then our clock is behind, or that of a node ahead. */
export function clockIsBehind({ observed, snapshot }: Situation): boolean {
  return (observed?.groups ?? []).some((group) => (groupReadyAt(group) ?? 0) > snapshot.now);
}

/** When the last group that the step needs got ready; those that failureThreshold lets it do without do not count. */
function batchReadyAt({ observed, asked, partition, snapshot }: Seen): Instant | undefined {
  const from = partition === SENTINEL ? 0 : partition;
  const batch = wanted(observed, asked).filter((group) => group.index >= from);
  const ready = batch.filter((group) => group.ready);
  const failureThreshold = snapshot.rollout?.rollout.failureThreshold;
  const tolerated = toleratedFailures({ updated: batch.length, failureThreshold });
  const spare = Math.max(0, tolerated - (batch.length - ready.length));
  const times = ready.map(groupReadyAt).filter((at) => at !== undefined && at <= snapshot.now);
  return times.sort((a = 0, b = 0) => b - a)[spare];
}

/** A group is not ready before its leader is there, nor before the leader says so. */
export function groupReadyAt({ leader }: Group): Instant | undefined {
  const times = [leader.createdAt, leader.readyAt].filter((at) => at !== undefined);
  return times.length === 0 ? undefined : Math.max(...times);
}
