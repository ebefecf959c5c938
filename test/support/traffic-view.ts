/** What the cluster has of a delivery, as Git says it by default, and changed by what a test is about. */

import { parse } from 'yaml';
import { parseIntents } from '../../src/api/intents.ts';
import { at, isJsonObject, type JsonObject } from '../../src/api/json.ts';
import { absent, type Known, known, notAsked } from '../../src/api/known.ts';
import type { LiveLeader, LiveLws, Scaler } from '../../src/api/live.ts';
import type { LiveEndpointSlice, LiveService } from '../../src/api/live-traffic.ts';
import { REVISION_KEY } from '../../src/api/lws-labels.ts';
import { NO_RULES } from '../../src/api/policy-rules.ts';
import type { TrafficRecord } from '../../src/api/record.ts';
import { releaseContent } from '../../src/api/release-content.ts';
import { parseRollout } from '../../src/api/rollout.ts';
import { VERSION, versionIn } from '../../src/api/version-label.ts';
import { remembering } from '../../src/rollout/ladders/delivering.ts';
import {
  annotationsOf,
  type Delivery,
  partitionIn,
  replicasOf,
  selectorOf,
} from '../../src/rollout/ladders/delivery.ts';
import { floorIn } from '../../src/rollout/ladders/floor.ts';
import type { RememberedView, TrafficView } from '../../src/rollout/ladders/traffic-view.ts';
import type { Live, LiveRoute, LiveTraffic, RolloutFile } from '../../src/rollout/snapshot.ts';
import type { RouteDocument } from '../../src/rollout/traffic/provider.ts';
import { takesIn } from '../../src/rollout/traffic/subsets.ts';
import { leaderNoted, readGroups, setNamed } from './groups-notation.ts';
import { emptyRecord } from './record.ts';
import { ROLLOUT_FILE } from './vllm.ts';

export const NOW = 1_750_000_000;

/** Groups as in `groups-notation.ts`, `G` and `O` alone. By default all that Git asks for, ready. */
export type ViewChange = {
  readonly own?: string;
  readonly second?: string;
  /** Fields of either object. */
  readonly ownLws?: Partial<LiveLws>;
  readonly secondLws?: Partial<LiveLws>;
  /** Of the StatefulSet of either: the text is not the one that it grows on. */
  readonly unflipped?: 'own' | 'second';
  /** Parts that are as these say, and not as Git has them. */
  readonly traffic?: Partial<LiveTraffic>;
  /** Leaders that are no ready endpoint, though they are ready: `vllm-canary-0`. */
  readonly withoutEndpoint?: readonly string[];
  readonly route?: (route: JsonObject) => JsonObject;
  /** When the routes and Services were last changed in the cluster; not there: they do not tell. */
  readonly written?: number;
  readonly record?: TrafficRecord;
  /** Autoscalers of the user's own, by kind and name, with their floors; by default the one that is in Git. */
  readonly scalers?: Readonly<Record<string, number>>;
  readonly view?: Partial<TrafficView>;
};

/** The sight of a delivery. */
export function viewOf(delivery: Delivery, change: ViewChange = {}): RememberedView {
  const own = liveWorkload(delivery.own, {
    groups: change.own,
    lws: change.ownLws,
    flipped: change.unflipped !== 'own',
  });
  const second =
    delivery.second === undefined
      ? NOTHING
      : liveWorkload(delivery.second, {
          groups: change.second,
          lws: change.secondLws,
          flipped: change.unflipped !== 'second',
        });
  const traffic: LiveTraffic = {
    second,
    service: liveService(delivery.service, change.written),
    canaryService: liveService(delivery.canaryService, change.written),
    endpoints: known(slicesOf(delivery, [own, second], change.withoutEndpoint ?? [])),
    routes: delivery.routes.flatMap(({ route, canary }) =>
      [route, ...(canary === undefined ? [] : [canary])].map((one) => ({
        ...liveRoute(one, change.route),
        ...(change.written === undefined ? {} : { writtenAt: change.written }),
      })),
    ),
    ...change.traffic,
  };
  const record = emptyRecord(change.record === undefined ? {} : { traffic: change.record });
  return remembering(delivery, {
    key: { cluster: 'prod', namespace: 'llm', name: 'vllm' },
    now: NOW,
    record,
    blobs: {},
    policy: NO_RULES,
    rollout: undefined,
    live: { ...own, ...scalersOf(delivery, change.scalers) },
    traffic,
    notApplied: undefined,
    ...change.view,
  });
}

function scalersOf({ scaler, own }: Delivery, named: ViewChange['scalers']): Pick<Live, 'scaler' | 'scalers'> {
  const inGit = scaler === undefined ? {} : { [`${scaler.object.kind} ${scaler.object.name}`]: floorIn(scaler) };
  const target = { apiVersion: own.object.apiVersion, kind: own.object.kind, name: own.object.name };
  const all = Object.entries(named ?? inGit).map(([text, floor]): Scaler => {
    const [kind = '', name = ''] = text.split(' ');
    return { kind, name, target, floor };
  });
  const [first] = scaler === undefined ? all : [scaler.object];
  return { scaler: first === undefined ? absent : known(`${first.kind} ${first.name}`), scalers: known(all) };
}

