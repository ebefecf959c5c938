// `npm run sim -- --seeds N [--from S]`, `-- --calls`, `-- --filled`, `-- --acts`, `-- --window`, `-- --pairs` or
// `-- --hostile --seeds N`: the simulation on all cores, or on `CORES` of them; ends with a summary and an exit code. Several
// runs, with `+` between them, are played by the same processes, which have compiled the code by then, and from one bundle.

import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeBundle } from './simulation-bundle.mjs';

/** Room for what is soon let go, and code compiled again only after more calls: a quarter less CPU, most of it the compiler's. */
const V8_FLAGS = ['--max-semi-space-size=32', '--interrupt-budget=1000000'];

const words = process.argv.slice(2);
const asked = words.join(' ').split(/ *\+ */);
const folder = await mkdtemp(join(tmpdir(), 'tranche-sim-'));
try {
  const [program, tallies] = [join(folder, 'sim.cjs'), join(folder, 'tallies.cjs')];
  await writeBundle({ entry: 'sim.ts', outfile: program });
  await writeBundle({ entry: 'tallies.ts', outfile: tallies });
  const cores = Number(process.env['CORES'] ?? availableParallelism());
  const shares = await Promise.all(Array.from({ length: cores }, (_, i) => play(program, i, cores)));
  const telling = createRequire(import.meta.url)(tallies);
  const statuses = asked.map((run, at) => {
    if (asked.length > 1) console.log(`\n${run}`);
    return summary(
      shares.map((runs) => runs[at]),
      telling,
    );
  });
  process.exitCode = Math.max(...statuses);
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** What one process finds: an object for each run. */
async function play(program, share, of) {
  const child = spawn(process.execPath, [...V8_FLAGS, program, String(share), String(of), ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part) => {
    text += part;
  });
  const code = await new Promise((done) => child.on('close', done));
  if (code !== 0) throw new Error(`share ${share} of ${of} ended with ${code}`);
  const found = text.trim().split('\n');
  if (found.length !== asked.length)
    throw new Error(`share ${share} of ${of} told ${found.length} of ${asked.length} runs`);
  return found.map((line) => JSON.parse(line));
}

function summary(shares, { newTallies, merge, tell, missing }) {
  const all = newTallies();
  for (const { tallies } of shares) merge(all, tallies);
  const failures = shares.flatMap((share) => share.failures);
  const runs = shares.reduce((sum, share) => sum + share.runs, 0);
  for (const failure of failures) console.log(`\n${failure}\n`);
  if (all.schedules > 0) console.log(tell(all));
  const lacking = missing(all);
  for (const kind of lacking) console.log(`too seldom: ${kind}`);
  const seconds = shares.map((share) => share.seconds);
  const rate = runs / seconds.reduce((sum, one) => sum + one, 0);
  console.log(
    `${runs} runs in ${Math.max(...seconds).toFixed(0)} s, ${rate.toFixed(1)} a second and core: ${failures.length} failures`,
  );
  return failures.length + lacking.length > 0 ? 1 : 0;
}
