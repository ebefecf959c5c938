/** Holds the house of src/README.md: which ring may import which, what is pure, how large and how named a file is. */

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { namedPaths, ringRows, roomRows } from './support/map.ts';
import type { Source } from './support/syntax.ts';
import { arrows, circles, deadExports, deadFiles, mutualRooms, ringOf, rules, type Violation } from './support/tidy.ts';

type RuleName = keyof typeof rules;
const ruleNames = Object.keys(rules) as RuleName[];
const root = fileURLToPath(new URL('..', import.meta.url));

function read(path: string): Source {
  return { path, text: readFileSync(`${root}/${path}`, 'utf8') };
}

function under(folder: string, ending: RegExp): readonly Source[] {
  return readdirSync(`${root}/${folder}`, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || ending.test(entry.name))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      return entry.isDirectory() ? under(path, ending) : [read(path)];
    });
}

const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
const present = (wanted: readonly string[]) => wanted.filter((name) => folders.some((folder) => folder.name === name));
const code = present(['src', 'test', 'scripts', 'bench']).flatMap((folder) => under(folder, /\.(ts|mjs)$/));
const prose = [
  ...readdirSync(root)
    .filter((name) => name.endsWith('.md'))
    .map(read),
  ...present(['src', 'docs', 'policies']).flatMap((folder) => under(folder, /\.(md|ya?ml)$/)),
];

function told(violations: readonly Violation[], rule: string): readonly string[] {
  return violations.map(({ path, line, why }) => `${path}:${line} ${rule}: ${why}`);
}

describe('the code', () => {
  const broken = new Map<RuleName, Violation[]>(ruleNames.map((rule) => [rule, []]));
  beforeAll(() => {
    // File by file, and all rules on each: so it is parsed once.
    for (const source of code) for (const rule of ruleNames) broken.get(rule)?.push(...rules[rule](source));
  });
  test.each(ruleNames)('keeps %s', (rule) => {
    expect(told(broken.get(rule) ?? [], rule)).toEqual([]);
  });
  it('has no dead files', () => {
    expect(told(deadFiles(code), 'deadFiles')).toEqual([]);
  });
  it('has no dead exports', () => {
    expect(told(deadExports(code), 'deadExports')).toEqual([]);
  });
  it('has at most 15 files beside the rooms of the decision', () => {
    const files = readdirSync(`${root}/src/rollout`).filter((name) => name.endsWith('.ts'));
    expect(files.length, files.join(', ')).toBeLessThanOrEqual(15);
  });
  it('has no circle of imports', () => {
    expect(told(circles(code), 'circles')).toEqual([]);
  });
  it('has no two rooms that import each other', () => {
    expect(told(mutualRooms(code), 'mutualRooms')).toEqual([]);
  });
  it('is found by this test at all', () => {
    expect(code.map(({ path }) => path)).toContain('src/api/json.ts');
    expect(code.map(({ path }) => path)).toContain('test/tidy.test.ts');
  });
});

describe('the texts', () => {
  test.each(['finished', 'noMachinePaths', 'plainWords'] as const)('keep %s', (rule) => {
    expect(told(prose.flatMap(rules[rule]), rule)).toEqual([]);
  });
});

describe('the map of the rings', () => {
  it('names rings only, and no arrow points back', () => {
    const targets = (ring: string) => (arrows[ring] ?? []).map((to) => to.replace(/ \(types\)$|\/.*$/, ''));
    const reaches = (ring: string, seen: readonly string[]): readonly string[] =>
      seen.includes(ring) ? [...seen, ring] : targets(ring).flatMap((to) => reaches(to, [...seen, ring]));
    for (const ring of Object.keys(arrows)) {
      expect(targets(ring).filter((to) => !(to in arrows))).toEqual([]);
      const others = targets(ring).filter((to) => to !== ring);
      expect(others.filter((to) => reaches(to, []).includes(ring))).toEqual([]);
    }
  });
  test.each([
    ['src/main.ts', 'main'],
    ['src/rollout/gates/soak.ts', 'rollout'],
    ['test/tidy.test.ts', undefined],
  ])('%s is in %s', (path, ring) => {
    expect(ringOf(path)).toBe(ring);
  });
});

