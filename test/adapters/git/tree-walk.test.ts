/** What a walk finds in trees of any shape, against a plain listing of the same files. */

import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createIdCount } from '../../../src/adapters/git/id-count.ts';
import { defaultGitLimits } from '../../../src/adapters/git/limits.ts';
import { answerNow, type Batch, type FoundObject, type SentWhole } from '../../../src/adapters/git/object-question.ts';
import { encodeEntries, type GitObject, oidOf, placeOf, type TreeEntry } from '../../../src/adapters/git/objects.ts';
import { readTree } from '../../../src/adapters/git/tree-read.ts';
import { walkTree } from '../../../src/adapters/git/tree-walk.ts';
import { spelled } from '../../../src/adapters/git/wanted-paths.ts';
import type { ReadRequest } from '../../../src/ports/git.ts';

/** `bytes` of the name: it need not be text. */
type Item = {
  readonly folders: readonly string[];
  readonly name: string;
  readonly mode: string;
  readonly text: string;
};

const marker = 'kind: Rollout';
const NAMED = 'kustomization.yaml';
const names = ['a.yaml', 'b.yaml', NAMED, 'c.txt', 'b', '\xc3\xbc.yaml', '\xff.yaml', '.yaml'];
const folders = ['x', 'y', 'x-y', '\xc3\xa4', '\xfe'];
const modes = ['100644', '100644', '100644', '100755', '100664', '120000', '160000'];
const texts = ['', 'a: 1\n', `${marker}\n`, `# ${marker} \xff`, '# b\n', '# c\n', 'x'.repeat(2000)];

const items = fc.array(
  fc.record({
    folders: fc.array(fc.constantFrom(...folders), { maxLength: 3 }),
    name: fc.constantFrom(...names),
    mode: fc.constantFrom(...modes),
    text: fc.constantFrom(...texts),
  }),
  { maxLength: 25 },
);

type Node = { readonly folders: Map<string, Node>; readonly items: Map<string, Item> };

/** The objects of a tree that has these, the later of two with one path. */
function objectsOf(all: readonly Item[]) {
  const objects = new Map<string, GitObject>();
  const put = (object: GitObject): string => {
    objects.set(oidOf(object), object);
    return oidOf(object);
  };
  const root: Node = { folders: new Map(), items: new Map() };
  for (const item of all) {
    let node = root;
    for (const name of item.folders) {
      const below = node.folders.get(name) ?? { folders: new Map(), items: new Map() };
      node.folders.set(name, below);
      node = below;
    }
    node.items.set(item.name, item);
  }
  const found: (Item & { readonly path: string; readonly oid: string })[] = [];
  const write = (node: Node, prefix: string): string => {
    const entries: TreeEntry[] = [];
    for (const [name, below] of node.folders) {
      const entry = { mode: '40000', name, oid: write(below, `${prefix}${name}/`) };
      entries.splice(placeOf(entry, entries), 0, entry);
    }
    for (const [name, item] of node.items) {
      const oid = put({ type: 'blob', bytes: Buffer.from(item.text, 'latin1') });
      const entry = { mode: item.mode, name, oid };
      entries.splice(placeOf(entry, entries), 0, entry);
      found.push({ ...item, path: `${prefix}${name}`, oid });
    }
    return put(encodeEntries(entries));
  };
  return { root: write(root, ''), objects, found };
}

const request: ReadRequest = { paths: [''], suffixes: ['.yaml'], markers: [marker], names: [NAMED] };
const limits = { ...defaultGitLimits, fileBytes: 1000 };

