/** Worlds under policies and what is decided in them, in short: what the planted bugs of policy-mutants.test.ts change. */

import { NOTICE_EVENTS } from '../../src/api/policy-notify.ts';
import { printRelease } from '../../src/api/release.ts';
import { plan, recordWritten } from '../../src/rollout/plan.ts';
import type { Snapshot, WindowFacts } from '../../src/rollout/snapshot.ts';
import { NOW, releaseOf, type World, world } from '../support/snapshot.ts';

const OLD = '0:A+ 1:A+ 2:A+ 3:A+';
const asked: World = { text: 'B', groups: OLD, record: {} };
const extra: World = { ...asked, surge: 1 };
const one: World = { ...asked, marks: 'B.2 1/3 floor=3', p: 3, groups: '0:A+ 1:A+ 2:A+ 3:B+', record: { doneAgo: 30 } };
const whole: World = { ...one, marks: 'B.2 3/3 floor=0', p: 1_000_000, groups: '0:B+ 1:B+ 2:B+ 3:B+' };
const surged: World = {
  ...one,
  n: 5,
  marks: 'B.2 1/3 floor=3 r=4>5',
  groups: '0:A+ 1:A+ 2:A+ 3:B+ 4:B+',
  surge: 1,
};
/** Its extra group is ready, and the plan was edited meanwhile. */
const starting: World = {
  ...surged,
  marks: 'B.2 0/3 floor=4 r=4>5',
  p: 4,
  groups: '0:A+ 1:A+ 2:A+ 3:A+ 4:B+',
  steps: '45% 85% 100%',
  record: { doneAgo: 30, steps: '1 2 3' },
};
const fresh: World = { ...asked, claims: 'B', recreate: 'Allow', argo: 'beside' };
const shut: WindowFacts = { open: false, changesAt: NOW + 60, shutBy: [] };
const exempt = (release: string, more: Partial<WindowFacts> = {}): WindowFacts => ({
  ...shut,
  excepted: [
    { release: printRelease(releaseOf(release)), open: true, changesAt: NOW + 600, shutBy: [], by: [], ...more },
  ],
});
const closing: WindowFacts = { open: true, changesAt: NOW + 900, shutBy: [] };
const chat = ['llm/chat (1/2)'];

