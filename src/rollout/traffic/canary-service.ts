/** The Service of the new version: a copy of the user's own, which selects the leaders of the other workload. */

import { at, isRecord, type Json, type JsonObject } from '../../api/json.ts';
import { LWS_NAME, REVISION_KEY, WORKER_INDEX } from '../../api/lws-labels.ts';
import { MADE_FOR } from '../../api/marks.ts';
import { parseService, portMissing } from '../../api/service.ts';
import { VERSION } from '../../api/version-label.ts';
import { mapsAt } from '../../api/weighted-routes.ts';
import type { Edit } from '../edits/edit.ts';
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

const SELECTOR = ['spec', 'selector'];
const PORTS = ['spec', 'ports'];

/** The name of the copy, as Kruise gives it. */
export function canaryServiceName(service: string): string {
  return `${service}-canary`;
}

type Selects = {
  /** The workload that it selects. */
  readonly workload: string;
  /** Of one workload whose versions share its requests: the label of the leaders that it selects. Not there: all leaders. */
  readonly version?: string;
  /** The same by the revision of LWS, where the leaders carry the label of an earlier release. Not there: by the label. */
  readonly revision?: string;
  /** Labels of `patchPodTemplateMetadata`: they take the place of keys that the selector has. */
  readonly labels: Readonly<Record<string, string>>;
};

type CanaryService = Selects & {
  readonly name: string;
  /** The user's LeaderWorkerSet. */
  readonly of: string;
};

/** What tells the leaders of one version that shares its workload with another. */
const PINS: readonly string[] = [VERSION, REVISION_KEY];

/** Whether a selector takes in the leaders of one version only. */
export function picksVersion(selector: Readonly<Record<string, string>>): boolean {
  return PINS.some((key) => selector[key] !== undefined);
}

/** The copy behind the Service in its file, and the edits that are made in it. Headless stays headless. */
export function canaryService({ file, object, value }: RouteDocument, to: CanaryService): RouteEdits {
  return { file, object: { ...object, name: to.name }, copyOf: object, edits: copyEdits(value, to) };
}

/**
 * The selector of a copy that is there as a new copy would have it, whatever strategy it was made for: a key of another one
 * would select nobody. And its ports, which people may have changed in their own since.
 */
export function renewed(copy: RouteDocument, service: RouteDocument, to: Selects): readonly Edit[] {
  const { selector } = parseService(copy.value);
  return [
    ...selectorEdits(selector, selectorOf(parseService(service.value).selector, to)),
    ...(hasPortsOf(copy, service) ? [] : portEdits(mapsAt(copy.value, PORTS), mapsAt(service.value, PORTS))),
  ];
}

/** Whether requests find every port of the user's Service in the copy, too, and behind it the same. */
export function hasPortsOf(copy: Pick<RouteDocument, 'value'>, service: Pick<RouteDocument, 'value'>): boolean {
  return portMissing(parseService(service.value).ports, parseService(copy.value).ports) === undefined;
}

function portEdits(there: readonly JsonObject[], ports: readonly JsonObject[]): readonly Edit[] {
  const wanted = ports.map((port): JsonObject => {
    const { nodePort: _, ...own } = port;
    return own;
  });
  const path = (place: number): readonly string[] => [...PORTS, String(place)];
  const extra = there.slice(wanted.length).map((_, more) => wanted.length + more);
  return [
    ...wanted.flatMap((port, place): readonly Edit[] => {
      const now = there[place];
      return now === undefined
        ? [{ kind: 'insertItem', path: path(place), value: port }]
        : scalarEdits(now, port, path(place));
    }),
    // From the last on, because taking one out moves those behind it.
    ...extra.toReversed().map((place): Edit => ({ kind: 'removeItem', path: path(place) })),
  ];
}

function scalarEdits(there: JsonObject, wanted: JsonObject, path: readonly string[]): readonly Edit[] {
  const keys = [...new Set([...Object.keys(wanted), ...Object.keys(there)])];
  return keys.flatMap((key): readonly Edit[] => {
    const value = wanted[key];
    if (value === there[key]) return [];
    return isScalar(value)
      ? [{ kind: 'set', path: [...path, key], value }]
      : [{ kind: 'remove', path: [...path, key] }];
  });
}

function isScalar(value: Json | undefined): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function selectorOf(stable: Selector, { workload, version, revision, labels }: Selects): Selector {
  const own = Object.fromEntries(Object.entries(stable).filter(([key]) => !PINS.includes(key)));
  const label = version === undefined ? {} : { [VERSION]: version };
  const pin = revision === undefined ? label : { [REVISION_KEY]: revision };
  return { ...patched(own, labels), [LWS_NAME]: workload, [WORKER_INDEX]: LEADER_INDEX, ...pin };
}

type Selector = Readonly<Record<string, string>>;

function selectorEdits(there: Selector, wanted: Selector): readonly Edit[] {
  const others = Object.keys(there).filter((key) => wanted[key] === undefined);
  return [
    ...Object.entries(wanted)
      .filter(([key, value]) => there[key] !== value)
      .map(([key, value]): Edit => ({ kind: 'set', path: [...SELECTOR, key], value })),
    ...others.map((key): Edit => ({ kind: 'remove', path: [...SELECTOR, key] })),
  ];
}

function copyEdits(value: JsonObject, to: CanaryService): readonly Edit[] {
  const { ports, selector, headless } = parseService(value);
  const isThere = (path: readonly string[]): boolean => at(value, path) !== undefined;
  const left = LEFT_OUT.filter((key) => !(headless && key === 'clusterIP')).map((key) => ['spec', key]);
  const nodePorts = ports.map((_, place) => ['spec', 'ports', String(place), 'nodePort']);
  const annotations = at(value, ['metadata', 'annotations']);
  return [
    ...[...left, ...nodePorts].filter(isThere).map((path): Edit => ({ kind: 'remove', path })),
    ...selectorEdits(selector, selectorOf(selector, to)),
    ...(isRecord(annotations) ? Object.keys(annotations) : []).map(
      (key): Edit => ({ kind: 'remove', path: ['metadata', 'annotations', key] }),
    ),
    { kind: 'set', path: ['metadata', 'annotations', MADE_FOR], value: to.of },
  ];
}

function patched(selector: Selector, labels: Selector): Selector {
  return Object.fromEntries(Object.entries(selector).map(([key, text]) => [key, labels[key] ?? text]));
}
