/** A pod of a StatefulSet as it comes out of the API server: template, pod webhook of LWS, defaults. */

import { isJsonObject, type Json, type JsonObject } from '../../api/json.ts';
import {
  GROUP_INDEX,
  GROUP_KEY,
  LEADER_NAME,
  LWS_NAME,
  POD_INDEX,
  POD_NAME,
  POD_REVISION,
  SIZE,
  SUBDOMAIN_POLICY,
  WORKER_INDEX,
} from '../objects/labels.ts';
import {
  type KubeObject,
  type NewObject,
  ownerReference,
  part,
  type StringMap,
  specOf,
  strings,
  text,
} from '../objects/objects.ts';
import { hex40 } from '../objects/text-hash.ts';
import { mapContainers } from '../pods/pod-template.ts';
import { templateOf } from './stateful-set-revisions.ts';

const TOLERATIONS: Json = ['not-ready', 'unreachable'].map((taint) => ({
  key: `node.kubernetes.io/${taint}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 300,
}));

/** Our names for what LWS sets in every container, in this order (reference: LWS API, environment). */
const LWS_VARIABLES = ['LWS_LEADER_ADDRESS', 'LWS_GROUP_SIZE', 'LWS_WORKER_INDEX'] as const;

type PodOrigin = {
  readonly ordinal: number;
  /** The StatefulSet's own revision, which holds the template. */
  readonly revision: KubeObject;
  /** Empty for a pod that no scheduler has placed. */
  readonly nodeName: string;
};

/** A pod that the StatefulSet controller creates. */
export function podOf(sts: KubeObject, from: PodOrigin): NewObject {
  const name = `${sts.metadata.name}-${from.ordinal}`;
  const { namespace } = sts.metadata;
  const template = templateOf(from.revision);
  const metadata = part(template, 'metadata');
  const annotations = strings(metadata['annotations']);
  const labels: StringMap = {
    ...strings(metadata['labels']),
    [POD_INDEX]: String(from.ordinal),
    [POD_NAME]: name,
    [POD_REVISION]: from.revision.metadata.name,
  };
  const group = groupLabels({ name, namespace, ordinal: from.ordinal, labels });
  const unique = annotations[SUBDOMAIN_POLICY] !== undefined;
  const subdomain = unique ? name : text(specOf(sts)['serviceName']);
  const address = `${annotations[LEADER_NAME] ?? name}.${subdomain}.${namespace}`;
  const spec =
    group === undefined
      ? specOf(template)
      : withVariables(template, [address, annotations[SIZE] ?? '1', group[WORKER_INDEX] ?? '0']);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      generateName: `${sts.metadata.name}-`,
      namespace,
      labels: { ...labels, ...group },
      annotations,
      ownerReferences: [ownerReference(sts)],
    },
    spec: {
      ...spec,
      ...(from.nodeName === '' ? {} : { nodeName: from.nodeName }),
      hostname: name,
      subdomain,
      tolerations: TOLERATIONS,
      priority: 0,
      enableServiceLinks: true,
      preemptionPolicy: 'PreemptLowerPriority',
    },
    status: { phase: 'Pending', qosClass: 'Burstable' },
  };
}

/** PW:83: what the webhook adds to pods that carry the name of an LWS. */
function groupLabels(pod: {
  readonly name: string;
  readonly namespace: string;
  readonly ordinal: number;
  readonly labels: StringMap;
}): StringMap | undefined {
  if (pod.labels[LWS_NAME] === undefined) return undefined;
  if (pod.labels[WORKER_INDEX] !== '0') return { [WORKER_INDEX]: String(pod.ordinal) };
  return {
    [WORKER_INDEX]: '0',
    [GROUP_INDEX]: String(pod.ordinal),
    [GROUP_KEY]: hex40(`${pod.namespace}/${pod.name}`),
  };
}

function withVariables(template: JsonObject, values: readonly string[]): JsonObject {
  const own = LWS_VARIABLES.map((name, at) => ({ name, value: values[at] ?? '' }));
  const names: readonly string[] = LWS_VARIABLES;
  const changed = mapContainers(template, (container) => {
    const env: readonly Json[] = Array.isArray(container['env']) ? container['env'] : [];
    const theirs = env.filter((entry) => !(isJsonObject(entry) && names.includes(text(entry['name']))));
    return { ...container, env: [...own, ...theirs] };
  });
  return specOf(changed);
}
