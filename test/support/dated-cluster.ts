/** A cluster whose routes, Services and LeaderWorkerSets say when they were last changed, as an API server notes it in managedFields. */

import { isRecord } from '../../src/api/json.ts';
import type { Cluster } from '../../src/ports/cluster.ts';

/** What was seen of each object, and when it was first seen so. A copy of the world takes a copy of it. */
export type Dates = Map<string, { readonly text: string; readonly at: number }>;

/** What no wait is dated by. */
const UNDATED = ['pods', 'statefulsets', 'endpointslices', 'controllerrevisions', 'events', 'nodes'];

/** The same answers, with dates: of the first look that finds an object as it is, which is no earlier than its change. */
export function datedCluster(
  cluster: Cluster,
  { dates, now }: { readonly dates: Dates; readonly now: number },
): Cluster {
  return {
    list: (resource, options, take) =>
      cluster.list(resource, options, (object) =>
        take(UNDATED.includes(resource.plural) ? object : dated(object, { dates, now, kind: resource.plural })),
      ),
  };
}

function dated(object: unknown, of: { readonly dates: Dates; readonly now: number; readonly kind: string }): unknown {
  if (!isRecord(object) || !isRecord(object['metadata'])) return object;
  const { status: _status, metadata, ...rest } = object;
  const { resourceVersion: _version, ...kept } = metadata;
  const text = JSON.stringify({ rest, kept });
  const key = `${of.kind} ${String(kept['namespace'])}/${String(kept['name'])}`;
  const known = of.dates.get(key);
  const at = known?.text === text ? known.at : of.now;
  of.dates.set(key, { text, at });
  const time = new Date(at * 1000).toISOString().replace('.000', '');
  const { managedFields = [] } = metadata;
  const entry = { manager: 'agent', operation: 'Apply', time };
  const entries = Array.isArray(managedFields) ? [...managedFields, entry] : [entry];
  return { ...object, metadata: { ...metadata, managedFields: entries } };
}
