/** Tells by its name which side a backend is. */

import type { RouteDocument, Sides } from './provider.ts';

/** The namespace of a route: where its document leaves that out, that of the Rollout; empty: nobody has said it. */
export function namespaceOf({ object }: Pick<RouteDocument, 'object'>, { namespace = '' }: Sides): string {
  return object.namespace === '' ? namespace : object.namespace;
}

/** Backends in another namespace are of no side; that of the route itself is given as empty. */
export function sideOf(
  { name, namespace }: { readonly name: string; readonly namespace: string },
  { stable, canary }: Sides,
): 'stable' | 'canary' | 'other' {
  if (namespace !== '') return 'other';
  if (name === stable) return 'stable';
  return name === canary ? 'canary' : 'other';
}
