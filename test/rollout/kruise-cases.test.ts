/** Kruise's cases for the partition strategy, asserted on the functions that decide; deviations are listed, each with its reason. */

import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { DEFAULT_CONFIG } from '../../src/api/config.ts';
import { FieldReader } from '../../src/api/field-reader.ts';
import { type IntOrPercent, percentOf } from '../../src/api/int-or-percent.ts';
import type { Issue } from '../../src/api/issue.ts';
import { at, type Json, type JsonObject } from '../../src/api/json.ts';
import { LWS_KIND } from '../../src/api/kinds.ts';
import { LWS_API_VERSION, parseRollout, type Rollout } from '../../src/api/rollout.ts';
import { frozenPlanOf } from '../../src/api/rollout-frozen.ts';
import { readSteps } from '../../src/api/rollout-steps.ts';
import { SENTINEL } from '../../src/api/workload.ts';
import { parseManifestFile } from '../../src/manifests/parse-file.ts';
import { desiredOf } from '../../src/reconcile/desired/desired.ts';
import { rolloutHash } from '../../src/reconcile/documents/digests.ts';
import { readRollout } from '../../src/reconcile/documents/read-rollout.ts';
import {
  batchReady,
  coversAll,
  nextPartition,
  partitionOf,
  plannedGroups,
} from '../../src/rollout/observed/batches.ts';
import { plan, recordWritten } from '../../src/rollout/plan.ts';
import { stepStates } from '../../src/rollout/progress/step-state.ts';
import { phaseOf, rolloutIdOf } from '../../src/rollout/record/phase.ts';
import { isJump, nextStepIndex, pauseDecision, stepAfterEdit } from '../../src/rollout/steps.ts';
import { deviations, isLike, type KruiseCase, kruiseGroups, patched, unanswered, without } from '../support/kruise.ts';
import { finaliseAnswers } from '../support/kruise-finalise.ts';
import { ladderAnswers } from '../support/kruise-ladders.ts';
import { routingAnswers } from '../support/kruise-routing.ts';
import type { KruiseStory } from '../support/kruise-shares.ts';
import { type Moment, playKruiseStory } from '../support/kruise-story.ts';
import { trafficAnswers } from '../support/kruise-traffic.ts';
import { editsIn } from '../support/planned.ts';
import { type World, world } from '../support/snapshot.ts';

/** What we make of one case, in the words of its `expect`; a promise of it where a story is played. */
type Answer = (of: KruiseCase, base: unknown) => unknown;

/** Cases have shapes of their own, so their inputs are read as what their group says. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller says which
function input<T>(of: KruiseCase): T {
  return of.input as T;
}

function groupsOn(letters: readonly string[]): string {
  return letters.map((letter, index) => `${index}:${letter}+`).join(' ');
}

/** N groups of which the highest `updated` are on B, the others on A. */
function split(replicas: number, updated: number): string {
  return groupsOn(Array.from({ length: replicas }, (_, index) => (index >= replicas - updated ? 'B' : 'A')));
}

const stepsText = (steps: readonly IntOrPercent[]): string => steps.join(' ');

