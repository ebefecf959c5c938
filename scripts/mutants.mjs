// `npm run mutants`: plants every bug of test/simulation/mutants.ts, on all cores or on `CORES` of them, and prints which law
// kills it with which seed. The seed that killed it before goes first; where that one does not, all of the allowance is searched
// from 0 on. `-- --search` knows no seeds, and writes test/simulation/killers.json again. A bug that is not in it is searched.
// One bundle has them all, and a process plants one after the other; `-- --one INDEX SEED` builds a bundle of the one alone.

import { fork } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeBundle } from './simulation-bundle.mjs';

const require = createRequire(import.meta.url);
const killersFile = join(import.meta.dirname, '../test/simulation/killers.json');
const { argv } = process;
const folder = argv[2] === '--worker' ? argv[3] : await mkdtemp(join(tmpdir(), 'tranche-mutants-'));
const [list, switched] = ['mutants.cjs', 'switched.cjs'].map((name) => join(folder, name));
if (argv[2] === '--worker') answerParent();
else {
  try {
    await writeBundle({ entry: 'mutants.ts', outfile: list });
    const { all, nothing } = bugs();
    if (argv[2] === '--one') console.log(JSON.stringify(await verdictAlone(all, Number(argv[3]), argv[4])));
    else {
      await writeBundle({ entry: 'entry.ts', outfile: switched, patches: all });
      process.exitCode = await table(all, { nothing, search: argv[2] === '--search' });
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function bugs() {
  const { canary, nothing, mutants } = require(list);
  return { all: [nothing, canary, ...mutants], nothing };
}

/** Plants what it is sent, one at a time. */
function answerParent() {
  const { all } = bugs();
  const { plant, needsItsOwnBundle, runIn } = require(switched);
  process.on('message', async ({ index, known }) => {
    plant(index + 1);
    const isAlone = needsItsOwnBundle(index + 1);
    process.send(await (isAlone ? verdictAlone(all, index, known) : verdict(all[index], known, runIn)));
  });
}

async function verdictAlone(all, index, known) {
  const outfile = join(folder, `simulation-${index}.cjs`);
  await writeBundle({ entry: 'entry.ts', outfile, patch: all[index] });
  return verdict(all[index], known, require(outfile).runIn);
}

/** `known`: the seed that goes first. It takes nothing from the allowance of the others. */
async function verdict(mutant, known, runIn) {
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
    const worker = newWorker();
    for (const [index, mutant] of next) {
      const found = await worker.ask({ index, known: killers[mutant.name] });
      verdicts.set(mutant, found);
      console.error(`${mutant.name}: ${found.killedBy ?? 'survived'}, ${found.schedules}`);
    }
    worker.end();
  };
  await Promise.all(Array.from({ length: Number(process.env['CORES'] ?? availableParallelism()) }, work));
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
  for (const one of found) {
    const { seed, schedules } = verdicts.get(one);
    if (schedules > 1 && !search)
      console.log(`killers.json: "${one.name}" is killed by ${seed} now, which took ${schedules} runs`);
  }
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

function newWorker() {
  const child = fork(import.meta.filename, ['--worker', folder], {
    execArgv: ['--max-semi-space-size=32', '--interrupt-budget=1000000'],
  });
  return {
    ask: (of) =>
      new Promise((done, failed) => {
        const stopped = (code) => failed(new Error(`the process of planted bug ${of.index} ended with ${code}`));
        child.once('exit', stopped);
        child.once('message', (found) => {
          child.off('exit', stopped);
          done(found);
        });
        child.send(of);
      }),
    end: () => child.disconnect(),
  };
}
