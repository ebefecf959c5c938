/** Many Rollouts: what reading them costs, what a pass costs of which some move, and one of which none does. */

import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bareRepository } from '../test/support/git-server.ts';
import { generateRepository } from '../test/support/repository-generator.ts';
import { fleetFiles, fleetLws } from './fleet-place.ts';
import { answering, inTurn, probed, progress, time } from './measure.ts';
import { atMost, atMostTimes, forInformation, type Row } from './rows.ts';
import type { FleetMoments } from './serve-fleet.ts';
import type { Heads } from './story.ts';
import type { Watch, Watched } from './watch-probe.ts';
import { type Bench, ownPass, reset, serve } from './world.ts';

export type FleetAmounts = {
  /** Repositories that are only read, the smallest first. */
  readonly read: readonly number[];
  readonly rollouts: number;
  readonly moving: number;
  readonly rounds: number;
};

/** What reads all Rollouts of a repository on a disk. The pass finds no cluster, and so decides that each of them waits. */
const readers = {
  lint: { args: (path: string) => ['lint', '--repo', path, '--branch', 'main'], code: 0 },
  'a pass': { args: (path: string) => ['plan', '--repo', path, '--kubeconfig', '/nonexistent'], code: 1 },
} as const;

type Reader = keyof typeof readers;
type Taken = { readonly rollouts: number; readonly cpu: number };

/** CPU and memory of `lint` and of a pass, by the number of Rollouts. */
export async function lintRows(bench: Bench, { read, rounds }: FleetAmounts): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const smallest = new Map<Reader, Taken>();
  for (const rollouts of read) {
    const path = join(bench.scratch, `fleet-${rollouts}.git`);
    progress(`  makes a repository of ${rollouts} Rollouts, and reads it`);
    await generateRepository(path, { files: 250, extra: fleetFiles(rollouts) });
    for (const reader of ['lint', 'a pass'] as const) {
      const taken = await takenBy(bench, { reader, path, rounds });
      rows.push(...rowsOf({ reader, rollouts, ...taken }, smallest.get(reader)));
      if (!smallest.has(reader)) smallest.set(reader, { rollouts, cpu: taken.cpu });
    }
    rmSync(path, { recursive: true, force: true });
  }
  return rows;
}

/** The least CPU and the most memory of some rounds. */
async function takenBy(
  bench: Bench,
  { reader, path, rounds }: { readonly reader: Reader; readonly path: string; readonly rounds: number },
): Promise<{ readonly cpu: number; readonly megabytes: number }> {
  const { args, code } = readers[reader];
  const program = { command: process.execPath, args: [bench.bundle, ...args(path)], code };
  const taken: { readonly megabytes: number; readonly cpuMilliseconds: number }[] = [];
  for (let round = 0; round < rounds; round += 1) taken.push(await probed(program, probeIn(bench)));
  return {
    cpu: Math.min(...taken.map(({ cpuMilliseconds }) => cpuMilliseconds)),
    megabytes: Math.max(...taken.map(({ megabytes }) => megabytes)),
  };
}

function rowsOf(
  { reader, rollouts, cpu, megabytes }: Taken & { readonly reader: Reader; readonly megabytes: number },
  smallest: Taken | undefined,
): readonly Row[] {
  const name = `CPU of ${reader}, ${rollouts} Rollouts`;
  const memory = atMost({ name: `peak memory of ${reader}, ${rollouts} Rollouts`, unit: 'MB', value: megabytes }, 1024);
  if (smallest === undefined) return [forInformation({ name, unit: 'ms', value: cpu }), memory];
  const times = (rollouts / smallest.rollouts) * 1.1;
  return [
    atMostTimes({ name: `${name}, against ${smallest.rollouts}`, unit: 'ms', value: cpu }, smallest.cpu, times),
    memory,
  ];
}