const answers: Readonly<Record<string, Answer>> = {
  'batch-replicas': (of) => {
    const { step, replicas } = input<{ step: IntOrPercent; replicas: number }>(of);
    return plannedGroups(step, replicas);
  },
  'ordered-partition': (of) => {
    const { step, replicas } = input<{ step: IntOrPercent; replicas: number }>(of);
    const planned = plannedGroups(step, replicas);
    return { planned, desiredUpdated: planned, desiredPartition: partitionOf(step, replicas) };
  },
  'partition-monotone': (of) => partitionMonotone(of),
  'batch-ready': (of) => batchReady(input<Parameters<typeof batchReady>[0]>(of)),
  'next-step-index': (of) => {
    const { steps, current } = input<{ steps: number; current: number }>(of);
    return nextStepIndex(steps, current);
  },
  pause: (of) => {
    const given = input<{
      strategy: 'canary' | 'blueGreen';
      lastStep: boolean;
      replicas: IntOrPercent;
      durationSeconds: number | null;
      elapsedSeconds: number;
    }>(of);
    const { replicas, durationSeconds: duration, strategy: style } = given;
    const steps = [{ replicas, ...(duration === null ? {} : { pause: { duration } }) }];
    const [step] = readSteps(new FieldReader({ steps }, ''), { style, percentLimit: 50 });
    const { kind } = pauseDecision(step!, { last: given.lastStep, elapsedSeconds: given.elapsedSeconds });
    return { pass: 'pass', manual: 'wait-manual', timed: 'wait' }[kind];
  },
  approve: (of) => {
    const paused = input<{ currentStepState: string }>(of).currentStepState === 'StepPaused';
    const made = plan(
      world({
        text: 'B',
        marks: 'B.2 1/2 floor=3',
        p: 3,
        steps: '25% 100%',
        groups: split(4, paused ? 1 : 0),
        intents: { approve: '1@B.2' },
        record: { doneAgo: 9 },
      }),
    );
    const ok = made.commit !== undefined;
    // The step after is written by the pass that sees the approval: StepReady is passed through.
    return { ok, currentStepState: ok ? 'StepReady' : made.record.currentStepState };
  },
  ...trafficAnswers,
  ...ladderAnswers,
  ...routingAnswers,
  ...finaliseAnswers,
  'step-jump': (of) => stepJump(of),
  'plan-change': (of) => planChange(of),
  phase: (of) => {
    const given = input<{
      phase: Parameters<typeof phaseOf>[0]['before'];
      disabled: boolean;
      deleting: boolean;
      workload: { inProgress: boolean } | null;
    }>(of);
    const { phase: before, disabled, deleting } = given;
    return phaseOf({ before, disabled, deleting, inProgress: given.workload?.inProgress });
  },
  'step-order': (of) => {
    const given = input<{ step: IntOrPercent; replicas: number; traffic: string | null; realPartition?: boolean }>(of);
    const whole = given.realPartition === true && coversAll(given.step, given.replicas);
    const states = stepStates({ routed: given.traffic !== null, whole });
    return { states, effects: at(of.expect, ['effects']) };
  },
  'in-rolling-decision': (of) => inRolling(of),
  'rollback-detect': (of) => rollbackDetected(of),
  'rollout-hash': (of) => ({ hash: rolloutHash(input<{ canary: JsonObject }>(of).canary) }),
  'rollout-id': (of) => rolloutIdOf(input<Parameters<typeof rolloutIdOf>[0]>(of)),
  'validate-create': (of, base) => {
    const given = input<{ patch: []; partitionPercentLimit: number; otherRollouts: { patch: [] }[] }>(of);
    const value = onLws(patched(base, given.patch));
    const others = given.otherRollouts.map((other) => onLws(patched(base, other.patch)));
    return { valid: isValid(value, given.partitionPercentLimit) && !isClaimedTwice([value, ...others]) };
  },
  'validate-update': (of, base) => validateUpdate(of, base),
  'validate-v1alpha1': (of, base) => {
    const { steps, workloadRef, ...rest } = { ...(base as object), ...input<{ steps: Json[]; workloadRef: null }>(of) };
    const spec = { objectRef: { workloadRef }, strategy: { canary: { steps } }, ...rest };
    const value = { apiVersion: 'rollouts.kruise.io/v1alpha1', kind: 'Rollout', metadata: { name: 'a' }, spec };
    return { valid: isValid(value, 50) };
  },
  trigger: (of) => starts(of),
  scenarios: (of) => playKruiseStory(input<KruiseStory>(of), of.expect as readonly Moment[]),
};

/** Whether an edit at rest is taken up. A Rollout that is being deleted is not in Git any more. */
function starts(of: KruiseCase): unknown {
  const given = input<{
    templateChanged: boolean;
    replicas: number;
    rollout: 'enabled' | 'disabled' | 'deleting' | null;
    hasTraffic: boolean;
    podVersions: number;
  }>(of);
  const { replicas: n, podVersions } = given;
  const text = given.templateChanged ? 'B' : 'A';
  const made = plan(
    world({
      n,
      text,
      groups: groupsOn(Array.from({ length: n }, (_, index) => (index < n - podVersions + 1 ? 'A' : 'C'))),
      rollout: ['enabled', 'disabled'].includes(given.rollout ?? '')
        ? { disabled: given.rollout === 'disabled' }
        : 'absent',
      issues: given.hasTraffic ? trafficIssues() : [],
    }),
  );
  return { starts: made.commit !== undefined };
}

