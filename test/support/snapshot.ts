/** Builds snapshots from a compact notation, and says what a plan would write in the same notation. */

import type { IntOrPercent } from '../../src/api/int-or-percent.ts';
import { ACCEPTABLE, type AcceptIntent, INTENT, type Intents, parseIntents } from '../../src/api/intents.ts';
import type { Issue } from '../../src/api/issue.ts';
import type { JsonObject } from '../../src/api/json.ts';
import { absent, type Known, known, unknown } from '../../src/api/known.ts';
import type { LiveStatefulSet, LiveWorker } from '../../src/api/live.ts';
import { parseLwsVersion } from '../../src/api/lws-version.ts';
import type { Marks } from '../../src/api/marks.ts';
import { NO_RULES, type PolicyRules, type Recreate, type SizeChange } from '../../src/api/policy-rules.ts';
import type { RolloutRecord, StepRecord } from '../../src/api/record.ts';
import { printRecreating } from '../../src/api/recreating.ts';
import { parseRollout, type Rollout } from '../../src/api/rollout.ts';
import { SENTINEL } from '../../src/api/workload.ts';
import { factsDigest, withFactDigests } from '../../src/reconcile/documents/digests.ts';
import { factsOf } from '../../src/rollout/facts.ts';
import { partitionOf, plannedGroups } from '../../src/rollout/observed/batches.ts';
import { situationOf } from '../../src/rollout/situation.ts';
import {
  type History,
  type Live,
  type MissingPolicy,
  type RolloutFile,
  SNAPSHOT_VERSION,
  type Snapshot,
  type Stable,
  type WindowFacts,
} from '../../src/rollout/snapshot.ts';
import { leaderNoted, type NotedGroup, readGroups, setNamed, UNSCHEDULABLE } from './groups-notation.ts';
import {
  commitOf,
  digestOf,
  type Letter,
  letterOf,
  longIntent,
  MAIN,
  marksOf,
  releaseOf,
  WORKLOAD_FILE,
} from './marks-notation.ts';
import { keptOf, outOfFile } from './out-of-file.ts';
import { undoIn } from './undo-notation.ts';

export {
  commitOf,
  digestOf,
  type Letter,
  letterOf,
  MAIN,
  marksOf,
  releaseOf,
  showMarks,
  showRelease,
  WORKLOAD_FILE,
} from './marks-notation.ts';

export const NOW = 1_750_000_000;
export const ROLLOUT_FILE = 'rollouts/vllm.yaml';