/** What a pass is to be told of each path. */
function plainly(all: ReturnType<typeof objectsOf>['found']) {
  const files: string[] = [];
  const skipped: string[] = [];
  for (const { path: raw, name, mode, text, oid } of all) {
    if (!mode.startsWith('100') || !name.endsWith('.yaml')) continue;
    const bytes = Buffer.from(raw, 'latin1');
    const asText = bytes.toString('utf8');
    const isSpelled = Buffer.from(asText).equals(bytes);
    // Its own tests say how a name that is no text is spelled.
    const path = spelled(raw);
    const isText = Buffer.from(Buffer.from(text, 'latin1').toString('utf8')).equals(Buffer.from(text, 'latin1'));
    const isRead = !isSpelled || text.length > limits.fileBytes || name === NAMED || text.includes(marker);
    const kind = isSpelled && isText && text.length <= limits.fileBytes ? 'text' : 'unreadable';
    if (isRead) files.push(`${path} ${oid} ${kind}`);
    else skipped.push(`${path} ${oid}`);
  }
  return { files: files.toSorted(), skipped: skipped.toSorted() };
}

function walked(all: ReturnType<typeof objectsOf>, asked: ReadRequest, whole?: SentWhole) {
  const batches: Batch[] = [];
  const tree = answerNow(walkTree(all.root, asked, limits, { whole }), (batch) => {
    batches.push(batch);
    return (oid): FoundObject => all.objects.get(oid)!;
  })!;
  const files = tree.files.map(({ path, oid, content }) => `${path} ${oid} ${content.kind}`);
  const skipped = tree.skipped().map(({ path, oid }) => `${path} ${oid}`);
  const paths = tree.files.map(({ path }) => path);
  const told = { files: files.toSorted(), skipped: skipped.toSorted() };
  return { tree, batches, paths, told };
}

const isKept = (text: string): boolean => text.includes(marker) || text.length > limits.fileBytes;

describe('a walk over everything', () => {
  test('finds what a plain listing does, sorted by path', () => {
    fc.assert(
      fc.property(items, (all) => {
        const made = objectsOf(all);
        const { told, paths } = walked(made, request);
        expect(told).toEqual(plainly(made.found));
        expect(paths).toEqual(paths.toSorted());
      }),
      { numRuns: 150 },
    );
  });

  test('the same where all blobs came, and looks at none that was let go', () => {
    fc.assert(
      fc.property(items, (all) => {
        const made = objectsOf(all);
        const blobs = made.found.filter(({ mode }) => mode !== '160000');
        const kept = new Set(blobs.flatMap(({ oid, text }) => (isKept(text) ? [oid] : [])));
        let gone: readonly string[] = [];
        const whole = {
          blobs: new Set(blobs.map(({ oid }) => oid)).size,
          readAt: undefined,
          kept,
          letGo: (oids: () => readonly string[]) => {
            gone = oids();
          },
        };
        const { told, batches } = walked(made, request, whole);
        expect(told).toEqual(plainly(made.found));
        expect(batches.at(-1)).toMatchObject({ type: 'blob', oids: [] });
        expect(gone.filter((oid) => kept.has(oid))).toEqual([]);
        expect(gone.toSorted()).toEqual(told.skipped.map((line) => line.slice(-40)).toSorted());
      }),
      { numRuns: 150 },
    );
  });

  test('asks for each blob where fewer came than the tree has, or only some paths are wanted', () => {
    const made = objectsOf([
      { folders: ['x'], name: 'a.yaml', mode: '100644', text: '# b\n' },
      { folders: [], name: 'a.yaml', mode: '100644', text: '# c\n' },
    ]);
    const sent = (blobs: number): SentWhole => ({
      blobs,
      readAt: undefined,
      kept: new Set(),
      letGo: () => expect.unreachable(),
    });
    for (const blobs of [1, 3]) expect(walked(made, request, sent(blobs)).batches.at(-1)?.oids).toHaveLength(2);
    expect(walked(made, { ...request, paths: ['x'] }, sent(1)).batches.at(-1)?.oids).toHaveLength(1);
  });
});