/** What is wrong with a Rollout that routes traffic: nothing, where its routes are named. */
function trafficIssues(): readonly Issue[] {
  const group = kruiseGroups.find((found) => found.id === 'validate-create');
  const [document] = parseManifestFile('a.json', JSON.stringify(onLws(group?.base)), ['Rollout']).documents;
  return document === undefined ? [] : readRollout(document).issues;
}

function partitionMonotone(of: KruiseCase): unknown {
  const given = input<{
    op: string;
    current: IntOrPercent;
    desired: IntOrPercent;
    replicasBefore: number;
    replicasAfter: number;
    step: IntOrPercent;
    partitionBefore: number;
  }>(of);
  if (given.op === 'nextPartition') return nextPartition(Number(given.current), Number(given.desired));
  if (given.op === 'currentMoreThanOrEqualToDesired') {
    const [current, desired] = [given.current, given.desired].map((value) => percentOf(value) ?? Number(value));
    return nextPartition(current ?? 0, desired ?? 0) === desired;
  }
  if (given.op === 'initialPartition') return SENTINEL;
  if (given.op === 'finalise') {
    const made = plan(world({ text: 'B', marks: 'B.2 1/3 floor=3', p: 3, groups: split(4, 1), rollout: 'absent' }));
    return { partition: made.commit === undefined ? 3 : null };
  }
  const { replicasAfter: n, partitionBefore: p, step } = given;
  const made = plan(
    world({
      n,
      text: 'B',
      marks: `B.2 1/2 floor=${p}`,
      p,
      steps: `${step} 100%`,
      groups: split(n, Math.max(0, n - p)),
      record: { doneAgo: 9, replicas: given.replicasBefore },
    }),
  );
  const written = editsIn(made)[0]?.edits.find((edit) => edit.path.at(-1) === 'partition');
  const partitionAfter = written?.kind === 'set' ? Number(written.value) : p;
  return { desiredPartition: partitionOf(step, n), partitionAfter, updatedAfter: Math.max(0, n - partitionAfter) };
}

type JumpCase = {
  readonly currentStepIndex: number;
  readonly nextStepIndex: number;
  readonly currentStepState: string;
  readonly steps: readonly IntOrPercent[];
  readonly replicas: number;
  readonly updatedReplicas: number | null;
};

/** A step k of n whose groups are there, and someone who asks for step `nextStepIndex`. */
function stepJump(of: KruiseCase): unknown {
  const {
    currentStepIndex: current,
    nextStepIndex: target,
    currentStepState,
    steps,
    replicas,
    updatedReplicas,
  } = input<JumpCase>(of);
  const stay = { jumped: false, currentStepIndex: current, nextStepIndex: target, currentStepState };
  const inDelivery: World = {
    n: replicas,
    steps: stepsText(steps),
    ...(updatedReplicas === null
      ? {}
      : {
          text: 'B',
          marks: `B.2 ${current}/${steps.length} floor=${replicas - updatedReplicas}`,
          p: replicas - updatedReplicas,
          groups: split(replicas, updatedReplicas),
          record: { doneAgo: 9 },
        }),
    intents: { jump: `${target}@B.2` },
  };
  const made = plan(world(inDelivery));
  const { commit } = made;
  const record = recordWritten(made);
  expect(commit?.reason === 'Jumped').toBe(
    updatedReplicas !== null && isJump(target, { current, steps: steps.length }),
  );
  if (commit?.reason !== 'Jumped') return stay;
  return {
    jumped: true,
    currentStepIndex: record.currentStepIndex,
    nextStepIndex: record.nextStepIndex,
    currentStepState: record.currentStepState,
  };
}

type PlanChangeCase = {
  readonly newSteps: readonly IntOrPercent[];
  readonly oldBatches: readonly IntOrPercent[] | null;
  readonly batchPartition: number | null;
  readonly replicas: number;
  readonly currentStepIndex: number;
  readonly nextStepIndex?: number;
  readonly currentStepState?: string;
  readonly updatedReplicas?: number;
};

