/** Tells by its name which side a backend is. */

import type { Sides } from './provider.ts';

/** Backends in another namespace are of no side; that of the route itself is given as empty. */
export function sideOf(
  { name, namespace }: { readonly name: string; readonly namespace: string },
  { stable, canary }: Sides,
): 'stable' | 'canary' | 'other' {
  if (namespace !== '') return 'other';
  if (name === stable) return 'stable';
  return name === canary ? 'canary' : 'other';
}