export type World = {
  /** `replicas` in Git; `undefined` in it: not written. */
  readonly n?: number | undefined;
  /** The value that the cluster has, where it is another than Git's. */
  readonly liveN?: number;
  readonly size?: number;
  /** Of the templates whose size is another, by letter. */
  readonly sizes?: Readonly<Record<Letter, number>>;
  /** The templates that have volumeClaimTemplates: `BC`. */
  readonly claims?: string;
  /** The document is out of its file, to be re-created as this: `forward B.2`, `back A.1 aborted=B.2`. */
  readonly gone?: string;
  /** The same is kept, and the document is there: somebody has put it back. */
  readonly returned?: string;
  /** Of a workload that is gone live: what is left of it. */
  readonly left?: 'pods' | 'sets' | 'unknown';
  /** Argo CD applies the folder of the file, and has nothing else there, or something. */
  readonly argo?: 'alone' | 'beside';
  /** The template in the file. */
  readonly text?: Letter;
  /** `B.2 1/3 floor=3 u=1>2 r=4>5 aborted=C.3,D.4`; `none`: not managed. Settled on A by default. */
  readonly marks?: string;
  /** The marks that our last commit wrote, where `marks` lacks some of them. */
  readonly lost?: string;
  /** `missing`: not written. */
  readonly p?: number | 'missing';
  /** `maxUnavailable`; 0: not written. */
  readonly u?: IntOrPercent;
  /** The digest of the file where it is another than its text has: an edit that changes nothing for LWS. */
  readonly digest?: Letter;
  /** The letter of the stable template, or `unknown`, `absent`. By default A where something is to be delivered. */
  readonly stable?: string;
  /** A letter, or `unknown`. */
  readonly retryText?: string;
  /** What an order to undo finds: `A.1 back=1 ago=60`, or `unknown`. */
  readonly undo?: string;
  /** The release that the file asks for again: `A.1`. */
  readonly earlier?: string;
  readonly delivered?: 'unknown';
  /** What the cluster has; Git's by default. `unknown`, `absent`: instead of everything. */
  readonly live?: 'unknown' | 'absent' | LiveWorld;
  /** `0:A+ 1:A- 2:Bw 3:B~`: as in `groups-notation.ts`. */
  readonly groups?: string;
  /** `25% 50%! 100%/60`: `!` a manual pause as written, `/60` a timed one. */
  readonly steps?: string;
  readonly rollout?: 'absent' | Partial<Pick<Rollout, 'paused' | 'disabled' | 'style'>>;
  readonly failureThreshold?: IntOrPercent;
  /** What the policies ask for. */
  readonly surge?: number;
  readonly sizeChange?: SizeChange;
  readonly recreate?: Recreate;
  /** Those and other rules, of the policy `production`. */
  readonly rules?: Partial<PolicyRules>;
  readonly missingPolicies?: readonly MissingPolicy[];
  /** Others that are in progress in the namespace, where `maxDeliveriesPerNamespace` limits them. */
  readonly underWay?: readonly string[];
  readonly windows?: WindowFacts;
  /** As declared, `0.11`. */
  readonly lwsVersion?: string;
  /** As on the Rollout: `{ approve: '1@B.2' }`. */
  readonly intents?: Readonly<Partial<Record<Exclude<keyof typeof INTENT, 'accept'>, string>>>;
  /** Holds that somebody has accepted: `Overshoot@B.2` for what is seen, `Overshoot@B.2#other` for something else. */
  readonly accept?: string;
  readonly issues?: readonly Issue[];
  readonly history?: History;
  /** Its name, or `unknown`. */
  readonly scaler?: string;
  /** `undefined`: lost. */
  readonly record?: RecordWorld | RolloutRecord | undefined;
  readonly now?: number;
};

export type LiveWorld = {
  readonly text?: Letter;
  readonly p?: number;
  readonly u?: IntOrPercent;
  /** LWS has not observed the newest generation. */
  readonly unobserved?: boolean;
  /** LWS before 0.9. */
  readonly old?: boolean;
  readonly deleting?: boolean;
  /** The text on the leader StatefulSet, where LWS has not put the new one on it yet. */
  readonly setText?: Letter;
  /** The partition on the leader StatefulSet, where LWS has not put the new one on it yet. */
  readonly setPartition?: number;
  readonly flipped?: boolean;
  readonly uid?: string;
  readonly setUid?: string;
  /** maxUnavailable on the leader StatefulSet: only where the gate is on. */
  readonly gate?: IntOrPercent;
  /** Revisions that are there in addition to those of text, stable template and groups; `-`: none but those of the groups. */
  readonly revisions?: string;
  /** A revision of that letter that holds the stable template too, and is older. */
  readonly twin?: Letter;
  /** One part that could not be read. */
  readonly unread?: 'leaderSet' | 'leaders' | 'workerSets' | 'revisions';
};

export type RecordWorld = {
  /** How long ago the groups of the step were first seen done. */
  readonly doneAgo?: number;
  readonly partition?: number;
  readonly replicas?: number;
  /** The steps as they were when the step was written. */
  readonly steps?: string;
  readonly uids?: { readonly lws: string; readonly leaderSet: string };
  readonly marks?: string;
  readonly appliedAgo?: number;
  readonly notAppliedAgo?: number;
  /** The key that the text of `revisionOf` had; of the file's text by default. */
  readonly revision?: string;
  readonly revisionOf?: Letter;
  /** Groups that have been unready for this long, by ordinal. */
  readonly unreadyFor?: Readonly<Record<number, number>>;
  /** How long groups took to load, in seconds. */
  readonly loads?: readonly number[];
};

