/** `npm run bench`: what a pass costs from the start of the process to its end, next to the git command line. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type BuildAmounts, buildRows } from './builds.ts';
import { canaryRows } from './canaries.ts';
import { compiledRows } from './compiled.ts';
import { type FleetAmounts, fleetRows, lintRows } from './fleet.ts';
import { historyRows } from './history.ts';
import { initRows } from './init.ts';
import { keyRows } from './keys.ts';
import { inTurn, peakMegabytes, progress, type Spread, time } from './measure.ts';
import { pageRows } from './page.ts';
import { analysisRows, crowdRows, planRows } from './planning.ts';
import { podRows } from './pods.ts';
import { policyRows } from './policies.ts';
import { atMost, atMostTimes, forInformation, jsonOf, type Row, tableOf } from './rows.ts';
import { type Amounts, simulationRows } from './simulation.ts';
import type { Heads } from './story.ts';
import { farRows, startRows } from './waiting.ts';
import {
  type Bench,
  makeWorld,
  ownPass,
  reset,
  serveGit,
  timeGit,
  timeIsomorphic,
  timeOwn,
  type World,
} from './world.ts';

const { values: options } = parseArgs({
  options: {
    json: { type: 'string' },
    /** One size, one round: shows that the benchmark itself works. */
    quick: { type: 'boolean', default: false },
    /** More rounds, and fleets of 10,000 Rollouts: most of an hour. Without it, a quarter of one. */
    long: { type: 'boolean', default: false },
    /** Schedules of the memory row; 100,000 of them take the better part of an hour. */
    schedules: { type: 'string' },
    bundle: { type: 'string', default: 'dist/tranche.js' },
    /** Rollouts of the fleet; a tenth of them moves. Its story takes minutes for a thousand. */
    rollouts: { type: 'string', default: '1000' },
    /** The same of the two fleets with canaries and without: each rung of the story is a commit of each. */
    canaries: { type: 'string', default: '300' },
    /** What a key costs alone, in four minutes. `only`: the groups of rows of these names. */
    key: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
  },
});

const sizes = options.quick ? [1000] : [1000, 10_000, 50_000].slice(0, options.key ? 2 : 3);
const rounds = options.quick ? 1 : options.long ? 9 : options.key ? 5 : 3;
const large = 10_000;
/** What a moving pass with paths may take, against git, by files: what it does not read costs it nothing. */
const movingTimes: ReadonlyMap<number, number> = new Map([
  [1000, 1],
  [10_000, 0.9],
  [50_000, 0.7],
]);
const [bareStart, bareList] = ['node -e 0', 'git ls-remote'];