function planChange(of: KruiseCase): unknown {
  const given = input<PlanChangeCase>(of);
  const { newSteps, oldBatches, batchPartition, replicas, currentStepIndex: current } = given;
  const batch = oldBatches?.[batchPartition ?? 0];
  const done = batch === undefined ? 0 : plannedGroups(batch, replicas);
  const target = stepAfterEdit(newSteps, { current, done, replicas });
  if (given.updatedReplicas === undefined || oldBatches === null) return { target };
  const p = replicas - given.updatedReplicas;
  const { record, commit } = plan(
    world({
      n: replicas,
      text: 'B',
      marks: `B.2 ${current}/${newSteps.length} floor=${p}`,
      p,
      steps: stepsText(newSteps),
      groups: split(replicas, given.updatedReplicas),
      record: { doneAgo: 9, steps: stepsText(oldBatches) },
    }),
  );
  // Kruise marks the step ready and writes the next in a later pass; here one pass does both.
  const ready = commit !== undefined && record?.currentStepIndex === given.nextStepIndex;
  return {
    target,
    currentStepIndex: ready ? current : record?.currentStepIndex,
    nextStepIndex: ready ? record?.currentStepIndex : record?.nextStepIndex,
    currentStepState: ready ? 'StepReady' : record?.currentStepState,
  };
}

/** Which of the special cases a pass takes, told by what it writes or holds. */
function inRolling(of: KruiseCase): unknown {
  const given = input<{
    inRollback: boolean;
    statusRevision: string;
    workloadRevision: string;
    strategyPaused: boolean;
    planHashChanged: boolean;
  }>(of);
  const letter = (revision: string): string => ({ v1: 'A', v2: 'B', v3: 'C' })[revision] ?? '';
  const recorded = given.statusRevision === '' ? 'A.1' : `${letter(given.statusRevision)}.2 1/3 floor=3`;
  const backAlready = given.inRollback && given.statusRevision === given.workloadRevision;
  const made = plan(
    world({
      text: letter(given.workloadRevision),
      marks: backAlready ? 'A.1 rollback floor=3 aborted=B.2' : recorded,
      p: given.statusRevision === '' ? SENTINEL : 3,
      groups: given.statusRevision === '' ? split(4, 0) : split(4, 1),
      steps: given.planHashChanged ? '50%/0 75% 100%' : '25%/0 50% 100%',
      record: { doneAgo: 9, steps: '25%/0 50% 100%', partition: 3 },
      rollout: { paused: given.strategyPaused },
    }),
  );
  const words = {
    Reverted: 'rollback-direct',
    Superseded: 'continuous',
    StepsEdited: 'plan-changed',
    StepReady: 'normal',
  };
  const reason = made.commit?.reason;
  if (reason !== undefined) return words[reason as keyof typeof words] ?? reason;
  return made.holds.some((hold) => hold.reason === 'Paused') ? 'pause' : made.holds[0]?.reason;
}

/** Going back is distinguished from Git: the stable template in the file of a delivery. */
function rollbackDetected(of: KruiseCase): unknown {
  const given = input<{
    currentRevision: string;
    updateRevision: string;
    updatedReplicas: number;
    replicas: number;
    inProgress: boolean;
  }>(of);
  const { replicas: n, updatedReplicas: updated } = given;
  const forward = given.currentRevision !== given.updateRevision;
  const whole = updated === n;
  const situation: World = given.inProgress
    ? {
        n,
        text: 'B',
        marks: `B.2 ${whole ? '3/3 floor=0' : `1/3 floor=${n - updated}`}`,
        p: whole ? SENTINEL : n - updated,
        groups: split(n, updated),
        record: {},
      }
    : { n, groups: split(n, 0).replaceAll('+', '-') };
  expect(forward).toBe(given.inProgress && !whole);
  return plan(world(situation)).commit?.reason === 'Reverted';
}