const EMPTY_RECORD: RolloutRecord = {
  version: 1,
  cluster: 'default',
  namespace: 'llm',
  name: 'vllm',
  main: MAIN,
  blobs: { [WORKLOAD_FILE]: 'blob', [ROLLOUT_FILE]: 'blob' },
  settled: false,
  auditedAt: NOW,
  phase: 'Progressing',
  currentStepState: 'StepUpgrade',
  currentStepIndex: 0,
  nextStepIndex: 1,
  message: '',
  conditions: [],
  holds: [],
  rolloutHash: '',
  observedRolloutID: '',
  marks: undefined,
  step: undefined,
  groups: [],
  uids: undefined,
  appliedSince: undefined,
  stable: undefined,
};

/** What a release covers, one image a letter. */
export function contentOf(letter: Letter, size = 2, claims = false): JsonObject {
  const image = `vllm/vllm-openai:v0.10.${letter.charCodeAt(0) - 65}`;
  const resources = { limits: { 'nvidia.com/gpu': '8' } };
  const template = { spec: { containers: [{ name: 'vllm', image, args: ['--model', 'llama'], resources }] } };
  const volumes = claims ? { volumeClaimTemplates: [{ metadata: { name: 'cache' } }] } : {};
  return { leaderWorkerTemplate: { size, leaderTemplate: template, workerTemplate: template, ...volumes } };
}

export function textOf(letter: Letter): string {
  return `text of ${letter}`;
}

export function stableOf(letter: Letter, serial = 1): Stable {
  return {
    commit: commitOf(letter),
    release: { digest: digestOf(letter), serial },
    content: contentOf(letter),
    text: textOf(letter),
  };
}

export function stepsOf(notation: string): readonly JsonObject[] {
  if (notation === '') return [];
  return notation.split(' ').map((word) => {
    const [, count = '', mark = ''] = /^([0-9]+%?)(.*)$/.exec(word) ?? [];
    const replicas = count.endsWith('%') ? count : Number(count);
    if (mark === '') return { replicas };
    return { replicas, pause: mark === '!' ? {} : { duration: Number(mark.slice(1)) } };
  });
}

function sizeOf(of: World, letter: Letter): number {
  return of.sizes?.[letter] ?? of.size ?? 2;
}

function contentIn(of: World, letter: Letter): JsonObject {
  return contentOf(letter, sizeOf(of, letter), of.claims?.includes(letter));
}

function rolloutFile(of: World): RolloutFile | undefined {
  if (of.rollout === 'absent') return undefined;
  const kept = of.gone ?? of.returned;
  const recreating = kept === undefined ? {} : { [INTENT.recreating]: printRecreating(keptOf(kept)) };
  const asked = Object.fromEntries(
    Object.entries(of.intents ?? {}).map(([key, value]) => [INTENT[key as keyof typeof INTENT], longIntent(value)]),
  );
  const annotations = { ...asked, ...recreating };
  const { rollout, faults } = parseRollout({
    apiVersion: 'rollouts.kruise.io/v1beta1',
    kind: 'Rollout',
    metadata: { name: 'vllm', namespace: 'llm', annotations },
    spec: {
      workloadRef: { apiVersion: 'leaderworkerset.x-k8s.io/v1', kind: 'LeaderWorkerSet', name: 'vllm' },
      disabled: of.rollout?.disabled ?? false,
      strategy: {
        paused: of.rollout?.paused ?? false,
        canary: { steps: stepsOf(of.steps ?? '25%/0 50%! 100%'), failureThreshold: of.failureThreshold },
      },
    },
  });
  if (rollout === undefined) throw new Error(faults.map((fault) => fault.message).join('; '));
  const intents: Intents = parseIntents(annotations).intents;
  const object = { apiVersion: 'rollouts.kruise.io/v1beta1', kind: 'Rollout', namespace: 'llm', name: 'vllm' };
  return { file: ROLLOUT_FILE, object, rollout: { ...rollout, ...of.rollout }, intents, hash: 'hash' };
}

/** The snapshot of a world. At rest, settled on A, four groups, `maxUnavailable` 1, unless it says otherwise. */
export function world(of: World = {}): Snapshot {
  return of.gone === undefined ? accepting(of.accept, inPlace(of)) : outOfFile(of, inPlace);
}