/** A Rollout as a snapshot has it. */
export function rolloutFile(text: string): RolloutFile {
  const { rollout } = parseRollout(parse(text));
  if (rollout === undefined) throw new Error(`no Rollout: ${text}`);
  const object = { apiVersion: 'rollouts.kruise.io/v1beta1', kind: 'Rollout', namespace: 'llm', name: rollout.name };
  return { file: ROLLOUT_FILE, object, rollout, intents: parseIntents({}).intents, hash: '' };
}

/** A workload that is not in the cluster. */
export const NOTHING: Live = {
  lws: absent,
  leaderSet: absent,
  leaders: known([]),
  workerSets: known([]),
  workerPods: known([]),
  revisions: absent,
  scaler: absent,
};

type Wanted = {
  readonly groups: string | undefined;
  readonly lws: Partial<LiveLws> | undefined;
  readonly flipped: boolean;
};

function liveWorkload(document: RouteDocument, { groups, lws, flipped }: Wanted): Live {
  const { name } = document.object;
  const replicas = replicasOf(document);
  const content = releaseContent(document.value);
  const key = `key-${name}`;
  const notation = groups ?? Array.from({ length: replicas }, (_, index) => `${index}:G+`).join(' ');
  const version = versionIn(document.value);
  const leaders = readGroups(notation).map((group) => {
    // Those of the template before have no label yet.
    const own = group.letter === 'O' ? { revisionKey: `${key}-before` } : { revisionKey: key, version };
    return leaderNoted(group, name, { size: 2, ...own });
  });
  return {
    lws: known({
      uid: `uid-${name}`,
      generation: 3,
      observedGeneration: 3,
      deleting: false,
      replicas,
      size: 2,
      partition: partitionIn(document) ?? 0,
      maxUnavailable: 1,
      maxSurge: 0,
      content,
      ...(version === undefined ? {} : { version }),
      annotations: Object.fromEntries(
        Object.entries(annotationsOf(document)).filter(([annotation]) => annotation.startsWith('tranche.dev/')),
      ),
      conditions: [],
      readyReplicas: 0,
      updatedReplicas: 0,
      ...lws,
    }),
    leaderSet: known({
      ...setNamed(name, { ownerUid: `uid-${name}`, revisionKey: key, revision: 'new' }),
      currentRevision: flipped ? 'new' : 'old',
    }),
    leaders: known(leaders),
    workerSets: known(
      leaders.map((leader) => ({
        ...setNamed(leader.name, { ownerUid: leader.uid, revisionKey: leader.revisionKey, revision: 'new' }),
        groupIndex: leader.groupIndex,
      })),
    ),
    workerPods: known([]),
    revisions: known([{ name: key, key, revision: 1, content, ...(version === undefined ? {} : { version }) }]),
    scaler: absent,
  };
}

function liveService(document: RouteDocument | undefined, written: number | undefined): Known<LiveService> {
  if (document === undefined) return notAsked('the Rollout names no Service');
  const dated = written === undefined ? {} : { writtenAt: written };
  return known({ name: document.object.name, deleting: false, selector: selectorOf(document), ...dated });
}

function slicesOf(
  delivery: Delivery,
  lives: readonly Live[],
  without: readonly string[],
): readonly LiveEndpointSlice[] {
  const documents = [delivery.service, delivery.canaryService].filter((one) => one !== undefined);
  return documents.map((document) => ({
    service: document.object.name,
    endpoints: lives.flatMap(({ lws, leaders }) => {
      const workload = lws.kind === 'known' ? lws.value.uid.replace('uid-', '') : '';
      const selected = takesIn(selectorOf(document), workload, true);
      const isOne = delivery.plan.style === 'partition';
      const pods =
        selected && leaders.kind === 'known' ? leaders.value.filter((one) => !isOne || selects(document, one)) : [];
      return pods.map(({ name, uid, ready }) => ({ pod: name, uid, ready: ready && !without.includes(name) }));
    }),
  }));
}

/** What the labels of a leader say, and nothing of the user's own. */
function selects(service: RouteDocument, { revisionKey, version }: LiveLeader): boolean {
  const labels: Readonly<Record<string, string | undefined>> = { [REVISION_KEY]: revisionKey, [VERSION]: version };
  const told = Object.entries(selectorOf(service)).filter(([key]) => key === REVISION_KEY || key === VERSION);
  return told.every(([key, value]) => labels[key] === value);
}

/** The route as a gateway has taken it up. */
function liveRoute({ object, value }: RouteDocument, change: ViewChange['route']): LiveRoute {
  const spec = at(value, ['spec']);
  const annotations = at(value, ['metadata', 'annotations']) ?? {};
  const condition = (type: string) => ({ type, status: 'True', observedGeneration: 5, reason: type, message: '' });
  const live: JsonObject = {
    metadata: { name: object.name, generation: 5, annotations },
    spec: isJsonObject(spec) ? spec : {},
    status: {
      parents: [{ parentRef: { name: 'inference' }, conditions: ['Accepted', 'ResolvedRefs'].map(condition) }],
    },
  };
  return { kind: object.kind, name: object.name, live: known(change === undefined ? live : change(live)) };
}