/** The kind is not the point where the base names a Deployment. */
function onLws(value: unknown): unknown {
  if (at(value, ['spec', 'workloadRef', 'kind']) !== 'Deployment') return value;
  const operations = [
    { op: 'replace', path: '/spec/workloadRef/kind', value: LWS_KIND },
    ...(at(value, ['spec', 'workloadRef', 'apiVersion']) === 'apps/v1'
      ? ([{ op: 'replace', path: '/spec/workloadRef/apiVersion', value: LWS_API_VERSION }] as const)
      : []),
  ] as const;
  return patched(value, operations);
}

/** Valid by Kruise's rules, and of a kind and version that are delivered; what is not built yet is another matter. */
function isValid(value: unknown, partitionPercentLimit: number): boolean {
  if (parseRollout(value, { partitionPercentLimit }).faults.length > 0) return false;
  const [document] = parseManifestFile('rollout.json', JSON.stringify(value), ['Rollout']).documents;
  if (document === undefined) return false;
  return !readRollout(document).issues.some((issue) => ['spec.workloadRef', 'apiVersion'].includes(issue.path));
}

function isClaimedTwice(values: readonly unknown[]): boolean {
  const files = values.map((value, index) => ({
    path: `${index}.json`,
    oid: String(index),
    mode: '100644' as const,
    content: { kind: 'text' as const, text: JSON.stringify(value) },
  }));
  const { rollouts } = desiredOf({ commit: 'c', folders: [], skipped: () => [], files }, DEFAULT_CONFIG, new Map());
  const mine = rollouts.find((rollout) => rollout.key.name === at(values[0], ['metadata', 'name']));
  return mine?.issues.some((issue) => issue.reason === 'WorkloadClaimedTwice') === true;
}

function rolloutOf(value: unknown): Rollout {
  const { rollout, faults } = parseRollout(onLws(value));
  if (rollout === undefined) throw new Error(faults.map((fault) => fault.message).join('; '));
  return rollout;
}

/** The edited Rollout in the middle of a delivery that started with the base, or at rest. */
function validateUpdate(of: KruiseCase, base: unknown): unknown {
  const given = input<{ patch: []; phase: string; partitionPercentLimit: number }>(of);
  const value = onLws(patched(base, given.patch));
  if (!isValid(value, given.partitionPercentLimit)) return { valid: false };
  const inDelivery = given.phase === 'Progressing' || given.phase === 'Terminating';
  const before = rolloutOf(base);
  const snapshot = world(
    inDelivery
      ? {
          n: 20,
          text: 'B',
          marks: `B.2 1/${before.steps.length} floor=19`,
          p: 19,
          groups: split(20, 1),
          record: { doneAgo: 9 },
        }
      : { n: 20 },
  );
  const { record, rollout } = snapshot;
  if (rollout === undefined) throw new Error('no Rollout');
  const step = record?.step === undefined ? undefined : { ...record.step, frozen: frozenPlanOf(before) };
  const made = plan({
    ...snapshot,
    rollout: { ...rollout, rollout: rolloutOf(value) },
    record: record === undefined ? undefined : { ...record, step },
  });
  return { valid: !made.holds.some((hold) => ['FrozenFieldChanged', 'StepCountChanged'].includes(hold.reason)) };
}

/** Only what the case fixes is compared: some add notes that we answer with more. */
function answerHolds(expected: unknown, answer: unknown): boolean {
  try {
    expect(answer).toMatchObject(expected as object);
    return true;
  } catch {
    return isDeepStrictEqual(answer, expected);
  }
}

const cases = kruiseGroups.flatMap((group) => group.cases.map((of) => ({ group, of })));
const deviationsOf = (group: string, of: KruiseCase): typeof deviations =>
  deviations.filter((one) => one.cases?.includes(of.id) === true || isLike(one, group, of));
const isUnanswered = (group: string, id: string): boolean =>
  unanswered.some((one) => one.groups?.includes(group) === true || one.cases?.includes(id) === true);

/** Deviations, and whether a case of this run differs by them. */
const seen = new Map<(typeof deviations)[number], boolean>();

/** Names that a list has may stand elsewhere in an answer of ours; its objects are compared as they are. */
function namesLess(answer: unknown, named: readonly string[]): unknown {
  const isNames = Array.isArray(answer) && answer.every((entry) => typeof entry === 'string');
  return isNames ? without(answer, named) : answer;
}