const rows: readonly (readonly [world: World, wanted: string])[] = [
  [{ ...asked, rules: { maxStepGroups: 2 } }, 'StepReady'],
  [{ ...asked, rules: { maxStepGroups: 1 } }, 'StepTooLarge'],
  [{ ...asked, rules: { maxStepPercent: 50 } }, 'StepReady'],
  [{ ...asked, rules: { maxStepPercent: 49 } }, 'StepTooLarge'],
  [{ ...asked, steps: '1 2 3 4', rules: { maxStepPercent: 1 } }, 'StepReady'],
  [{ ...asked, rules: { maxFirstStepGroups: 1 } }, 'StepReady'],
  [{ ...asked, steps: '50% 100%', rules: { maxFirstStepGroups: 1 } }, 'StepTooLarge'],
  [{ ...asked, intents: { jump: '2@B.2' }, rules: { maxFirstStepGroups: 1 } }, 'StepTooLarge'],
  [{ ...extra, steps: '50% 100%', rules: { maxFirstStepGroups: 1 } }, 'StepTooLarge'],
  [{ ...one, rules: { maxStepGroups: 1 } }, 'StepReady'],
  [{ ...one, steps: '1/0 4', marks: 'B.2 1/2 floor=3', rules: { maxFirstStepGroups: 1 } }, 'StepReady'],
  [{ ...one, intents: { jump: '3@B.2' }, rules: { maxStepGroups: 2 } }, 'StepTooLarge'],
  // In step 0 an edit of the plan leads nowhere: a jump does, and is asked about as it is written.
  [{ ...starting, intents: { jump: '3@B.2' }, rules: { maxStepGroups: 3 } }, 'StepTooLarge'],
  [{ ...starting, intents: { jump: '3@B.2' }, rules: { maxStepGroups: 4 } }, 'Jumped'],
  [{ ...asked, u: 2, rules: { maxUnavailableGroups: 1 } }, 'BudgetTooLarge'],
  [{ ...asked, u: 2, rules: { maxUnavailableGroups: 2 } }, 'StepReady'],
  [{ ...asked, rules: { minReadyGroups: 3 } }, 'StepReady'],
  [{ ...asked, rules: { minReadyGroups: 4 } }, 'CapacityTooLow'],
  [{ ...asked, rules: { minReadyPercent: 75 } }, 'StepReady'],
  [{ ...asked, rules: { minReadyPercent: 76 } }, 'CapacityTooLow'],
  [{ ...extra, rules: { minReadyPercent: 100 } }, 'SurgePrepared'],
  [{ ...extra, rules: { minReadyGroups: 5 } }, 'CapacityTooLow'],
  [{ ...asked, u: 2, groups: '0:A- 1:A+ 2:A+ 3:A+', rules: { minReadyGroups: 3 } }, 'CapacityTooLow'],
  [{ ...asked, rules: { maxGpus: 64 } }, 'StepReady'],
  [{ ...asked, rules: { maxGpus: 63 } }, 'GpusOverLimit'],
  [{ ...extra, rules: { maxGpus: 79 } }, 'GpusOverLimit'],
  [{ ...extra, rules: { maxExtraGpus: 16 } }, 'SurgePrepared'],
  [{ ...extra, rules: { maxExtraGpus: 15 } }, 'GpusOverLimit'],
  [{ ...surged, rules: { maxExtraGpus: 15 } }, 'GpusOverLimit'],
  [{ ...surged, rules: { maxGpus: 80 } }, 'StepReady'],
  [{ ...asked, rules: { maxDeliveriesPerNamespace: 1 }, underWay: chat }, 'NotItsTurn'],
  [{ ...asked, rules: { maxDeliveriesPerNamespace: 2 }, underWay: chat }, 'StepReady'],
  [{ ...one, rules: { maxDeliveriesPerNamespace: 1 }, underWay: chat }, 'StepReady'],
  [{ ...asked, windows: shut }, 'WindowClosed'],
  [{ ...one, windows: shut }, 'WindowClosed'],
  [{ ...whole, windows: shut }, 'Settled'],
  [{ ...asked, windows: exempt('B.2') }, 'StepReady'],
  [{ ...asked, windows: exempt('B.1') }, 'WindowClosed'],
  [{ ...asked, windows: exempt('A.1') }, 'WindowClosed'],
  [{ ...one, windows: exempt('B.2') }, 'StepReady'],
  [{ ...one, windows: exempt('B.3') }, 'WindowClosed'],
  [{ ...asked, windows: exempt('B.2', { open: false }) }, 'WindowClosed'],
  [{ ...asked, windows: exempt('B.2'), rules: { leaveAtLeastSeconds: 601 } }, 'WindowClosed'],
  [{ ...asked, windows: closing, rules: { leaveAtLeastSeconds: 900 } }, 'StepReady'],
  [{ ...asked, windows: closing, rules: { leaveAtLeastSeconds: 901 } }, 'WindowClosed'],
  [{ ...asked, windows: closing, rules: { leaveAtLeastSeconds: 60 }, record: { loads: [901] } }, 'WindowClosed'],
  [{ ...asked, rules: { readyDeadlineSeconds: 59, soakSeconds: 60 } }, 'PoliciesContradict'],
  [{ ...asked, rules: { readyDeadlineSeconds: 60, soakSeconds: 60 } }, 'StepReady'],
  [{ ...asked, rules: { deliveryReadyDeadlineSeconds: 59, soakSeconds: 60 } }, 'PoliciesContradict'],
  [{ ...asked, rules: { deliveryReadyDeadlineSeconds: 59, finalSoakSeconds: 60 } }, 'PoliciesContradict'],
  [{ ...asked, rules: { readyDeadlineSeconds: 59, finalSoakSeconds: 60 } }, 'StepReady'],
  [{ ...fresh, rules: { readyDeadlineSeconds: 59, soakSeconds: 60 } }, 'PoliciesContradict'],
  [{ ...one, rules: { soakSeconds: 30 } }, 'StepReady'],
  [{ ...one, rules: { soakSeconds: 31 } }, 'Soaking'],
  [{ ...one, rules: { finalSoakSeconds: 31 } }, 'StepReady'],
  [{ ...whole, rules: { finalSoakSeconds: 31 } }, 'Soaking'],
  [{ ...whole, rules: { soakSeconds: 31, finalSoakSeconds: 30 } }, 'Soaking'],
  [{ ...asked, missingPolicies: [{ name: 'a', why: 'absent' }] }, 'PolicyMissing'],
  [{ ...one, missingPolicies: [{ name: 'a', why: 'absent' }] }, 'PolicyMissing'],
  [fresh, 'RecreateRemoved'],
  [{ ...fresh, rules: { maxStepGroups: 3 } }, 'StepTooLarge'],
  [{ ...fresh, rules: { minReadyGroups: 1 } }, 'CapacityTooLow'],
  [{ ...fresh, rules: { maxDeliveriesPerNamespace: 1 }, underWay: chat }, 'NotItsTurn'],
  [{ ...fresh, windows: shut }, 'WindowClosed'],
];

/** Two minutes and a second. */
const off = { clockOffSeconds: 121 } as const;
const fails: World = {
  ...one,
  groups: '0:A+ 1:A+ 2:A+ 3:B-',
  rules: { readyDeadlineSeconds: 60, onFailure: 'rollback' },
};
const often: World = { ...one, groups: '0:A+ 1:A+ 2:A+ 3:Bc' };

/** What the fourth of four passes sees, each with the record of the one before and this many seconds after it. */
function fourth(seen: readonly World[], seconds: number, more: Partial<Snapshot> = {}): Snapshot {
  let record = world(one).record;
  let last = world(one);
  for (const [place, of] of seen.entries()) {
    last = { ...world({ ...of, now: NOW + seconds * place }), record, ...more };
    record = plan(last).record;
  }
  return last;
}

