// `npm run mutants`: plants every bug of test/simulation/mutants.ts, on all cores, and prints which law kills it and when.

import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeBundle } from './simulation-bundle.mjs';

const require = createRequire(import.meta.url);
const folder = await mkdtemp(join(tmpdir(), 'tranche-mutants-'));
try {
  const list = join(folder, 'mutants.cjs');
  await writeBundle({ entry: 'mutants.ts', outfile: list });
  const { canary, nothing, mutants } = require(list);
  const all = [nothing, canary, ...mutants];
  const { argv } = process;
  if (argv[2] === '--one') console.log(JSON.stringify(await verdict(all[Number(argv[3])])));
  else process.exitCode = await table(all, nothing);
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function verdict(mutant) {
  const outfile = join(folder, 'simulation.cjs');
  await writeBundle({ entry: 'entry.ts', outfile, patch: mutant });
  const { runSchedule, largeSetupOf } = require(outfile);
  for (let seed = 0; seed < mutant.allowance; seed += 1) {
    const { broken } = await runSchedule(String(seed), largeSetupOf(String(seed)));
    if (broken !== undefined) return { killedBy: broken.law, schedules: seed + 1 };
  }
  return { killedBy: undefined, schedules: mutant.allowance };
}

async function table(all, nothing) {
  const next = all.entries();
  const verdicts = new Map();
  const work = async () => {
    for (const [index, mutant] of next) {
      const found = await inAnotherProcess(index);
      verdicts.set(mutant, found);
      console.error(`${mutant.name}: ${found.killedBy ?? 'survived'}, ${found.schedules}`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  const width = Math.max(...all.map(({ name }) => name.length));
  console.log(`${'planted bug'.padEnd(width)}  ${'killed by'.padEnd(22)} schedules`);
  for (const mutant of all) {
    const { killedBy = 'SURVIVED', schedules } = verdicts.get(mutant);
    console.log(`${mutant.name.padEnd(width)}  ${killedBy.padEnd(22)} ${schedules}`);
  }
  const survived = all.filter((one) => one !== nothing && verdicts.get(one).killedBy === undefined);
  const counts = all.filter((one) => one !== nothing).map((one) => verdicts.get(one).schedules);
  const median = counts.sort((a, b) => a - b)[counts.length >> 1];
  console.log(`${survived.length} of ${all.length - 1} survived, killed after ${median} schedules (median)`);
  const quiet = verdicts.get(nothing).killedBy === undefined;
  if (!quiet) console.log('a patch that changes nothing was killed: the laws themselves are wrong');
  return survived.length > 0 || !quiet ? 1 : 0;
}

async function inAnotherProcess(index) {
  const args = ['--max-semi-space-size=32', import.meta.filename, '--one', String(index)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part) => {
    text += part;
  });
  const code = await new Promise((done) => child.on('close', done));
  if (code !== 0) throw new Error(`mutant ${index} ended with ${code}`);
  return JSON.parse(text);
}