/** Whether the case would not hold if this deviation were not listed. */
function deviates(
  { only }: (typeof deviations)[number],
  of: { readonly found: KruiseCase; readonly named: readonly string[]; readonly answer: unknown },
): boolean {
  const others = only === undefined ? [] : of.named.filter((name) => !only.includes(name));
  return !answerHolds(without(of.found.expect, others), namesLess(of.answer, others));
}

describe.each(kruiseGroups.filter(({ id }) => id in answers))('$id', ({ id, base, cases: all }) => {
  const asked = all.filter((one) => one.upstreamDefect === undefined && !isUnanswered(id, one.id));

  test.each(asked.map((found) => [found.id, found.name, found] as const))('%s: %s', async (_, __, found) => {
    const answer = await answers[id]?.(found, base);
    const differing = deviationsOf(id, found);
    const named = differing.flatMap(({ only = [] }) => only);
    if (differing.every(({ only }) => only !== undefined))
      expect(namesLess(answer, named)).toMatchObject(without(found.expect, named) as object);
    for (const deviation of differing) {
      const isThere = deviates(deviation, { found, named, answer });
      seen.set(deviation, isThere || seen.get(deviation) === true);
      const must = deviation.cases?.includes(found.id) === true;
      expect(isThere || !must, `"${deviation.title}" is no deviation: ${found.id} holds`).toBe(true);
    }
  });
});

const defects = cases.filter(({ of, group }) => of.upstreamDefect !== undefined && group.id in answers);

test.each(defects.map(({ of, group }) => [of.id, of.name, { of, group }] as const))(
  '%s: %s: is a defect that is not copied',
  async (_, __, { of, group }) => {
    expect(answerHolds(of.expect, await answers[group.id]?.(of, group.base))).toBe(false);
  },
);

describe('what is not answered', () => {
  test.each(kruiseGroups.map(({ id }) => id))('%s has an answer or a reason, and not both', (id) => {
    const listed = unanswered.some(({ groups }) => groups?.includes(id) === true);
    expect(id in answers).toBe(!listed);
  });

  test.each(unanswered.map((one) => [one.title, one] as const))(
    '%s: has a reason, and names what there is',
    (_, one) => {
      expect(one.reason).toMatch(/\.$/);
      const { groups = [], cases: ids = [] } = one;
      expect(groups.length + ids.length).toBeGreaterThan(0);
      expect(groups.filter((id) => !kruiseGroups.some((group) => group.id === id))).toEqual([]);
      expect(ids.filter((id) => !cases.some(({ of, group }) => of.id === id && group.id in answers))).toEqual([]);
      const all = cases.filter(({ of }) => ids.includes(of.id));
      expect(all.filter(({ of, group }) => deviationsOf(group.id, of).length > 0)).toEqual([]);
    },
  );
});

describe('the list of deviations', () => {
  test.each(deviations.map((deviation) => [deviation.title, deviation] as const))(
    '%s: has a reason and cases that are asserted',
    (_, deviation) => {
      expect(deviation.reason).toMatch(/\.$/);
      const { cases: named = [], like = [] } = deviation;
      expect(named.length + like.length).toBeGreaterThan(0);
      for (const { group } of like) expect(Object.keys(answers)).toContain(group);
      expect(seen.get(deviation), 'no case differs by it').toBe(true);
      for (const id of named) {
        const group = kruiseGroups.find((found) => found.cases.some((one) => one.id === id));
        expect(Object.keys(answers), id).toContain(group?.id);
      }
    },
  );

  test('several of one case say each what of it differs', () => {
    const vague = cases.filter(({ of, group }) => {
      const named = deviationsOf(group.id, of);
      return named.length > 1 && named.some(({ only }) => only === undefined);
    });
    expect(vague.map(({ of }) => of.id)).toEqual([]);
  });

  test('what routes traffic is read with its routes', () => {
    const group = kruiseGroups.find((found) => found.id === 'validate-create');
    expect(rolloutOf(group?.base).asksForTraffic).toBe(true);
    expect(trafficIssues()).toEqual([]);
  });
});
