/** How large a piece of JSON may be that others wrote and we keep whole, such as a pod template. */

import type { Json } from './json.ts';

/** No pod template that people write is deeper or has more nodes; a hostile one must not cost us the stack. */
export const JSON_DEPTH_MAX = 64;
export const JSON_NODES_MAX = 200_000;

/**
 * Tells plain JSON of bounded size from everything else. Walks with its own stack: a value that is nested deeper
 * than the call stack must not end the pass.
 */
export function isBoundedJson(value: unknown): value is Json {
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 1 }];
  let nodes = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    nodes += 1;
    if (nodes > JSON_NODES_MAX || next.depth > JSON_DEPTH_MAX) return false;
    const { value: node, depth } = next;
    if (node === null || typeof node === 'string' || typeof node === 'boolean') continue;
    if (typeof node === 'number' && Number.isFinite(node)) continue;
    if (typeof node !== 'object') return false;
    for (const child of Object.values(node)) open.push({ value: child, depth: depth + 1 });
  }
  return true;
}
