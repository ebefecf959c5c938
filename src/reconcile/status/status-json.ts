/** What `tranche status --output json` prints: the published form, apart from the record, which changes as decisions need it. */

import { printStep } from '../../api/marks.ts';
import type { RolloutRecord, SideShown } from '../../api/record.ts';
import { printRelease } from '../../api/release.ts';
import { type Instant, printInstant } from '../../api/time.ts';
import type { Picture, Shown } from '../read-picture.ts';
import { commitOf } from './approval-text.ts';
import { type BrakeShown, brakeJson, brakesOf } from './brakes.ts';
import { servingSide } from './serving-side.ts';
import { isExtra, isStalled, stateCell } from './status-page.ts';

/** Fields may be added within a version; one that goes, or means something else, is another version. */
const STATUS_VERSION = 1;

type Failure = { readonly namespace: string; readonly name: string; readonly why: string };

/** `schemas/status.schema.json` describes it. What is not known is not there; times are RFC 3339 in UTC. */
export function statusJson({ asOf, shown, fresh, brakes }: Picture, failures: readonly Failure[] = []): object {
  return {
    version: STATUS_VERSION,
    asOf: asOf && {
      kind: asOf.kind,
      at: printInstant(asOf.at),
      main: asOf.main,
      commitsAhead: asOf.unseen.length,
      moreAhead: asOf.more,
      nextBy: time(asOf.writtenBy),
      overdueSince: time(asOf.overdueSince),
      processes: asOf.inTurn?.map(({ process, at }) => ({ process, lastWroteAt: printInstant(at) })),
    },
    brakes: brakes.map(brakeJson),
    rollouts: shown.map((one) => rolloutJson(one, brakes)),
    notLookedAt: fresh,
    failed: failures,
  };
}

/** Of one Rollout. */
function rolloutJson({ record, since, next }: Shown, brakes: readonly BrakeShown[]): object {
  const { cluster, namespace, name, marks, phase, message, change, expected, proposal } = record;
  return {
    cluster,
    namespace,
    name,
    state: stateName(record),
    stateText: stateCell(record).replaceAll('*', ''),
    stalled: isStalled(record),
    phase,
    message,
    release: marks && printRelease(marks.release),
    stable: marks?.stable && { commit: marks.stable.commit, digest: marks.stable.digest },
    aborted: (marks?.aborted ?? []).map(printRelease),
    images: change && { from: change.from, to: change.to },
    changedFields: change?.fields,
    step: stepJson(record),
    groups: groupsJson(record),
    secondWorkload: secondJson(record),
    holds: record.holds.map(({ reason, message: says, until, lines }) => ({
      reason,
      message: says,
      lines,
      until: time(until),
    })),
    conditions: record.conditions.map((one) => ({ ...one, since: printInstant(one.since) })),
    expected: expected && {
      step: expected.step,
      rest: expected.rest,
      pauses: expected.pauses,
      overdueGroups: expected.overdue ?? [],
    },
    metrics: metricsJson(record),
    brakes: brakesOf(brakes, record).map(brakeJson),
    orderedNotSeen: since.orders,
    changedNotSeen: since.files,
    approval: approvalJson(record),
    pullRequest: proposal && {
      state: proposal.state,
      by: proposal.by,
      number: proposal.number,
      url: proposal.url,
      step: proposal.index,
      release: printRelease(proposal.release),
    },
    nextCommit: next,
  };
}

function metricsJson({ measured }: RolloutRecord): object | undefined {
  return (
    measured && {
      step: measured.of,
      list: measured.metrics.map(({ name, answer, canary, stable, until, ruledOut, line }) => ({
        name,
        answer,
        new: { requests: canary.n, bad: canary.x },
        stable: { requests: stable.n, bad: stable.x },
        until: printInstant(until),
        ruledOut: ruledOut === undefined ? undefined : Number(ruledOut),
        line,
      })),
    }
  );
}

function approvalJson({ approved }: RolloutRecord): object | undefined {
  if (approved === undefined) return undefined;
  const { step, release, by, at } = approved;
  const commit = commitOf(at);
  return { step, release, by, commit, pullRequest: commit === undefined ? at : undefined };
}

/** Where it stands, as one word; `state` in the schema has them all. */
function stateName({ marks, phase }: RolloutRecord): string {
  if (marks === undefined) return 'notAdopted';
  if (marks.step === undefined) return phase === 'Progressing' ? 'requested' : 'settled';
  return { step: 'step', promote: 'promotion', rollback: 'rollback' }[marks.step.kind];
}

function stepJson({ marks, step, covers, currentStepState }: RolloutRecord): object | undefined {
  const at = marks?.step;
  if (at === undefined) return undefined;
  return {
    text: printStep(at),
    index: at.kind === 'step' ? at.index : undefined,
    of: at.kind === 'step' ? at.of : undefined,
    state: currentStepState,
    partition: step?.partition,
    groups: covers?.groups,
    ofGroups: covers?.of,
    writtenAt: time(step?.writtenAt),
    doneSince: time(step?.doneSince),
  };
}

function groupsJson(record: RolloutRecord): object {
  const { unseen } = record;
  const { name, groups } = servingSide(record);
  return {
    workload: name,
    ready: unseen === undefined ? groups.filter(({ ready }) => ready).length : undefined,
    total: groups.length,
    unseen: unseen && { why: unseen.why, since: printInstant(unseen.since) },
    list: groups.map((group) => ({
      index: group.index,
      version: group.version,
      ready: group.ready,
      since: printInstant(group.since),
      extra: isExtra(record, group),
    })),
  };
}

function secondJson({ traffic, marks }: RolloutRecord): object | undefined {
  const shown = traffic?.shown;
  if (shown === undefined) return undefined;
  const { rungs, sides, share } = shown;
  return { rungs, rung: marks?.at, sides: sides.map((side: SideShown) => ({ ...side })), share };
}

function time(at: Instant | undefined): string | undefined {
  return at === undefined ? undefined : printInstant(at);
}
