/** Reads the Services and routes of the files, where a Rollout routes traffic. */

import { at } from '../../api/json.ts';
import { MARK } from '../../api/marks.ts';
import type { ReadRequest, Tree } from '../../ports/git.ts';
import type { Contest, Firsts } from '../documents/claims.ts';
import { type ParseCache, parsedFiles } from '../documents/parse-cache.ts';
import { trafficIndexOf, trafficKinds } from '../documents/traffic-index.ts';
import type { Desired } from './desired-rollout.ts';

/** Whether a Rollout names a Service whose requests it shares out, or a delivery is in progress that may have. */
export function routesTraffic({ rollouts }: Desired): boolean {
  return rollouts.some(
    ({ reading, workload }) =>
      reading.rollout?.rollout.routing !== undefined ||
      at(workload?.value, ['metadata', 'annotations', MARK.at]) !== undefined,
  );
}

/** The same files again, with the text of all that may hold a Service or a route. */
export function trafficRequest(desired: ReadRequest, { customs }: Pick<Desired, 'customs'>): ReadRequest {
  return { ...desired, markers: [...desired.markers, ...trafficKinds(customs)] };
}

/** What Git asks for, with the Services and routes of a tree that was read for them. */
export function withTraffic(desired: Desired, tree: Tree, cache: ParseCache, firsts: Firsts = new Map()): Desired {
  const read = tree.files.flatMap(({ path, oid, content }) =>
    content.kind === 'text' ? [{ path, oid, text: content.text }] : [],
  );
  const texts = new Map([...desired.texts, ...read.map(({ path, text }) => [path, text] as const)]);
  const files = parsedFiles(cache, read, { interests: trafficKinds(desired.customs), known: desired.trials.known });
  const { blobs, config, customs } = desired;
  const traffic = trafficIndexOf({ files, layouts: desired.files, texts, blobs, config, customs, firsts });
  return { ...desired, texts, traffic };
}

/** Services and routes that Rollouts name, and several files have. */
export function trafficContests({ rollouts, traffic }: Desired): readonly Contest[] {
  const { open } = traffic.claims;
  if (open.length === 0) return [];
  const names = new Set(
    rollouts.flatMap(({ reading }) => {
      const routing = reading.rollout?.rollout.routing;
      return routing === undefined ? [] : [routing.service, ...routing.routes.map(({ name }) => name)];
    }),
  );
  return open.filter(({ name }) => names.has(name) || names.has(name.replace(/-canary$/, '')));
}
