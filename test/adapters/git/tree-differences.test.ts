/** What two trees do not share, also where somebody hostile made them. */

import { describe, expect, test } from 'vitest';
import { answerNow, type FoundObject } from '../../../src/adapters/git/object-question.ts';
import { encodeEntries, type GitObject, oidOf } from '../../../src/adapters/git/objects.ts';
import { differingPaths } from '../../../src/adapters/git/tree-differences.ts';
import type { Oid } from '../../../src/ports/git.ts';

const limits = { treeEntries: 20, treeDepth: 4 };
const [a, b] = ['a'.repeat(40), 'b'.repeat(40)];

/** Mode, name, id. A folder names what is in it. */
type Entry = readonly [string, string, Oid | readonly Entry[]];

const objects = new Map<Oid, GitObject>();

function treeOf(entries: readonly Entry[]): Oid {
  const tree = encodeEntries(
    entries.map(([mode, name, to]) => ({ mode, name, oid: typeof to === 'string' ? to : treeOf(to) })),
  );
  const oid = oidOf(tree);
  objects.set(oid, tree);
  return oid;
}

const folder = (name: string, entries: readonly Entry[]): Entry => ['40000', name, entries];
const file = (name: string, oid: Oid): Entry => ['100644', name, oid];
const nested = (depth: number, oid: Oid): Entry =>
  depth === 0 ? file('f', oid) : folder('d', [nested(depth - 1, oid)]);

function compared(was: readonly Entry[], now: readonly Entry[], lost?: Oid) {
  const asked: Oid[] = [];
  const lookup = (oid: Oid): FoundObject => {
    asked.push(oid);
    return (oid === lost ? undefined : objects.get(oid)) ?? { type: 'large' };
  };
  return { paths: answerNow(differingPaths({ was: treeOf(was), now: treeOf(now) }, limits), () => lookup), asked };
}

describe('two trees', () => {
  const rows: readonly (readonly [string, readonly Entry[], readonly Entry[], readonly string[] | undefined])[] = [
    ['nothing', [file('a', a)], [file('a', a)], []],
    ['another mode', [file('a', a)], [['100755', 'a', a]], ['a']],
    ['a link in place of a file of the same id', [file('a', a)], [['120000', 'a', a]], ['a']],
    ['one link more', [], [['120000', 'base', a]], ['base']],
    ['another commit of a submodule', [['160000', 'sub', a]], [['160000', 'sub', b]], ['sub']],
    ['a file that becomes a folder', [file('a', a)], [folder('a', [file('b', b)])], ['a', 'a/b']],
    ['a folder that becomes a submodule', [folder('a', [file('b', b)])], [['160000', 'a', a]], ['a', 'a/b']],
    ['a folder in the mode of old tools', [folder('a', [file('b', b)])], [['040000', 'a', [file('b', b)]]], []],
    ['a name twice, the first as before', [file('a', a)], [file('a', a), file('a', b)], undefined],
    ['a name twice, as file and folder', [file('a', a)], [file('a', a), folder('a', [])], undefined],
    ['more than may be compared', [], Array.from({ length: 21 }, (_none, i) => file(`f${i}`, a)), undefined],
    ['folders in folders, as deep as may be', [nested(4, a)], [nested(4, b)], ['d/d/d/d/f']],
    ['and deeper', [nested(5, a)], [nested(5, b)], undefined],
    ['a name that is not UTF-8', [], [file('\xff', a)], ['\\377']],
    ['two of them', [file('\xfe', a)], [file('\xff', a)], ['\\376', '\\377']],
    ['one that has text next to it', [], [file('caf\xc3\xa9\xff\\', a)], ['caf\\303\\251\\377\\134']],
  ];
  test.each(rows)('%s', (_what, was, now, paths) => {
    expect(compared(was, now).paths).toEqual(paths);
  });

  test('what is the same is not opened, and a folder that cannot be had says nothing', () => {
    const same = folder('same', [file('a', a)]);
    const [was, now] = [
      [same, folder('x', [file('a', a)])],
      [same, folder('x', [file('a', b)])],
    ];
    const { paths, asked } = compared(was, now);
    expect(paths).toEqual(['x/a']);
    expect(asked).toHaveLength(4);
    expect(compared(was, now, treeOf([file('a', b)])).paths).toBeUndefined();
  });
});
