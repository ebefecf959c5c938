// `npm run mutants`: plants every bug of test/simulation/mutants.ts, on all cores, and prints which law kills it with which
// seed. The seed that killed it before goes first; where that one does not, all of the allowance is searched from 0 on.
// `-- --search` knows no seeds, and writes test/simulation/killers.json again. A bug that is not in it is searched.

import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeBundle } from './simulation-bundle.mjs';

const require = createRequire(import.meta.url);
const killersFile = join(import.meta.dirname, '../test/simulation/killers.json');
const folder = await mkdtemp(join(tmpdir(), 'tranche-mutants-'));
try {
  const list = join(folder, 'mutants.cjs');
  await writeBundle({ entry: 'mutants.ts', outfile: list });
  const { canary, nothing, mutants } = require(list);
  const all = [nothing, canary, ...mutants];
  const { argv } = process;
  if (argv[2] === '--one') console.log(JSON.stringify(await verdict(all[Number(argv[3])], argv[4])));
  else process.exitCode = await table(all, { nothing, search: argv[2] === '--search' });
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** `known`: the seed that goes first. It takes nothing from the allowance of the others. */
async function verdict(mutant, known) {
  const outfile = join(folder, 'simulation.cjs');
  await writeBundle({ entry: 'entry.ts', outfile, patch: mutant });
  const { runIn } = require(outfile);
  const run = (seed) => runIn(mutant.world, Number(seed));
  const seeds = Array.from({ length: mutant.allowance }, (_, seed) => String(seed));
  for (const [tried, seed] of [...(known === undefined ? [] : [known]), ...seeds].entries()) {
    const { broken } = await run(seed);
    if (broken !== undefined) return { killedBy: broken.law, seed, schedules: tried + 1 };
  }
  return { killedBy: undefined, seed: '', schedules: seeds.length };
}

async function table(all, { nothing, search }) {
  const killers = search ? {} : JSON.parse(await readFile(killersFile, 'utf8'));
  const next = all.entries();
  const verdicts = new Map();
  const work = async () => {
    for (const [index, mutant] of next) {
      const found = await inAnotherProcess(index, killers[mutant.name]);
      verdicts.set(mutant, found);
      console.error(`${mutant.name}: ${found.killedBy ?? 'survived'}, ${found.schedules}`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  const width = Math.max(...all.map(({ name }) => name.length));
  console.log(`${'planted bug'.padEnd(width)}  ${'killed by'.padEnd(22)} ${'seed'.padEnd(5)} schedules`);
  for (const mutant of all) {
    const { killedBy = 'SURVIVED', seed, schedules } = verdicts.get(mutant);
    console.log(`${mutant.name.padEnd(width)}  ${killedBy.padEnd(22)} ${seed.padEnd(5)} ${schedules}`);
  }
  const survived = all.filter((one) => one !== nothing && verdicts.get(one).killedBy === undefined);
  const found = all.filter((one) => one !== nothing && verdicts.get(one).killedBy !== undefined);
  const counts = found.map((one) => verdicts.get(one).schedules).sort((a, b) => a - b);
  const [median, first] = [counts[counts.length >> 1], counts.filter((count) => count === 1).length];
  console.log(
    `${survived.length} of ${all.length - 1} survived; ${first} were killed by the first seed, half by the ${median}th`,
  );
  if (search) {
    const seeds = Object.fromEntries(found.map((one) => [one.name, verdicts.get(one).seed]));
    await writeFile(killersFile, `${JSON.stringify(seeds, undefined, 2)}\n`);
  }
  const quiet = verdicts.get(nothing).killedBy === undefined;
  if (!quiet) console.log('a patch that changes nothing was killed: the laws themselves are wrong');
  return survived.length > 0 || !quiet ? 1 : 0;
}

async function inAnotherProcess(index, known) {
  const args = [
    '--max-semi-space-size=32',
    import.meta.filename,
    '--one',
    String(index),
    ...(known === undefined ? [] : [known]),
  ];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part) => {
    text += part;
  });
  const code = await new Promise((done) => child.on('close', done));
  if (code !== 0) throw new Error(`mutant ${index} ended with ${code}`);
  return JSON.parse(text);
}
