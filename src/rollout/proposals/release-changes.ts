/** What a release changes against the stable version, field by field: for people who approve it. */

import { isRecord, type JsonObject } from '../../api/json.ts';
import { oneLine } from '../../api/printable.ts';

/** Lines of a diff, at most `most` of them, and one more that says how many are left out; none: nothing is changed. */
export function releaseChanges(before: JsonObject, after: JsonObject, most: number): readonly string[] {
  const [from, to] = [leavesOf(before), leavesOf(after)];
  const paths = [...new Set([...from.keys(), ...to.keys()])];
  const lines = paths.flatMap((key) => {
    // A key may hold a line end, after which it would make up a line of its own.
    const path = oneLine(key);
    const [was, is] = [from.get(key) ?? [], to.get(key) ?? []];
    return [
      ...without(was, is).map((value) => `- ${path}: ${value}`),
      ...without(is, was).map((value) => `+ ${path}: ${value}`),
    ];
  });
  return lines.length <= most ? lines : [...lines.slice(0, most), `… and ${lines.length - most} more`];
}

/** Paths of what is changed, but for images, at most `most` of them: `leaderTemplate.spec.containers[vllm].args`. */
export function changedFields(before: JsonObject, after: JsonObject, most: number): readonly string[] {
  const [from, to] = [leavesOf(before), leavesOf(after)];
  const changed = [...new Set([...from.keys(), ...to.keys()])].filter((path) => {
    const [was, is] = [from.get(path) ?? [], to.get(path) ?? []];
    return !path.endsWith('.image') && without(was, is).length + without(is, was).length > 0;
  });
  const named = changed.map((path) => path.replace(/^leaderWorkerTemplate\./, '').replace(/\[\]$/, ''));
  return [...new Set(named)].slice(0, most);
}

/** Values by their path. A list of arguments is one value an element: one more at the front must not change them all. */
function leavesOf(value: unknown, path = '', found = new Map<string, string[]>()): ReadonlyMap<string, string[]> {
  if (isRecord(value))
    for (const [key, item] of Object.entries(value)) leavesOf(item, path === '' ? key : `${path}.${key}`, found);
  else if (Array.isArray(value))
    for (const [index, item] of value.entries())
      leavesOf(item, `${path}[${nameOf(item) ?? (isRecord(item) ? index : '')}]`, found);
  else found.set(path, [...(found.get(path) ?? []), JSON.stringify(value) ?? 'null']);
  return found;
}

/** Containers, variables, ports and volumes are distinguished by their names. */
function nameOf(item: unknown): string | undefined {
  const name = isRecord(item) ? item['name'] : undefined;
  return typeof name === 'string' ? name : undefined;
}

/** Those of `left` that `right` does not have as often. */
function without(left: readonly string[], right: readonly string[]): readonly string[] {
  const rest = [...right];
  return left.filter((value) => {
    const at = rest.indexOf(value);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}
