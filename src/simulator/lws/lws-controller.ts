/** LWS's own controller: one reconcile of a LeaderWorkerSet (LC:111-379). */

import { jsonEqual } from '../../api/json.ts';
import { LWS_NAME, REPLICAS_SEEN, revisionKeyOf } from '../objects/labels.ts';
import {
  annotationsOf,
  count,
  isDeleting,
  type KubeObject,
  type NewObject,
  ownerReference,
  part,
  specOf,
} from '../objects/objects.ts';
import { LWS, SERVICES, STATEFUL_SETS } from '../objects/resource-table.ts';
import { splitKey, type World } from '../world.ts';
import { groupState } from './group-state.ts';
import { leaderSet } from './leader-set.ts';
import { type GroupState, type Parameters, rollingParameters } from './lws-parameters.ts';
import { contentOf, createRevision, revisionWithKey, truncateRevisions } from './lws-revision.ts';
import { conditionTexts, lwsStatus } from './lws-status.ts';
import { type LwsView, lwsView } from './lws-view.ts';

const DELETING_SECONDS = 5;

/** Reconciles the LWS with this queue key. A refused write of the StatefulSet ends it, and it is tried again later. */
export function reconcileLws(world: World, key: string): void {
  const name = splitKey(key);
  const object = world.objects.get({ resource: LWS, ...name });
  if (object === undefined || isDeleting(object)) return;
  const lws = lwsView(object);
  const sts = world.objects.get({ resource: STATEFUL_SETS, ...name });
  if (sts !== undefined && isDeleting(sts)) {
    world.later('lws', key, DELETING_SECONDS);
    return;
  }
  const stsKey = sts === undefined ? undefined : revisionKeyOf(sts);
  const known = stsKey === undefined ? undefined : revisionWithKey(world, lws, stsKey);
  const before = known ?? createRevision(world, lws, stsKey);
  const changed = sts !== undefined && before.content !== contentOf(world, lws);
  const revision = changed ? createRevision(world, lws, undefined) : before;
  const wanted = { ...parameters(world, lws, { sts, key: revision.key, changed }), key: revision.key };
  const written = applyLeaderSet(world, lws, { sts, wanted: leaderSet(world, lws, wanted), changed });
  if (written === undefined) {
    world.retry('lws', key);
    return;
  }
  world.succeeded('lws', key);
  if (!lws.uniqueSubdomain) ensureService(world, { name: lws.name, owner: lws.object, lws: lws.name });
  writeStatus(world, lws, { sts: written, key: revision.key });
}

function parameters(
  world: World,
  lws: LwsView,
  from: { readonly sts: KubeObject | undefined; readonly key: string; readonly changed: boolean },
): Parameters {
  const { sts } = from;
  const replicas = sts === undefined ? 0 : count(specOf(sts)['replicas'], 1);
  return rollingParameters({
    lws: world.modes().lws,
    replicas: lws.replicas,
    partition: lws.partition,
    unavailable: lws.unavailable,
    surge: lws.surge,
    changed: from.changed,
    current:
      sts === undefined
        ? undefined
        : { replicas, partition: partitionOf(sts), replicasSeen: Number(annotationsOf(sts)[REPLICAS_SEEN]) },
    groups: () => {
      const groups: GroupState[] = [];
      for (let index = 0; index < replicas; index++) groups.push(groupState(world, lws, { index, key: from.key }));
      return groups;
    },
  });
}

function partitionOf(sts: KubeObject): number {
  return count(part(part(specOf(sts), 'updateStrategy'), 'rollingUpdate')['partition'], 0);
}

/** Undefined where the API server refuses the StatefulSet: LWS then knows no way out (traces 27, 13b with 0.8). */
function applyLeaderSet(
  world: World,
  lws: LwsView,
  write: { readonly sts: KubeObject | undefined; readonly wanted: NewObject; readonly changed: boolean },
): KubeObject | undefined {
  const { sts, wanted } = write;
  const fault = leaderSetFault(sts, wanted);
  if (fault !== undefined) {
    const reason = sts === undefined ? 'FailedCreate' : 'FailedUpdate';
    world.record({
      reason,
      note: `StatefulSet.apps "${lws.name}" is invalid: ${fault}`,
      type: 'Warning',
      regarding: lws.object,
    });
    return undefined;
  }
  if (sts === undefined) {
    const note = `Created leader statefulset ${lws.name}`;
    world.record({ reason: 'GroupsProgressing', note, type: 'Normal', regarding: lws.object });
    return world.objects.add(STATEFUL_SETS, wanted);
  }
  const status = sts['status'];
  const after = world.objects.put(STATEFUL_SETS, sts, { ...wanted, ...(status === undefined ? {} : { status }) });
  const [from, to] = [partitionOf(sts), partitionOf(after)];
  if (!write.changed && from !== to) {
    const note = `Updating replicas ${from} to ${to}`;
    world.record({ reason: 'GroupsUpdating', note, type: 'Normal', regarding: lws.object });
  }
  return after;
}

function leaderSetFault(sts: KubeObject | undefined, wanted: NewObject): string | undefined {
  const rolling = part(part(specOf(wanted), 'updateStrategy'), 'rollingUpdate');
  if (rolling['maxUnavailable'] === 0 || rolling['maxUnavailable'] === '0%') {
    return 'spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: 0: cannot be 0';
  }
  if (sts === undefined) return undefined;
  const claims = 'volumeClaimTemplates';
  if (jsonEqual(specOf(sts)[claims], specOf(wanted)[claims])) return undefined;
  return (
    "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', " +
    "'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
  );
}

/** The headless Service of all groups, or of one: made where it is missing, never changed. */
export function ensureService(
  world: World,
  service: { readonly name: string; readonly owner: KubeObject; readonly lws: string; readonly selector?: JsonStrings },
): void {
  const { namespace } = service.owner.metadata;
  if (world.objects.get({ resource: SERVICES, namespace, name: service.name }) !== undefined) return;
  world.objects.add(SERVICES, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: service.name,
      namespace,
      labels: { [LWS_NAME]: service.lws },
      ownerReferences: [ownerReference(service.owner)],
    },
    spec: {
      selector: { [LWS_NAME]: service.lws, ...service.selector },
      clusterIP: 'None',
      clusterIPs: ['None'],
      type: 'ClusterIP',
      sessionAffinity: 'None',
      publishNotReadyAddresses: true,
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      internalTrafficPolicy: 'Cluster',
    },
    status: { loadBalancer: {} },
  });
}

type JsonStrings = Readonly<Record<string, string>>;

function writeStatus(world: World, lws: LwsView, from: { readonly sts: KubeObject; readonly key: string }): void {
  const result = lwsStatus(world, lws, from);
  world.objects.putStatus(LWS, lws.object, result.status);
  if (result.changed !== undefined) {
    const { reason, message } = conditionTexts[result.changed];
    const note = `${message}, with ${result.readyReplicas} groups ready of total ${lws.replicas} groups`;
    world.record({ reason, note, type: 'Normal', regarding: lws.object });
  }
  if (result.done) truncateRevisions(world, lws, from.key);
}
