/** What of the configured paths was not read: said with its line, and with what is there instead. */

import { expect, test } from 'vitest';
import { type Config, DEFAULT_CONFIG } from '../../src/api/config.ts';
import type { Gaps } from '../../src/ports/git.ts';
import { pathFaults } from '../../src/reconcile/documents/path-issues.ts';
import { passReport } from '../../src/reconcile/status/report.ts';
import { VLLM_FILES } from '../support/vllm.ts';
import { World } from '../support/world.ts';

const absent = (path: string, folder: string, ...beside: readonly string[]): Gaps['absent'][number] => ({
  path,
  folder,
  beside,
});

/** A tree with these files, of which the last has no marker. */
function treeOf(paths: readonly string[], gaps: Partial<Gaps> = {}): Parameters<typeof pathFaults>[0] {
  const all = paths.map((path) => ({ path, oid: path, mode: '100644', content: { kind: 'text', text: '' } }) as const);
  return { files: all.slice(0, -1), skipped: () => all.slice(-1), gaps: { absent: [], passedOver: [], ...gaps } };
}

const FILES = ['apps/vllm/lws.yaml', 'policies/a.yaml', 'rollouts/vllm.yaml', 'docs/x.yaml'];

test.each<readonly [what: string, said: Partial<Config>, told: readonly string[]]>([
  ['all are there', { policyPaths: ['policies', 'docs', ''], namespaces: { 'apps/vllm': 'llm', '': 'x' } }, []],
  [
    'misspelt',
    { policyPaths: ['policies', 'policys'], namespaces: { 'apps/vlm': 'llm', teams: 'x' } },
    [
      '2 policyPaths has "policys", where no manifest is read; there is policies: no grant and no exception counts from there',
      '3 namespaces has "apps/vlm", where no manifest is read; there is apps/vllm: it gives no manifest a namespace',
      '4 namespaces has "teams", where no manifest is read: it gives no manifest a namespace',
    ],
  ],
])('entries next to paths: %s', (_, said, told) => {
  const lines = { paths: [], policyPaths: [1, 2], namespaces: [3, 4] };
  const { issues, warnings } = pathFaults(treeOf(FILES), { ...DEFAULT_CONFIG, lines, ...said });
  expect(issues).toEqual([]);
  expect(warnings.map(({ line, message }) => `${line} ${message}`)).toEqual(told);
  // The command line says which paths are read.
  expect(pathFaults(treeOf(FILES), { ...DEFAULT_CONFIG, ...said }).warnings).toEqual([]);
});

test.each<readonly [paths: readonly string[], stopFile: string, told: readonly string[]]>([
  [[''], 'policies/stop.yaml', []],
  [['apps', 'policies'], 'policies/stop.yaml', []],
  [['apps', 'policies/stop.yaml'], 'policies/stop.yaml', []],
  [['apps'], 'apps/stop.yaml', []],
  [
    ['apps', 'rollouts'],
    'policies/stop.yaml',
    [
      'tranche.yaml:4 paths has no entry for policies/stop.yaml, where tranche stop writes: it would stop nothing, and is refused (StopUnreachable). Add the folder of policies/stop.yaml to paths, or name a file on paths as stopFile.',
    ],
  ],
])('the file of tranche stop, with paths %j and stopFile %s', (paths, stopFile, told) => {
  const lines = { paths: paths.map((_, at) => at + 4), policyPaths: [], namespaces: [] };
  const { issues, warnings } = pathFaults(treeOf(FILES), { ...DEFAULT_CONFIG, lines, paths, stopFile });
  expect(issues).toEqual([]);
  expect(
    warnings.map(({ file, line, message, reason, hint }) => `${file}:${line} ${message} (${reason}). ${hint}`),
  ).toEqual(told);
  expect(pathFaults(treeOf(FILES), { ...DEFAULT_CONFIG, paths, stopFile }).warnings).toEqual([]);
});

test.each<readonly [what: string, gaps: Partial<Gaps>, paths: readonly string[], said: readonly string[]]>([
  ['nothing', {}, ['apps'], []],
  [
    'one that is misspelt',
    { absent: [absent('appps', '', 'apps', 'docs')] },
    ['rollouts', 'appps'],
    ['warning 2 paths has "appps", which is not in the repository; there is apps: nothing is read there'],
  ],
  [
    'one below a folder that is there',
    { absent: [absent('apps/vlm/lws.yaml', 'apps', 'vllm')] },
    ['apps/vlm/lws.yaml', 'rollouts'],
    ['warning 1 paths has "apps/vlm/lws.yaml", which is not in apps; there is apps/vllm: nothing is read there'],
  ],
  [
    'nothing like it',
    { absent: [absent('models', '', 'apps')] },
    ['models', 'apps'],
    ['warning 1 paths has "models", which is not in the repository: nothing is read there'],
  ],
  [
    'not one is there',
    { absent: [absent('a', '', 'apps'), absent('b', '', 'apps')] },
    ['a', 'b'],
    [
      'fault 1 paths has "a", which is not in the repository: nothing is read there, nor at any other path: no Rollout and no policy is seen at all',
      'fault 2 paths has "b", which is not in the repository: nothing is read there, nor at any other path: no Rollout and no policy is seen at all',
    ],
  ],
  [
    'one link',
    { passedOver: ['apps/base'] },
    ['apps'],
    [
      'warning 0 it is a symbolic link or a submodule, which is not followed: no Rollout, workload or RolloutPolicy counts by way of it',
    ],
  ],
  [
    'many links',
    { passedOver: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] },
    ['apps'],
    [
      'warning 0 a, b, c, d, e and 2 more are symbolic links or submodules, which are not followed: no Rollout, workload or RolloutPolicy counts by way of them',
    ],
  ],
])('%s', (_, gaps, paths, said) => {
  const lines = { paths: paths.map((_path, at) => at + 1), policyPaths: [], namespaces: [] };
  const { issues, warnings } = pathFaults(treeOf([], gaps), {
    ...DEFAULT_CONFIG,
    paths,
    lines,
    stopFile: `${paths[0]}/stop.yaml`,
  });
  expect([
    ...issues.map(({ line, message }) => `fault ${line} ${message}`),
    ...warnings.map(({ line, message }) => `warning ${line} ${message}`),
  ]).toEqual(said);
});

test('of the command line: there is no line', () => {
  const gaps = { absent: [absent('ap', '', 'app')] };
  const { warnings } = pathFaults(treeOf([], gaps), { ...DEFAULT_CONFIG, paths: ['ap', ''] });
  expect(warnings).toMatchObject([
    { file: '', message: '--path ap: it is not in the repository; there is app: nothing is read there' },
  ]);
});

test('a pass says it of one entry and goes on; where no entry is there it fails', async () => {
  const files = {
    ...VLLM_FILES,
    'tranche.yaml': 'paths:\n  - rollouts\n  - ./apps/\n  # of the other team\n  - policys\n',
  };
  const world = new World({ files: { ...files, 'policies/none.txt': 'x' } });
  world.sync();
  world.tick(60);
  const one = await world.pass();
  expect(one.failed).toBe(false);
  expect(passReport(one)).toContain(
    'note: tranche.yaml:5: paths has "policys", which is not in the repository; there is policies',
  );
  world.edit('tranche.yaml', '  - rollouts\n  - ./apps/\n', '');
  const none = await world.pass();
  expect(none).toMatchObject({ failed: true, issues: [{ file: 'tranche.yaml', line: 3, reason: 'PathMissing' }] });
});