const passes: readonly (readonly [Snapshot, wanted: string])[] = [
  [{ ...world({ ...asked, windows: { open: true, shutBy: [] } }), ...off }, 'ClockSkew'],
  [{ ...world({ ...one, windows: { open: true, shutBy: [] } }), ...off }, 'ClockSkew'],
  [{ ...world(asked), ...off }, 'StepReady'],
  [waits(undefined), 'NotItsTurn'],
  [waits(NOW - 899), 'NotItsTurn'],
  [waits(NOW - 900), 'StepReady'],
  [waits(undefined, 2), 'StepReady'],
  [fourth([fails, fails, fails, fails], 30), 'Failed'],
  [fourth([fails, fails, fails, fails], 20), 'GroupsNotReady'],
  [fourth([fails, fails, fails], 30), 'GroupsNotReady'],
  [fourth([fails, fails, fails], 3600), 'GroupsNotReady'],
  [fourth([fails, fails, fails, fails], 30, off), 'GroupsNotReady ClockSkew'],
  [fourth([fails, one, fails, fails, fails], 30), 'GroupsNotReady'],
  [fourth([fails, { ...fails, rollout: { paused: true } }, fails, fails], 30), 'GroupsNotReady'],
  [fourth([fails, fails, fails, { ...fails, rollout: { paused: true } }], 30), 'GroupsNotReady Paused'],
  [fourth([fails, fails, fails, { ...fails, groups: '0:A+ 1:A+ 2:A+ 3:Bu' }], 30), 'Unschedulable'],
  [world({ ...often, rules: { maxRestarts: 3, onFailure: 'rollback' } }), 'Failed'],
  [world({ ...often, rules: { maxRestarts: 4, onFailure: 'rollback' } }), 'GroupCrashLoop'],
  [world({ ...often, rules: { maxRestarts: 3 } }), 'StepFailed GroupCrashLoop'],
  [
    { ...world(asked), backsInHistory: { inARow: 2, last: [{ release: releaseOf('C.1'), at: NOW }] } },
    'TooManyRollbacks',
  ],
  [{ ...world(asked), backsInHistory: { inARow: 1, last: [{ release: releaseOf('C.1'), at: NOW }] } }, 'StepReady'],
];

/** In another process llm/chat has asked before; a place is kept for it since then. */
function waits(gaveWay: number | undefined, most = 1): Snapshot {
  const { record, turns = [], ...rest } = world({ ...asked, rules: { maxDeliveriesPerNamespace: most } });
  const requested = { digest: releaseOf('B.2').digest, since: NOW - 5000, gaveWay };
  return {
    ...rest,
    turns: turns.map((turn) => ({ ...turn, before: ['llm/chat'] })),
    record: record === undefined ? undefined : { ...record, requested },
  };
}

const all = [{ to: 'prod', as: 'slack', events: NOTICE_EVENTS }] as const;

/** What is to be told after a pass over a world that has stood still for this reason for two hours. */
const told: readonly (readonly [of: World, reason: string, key: string, wanted: string])[] = [
  [{ ...one, rollout: { paused: true } }, 'Paused', '', 'holdTooLong'],
  [{ ...one, windows: shut }, 'WindowClosed', '', ''],
  [asked, '', '', 'started step'],
  [asked, '', 'default/llm/vllm bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.2 started delivery', 'step'],
];

function* wronglyTold(): Iterable<string> {
  for (const [of, reason, key, wanted] of told) {
    const { record, ...rest } = world(of);
    const condition = { type: 'Progressing', status: 'True', reason, message: '', since: NOW - 7200 } as const;
    const notices = { outbox: [], told: key === '' ? [] : [key] };
    const before = record === undefined ? undefined : { ...record, conditions: [condition], notices };
    const after = recordWritten(plan({ ...rest, record: before, notifyTo: all })).notices;
    const seen = (after?.outbox ?? []).map(({ event }) => event).join(' ');
    if (seen !== wanted) yield `${JSON.stringify(of)}: wanted ${wanted}, told ${seen}`;
  }
}

/** The rows whose answer is another than wanted, one by one: a planted bug needs the first alone. */
export function* wrongAnswers(): Iterable<string> {
  for (const [of, wanted] of rows) yield* wronglyAnswered(world(of), wanted);
  for (const [snapshot, wanted] of passes) yield* wronglyAnswered(snapshot, wanted);
  yield* wronglyTold();
}

function wronglyAnswered(snapshot: Snapshot, wanted: string): readonly string[] {
  const seen = answer(snapshot);
  return seen === wanted ? [] : [`${JSON.stringify(snapshot)}: wanted ${wanted}, got ${seen}`];
}

function answer(snapshot: Snapshot): string {
  const { commit, holds } = plan(snapshot);
  return commit?.reason ?? holds.map(({ reason }) => reason).join(' ');
}
