/** The Service of the new version: a copy of the user's own, which selects the leaders of the other workload. */

import { at, isRecord, type JsonObject } from '../../api/json.ts';
import { LWS_NAME, WORKER_INDEX } from '../../api/lws-labels.ts';
import { OF } from '../../api/marks.ts';
import { parseService } from '../../api/service.ts';
import type { Edit } from '../edit.ts';
import type { RouteDocument, RouteEdits } from './provider.ts';
import { LEADER_INDEX } from './selectors.ts';

/** What the cluster assigns, and what would open the copy to the outside a second time. */
const LEFT_OUT = [
  'type',
  'clusterIP',
  'clusterIPs',
  'ipFamilies',
  'ipFamilyPolicy',
  'externalIPs',
  'externalName',
  'externalTrafficPolicy',
  'loadBalancerIP',
  'loadBalancerClass',
  'loadBalancerSourceRanges',
  'allocateLoadBalancerNodePorts',
  'healthCheckNodePort',
] as const;

/** The name of the copy, as Kruise gives it. */
export function canaryServiceName(service: string): string {
  return `${service}-canary`;
}

type CanaryService = {
  readonly name: string;
  /** The workload that it selects. */
  readonly workload: string;
  /** The user's LeaderWorkerSet. */
  readonly of: string;
  /** Labels of `patchPodTemplateMetadata`: they take the place of keys that the selector has. */
  readonly labels: Readonly<Record<string, string>>;
};

/** The copy behind the Service in its file, and the edits that are made in it. Headless stays headless. */
export function canaryService({ file, object, value }: RouteDocument, to: CanaryService): RouteEdits {
  return { file, object: { ...object, name: to.name }, copyOf: object, edits: copyEdits(value, to) };
}

function copyEdits(value: JsonObject, { workload, of, labels }: CanaryService): readonly Edit[] {
  const { ports, selector, headless } = parseService(value);
  const isThere = (path: readonly string[]): boolean => at(value, path) !== undefined;
  const left = LEFT_OUT.filter((key) => !(headless && key === 'clusterIP')).map((key) => ['spec', key]);
  const nodePorts = ports.map((_, place) => ['spec', 'ports', String(place), 'nodePort']);
  const wanted = { ...patched(selector, labels), [LWS_NAME]: workload, [WORKER_INDEX]: LEADER_INDEX };
  const changed = Object.entries(wanted).filter(([key, text]) => selector[key] !== text);
  const annotations = at(value, ['metadata', 'annotations']);
  return [
    ...[...left, ...nodePorts].filter(isThere).map((path): Edit => ({ kind: 'remove', path })),
    ...changed.map(([key, text]): Edit => ({ kind: 'set', path: ['spec', 'selector', key], value: text })),
    ...(isRecord(annotations) ? Object.keys(annotations) : []).map(
      (key): Edit => ({ kind: 'remove', path: ['metadata', 'annotations', key] }),
    ),
    { kind: 'set', path: ['metadata', 'annotations', OF], value: of },
  ];
}

function patched(
  selector: Readonly<Record<string, string>>,
  labels: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(selector).map(([key, text]) => [key, labels[key] ?? text]));
}
