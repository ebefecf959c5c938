/** Laws of splicing, on generated files: nothing else changes, and what is undone leaves no trace. */

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isJsonObject, type Json, type JsonObject, at as valueAt } from '../../src/api/json.ts';
import { type ManifestDocument, parseManifestFile } from '../../src/manifests/parse-file.ts';
import { nodesOf } from '../../src/manifests/source-tree.ts';
import { applyEdits, type Spliced } from '../../src/manifests/splice/apply-edits.ts';
import type { Edit } from '../../src/rollout/edits/edit.ts';
import { anyManifest as manifest, anyStyle as style } from './any-manifest.ts';
import { writeYaml } from './written-yaml.ts';

const RUNS = 250;
const OBJECT = { apiVersion: 'v1', kind: 'LeaderWorkerSet', namespace: '', name: 'vllm' };

function parsed(content: string): ManifestDocument {
  const { documents, issues } = parseManifestFile('lws.yaml', content, ['LeaderWorkerSet']);
  expect(issues).toEqual([]);
  return documents[0]!;
}

function apply(content: string, ...edits: readonly Edit[]): Spliced {
  return applyEdits(content, { file: 'lws.yaml', object: OBJECT, edits });
}

function applied(content: string, ...edits: readonly Edit[]): string {
  const spliced = apply(content, ...edits);
  expect(spliced).toMatchObject({ kind: 'ok' });
  return spliced.kind === 'ok' ? spliced.text : '';
}

/** Every path below `value`, maps and lists included. */
function pathsOf(value: Json, path: readonly string[] = []): (readonly string[])[] {
  const members = Array.isArray(value)
    ? value.map((item: Json, at) => [String(at), item] as const)
    : isJsonObject(value)
      ? Object.entries(value)
      : [];
  return [path, ...members.flatMap(([key, item]) => pathsOf(item, [...path, key]))];
}

function pick<T>(items: readonly T[], at: number): T | undefined {
  return items.length === 0 ? undefined : items[at % items.length];
}

/** Does `after` come from `before` by replacing one range that lies inside the text [start, end)? */
function onlyChangedInside(before: string, after: string, start: number, end: number): boolean {
  return after.startsWith(before.slice(0, start)) && after.endsWith(before.slice(end));
}