describe('a name that no file system takes', () => {
  const long = 'x'.repeat(1_000_000);
  const many = 3000;
  const own: Item = { folders: ['own'], name: 'a.yaml', mode: '100644', text: `${marker}\n` };
  const WHY = 'its name has more than 255 bytes, which no file system takes';
  const saidOf = (all: readonly Item[]): readonly string[] =>
    walked(objectsOf(all), request).tree.files.map(({ path, content }) =>
      [path, content.kind === 'unreadable' ? content.why : ''].join(' '),
    );

  test('of a file: it is unreadable, and said in few words', () =>
    expect(saidOf([own, { ...own, folders: ['b'], name: `${long}.yaml` }])).toEqual([
      `b/${'x'.repeat(100)}... ${WHY}`,
      'own/a.yaml ',
    ]));

  test('of a folder of thousands of files: none of them is read, and all others are', () => {
    const below = Array.from({ length: many }, (_, at) => ({ ...own, folders: ['b', long], name: `${at}.yaml` }));
    expect(saidOf([own, ...below])).toEqual([`b/${'x'.repeat(100)}... ${WHY}`, 'own/a.yaml ']);
  });

  test('255 bytes are one', () =>
    expect(saidOf([{ ...own, name: `${'x'.repeat(250)}.yaml` }])).toEqual([`own/${'x'.repeat(250)}.yaml `]));
});

/** Few ids, of which many start alike; with the highest bit, too. */
function idOf(head: number, rest: number): Buffer {
  const bytes = createHash('sha1').update(`${rest}`).digest();
  bytes.writeUInt32BE(head * 0x55555555);
  return bytes;
}

function countOf(ids: readonly Buffer[]): number {
  const counted = createIdCount(0);
  for (const bytes of ids) counted.add(Buffer.concat([Buffer.from('ab'), bytes]), 2);
  return counted.different();
}

