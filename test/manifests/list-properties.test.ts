/** Laws of items in lists, on generated files: nothing else changes, and what is undone leaves no trace. */

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isJsonObject, type Json, type JsonObject, at as valueAt } from '../../src/api/json.ts';
import { parseManifestFile } from '../../src/manifests/parse-file.ts';
import { applyEdits } from '../../src/manifests/splice/apply-edits.ts';
import type { Edit } from '../../src/rollout/edits/edit.ts';
import { anyManifest, anyStyle, anyValue } from './any-manifest.ts';
import { writeYaml } from './written-yaml.ts';

const RUNS = 100;
const OBJECT = { apiVersion: 'v1', kind: 'LeaderWorkerSet', namespace: '', name: 'vllm' };

function applied(content: string, ...edits: readonly Edit[]): string {
  const spliced = applyEdits(content, { file: 'lws.yaml', object: OBJECT, edits });
  expect(spliced).toMatchObject({ kind: 'ok' });
  return spliced.kind === 'ok' ? spliced.text : '';
}

function valueOf(content: string): JsonObject {
  const { documents, issues } = parseManifestFile('lws.yaml', content, ['LeaderWorkerSet']);
  expect(issues).toEqual([]);
  return documents[0]!.value;
}

/** Every list below `value`. */
function listsOf(value: Json, path: readonly string[] = []): (readonly string[])[] {
  if (Array.isArray(value)) {
    const inner = value.flatMap((item: Json, place) => listsOf(item, [...path, String(place)]));
    return [path, ...inner];
  }
  return isJsonObject(value) ? Object.entries(value).flatMap(([key, item]) => listsOf(item, [...path, key])) : [];
}

function pick<T>(items: readonly T[], at: number): T | undefined {
  return items.length === 0 ? undefined : items[at % items.length];
}

test('an item that is inserted anywhere adds one run of bytes; removing it gives the file back', () => {
  fc.assert(
    fc.property(anyManifest, anyStyle, anyValue, fc.nat(), fc.nat(), (value, how, item, at, place) => {
      const before = writeYaml(value, how);
      // Empty brackets are replaced, and cannot be known from an absent list afterwards.
      const list = pick(
        listsOf(value).filter((path) => (valueAt(value, path) as Json[]).length > 0),
        at,
      );
      fc.pre(list !== undefined);
      const items = valueAt(value, list) as Json[];
      const path = [...list, String(place % (items.length + 1))];
      const after = applied(before, { kind: 'insertItem', path, value: item });
      expect(valueAt(valueOf(after), list)).toEqual(items.toSpliced(place % (items.length + 1), 0, item));
      expect(putInAtOnePlace(before, after)).toBe(true);
      expect(applied(after, { kind: 'removeItem', path })).toBe(before);
    }),
    { numRuns: RUNS },
  );
});

test('a list that is inserted with its parents goes with its only item', () => {
  const added = fc.array(fc.constantFrom('filters', 'yes', 'a b'), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(anyManifest, anyStyle, added, anyValue, fc.nat(), (value, how, keys, item, at) => {
      const before = writeYaml(value, how);
      const parents = mapsOf(value).filter((path) => {
        const parent = valueAt(value, path) as JsonObject;
        return Object.keys(parent).length > 0 && parent[keys[0]!] === undefined;
      });
      const path = [...pick(parents, at)!, ...keys, '0'];
      const after = applied(before, { kind: 'insertItem', path, value: item });
      expect(valueAt(valueOf(after), path.slice(0, -1))).toEqual([item]);
      expect(applied(after, { kind: 'removeItem', path })).toBe(before);
    }),
    { numRuns: RUNS },
  );
});

function mapsOf(value: Json, path: readonly string[] = []): (readonly string[])[] {
  const members = Array.isArray(value)
    ? value.map((item: Json, place) => [String(place), item] as const)
    : isJsonObject(value)
      ? Object.entries(value)
      : [];
  const own = isJsonObject(value) ? [path] : [];
  return [...own, ...members.flatMap(([key, item]) => mapsOf(item, [...path, key]))];
}

test('removing takes the item and nothing else', () => {
  fc.assert(
    fc.property(anyManifest, anyStyle, fc.nat(), fc.nat(), (value, how, at, place) => {
      const before = writeYaml(value, how);
      const list = pick(
        listsOf(value).filter((path) => (valueAt(value, path) as Json[]).length > 1),
        at,
      );
      fc.pre(list !== undefined);
      const items = valueAt(value, list) as Json[];
      const gone = place % items.length;
      const after = applied(before, { kind: 'removeItem', path: [...list, String(gone)] });
      expect(valueAt(valueOf(after), list)).toEqual(items.toSpliced(gone, 1));
      expect(putInAtOnePlace(after, before)).toBe(true);
    }),
    { numRuns: RUNS },
  );
});

test('a scalar of an item that is named changes its own bytes only', () => {
  fc.assert(
    fc.property(anyManifest, anyStyle, fc.nat(99), (value, how, next) => {
      const refs = [{ name: 'vllm', weight: 100 }, { name: 'vllm-canary', weight: 1 }, value];
      const before = writeYaml({ ...value, spec: { backendRefs: refs } }, how);
      const path = (name: string) => ['spec', 'backendRefs', { key: 'name', value: name }, 'weight'];
      const set = (weight: number): Edit => ({ kind: 'set', path: path('vllm-canary'), value: weight });
      const after = applied(before, set(next));
      expect(valueAt(valueOf(after), ['spec', 'backendRefs', '1', 'weight'])).toBe(next);
      expect(applied(after, set(1))).toBe(before);
    }),
    { numRuns: RUNS },
  );
});

/** `after` is `before` with something put in at one place. */
function putInAtOnePlace(before: string, after: string): boolean {
  let prefix = 0;
  while (prefix < before.length && before[prefix] === after[prefix]) prefix += 1;
  return after.endsWith(before.slice(prefix));
}