describe('laws', () => {
  test('what is written is what is read', () => {
    fc.assert(
      fc.property(manifest, style, (value, how) => {
        expect(parsed(writeYaml(value, how)).value).toEqual(value);
      }),
      { numRuns: RUNS },
    );
  });

  test('setting a scalar changes its own bytes; setting it back gives the file back', () => {
    fc.assert(
      fc.property(manifest, style, fc.nat(), fc.nat(99), (value, how, at, next) => {
        const before = writeYaml(value, how);
        const document = parsed(before);
        const scalars = pathsOf(value.spec!, ['spec']).filter((path) => typeof valueAt(value, path) === 'number');
        const path = pick(scalars, at);
        fc.pre(path !== undefined);
        const was = valueAt(value, path) as number;
        const after = applied(before, { kind: 'set', path: path, value: next });
        const node = [...nodesOf(document.root)].find((one) => {
          return (
            one.kind === 'scalar' &&
            onlyChangedInside(before, after, document.start + one.start, document.start + one.end)
          );
        });
        expect(node !== undefined || after === before).toBe(true);
        expect(applied(after, { kind: 'set', path: path, value: was })).toBe(before);
      }),
      { numRuns: RUNS },
    );
  });

  test('inserting adds one run of bytes; removing it again gives the file back', () => {
    const added = fc.array(fc.constantFrom('tranche.dev/release', 'partition', 'yes', 'new one'), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(manifest, style, fc.nat(), added, (value, how, at, keys) => {
        const before = writeYaml(value, how);
        // An empty map or null in the way is replaced, and cannot be known from an absent one afterwards.
        const parents = pathsOf(value).filter((path) => {
          const parent = valueAt(value, path);
          return isJsonObject(parent) && Object.keys(parent).length > 0;
        });
        const path = [...pick(parents, at)!, ...keys];
        const after = applied(before, { kind: 'set', path, value: '{"floor":3}' });
        expect(valueAt(parsed(after).value, path)).toBe('{"floor":3}');
        expect(holdsAllLines(before, after)).toBe(true);
        expect(applied(after, { kind: 'remove', path })).toBe(before);
      }),
      { numRuns: RUNS },
    );
  });

  test('removing takes whole keys and nothing else, or is refused', () => {
    fc.assert(
      fc.property(manifest, style, fc.nat(), (value, how, at) => {
        const before = writeYaml(value, how);
        const path = pick(pathsOf(value.spec!, ['spec']).slice(1), at);
        fc.pre(path !== undefined);
        const spliced = apply(before, { kind: 'remove', path: path });
        if (spliced.kind === 'refused') {
          expect(spliced.issue.reason).toBe('UnsupportedEdit');
          return;
        }
        expect(valueAt(parsed(spliced.text).value, path)).toBeUndefined();
        expect(before.length).toBeGreaterThan(spliced.text.length);
      }),
      { numRuns: RUNS },
    );
  });

  test('restoring gives the other version of a node, and restoring back gives the file back', () => {
    fc.assert(
      fc.property(manifest, style, manifest, style, fc.nat(), (value, how, otherValue, otherHow, at) => {
        const before = writeYaml(value, how);
        const source = writeYaml(otherValue, otherHow);
        const path = ['spec', pick(Object.keys(value.spec as JsonObject), at) ?? 'replicas'];
        const after = applied(before, { kind: 'restore', path, source });
        expect(valueAt(parsed(after).value, path)).toEqual(valueAt(otherValue, path));
        const both = valueAt(value, path) !== undefined && valueAt(otherValue, path) !== undefined;
        if (both) expect(applied(after, { kind: 'restore', path, source: before })).toBe(before);
      }),
      { numRuns: RUNS },
    );
  });

  test('several edits at once give what they give one after another', () => {
    const wish = fc.record({
      kind: fc.constantFrom('set', 'insert', 'insert', 'restore', 'remove'),
      at: fc.nat(),
      key: fc.constantFrom('tranche.dev/release', 'tranche.dev/stable', 'partition', 'new one'),
      value: fc.constantFrom<string | number>('{"floor":3}', 7, 'yes', 'two words'),
    });
    const wishes = fc.array(wish, { minLength: 2, maxLength: 7 });
    fc.assert(
      fc.property(manifest, style, manifest, style, wishes, (value, how, otherValue, otherHow, wanted) => {
        const before = writeYaml(value, how);
        const source = writeYaml(otherValue, otherHow);
        const edits = wanted.map((one): Edit => {
          const path = pick(pathsOf(value), one.at)!;
          if (one.kind === 'set') return { kind: 'set', path, value: one.value };
          if (one.kind === 'insert') return { kind: 'set', path: [...path, one.key], value: one.value };
          if (one.kind === 'remove') return { kind: 'remove', path };
          return { kind: 'restore', path: path.slice(0, 2), source };
        });
        let separately: Spliced = { kind: 'ok', text: before };
        for (const edit of edits) if (separately.kind === 'ok') separately = apply(separately.text, edit);
        expect(apply(before, ...edits)).toEqual(separately);
      }),
      { numRuns: RUNS },
    );
  });

  test('an unquoted word inside braces comes back unquoted', () => {
    const before = 'apiVersion: v1\nkind: LeaderWorkerSet\nmetadata: {name: vllm}\nspec: {mode:  serving} #';
    const source = 'apiVersion: v1\nkind: LeaderWorkerSet\nmetadata: {name: vllm}\nspec:\n  mode: {}\n';
    const path = ['spec', 'mode'];
    const after = applied(before, { kind: 'restore', path, source });
    expect(valueAt(parsed(after).value, path)).toEqual({});
    expect(applied(after, { kind: 'restore', path, source: before })).toBe(before);
  });
});

/** `after` is `before` with something put in at one place. */
function holdsAllLines(before: string, after: string): boolean {
  let prefix = 0;
  while (prefix < before.length && before[prefix] === after[prefix]) prefix += 1;
  return after.endsWith(before.slice(prefix));
}