const scratch = mkdtempSync(join(tmpdir(), 'tranche-bench-'));
try {
  const rows = await allRows();
  console.log(tableOf(rows));
  if (options.json !== undefined) writeFileSync(options.json, jsonOf(rows));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function allRows(): Promise<readonly Row[]> {
  const programs = dirname(fileURLToPath(import.meta.url));
  const bench: Bench = { programs, scratch, bundle: resolve(options.bundle), git: await serveGit(programs) };
  const made: World[] = [];
  const worlds = async (): Promise<readonly World[]> => {
    for (const files of sizes.slice(made.length)) made.push(await makeWorld(bench, files));
    return made;
  };
  const first = async (): Promise<World> => {
    made[0] ??= await makeWorld(bench, sizes[0] ?? 1000);
    return made[0];
  };
  const groups: Readonly<Record<string, () => Promise<readonly Row[]>>> = {
    moving: async () => movingRows(bench, await worlds()),
    memory: async () => memoryRows(bench, await worlds()),
    keys: async () => keyRows(bench, await worlds(), rounds),
    settled: async () => settledRows(bench, await first()),
    compiled: async () => compiledRows(bench, await first(), rounds),
    start: () => startRows(bench, 2 * rounds),
    far: async () => farRows(bench, await first(), rounds),
    lint: () => lintRows(bench, fleet()),
    policies: () => policyRows(bench, fleet()),
    fleet: () => fleetRows(bench, fleet()),
    canaries: () => canaryRows(bench, fleet(options.canaries)),
    builds: () => buildRows(bench, folders()),
    crowds: async () => crowdRows(),
    pods: () => podRows(bench, large),
    history: () => historyRows(bench, options.quick ? 1000 : 10_000, rounds),
    init: () => initRows(bench, options.quick ? 1000 : 50_000, rounds),
    page: () => pageRows(bench, rounds),
    plan: async () => [...(await planRows(bench, await first(), options.quick ? 1 : 10)), ...analysisRows()],
    simulation: () => simulationRows(programs, amounts()),
    isomorphic: async () => isomorphicRows(bench, await worlds()),
  };
  const rows: Row[] = [];
  const begin = performance.now();
  for (const [name, group] of Object.entries(groups)) {
    if (!(options.key ? ['keys'] : (options.only ?? [name])).includes(name)) continue;
    progress(`${name}, after ${seconds(begin)} s`);
    rows.push(...(await group()));
  }
  progress(`done in ${seconds(begin)} s`);
  return rows;
}

function fleet(amount = options.rollouts): FleetAmounts {
  if (options.quick) return { read: [100, 200], rollouts: 100, moving: 10, rounds: 1 };
  const rollouts = Number(amount);
  const read = options.long ? [1000, 2000, 10_000] : [500, 1000];
  return { read, rollouts, moving: rollouts / 10, rounds: options.long ? 3 : 2 };
}

function folders(): BuildAmounts {
  if (options.quick) return { roots: 20, changed: [2, 10] };
  return { roots: options.long ? 1000 : 200, changed: [10, 100] };
}

function amounts(): Amounts {
  if (options.quick) return { rollouts: 5, schedules: 20, memory: 50 };
  const [rollouts, schedules, memory] = options.long ? [200, 1000, 3000] : [50, 100, 600];
  return { rollouts, schedules, memory: Number(options.schedules ?? memory) };
}

async function movingRows(bench: Bench, worlds: readonly World[]): Promise<readonly Row[]> {
  const spreads = await inTurn(
    worlds.flatMap((world) => [
      { name: `own ${world.files}`, run: () => timeOwn(bench, world, world.moments.moving) },
      { name: `unsigned ${world.files}`, run: () => timeOwn(unsigned(bench), world, world.moments.movingUnsigned) },
      { name: `git ${world.files}`, run: () => timeGit(bench, world) },
      { name: `all ${world.files}`, run: () => timeOwn(bench, world, world.moments.movingWithoutPaths) },
      { name: `each ${world.files}`, run: () => timeOwn(bench, world, world.moments.readingAll) },
    ]),
    rounds,
  );
  const at = (who: string, files: number): Spread => spreads.get(`${who} ${files}`) ?? { median: 0, least: 0, most: 0 };
  const measured = (who: string, files: number, name: string) => ({
    name,
    unit: 'ms' as const,
    ...valueOf(at(who, files)),
  });
  const rows = worlds.flatMap(({ files }) => {
    const reference = at('git', files).median;
    const own = measured('own', files, `moving pass, paths, ${shown(files)}, against git`);
    const all = measured('all', files, `moving pass, no paths, ${shown(files)}, against git`);
    const each = measured('each', files, `the same without a key, where each file is read, ${shown(files)}`);
    const other = measured('unsigned', files, `moving pass, paths, ${shown(files)}, without a key, against with one`);
    const rowsOfOne = [atMostTimes(own, reference, movingTimes.get(files) ?? 1), atMostTimes(all, reference, 1.5)];
    return [...rowsOfOne, forInformation(other, own.value), forInformation(each, reference)];
  });
  const [least, most] = [worlds.at(0)?.files ?? 0, worlds.at(-1)?.files ?? 0];
  if (least === most) return rows;
  const name = `moving pass, paths, ${shown(most)} against ${shown(least)}`;
  return [...rows, atMostTimes(measured('own', most, name), at('own', least).median, 1.1)];
}

async function memoryRows(bench: Bench, worlds: readonly World[]): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const at = { probe: join(bench.programs, 'memory-probe.mjs'), report: join(bench.scratch, 'peak') };
  for (const world of worlds) {
    const { moving, movingUnsigned, movingWithoutPaths, readingAll } = world.moments;
    for (const [from, which, limit, by] of [
      [moving, 'paths', 130, bench] as const,
      [movingUnsigned, 'paths, without a key', 130, unsigned(bench)] as const,
      [movingWithoutPaths, 'no paths', 250, bench] as const,
      [readingAll, 'no paths, without a key', 250, unsigned(bench)] as const,
    ]) {
      progress(`  ${which}, ${world.files} files`);
      await reset(world, from);
      const value = await peakMegabytes(ownPass(by, world), at);
      rows.push(atMost({ name: `peak memory, ${which}, ${shown(world.files)}`, unit: 'MB', value }, limit));
    }
  }
  return rows;
}

async function settledRows(bench: Bench, world: World): Promise<readonly Row[]> {
  const passAt = async (moment: Heads, by: Bench): Promise<number> => {
    await reset(world, moment);
    return time(ownPass(by, world));
  };
  const spreads = await inTurn(
    [
      { name: 'unsigned', run: () => passAt(world.moments.settledUnsigned, unsigned(bench)) },
      { name: 'own', run: () => passAt(world.moments.settled, bench) },
      { name: bareStart, run: () => time({ command: process.execPath, args: ['-e', '0'] }) },
      { name: bareList, run: () => time({ command: 'git', args: ['ls-remote', world.url] }) },
    ],
    options.quick ? 1 : 2 * rounds,
  );
  const { main } = world.moments.settled;
  await reset(world, world.moments.settled);
  await time(ownPass(bench, world));
  if ((await world.repository.git('rev-parse', 'main')) !== main) throw new Error('a settled pass moved main');
  const reference = (spreads.get(bareStart)?.median ?? 0) + (spreads.get(bareList)?.median ?? 0);
  const own = spreads.get('own');
  if (own === undefined) return [];
  const name = `settled pass, against ${bareStart} + ${bareList}`;
  const rows = [atMostTimes({ name, unit: 'ms', ...valueOf(own) }, reference, 1.5)];
  const keyless = spreads.get('unsigned');
  if (keyless === undefined) return rows;
  const other = 'settled pass, without a key, where the files are read, against with one';
  return [...rows, forInformation({ name: other, unit: 'ms', ...valueOf(keyless) }, own.median)];
}

async function isomorphicRows(bench: Bench, worlds: readonly World[]): Promise<readonly Row[]> {
  const rows: Row[] = [];
  // It takes minutes at 50,000 files.
  for (const world of worlds.filter(({ files }) => files <= large)) {
    const reference = await timeOwn(bench, world, world.moments.moving);
    const value = await timeIsomorphic(bench, world);
    const name = `for comparison: isomorphic-git, ${shown(world.files)}, against ours`;
    rows.push(forInformation({ name, unit: 'ms', value }, reference));
  }
  return rows;
}

/** The same without a key in the environment. */
function unsigned(bench: Bench): Bench {
  return { ...bench, signs: false };
}

function valueOf({ median, least, most }: Spread): {
  readonly value: number;
  readonly range: readonly [number, number];
} {
  return { value: median, range: [least, most] };
}

function seconds(begin: number): string {
  return ((performance.now() - begin) / 1000).toFixed(0);
}

function shown(files: number): string {
  return `${files / 1000}k files`;
}
