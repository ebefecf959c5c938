/** The recorded traces with other N: the same groups under other ordinals, above old groups that nothing touches. */

import { expect, test } from 'vitest';
import { asWritten } from '../../src/api/json.ts';
import { runScenario } from '../../src/simulator/scenario/scenario.ts';
import { parseScenario, type Scenario } from '../../src/simulator/scenario/scenario-file.ts';
import { type TraceStep, traces } from './trace-files.ts';

type Fields = Readonly<Record<string, unknown>>;

const SENTINEL = 1_000_000;
const BY_ORDINAL = new Set(['partition', 'replicas', 'group']);
const OTHER_SIZES = [1, 3];

/** Only where the lowest group never moves: no surge (it depends on N), no percentage, no partition 0, no zero. */
function isShiftable(trace: { readonly raw: unknown; readonly steps: readonly TraceStep[] }): boolean {
  const { initial } = trace.raw as { initial: Fields };
  // There the lower groups have no workers before their leaders are ready.
  if (initial['startupPolicy'] === 'LeaderReady') return false;
  return (
    [initial, ...trace.steps.map(({ event }) => event as Fields)].every((fields) => {
      if (
        ['deleteSts', 'putWithoutPartition', 'putWithoutRolling', 'controllerUpgrade'].includes(String(fields['type']))
      )
        return false;
      if (fields['type'] === 'apply' && fields['partition'] === undefined) return false;
      if (fields['maxSurge'] !== undefined && fields['maxSurge'] !== 0) return false;
      if (typeof fields['maxUnavailable'] === 'string' || (fields['size'] !== undefined && fields !== initial))
        return false;
      if (fields['volumeClaimTemplates'] !== undefined || fields['vct'] !== undefined) return false;
      return fields['partition'] !== 0 && fields['replicas'] !== 0;
    }) && trace.steps.every(({ lws }) => lws['partition'] !== 0)
  );
}

function shiftedFields(fields: Fields, by: number): Fields {
  const moved = Object.entries(fields).map(([key, value]) => {
    if (!BY_ORDINAL.has(key) || value === SENTINEL) return [key, value];
    return [key, Array.isArray(value) ? value.map((entry) => Number(entry) + by) : Number(value) + by];
  });
  return Object.fromEntries(moved) as Fields;
}

function shiftedScenario(raw: unknown, by: number): Scenario {
  const { initial, steps, ...rest } = raw as { initial: Fields; steps: readonly { event: Fields }[] };
  const moved = {
    ...rest,
    initial: shiftedFields(initial, by),
    steps: steps.map(({ event }) => ({ event: shiftedFields(event, by) })),
  };
  const parsed = parseScenario('shifted', asWritten(moved));
  if (parsed.kind !== 'ok') throw new Error(JSON.stringify(parsed.issues));
  return parsed.value;
}

/** What the recording says of the same groups, `by` ordinals higher, with `by` groups on revision r1 below them. */
function shiftedState(step: TraceStep, by: number): unknown {
  const { lws, sts } = step;
  const low = step.event.type === 'create' ? 0 : by;
  const onUpdate = sts?.['rev'] === 'r1' ? by : 0;
  const add = (value: unknown, amount: number): unknown => (value === SENTINEL ? value : Number(value) + amount);
  return {
    lws: {
      ...lws,
      replicas: add(lws['replicas'], by),
      partition: add(lws['partition'], by),
      readyReplicas: add(lws['readyReplicas'], low),
      updatedReplicas: add(lws['updatedReplicas'], onUpdate),
      statusReplicas: add(lws['statusReplicas'], by),
    },
    sts:
      sts === null
        ? null
        : {
            ...sts,
            replicas: add(sts['replicas'], by),
            partition: add(sts['partition'], by),
            readyReplicas: add(sts['readyReplicas'], low),
            updatedReplicas: add(sts['updatedReplicas'], onUpdate),
            currentReplicas: add(sts['currentReplicas'], by),
            annotationReplicas: String(add(sts['annotationReplicas'], by)),
          },
    groups: step.groups.map((group) => ({ ...group, index: Number(group['index']) + by })),
    revisions: step.revisions,
    leaderStsRevisions: step.leaderStsRevisions,
  };
}

const cases = traces()
  .filter(isShiftable)
  .flatMap((trace) => OTHER_SIZES.map((by) => [trace.file, by, trace] as const));

test('enough traces can be renumbered', () => {
  expect(cases.length).toBeGreaterThan(100);
});

test.each(cases)('%s, %i more groups below', (_, by, trace) => {
  const steps = runScenario(shiftedScenario(trace.raw, by));
  for (const [at, wanted] of trace.steps.entries()) {
    const { lws, sts, groups, revisions, leaderStsRevisions } = steps[at]!;
    const moved = groups.filter((group) => Number(group['index']) >= by);
    expect({ at, lws, sts, groups: moved, revisions, leaderStsRevisions }).toEqual({
      at,
      ...(shiftedState(wanted, by) as object),
    });
    for (const group of groups.filter((entry) => Number(entry['index']) < by)) {
      expect(group).toMatchObject({ rev: 'r1', leaderReplaced: false, workersReplaced: false });
    }
  }
});