describe('src/README.md', () => {
  const map = read('src/README.md').text;
  const rows = ringRows(map);
  it('has a row for each ring that is there, and for no other', () => {
    const there = new Set(code.flatMap(({ path }) => ringOf(path) ?? []));
    expect(rows.map(({ ring }) => ring).sort()).toEqual([...there].sort());
  });
  test.each(rows)('says of $ring what the rule says', ({ ring, imports }) => {
    // The outer files import all that is inside of them: their row says so in words.
    if (imports.length > 0 || arrows[ring]?.length === 0)
      expect([...imports].sort()).toEqual([...arrows[ring]!].sort());
    else expect(arrows[ring]).toBe(arrows['main']);
  });
  it('names only files that are there', () => {
    expect(namedPaths(map).length).toBeGreaterThan(50);
    expect(namedPaths(map).filter((path) => !existsSync(`${root}/${path}`))).toEqual([]);
  });
  it('has a row for each folder, and for no other', () => {
    const rooms = readdirSync(`${root}/src`, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => relative(`${root}/src`, join(entry.parentPath, entry.name)))
      // A ring without rooms has its row among the rings, and `adapters` has no files of its own.
      .filter((path, _, all) => path.includes('/') || all.some((other) => other.startsWith(`${path}/`)))
      .filter((path) => path !== 'adapters');
    expect([...roomRows(map)].sort()).toEqual(rooms.sort());
  });
  test.each([
    ['| `a/b/` | first `c.ts`, then `d/e.ts` and `f.ts` |', ['src/a/b/', 'src/a/b/c.ts', 'src/d/e.ts', 'src/d/f.ts']],
    ['- `a/b.ts`\n- `c.ts`', ['src/a/b.ts', 'c.ts']],
    ['as `test/a.ts` shows', ['test/a.ts']],
  ])('%s names %j', (text, paths) => {
    expect(namedPaths(text)).toEqual(paths);
  });
});

const long = (lines: number) => '  a();\n'.repeat(lines);
const unfinished = ['TO', 'DO'].join('');
const fault = ['FIX', 'ME'].join('');
const home = ['', 'work', 'main', 'x'].join('/');