describe('a tree that is larger than its limit', () => {
  /** A tree that names another one so many times: nothing to send, and everything to walk. */
  const copies = (
    objects: Map<string, GitObject>,
    of: { readonly oid: string; readonly mode: string },
    many: number,
  ) => {
    const entries: TreeEntry[] = [];
    for (let at = 0; at < many; at += 1) {
      const entry = { ...of, name: `n${at}` };
      entries.splice(placeOf(entry, entries), 0, entry);
    }
    const tree = encodeEntries(entries);
    objects.set(oidOf(tree), tree);
    return { oid: oidOf(tree), mode: '40000' };
  };
  const mine: Item = { folders: ['x', 'y'], name: 'a.yaml', mode: '100644', text: `${marker}\n` };

  /** The folders of others stand next to ours, at `apps/`. */
  function withBombs(bombs: readonly string[]) {
    const made = objectsOf([mine]);
    const blob = { type: 'blob', bytes: Buffer.from(`${marker} b\n`) } as const;
    made.objects.set(oidOf(blob), blob);
    let bomb = { oid: oidOf(blob), mode: '100644' };
    for (let level = 0; level < 4; level += 1) bomb = copies(made.objects, bomb, 10);
    const tree = (entries: readonly TreeEntry[]): string => {
      const written = encodeEntries(entries);
      made.objects.set(oidOf(written), written);
      return oidOf(written);
    };
    const apps = tree([...bombs.map((name) => ({ ...bomb, name })), { mode: '40000', name: 'own', oid: made.root }]);
    return { ...made, root: tree([{ mode: '40000', name: 'apps', oid: apps }]) };
  }

  const readIn = (
    { root, objects }: Pick<ReturnType<typeof objectsOf>, 'root' | 'objects'>,
    treeEntries: number,
    whole?: SentWhole,
  ) =>
    readTree({ root, request, limits: { ...limits, treeEntries }, whole }, (question) =>
      answerNow(
        question,
        () =>
          (oid): FoundObject =>
            objects.get(oid)!,
      ),
    );

  const read = async (made: Pick<ReturnType<typeof objectsOf>, 'root' | 'objects'>, whole?: SentWhole) =>
    (await readIn(made, 300, whole)).files.map(
      ({ path, content }) => `${path} ${content.kind === 'unreadable' ? content.why : content.text}`,
    );
  const OWN = `apps/own/x/y/a.yaml ${marker}\n`;

  /** Each of the copies right below them gets its part of what may be read, and none of its own copies fits in there. */
  const cut = (...bombs: readonly string[]): readonly string[] =>
    bombs.flatMap((name) =>
      Array.from(
        { length: 10 },
        (_, at) => `apps/${name}/n${at} 10 folders in it make the tree larger than 300 folders and files`,
      ),
    );

  test('reads all but what makes it so', async () => {
    expect(await read(withBombs(['bomb']))).toEqual([...cut('bomb'), OWN]);
  });

  test('the same of two of them, and where everything was sent', async () => {
    const made = withBombs(['a', 'b']);
    expect(await read(made)).toEqual([...cut('a', 'b'), OWN]);
    const blobs = new Set([...made.objects].flatMap(([oid, { type }]) => (type === 'blob' ? [oid] : [])));
    const whole = { blobs: blobs.size, readAt: undefined, kept: blobs, letGo: () => undefined };
    expect(await read(made, whole)).toEqual([...cut('a', 'b'), OWN]);
  });

  test('the same of twelve, which are one tree, and none of them larger than the others', async () => {
    const many = Array.from({ length: 12 }, (_, at) => `bomb${at < 10 ? '0' : ''}${at}`);
    expect((await read(withBombs(many))).at(-1)).toBe(OWN);
  });

  /** Folders with so many files each at `path/`, of which no two are one tree. */
  const filesAt = (path: string, count: number, many: number): readonly Item[] =>
    Array.from({ length: count * many }, (_, at) => ({
      ...mine,
      folders: [...path.split('/'), `${Math.floor(at / many)}`],
      name: `${at % many}.yaml`,
      text: `${marker} ${path} ${at}\n`,
    }));
  const theirs: Item = { ...mine, folders: ['apps', 'own', 'x'] };
  const ofOwn = (lines: readonly string[]): readonly string[] => lines.filter((line) => line.startsWith('apps/own/'));

  test('reads a folder whose copies make the tree too large', async () => {
    const made = objectsOf(filesAt('own', 1, 20).map((item) => ({ ...item, folders: item.folders.slice(1) })));
    const own = { oid: made.root, mode: '40000' };
    const bomb = { ...copies(made.objects, own, 20), name: 'bomb' };
    const both = encodeEntries([bomb, { ...own, name: 'own' }]);
    made.objects.set(oidOf(both), both);
    const { oid: root } = copies(made.objects, { oid: oidOf(both), mode: '40000' }, 1);
    const lines = await read({ root, objects: made.objects });
    expect(lines.filter((line) => line.startsWith('n0/own/'))).toHaveLength(20);
    expect(lines).toContain('n0/bomb/n19/0 it makes the tree larger than 300 folders and files');
  });

  test.each([
    ['12 folders that are large by themselves', 12, 290],
    ['100 that are large together', 100, 10],
    ['800 small ones', 800, 1],
  ])('reads a folder next to %s', async (_, count, many) => {
    const lines = await read(objectsOf([...filesAt('apps/bomb', count, many), theirs]));
    expect(ofOwn(lines)).toEqual([`apps/own/x/a.yaml ${marker}\n`]);
    expect(lines.some((line) => line.endsWith('larger than 300 folders and files'))).toBe(true);
  });

  test('reads a folder of many folders next to one with more than is counted', async () => {
    const own = Array.from({ length: 30 }, (_, at) => ({ ...mine, folders: ['apps', 'own', `${at}`, 'x'] }));
    const lines = await read(objectsOf([...filesAt('apps/bomb', 10, 290), ...own]));
    expect(ofOwn(lines).filter((line) => line.endsWith(`.yaml ${marker}\n`))).toHaveLength(30);
    expect(lines.some((line) => line.endsWith('larger than 300 folders and files'))).toBe(true);
  });

  test('gives back no more files than a pass may take in, and the others are there all the same', async () => {
    const { root, objects } = objectsOf([...filesAt('apps/bomb', 1, 90), theirs]);
    const found = await readTree({ root, request, limits: { ...limits, treeFiles: 50 } }, (question) =>
      answerNow(
        question,
        () =>
          (oid): FoundObject =>
            objects.get(oid)!,
      ),
    );
    expect(found.files.map(({ path }) => path)).toEqual(['apps/bomb/0', 'apps/own/x/a.yaml']);
    expect(found.skipped().filter(({ path }) => path.startsWith('apps/bomb/'))).toHaveLength(90);
  });

  test('each folder gets what an equal part allows, and no more is visited in all', async () => {
    const tree = fc.array(
      fc.record({ folders: fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 4 }), at: fc.nat(30) }),
      { minLength: 60, maxLength: 120 },
    );
    await fc.assert(
      fc.asyncProperty(tree, fc.integer({ min: 40, max: 80 }), async (all, treeEntries) => {
        const files = all.map(({ folders: path, at }) => ({
          ...mine,
          folders: path,
          name: `${at}.yaml`,
          text: `${marker} ${path.join('/')} ${at}`,
        }));
        const made = objectsOf(files);
        const found = await readIn(made, treeEntries);
        const paths = new Set(found.files.filter(({ content }) => content.kind === 'text').map(({ path }) => path));
        const [due, entries] = dueIn(
          made.found.map(({ path }) => path),
          treeEntries,
        );
        expect(due.filter((path) => !paths.has(path))).toEqual([]);
        expect(paths.size).toBeLessThanOrEqual(treeEntries);
        if (entries <= treeEntries) expect(paths.size).toBe(made.found.length);
      }),
      { numRuns: 150 },
    );
  });

  /** The paths that are below a folder which an equal part at each level is enough for, and how many entries all have. */
  function dueIn(paths: readonly string[], most: number, prefix = ''): readonly [readonly string[], number] {
    const byName = new Map<string, string[]>();
    for (const path of paths) {
      const name = path.slice(prefix.length).split('/')[0]!;
      byName.set(name, [...(byName.get(name) ?? []), path]);
    }
    const below = [...byName].filter(([name, [path]]) => path !== prefix + name);
    const part = (most - byName.size) / below.length;
    const all = below.map(([name, own]) => dueIn(own, part, `${prefix}${name}/`));
    const entries = byName.size + all.reduce((sum, [, count]) => sum + count, 0);
    return entries <= most ? [paths, entries] : [all.flatMap(([due]) => due), entries];
  }

  test('is not read where the root alone is too large', async () => {
    const many = Array.from({ length: 301 }, (_, at) => ({ ...mine, folders: [`f${at}`], text: String(at) }));
    await expect(read(objectsOf(many))).rejects.toThrow('more than 300 files');
  });
});

test('different ids are counted exactly, also where they start alike', () => {
  const numbers = fc.tuple(fc.nat(3), fc.nat(3));
  fc.assert(
    fc.property(fc.array(numbers, { maxLength: 40 }), (all) => {
      const ids = all.map(([head, rest]) => idOf(head, rest));
      expect(countOf(ids)).toBe(new Set(ids.map((bytes) => bytes.toString('hex'))).size);
    }),
    { numRuns: 60 },
  );
  const many = Array.from({ length: 6000 }, (_none, i) =>
    createHash('sha1')
      .update(`${i % 5000}`)
      .digest(),
  );
  expect(countOf(many)).toBe(5000);
  // Anyone who chooses ids that start alike does not make it slow.
  const alike = Array.from({ length: 3000 }, (_none, i) => idOf(i % 2, i % 1500));
  expect(countOf([...many, ...alike, ...many, ...alike])).toBe(6500);
});
