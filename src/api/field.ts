/** How a field of an object is named, and what may stand in it. */

export type FieldPath = readonly string[];

/**
 * The one item of a list whose `key` is `value`. No such item, or more than one: the edit is refused with an issue
 * (`ItemNotFound`, `ItemTwice`) and nothing is written. Only an item without a name of its own is named by its place.
 */
export type ItemMatch = { readonly key: string; readonly value: string | number | boolean };

/** `['spec', 'rules', '0', 'backendRefs', {key: 'name', value: 'vllm'}, 'weight']`. */
export type EditPath = readonly (string | ItemMatch)[];

/** There is no such field: a value of its own. */
export const ABSENT = { kind: 'absent' } as const;

export type FieldValue = string | number | boolean | typeof ABSENT;

/** Whether two values of a field are the same. */
export function sameValue(left: FieldValue, right: FieldValue): boolean {
  return left === right || (typeof left === 'object' && typeof right === 'object');
}

/** Whether two paths name the same field in the same words. */
export function samePath(left: EditPath, right: EditPath): boolean {
  return left.length === right.length && left.every((part, depth) => sameSegment(part, right[depth]));
}

function sameSegment(left: string | ItemMatch, right: string | ItemMatch | undefined): boolean {
  if (typeof left === 'string' || typeof right !== 'object') return left === right;
  return left.key === right.key && left.value === right.value;
}
