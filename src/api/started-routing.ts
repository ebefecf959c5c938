/** What requests went by when a delivery was started, as its mark keeps it. */

import { at } from './json.ts';
import type { InferencePools } from './policy-pools.ts';

/** What requests went by when a delivery was started: its Service or its two pools, and its routes. */
export type StartedRouting = {
  /** Not there: requests go to pools. */
  readonly service?: string | undefined;
  /** Not there: requests go to a Service. */
  readonly pools?: InferencePools | undefined;
  readonly routes: readonly { readonly kind: string; readonly name: string }[];
};

/** Routes of one delivery: more than a Rollout can name. */
const ROUTES_MOST = 100;

/** As the mark has it; `wrong`: nobody can read it. */
export function parseRouting(value: unknown): StartedRouting | 'wrong' {
  const [service, pools, routes] = [at(value, ['service']), at(value, ['pools']), at(value, ['routes'])];
  const [stable, canary] = [at(pools, ['stable']), at(pools, ['canary'])];
  if (!Array.isArray(routes) || routes.length > ROUTES_MOST) return 'wrong';
  const named = routes.map((route: unknown) => ({ kind: at(route, ['kind']), name: at(route, ['name']) }));
  const found = named.flatMap(({ kind, name }) => (isName(kind) && isName(name) ? [{ kind, name }] : []));
  if (found.length < named.length) return 'wrong';
  if (isName(stable) && isName(canary) && service === undefined) return { pools: { stable, canary }, routes: found };
  return isName(service) && pools === undefined ? { service, routes: found } : 'wrong';
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