/** What each rule must catch: [path, text, how often]. A rule without rows does not compile. */
const bad: Readonly<Record<RuleName, readonly (readonly [path: string, text: string, times: number])[]>> = {
  rings: [
    ['src/api/a.ts', "import type { Edit } from '../rollout/edits/edit.ts';", 1],
    ['src/rollout/a.ts', "import { group } from '../simulator/group.ts';", 1],
    ['src/rollout/gates/a.ts', "import { group } from '../../simulator/group.ts';", 1],
    ['src/simulator/a.ts', "export { plan } from '../rollout/plan.ts';", 1],
    ['src/simulator/a.ts', "export type { Clock } from '../ports/clock.ts';", 1],
    ['src/manifests/a.ts', "import { plan } from '../rollout/plan.ts';", 1],
    ['src/ports/a.ts', "export * from '../adapters/git.ts';", 1],
    ['src/adapters/a.ts', "import type { Plan } from '../rollout/plan.ts';", 1],
    ['src/reconcile/a.ts', "const git = await import('../adapters/git.ts');", 1],
    ['src/reconcile/a.ts', "type G = import('../adapters/git.ts').Git;", 1],
    ['src/commands/a.ts', "import { git } from '../adapters/git.ts';", 1],
    ['src/main.ts', "import { git } from './adapters/git.ts';", 1],
    ['src/wiring.ts', "import { run } from './reconcile/run.ts';", 1],
    ['src/options.ts', "import { run } from './wiring.ts';", 1],
    ['src/adapters/a.ts', "import { fake } from '../../test/support/fake.ts';", 1],
    ['src/strategies/a.ts', '', 1],
  ],
  rows: [
    ['src/rollout/strategies/requested.ts', "import { rolling } from './rolling.ts';", 1],
    ['src/rollout/events/retrying.ts', "import { partial } from '../strategies/partial.ts';", 1],
    ['src/rollout/gates/pause.ts', "import { retry } from '../events/retrying.ts';", 1],
  ],
  purity: [
    ['src/rollout/a.ts', "import { createHash } from 'node:crypto';", 1],
    ['src/manifests/a.ts', "import { patch } from 'fast-json-patch';", 1],
    ['src/api/a.ts', "import { parse } from 'yaml';", 1],
    ['src/rollout/a.ts', 'async function f() {}', 1],
    ['src/rollout/a.ts', 'const f = async () => await g();', 2],
    ['src/rollout/a.ts', 'type A = Promise<string>;', 1],
    ['src/simulator/a.ts', 'const now = Date.now() + new Date().getTime();', 2],
    ['src/simulator/a.ts', 'const x = Math.random();', 1],
    ['src/simulator/a.ts', 'const x = process.env.X;', 1],
    ['src/simulator/a.ts', 'const x = { process };', 1],
    ['src/manifests/a.ts', 'console.log(1); setTimeout(f, 1); globalThis.x = 1;', 3],
    ['src/rollout/a.ts', "const x = import('./b.ts');", 1],
    ['src/rollout/a.ts', 'const x = import.meta.url;', 1],
  ],
  noSharedState: [
    ['src/rollout/a.ts', 'let count = 0;', 1],
    ['src/rollout/a.ts', 'export let count = 0;', 1],
    ['src/adapters/a.ts', 'var a = 1, b = 2;', 2],
    ['src/adapters/a.ts', 'const seen = new Set<string>();', 1],
    ['src/adapters/a.ts', 'export const cache: Map<string, number> = new Map();', 1],
    ['src/adapters/a.ts', 'const cache = new WeakMap();', 1],
    ['src/adapters/a.ts', 'const cache: Record<string, string> = {};', 1],
    ['src/adapters/a.ts', 'const found: string[] = [];', 1],
    ['src/adapters/a.ts', 'export const codes = new Set([1, 2]);', 1],
    ['src/adapters/a.ts', 'const codes = new Set([1]); function f() { codes.add(2); }', 1],
    ['src/adapters/a.ts', 'const counts: Counts = { a: 0 }; function f() { counts.a += 1; }', 1],
    ['src/adapters/a.ts', "const table = { a: 1 }; function f() { delete table['a']; }", 1],
    ['src/adapters/a.ts', 'const order = [2, 1]; order.sort();', 1],
    ['src/adapters/a.ts', 'class A { static count = 0; }', 1],
  ],
  plainTypes: [
    ['src/api/a.ts', 'export default 1;', 1],
    ['src/api/a.ts', 'function f(a: any): any[] {}', 2],
    ['src/api/a.ts', 'enum A { B }', 1],
    ['src/api/a.ts', 'const a = b as string;', 1],
    ['src/api/a.ts', 'const a = b!;', 1],
    ['src/api/a.ts', 'class A { constructor(private readonly b: string) {} }', 1],
    ['bench/a.ts', 'const a: any = 1;', 1],
  ],
  fileSize: [
    ['src/api/a.ts', 'a();\n'.repeat(251), 1],
    ['test/a.test.ts', 'a();\n'.repeat(601), 1],
  ],
  functionSize: [
    ['src/api/a.ts', `function f() {\n${long(49)}}\n`, 1],
    ['src/api/a.ts', `const f = () => {\n${long(49)}};\n`, 1],
    ['src/api/a.ts', `class A {\n  f() {\n${long(49)}  }\n}\n`, 1],
    ['scripts/a.mjs', `export function f() {\n${long(60)}}\n`, 1],
  ],
  names: [
    ['src/api/liveObject.ts', '', 1],
    ['src/Api/live.ts', '', 1],
    ['src/api/live_object.ts', '', 1],
    ['src/api/yaml-utils.ts', '', 1],
    ['src/api/helper.ts', '', 1],
    ['src/handlers/a.ts', '', 1],
    ['test/support/git-manager.ts', '', 1],
  ],
  commandsByKey: [
    ['src/rollout/gates/a.ts', 'const way = `to go back: tranche abort ${key.name}`;', 1],
    ['src/rollout/orders/a.ts', 'const way = `tranche plan --only ${name}`;', 1],
  ],
  oneBrake: [
    ['src/rollout/events/a.ts', 'const held = { ...decision, move: undefined, holds };', 1],
    ['src/rollout/strategies/a.ts', "if (move?.way === 'forward') return holding(all, stepState);", 1],
  ],
  oneStyleTable: [
    ['src/rollout/gates/a.ts', "const isOver = plan.style === 'blueGreen' && rung === 'all';", 1],
    ['src/reconcile/a.ts', "if (rollout?.style !== 'partition') return undefined;", 1],
  ],
  plainWords: [
    ['src/rollout/a.ts', "const why = 'the workload is armed';", 1],
    ['src/rollout/a.ts', '/** Lets groups of the fleet go. */\nconst a = 1;', 1],
    ['src/rollout/a.ts', 'const why = `the fleet of ${name} waits`;', 1],
    ['README.md', 'No group restarts so long as\nit waits for a person.\n', 2],
    ['README.md', 'The workload is _armed_.\n', 1],
    ['src/rollout/a.ts', "const reason = 'ArmedAlone';", 1],
  ],
  firstLine: [
    ['src/api/a.ts', 'export const a = 1;\n', 1],
    ['src/api/a.ts', '/** Too short. */\n\nexport const a = 1;\n', 1],
    ['src/api/a.ts', '/** this is no sentence that anybody could read */\n\nexport const a = 1;\n', 1],
    ['src/api/a.ts', '/** The docstring of the first thing in here. */\nexport const a = 1;\n', 1],
    ['src/main.ts', '#!/usr/bin/env node\nrun();\n', 1],
  ],
  docstrings: [
    ['src/api/a.ts', '/** What the file is about. */\n\nexport function f() {}\n', 1],
    ['src/api/a.ts', 'export const f = (a: string) => a;\n', 1],
    ['src/api/a.ts', '/** One. */\nexport function f() {}\n\nexport function g() {}\n', 1],
    ['src/api/a.ts', '/* Not a docstring. */\nexport function f() {}\n', 1],
  ],
  finished: [
    ['src/api/a.ts', `// ${unfinished}: later\n`, 1],
    ['test/a.test.ts', `const a = 1;\n/* ${fault} */\n`, 1],
  ],
  noMachinePaths: [
    ['src/api/a.ts', `const a = '${home}';\n`, 1],
    ['README.md', `See ${home}.\n`, 1],
    ['src/adapters/a.ts', `const a = '${['', 'tmp', 'x'].join('/')}';\n`, 1],
  ],
};