function accepting(notation: string | undefined, snapshot: Snapshot): Snapshot {
  const { workload, rollout } = snapshot;
  if (notation === undefined || workload === undefined || rollout === undefined) return snapshot;
  const seen = factsOf(situationOf(snapshot, workload));
  const accept = notation.split(' ').map((word): AcceptIntent => {
    const [, name = '', release = '', other] = /^(\w+)@([A-F]\.[0-9]+)(#other)?$/.exec(word) ?? [];
    const reason = ACCEPTABLE.find((one) => one === name);
    if (reason === undefined) throw new Error(`${word} is no hold to accept`);
    const facts = other === undefined ? seen[reason] : { other: true };
    return { reason, release: releaseOf(release), facts: factsDigest(facts ?? {}) };
  });
  return withFactDigests({ ...snapshot, rollout: { ...rollout, intents: { ...rollout.intents, accept } } });
}

function inPlace(of: World): Snapshot {
  const n = 'n' in of ? of.n : 4;
  const text = of.text ?? 'A';
  const marks = marksOf(of.marks ?? 'A.1');
  const partition = of.p === 'missing' ? undefined : (of.p ?? SENTINEL);
  const maxUnavailable = of.u === 0 ? undefined : (of.u ?? 1);
  const size = sizeOf(of, text);
  const digest = of.digest ?? text;
  const lost = of.lost === undefined ? undefined : marksOf(of.lost);
  const moving = marks !== undefined && (marks.step !== undefined || letterOf(marks.release.digest) !== digest);
  const object = { apiVersion: 'leaderworkerset.x-k8s.io/v1', kind: 'LeaderWorkerSet', namespace: 'llm', name: 'vllm' };
  return {
    version: SNAPSHOT_VERSION,
    key: { cluster: 'default', namespace: 'llm', name: 'vllm' },
    now: of.now ?? NOW,
    main: MAIN,
    history: of.history ?? { kind: 'continued' },
    blobs: { [WORKLOAD_FILE]: 'blob', [ROLLOUT_FILE]: 'blob' },
    rollout: rolloutFile(of),
    facts: {},
    ...policyOf(of),
    lwsVersion: of.lwsVersion === undefined ? undefined : parseLwsVersion(of.lwsVersion),
    alone: of.argo === 'alone',
    workload: {
      file: WORKLOAD_FILE,
      object,
      workload: {
        replicas: n,
        partition,
        maxUnavailable,
        maxSurge: 0,
        size,
        rolloutId: undefined,
        content: contentIn(of, text),
        marks,
      },
      digest: digestOf(digest),
      text: textOf(digest),
    },
    stable: textAt(of.stable ?? (moving ? 'A' : 'absent'), of),
    ...(lost === undefined ? {} : { lostMarks: lost }),
    delivered:
      of.delivered === undefined
        ? known(text === letterOf(marks?.release.digest ?? '') ? MAIN : commitOf(letterOf(marks?.release.digest ?? '')))
        : unknown('the history ends before it'),
    ...undoIn(of, { now: of.now ?? NOW, stableOf }),
    retryText: of.retryText === undefined ? absent : textAt(of.retryText, of),
    recreateText: absent,
    issues: of.issues ?? [],
    warnings: [],
    record: recordOfWorld(of, marks),
    recordFault: '',
    audit: true,
    live: liveOf(of, { n, text, partition: partition ?? 0, maxUnavailable: maxUnavailable ?? 1 }),
  };
}

function policyOf(of: World): Pick<Snapshot, 'policy' | 'policySources' | 'missingPolicies' | 'turns' | 'windows'> {
  const { windows, surge, sizeChange, recreate, missingPolicies } = of;
  const said = Object.entries({ surge, sizeChange, recreate, ...of.rules }).filter(([, value]) => value !== undefined);
  const places = said.map(([field], index) => [
    field,
    [{ policy: 'production', file: 'policies/production.yaml', line: 6 + index }],
  ]);
  return {
    policy: { ...NO_RULES, ...Object.fromEntries(said) },
    ...(said.length === 0 ? {} : { policySources: Object.fromEntries(places) }),
    ...(missingPolicies === undefined ? {} : { missingPolicies }),
    ...turnsOf(of),
    ...(windows === undefined ? {} : { windows }),
  };
}

function turnsOf({ rules, underWay = [] }: World): Pick<Snapshot, 'turns'> {
  const most = rules?.maxDeliveriesPerNamespace;
  if (most === undefined) return {};
  const field = 'maxDeliveriesPerNamespace';
  return { turns: [{ field, policy: 'production', file: 'policies/production.yaml', line: 6, most, underWay }] };
}

function textAt(letter: Letter, of: World): Known<Stable> {
  if (letter === 'unknown') return unknown('the commit could not be fetched');
  if (letter === 'absent') return absent;
  return known({ ...stableOf(letter), content: contentIn(of, letter) });
}

function recordOfWorld(of: World, marks: Marks | undefined): RolloutRecord | undefined {
  const { record } = of;
  if (record === undefined || 'version' in record) return record;
  const surge = marks?.restore?.replicas;
  const replicas = record.replicas ?? (surge?.set === of.n ? surge?.was : of.n) ?? 4;
  const planned = stepsOf(record.steps ?? of.steps ?? '25%/0 50%! 100%').map((step) =>
    plannedGroups(step['replicas'] as IntOrPercent, replicas),
  );
  const index = marks?.step?.kind === 'step' ? marks.step.index : 0;
  const step: StepRecord | undefined =
    marks?.step?.kind !== 'step'
      ? undefined
      : {
          release: marks.release,
          index,
          planned,
          replicas,
          partition:
            record.partition ?? (typeof of.p === 'number' ? of.p : partitionOf(planned[index - 1] ?? 0, replicas)),
          doneSince: record.doneAgo === undefined ? undefined : (of.now ?? NOW) - record.doneAgo,
        };
  return {
    ...EMPTY_RECORD,
    step,
    marks: record.marks === undefined ? marks : marksOf(record.marks),
    uids: record.uids ?? { lws: 'lws-1', leaderSet: 'set-1' },
    notAppliedSince: record.notAppliedAgo === undefined ? undefined : (of.now ?? NOW) - record.notAppliedAgo,
    revision:
      record.revision === undefined
        ? undefined
        : { digest: digestOf(record.revisionOf ?? of.digest ?? of.text ?? 'A'), key: record.revision },
    ...(record.loads === undefined ? {} : { loads: record.loads }),
    appliedSince: record.appliedAgo === undefined ? undefined : (of.now ?? NOW) - record.appliedAgo,
    groups: Object.entries(record.unreadyFor ?? {}).map(([ordinal, seconds]) => ({
      index: Number(ordinal),
      uid: `pod-vllm-${ordinal}`,
      version: 'other',
      ready: false,
      since: (of.now ?? NOW) - seconds,
    })),
  };
}

type Desired = {
  readonly n: number | undefined;
  readonly text: Letter;
  readonly partition: number;
  readonly maxUnavailable: IntOrPercent;
};

function liveOf(of: World, desired: Desired): Live {
  const scaler =
    of.scaler === undefined ? absent : of.scaler === 'unknown' ? unknown('hpa list: forbidden') : known(of.scaler);
  if (of.live === 'unknown') {
    const why = unknown('the API server did not answer within 10 s');
    return { lws: why, leaderSet: why, leaders: why, workerSets: why, revisions: why, scaler };
  }
  if (of.live === 'absent') {
    return { lws: absent, leaderSet: absent, leaders: absent, workerSets: absent, revisions: absent, scaler };
  }
  const live = of.live ?? {};
  const replicas = of.liveN ?? desired.n ?? 4;
  const text = live.text ?? desired.text;
  const setText = live.setText ?? text;
  const groups = readGroups(of.groups ?? Array.from({ length: replicas }, (_, i) => `${i}:${setText}+`).join(' '));
  const uid = live.uid ?? 'lws-1';
  const set = {
    ...setOf('vllm', uid, setText),
    uid: live.setUid ?? 'set-1',
    replicas,
    replicasSeen: replicas,
    partition: live.setPartition ?? live.p ?? desired.partition,
    maxUnavailable: live.gate,
  };
  const flipped = live.flipped ?? groups.every((group) => group.letter === setText && group.state === '+');
  const part = <T>(name: LiveWorld['unread'], value: T): Known<T> =>
    live.unread === name ? unknown(`${name}: 503`) : known(value);
  return {
    lws: known({
      uid,
      generation: 7,
      observedGeneration: live.old === true ? undefined : live.unobserved === true ? 6 : 7,
      deleting: live.deleting ?? false,
      replicas,
      size: sizeOf(of, text),
      partition: live.p ?? desired.partition,
      maxUnavailable: live.u ?? desired.maxUnavailable,
      maxSurge: 0,
      content: contentIn(of, text),
      annotations: of.argo === undefined ? {} : { 'argocd.argoproj.io/tracking-id': 'models:leaderworkerset' },
      conditions: [],
      readyReplicas: groups.filter((group) => group.state === '+').length,
      updatedReplicas: groups.filter((group) => group.letter === text).length,
    }),
    leaderSet: part('leaderSet', { ...set, currentRevision: flipped ? set.updateRevision : 'vllm-before' }),
    leaders: part(
      'leaders',
      groups.map((group) =>
        leaderNoted(group, 'vllm', { size: sizeOf(of, group.letter), revisionKey: keyOf(group.letter) }),
      ),
    ),
    workerPods: known(groups.flatMap((group) => workerPodsOf(group, sizeOf(of, group.letter)))),
    workerSets: part(
      'workerSets',
      groups.flatMap((group) => (sizeOf(of, group.letter) === 1 ? [] : workersOf(group, sizeOf(of, group.letter)))),
    ),
    revisions: part(
      'revisions',
      lettersOf(of, groups, [text, setText]).map((letter, index) => ({
        name: `vllm-${letter}`,
        key: keyOf(letter),
        revision: index + 1,
        content: contentIn(of, letter === live.twin ? 'A' : letter),
      })),
    ),
    scaler,
  };
}

function lettersOf(of: World, groups: readonly NotedGroup[], texts: readonly Letter[]): readonly Letter[] {
  const live = of.live === undefined || typeof of.live === 'string' ? {} : of.live;
  const mine = [...texts, ...groups.flatMap((group) => [group.letter, group.workers])];
  const stable = of.stable === undefined || of.stable.length > 1 ? 'A' : of.stable;
  const others = live.revisions === '-' ? [] : [stable, ...(live.revisions ?? '').split('')];
  return [...new Set([...mine, ...others])].sort();
}

function keyOf(letter: Letter): string {
  return `key-${letter}`;
}

function setOf(name: string, ownerUid: string, letter: Letter): LiveStatefulSet {
  return setNamed(name, { ownerUid, revisionKey: keyOf(letter), revision: `${name}-${letter}` });
}

const NOWHERE = { waitingOn: 'Unschedulable', unschedulable: UNSCHEDULABLE, unplaced: true, restarts: 0 } as const;

function workerPodsOf({ index, state }: NotedGroup, size: number): readonly LiveWorker[] {
  const trouble = state === 'v' ? NOWHERE : { waitingOn: '', unschedulable: '', restarts: 0 };
  const pod = { name: `vllm-${index}-1`, groupIndex: index, ownerUid: `set-vllm-${index}`, ...trouble };
  return Array.from({ length: size - 1 }, () => pod);
}

function workersOf({ index, workers, state, again }: NotedGroup, size: number): readonly LiveStatefulSet[] {
  const available = state === '+' ? size - 1 : 0;
  return [
    {
      ...setOf(`vllm-${index}`, `pod-vllm-${index}${again}`, workers),
      groupIndex: index,
      replicas: size - 1,
      availableReplicas: available,
      readyReplicas: available,
    },
  ];
}

/** A wrong file, as lint finds it. */
export function issueOf(reason: string, file = ROLLOUT_FILE): Issue {
  return { file, line: 7, path: 'spec', reason, message: `Rollout vllm: ${reason}`, hint: 'Correct it.' };
}