/** The edits of all steps by the git command line: one fetch of the files, a commit for each, one push. */
const gitScript = `set -e
git clone -q --depth 1 --filter=blob:none --no-checkout "$1" "$2"
cd "$2"
repository="$2"
shift 2
git checkout -q HEAD -- "$@"
for file in "$@"; do
  sed -i 's/partition: 3/partition: 2/' "$file"
  git update-index --add "$file"
  head=$(git commit-tree -p HEAD -m 'step 2/3' "$(git write-tree --missing-ok)")
  git update-ref HEAD "$head"
done
git push -q origin HEAD:refs/heads/main
`;

/** A pass of which some move, next to the same edits by git; and the second pass of a process of which none does. */
export async function fleetRows(bench: Bench, amounts: FleetAmounts): Promise<readonly Row[]> {
  const { rollouts, moving, rounds } = amounts;
  const path = join(bench.git.folder, 'fleet.git');
  const kubeconfig = join(bench.scratch, 'kubeconfig-fleet');
  const args = [path, String(rollouts), String(moving), kubeconfig];
  progress(`  makes ${rollouts} Rollouts, and lets ${moving} deliver`);
  const { ready: moments } = await serve<FleetMoments>(join(bench.programs, 'serve-fleet.mjs'), args);
  const repository = bareRepository(path);
  await repository.git('repack', '-adq');
  const fleet = { url: `${bench.git.url}/fleet.git`, kubeconfig, repository };
  const files = Array.from({ length: moving }, (_none, at) => fleetLws(at));
  const check = async (from = moments.moving): Promise<void> => {
    const count = await repository.git('rev-list', '--count', `${from.main}..main`);
    if (count !== String(moving)) throw new Error(`${count} steps were written, wanted ${moving}`);
  };
  const passFrom = async (from: Heads, by: Bench): Promise<number> => {
    await reset(fleet, from);
    const taken = await time(ownPass(by, fleet));
    await check(from);
    return taken;
  };
  const git = async (): Promise<number> => {
    await reset(fleet, moments.moving);
    const folder = mkdtempSync(join(bench.scratch, 'clone-'));
    const taken = await time({ command: 'sh', args: ['-c', gitScript, 'git-steps', fleet.url, folder, ...files] });
    await check();
    rmSync(folder, { recursive: true, force: true });
    return taken;
  };
  const spreads = await inTurn(
    [
      { name: 'own', run: () => passFrom(moments.moving, bench) },
      { name: 'unsigned', run: () => passFrom(moments.movingUnsigned, { ...bench, signs: false }) },
      { name: 'git', run: git },
    ],
    rounds,
  );
  const { signed, keyless } = await costsOf(bench, { ...fleet, moments });
  const name = `${rollouts} Rollouts, ${moving} moving`;
  const [value, unsigned] = [spreads.get('own')?.median ?? Number.NaN, spreads.get('unsigned')?.median ?? Number.NaN];
  return [
    atMostTimes({ name: `${name}, against git`, unit: 'ms', value }, spreads.get('git')?.median ?? Number.NaN, 3),
    forInformation({ name: `${name}, without a key, against with one`, unit: 'ms', value: unsigned }, value),
    atMost({ name, unit: 'ms', value }, 5000),
    forInformation({ name: `${name}, CPU`, unit: 'ms', value: signed.cpuMilliseconds }),
    atMost({ name: `${name}, peak memory`, unit: 'MB', value: signed.megabytes }, 300),
    ...keylessRows(name, keyless, signed),
    ...(await watchRows(bench, { ...fleet, moments, rollouts })),
  ];
}

type Costs = { readonly megabytes: number; readonly cpuMilliseconds: number };