describe.each(ruleNames)('the rule %s catches', (rule) => {
  test.each(bad[rule])('%s: %s', (path, text, times) => {
    expect(told(rules[rule]({ path, text }), rule)).toHaveLength(times);
  });
});

/** What looks like a fault and is none: no rule may find anything in it. */
const good: readonly Source[] = [
  {
    path: 'src/rollout/plan.ts',
    text: [
      '/** Decides the next step of one Rollout: async, Date.now() and /tmp are words here. */',
      '',
      "import type { Json } from '../api/json.ts';",
      "import { edit } from './edit.ts';",
      'export const reasons = { a: 1 } as const;',
      'export const order: readonly string[] = [];',
      'const codes = new Set([301, 302]);',
      'export const nothing: Ownership = {};',
      'export const table: ReadonlyMap<string, number> = new Map([["a", 1]]);',
      'type Line = { readonly process: string; readonly Date: number };',
      '/** What is next. */',
      'export function plan(line: Line, json: Json): string {',
      '  let left = 0;',
      '  const seen = new Map<string, Json>();',
      '  left += Math.max(line.Date, seen.size);',
      '  return `${edit(line.process)} console.log ${left} ${String(json)}`;',
      '}',
      '',
    ].join('\n'),
  },
  {
    path: 'src/rollout/strategies/partition.ts',
    text: "/** Names the rows of one strategy, and what comes before them. */\n\nimport { retry } from '../events/retrying.ts';\nimport { partial } from './partial.ts';\nexport const table = { partial, retry };\n",
  },
  {
    path: 'src/manifests/splice-range.ts',
    text: "// Finds the bytes of a field in the user's own text.\n\nimport type { Edit } from '../rollout/edits/edit.ts';\nimport { parse } from 'yaml';\nexport type A = { a: Edit; b: ReturnType<typeof parse> };\n",
  },
  {
    path: 'src/wiring.ts',
    text: "/**\n * Builds the adapters, and is the only file that imports them.\n */\n\nimport type { World } from './reconcile/run.ts';\nexport type A = World | typeof import('./adapters/git.ts');\n",
  },
  {
    path: 'src/main.ts',
    text: '#!/usr/bin/env node\n/** Reads the command line and runs one verb. */\n\nvoid 0;\n',
  },
];

