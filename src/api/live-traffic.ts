/** Parses what says where requests go in the cluster: Services, their EndpointSlices, and routes of every kind. */

import { lastWritten } from './field-writers.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';
import type { Known } from './known.ts';
import { fieldsOf } from './live-fields.ts';
import { parseService, type ServicePort } from './service.ts';
import type { Instant } from './time.ts';

/** The API server takes no more endpoints in one slice (reference: discovery/v1 EndpointSlice). */
const ENDPOINTS_MAX = 1000;
/** EndpointSlices carry the name of their Service here. */
export const SERVICE_NAME = 'kubernetes.io/service-name';

export type LiveService = {
  readonly name: string;
  readonly deleting: boolean;
  readonly selector: Readonly<Record<string, string>>;
  /** Not there: nobody has read them. */
  readonly ports?: readonly ServicePort[];
  /** When somebody has last changed it, but for its status; not there: the object does not tell. */
  readonly writtenAt?: Instant | undefined;
};

export type LiveEndpoint = {
  /** Empty: no pod. */
  readonly pod: string;
  /** Of the pod; empty where nothing says it. */
  readonly uid: string;
  readonly ready: boolean;
};

/** Some of the endpoints of a Service: it may have several slices. */
export type LiveEndpointSlice = { readonly service: string; readonly endpoints: readonly LiveEndpoint[] };

/** A core Service: whom it selects, and by which ports. */
export function parseLiveService(object: unknown): Known<LiveService> {
  const fields = fieldsOf('services', object);
  const writtenAt = lastWritten(object);
  return fields.end({
    name: fields.text(['metadata', 'name']),
    deleting: fields.has(['metadata', 'deletionTimestamp']),
    selector: fields.texts(['spec', 'selector'], ''),
    ports: parseService(object).ports,
    ...(writtenAt === undefined ? {} : { writtenAt }),
  });
}

/** A discovery/v1 EndpointSlice. An endpoint that does not say whether it is ready is: so the API has it. */
export function parseEndpointSlice(object: unknown): Known<LiveEndpointSlice> {
  const fields = fieldsOf('endpointslices', object);
  return fields.end({
    service: fields.text(['metadata', 'labels', SERVICE_NAME], ''),
    endpoints: fields.list(['endpoints'], ENDPOINTS_MAX).map((endpoint) => ({
      pod: endpoint.text(['targetRef', 'kind'], '') === 'Pod' ? endpoint.text(['targetRef', 'name']) : '',
      uid: endpoint.text(['targetRef', 'uid'], ''),
      ready: endpoint.flag(['conditions', 'ready'], true),
    })),
  });
}

/** Annotations that repeat the object: large, and no word of where requests go. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** A route as its provider reads it, for the plural of its kind: without labels, and what is kept of field managers. */
export function parseLiveRoute(plural: string): (object: unknown) => Known<JsonObject> {
  return (object) => {
    const fields = fieldsOf(plural, object);
    const name = fields.text(['metadata', 'name']);
    const generation = fields.count(['metadata', 'generation'], 0);
    const map = (path: readonly string[]): JsonObject => {
      const value: Json | undefined = fields.json(path);
      return isJsonObject(value) ? value : {};
    };
    const { [LAST_APPLIED]: _, ...annotations } = map(['metadata', 'annotations']);
    return fields.end({ metadata: { name, generation, annotations }, spec: map(['spec']), status: map(['status']) });
  };
}