/** Of one pass that moves, with a key and without one. */
export async function costsOf(
  bench: Bench,
  fleet: Parameters<typeof reset>[0] & Parameters<typeof ownPass>[1] & { readonly moments: FleetMoments },
): Promise<{ readonly signed: Costs; readonly keyless: Costs }> {
  const { moving, movingUnsigned } = fleet.moments;
  await reset(fleet, moving);
  const signed = await probed(ownPass(bench, fleet), probeIn(bench));
  await reset(fleet, movingUnsigned);
  return { signed, keyless: await probed(ownPass({ ...bench, signs: false }, fleet), probeIn(bench)) };
}

/** CPU and memory of a pass where main names no key, next to those where it names one. */
export function keylessRows(name: string, keyless: Costs, signed: Costs): readonly Row[] {
  const other = `${name}, without a key, against with one`;
  return [
    forInformation({ name: `${other}, CPU`, unit: 'ms', value: keyless.cpuMilliseconds }, signed.cpuMilliseconds),
    forInformation({ name: `${other}, peak memory`, unit: 'MB', value: keyless.megabytes }, signed.megabytes),
  ];
}

async function watchRows(
  bench: Bench,
  fleet: Parameters<typeof reset>[0] & {
    readonly url: string;
    readonly moments: FleetMoments;
    readonly rollouts: number;
  },
): Promise<readonly Row[]> {
  const watched = async (from: Heads, ...words: readonly string[]): Promise<Watched> => {
    progress(`  passes of one process: ${words.join(', ')}`);
    await reset(fleet, from);
    const args = ['--expose-gc', join(bench.programs, 'watch-probe.mjs'), fleet.url, ...words];
    return JSON.parse(await answering({ command: process.execPath, args }, () => commit())) as Watched;
  };
  const none = [Number.NaN, Number.NaN] as const;
  let commits = 0;
  const commit = (): Promise<string> => {
    commits += 1;
    // A file that is read, so that nothing which was made of all files before can be taken as it was.
    return fleet.repository.commit('main', { 'apps/notes.yaml': `# LeaderWorkerSet\ncommits: ${commits}\n` });
  };
  const { quiet, moved, heap = none } = await watched(fleet.moments.settled, 'heap');
  const keyless = await watched(fleet.moments.settledUnsigned, 'unsigned');
  const name = `${fleet.rollouts} Rollouts, none moving, --watch, second pass`;
  return [
    atMost({ name: `${name}, CPU`, unit: 'ms', value: quiet.cpuMilliseconds }, 50),
    atMost({ name: `${name}, requests to Git`, unit: '', value: quiet.gitRequests }, 2),
    atMost({ name: `${name}, requests to the cluster`, unit: '', value: quiet.clusterCalls }, 0),
    forInformation({ name: `${name} after a commit, CPU`, unit: 'ms', value: moved.cpuMilliseconds }),
    atMost({ name: `${name} after a commit, requests to the cluster`, unit: '', value: moved.clusterCalls }, 0),
    ...keylessWatchRows(name, keyless, { quiet, moved }),
    atMostTimes({ name: 'heap after 1,000 passes of --watch, against 100', unit: 'MB', value: heap[1] }, heap[0], 1.1),
  ];
}

/** The same passes where main names no key: nothing is asked of the cluster there either. */
function keylessWatchRows(name: string, keyless: Watched, signed: Pick<Watched, 'quiet' | 'moved'>): readonly Row[] {
  const other = `${name}, without a key`;
  const cpu = (what: string, one: Watch, reference: Watch): Row =>
    forInformation({ name: `${other}${what}, CPU`, unit: 'ms', value: one.cpuMilliseconds }, reference.cpuMilliseconds);
  return [
    cpu('', keyless.quiet, signed.quiet),
    cpu(' after a commit', keyless.moved, signed.moved),
    atMost({ name: `${other}, requests to the cluster`, unit: '', value: keyless.moved.clusterCalls }, 0),
  ];
}

function probeIn(bench: Bench): { readonly probe: string; readonly report: string } {
  return { probe: join(bench.programs, 'memory-probe.mjs'), report: join(bench.scratch, 'peak') };
}