test.each(good)('all rules pass on $path', (source) => {
  expect(ruleNames.flatMap((rule) => told(rules[rule](source), rule))).toEqual([]);
});

describe('dead files', () => {
  const files = (main: boolean) =>
    [
      ['src/api/a.ts', "import './b.ts';"],
      ['src/api/b.ts', ''],
      ['src/api/c.ts', ''],
      ['test/a.test.ts', "import '../src/api/a.ts';"],
      ...(main ? [['src/start.ts', "import './api/c.ts';"]] : []),
    ].map(([path, text]) => ({ path: path!, text: text! }));
  it('are those that no test reaches while there is no program', () => {
    expect(deadFiles(files(false)).map(({ path }) => path)).toEqual(['src/api/c.ts']);
  });
  it('are those that the program does not reach, once there is one', () => {
    expect(deadFiles(files(true)).map(({ path }) => path)).toEqual(['src/api/a.ts', 'src/api/b.ts']);
  });
});

describe('dead exports', () => {
  test.each([
    ["import { a } from './a.ts';", ['b', 'C']],
    ["import { a as other, type C } from '../src/a.ts';", ['b']],
    ["export { b } from './a.ts';", ['a', 'C']],
    ["import * as all from './a.ts';", []],
    ["const { a } = await import('./a.ts');", []],
    ["import type { C } from './c.ts';", ['a', 'b', 'C']],
  ])('%s leaves %j', (text, names) => {
    const a = 'export function a() {}\nexport const b = 1;\nexport type C = { readonly c: number };\nconst d = 2;\n';
    const files = [
      { path: 'src/a.ts', text: a },
      { path: 'src/b.ts', text },
    ];
    expect(deadExports(files).map(({ why }) => why)).toEqual(
      names.map((name) => `no other file imports ${name}: take the export off, or the thing away`),
    );
  });
});

describe('circles', () => {
  const files = (...imports: readonly (readonly [from: string, to: string])[]) =>
    ['a', 'b', 'c', 'd'].map((name) => ({
      path: `src/api/${name}.ts`,
      text: imports.map(([from, to]) => (from === name ? `import type { A } from './${to}.ts';\n` : '')).join(''),
    }));
  test.each([
    [
      [['a', 'b'] as const, ['b', 'a'] as const],
      ['a', 'b'],
    ],
    [
      [['a', 'b'] as const, ['b', 'c'] as const, ['c', 'a'] as const, ['c', 'd'] as const],
      ['a', 'b', 'c'],
    ],
    [[['a', 'b'] as const, ['b', 'c'] as const, ['a', 'c'] as const], []],
  ])('of %j are %j', (imports, names) => {
    expect(circles(files(...imports)).map(({ path }) => path)).toEqual(names.map((name) => `src/api/${name}.ts`));
  });
});

describe('rooms that import each other', () => {
  const imports = (path: string, to: string) => ({ path: `src/${path}`, text: `import type { A } from '${to}';\n` });
  test.each([
    [[imports('rollout/a/x.ts', '../b/y.ts'), imports('rollout/b/z.ts', '../a/w.ts')], 2],
    [[imports('rollout/a/x.ts', '../b/y.ts'), imports('rollout/a/z.ts', '../b/w.ts')], 0],
    [[imports('rollout/a/x.ts', '../y.ts'), imports('rollout/y.ts', './a/w.ts')], 0],
  ])('%#', (files, times) => {
    const others = ['a/w', 'b/y', 'b/w', 'y'].map((name) => ({ path: `src/rollout/${name}.ts`, text: '' }));
    const all = [...files, ...others.filter(({ path }) => !files.some((file) => file.path === path))];
    expect(mutualRooms(all)).toHaveLength(times);
  });
});

test('no compiled code is tracked with the bundle: a checksum would vouch for what nobody can read', () => {
  const tracked = execFileSync('git', ['ls-files', '-z', 'dist'], { cwd: root, encoding: 'utf8' }).split('\0');
  const other = tracked.filter(
    (path) => !/^(dist\/((chunks\/)?[^/]+\.js(\.LEGAL\.txt)?|package\.json|packages\.LEGAL\.txt))?$/.test(path),
  );
  expect(other).toEqual([]);
});
