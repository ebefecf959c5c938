// `npm run -s decisions`: through how many files of src/rollout one decision passes, for each strategy. A file counts where
// a function of it ran while the decision was made: fewest / middle / most. `-- --names`: which, and in how many decisions.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import inspector from 'node:inspector';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeBundle } from './simulation-bundle.mjs';

const require = createRequire(import.meta.url);
const DECIDING = /^src\/rollout\/(strategies|events|gates|ladders)\//;
const folder = await mkdtemp(join(tmpdir(), 'tranche-decisions-'));
try {
  const program = join(folder, 'decisions.cjs');
  await writeBundle({ entry: 'decisions.ts', outfile: program });
  const { decisions } = require(program);
  const sources = sourcesIn(await readFile(program, 'utf8'));
  const session = new inspector.Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  for (const [strategy, made] of Object.entries(decisions)) {
    const passed = made.map((decide) => filesOf(session, { program, sources, decide }));
    console.log(row(strategy, passed));
    if (process.argv.includes('--names')) console.log(names(passed));
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

// esbuild writes the path of each source above what it has of it.
function sourcesIn(text) {
  return [...text.matchAll(/^\/\/ (\S+\.ts)$/gm)].map(({ index, 1: path }) => ({ index, path }));
}

// Counts start again with each look.
function filesOf(session, { program, sources, decide }) {
  look(session);
  decide();
  const script = look(session).find(({ url }) => url.endsWith(program));
  const ran = (script?.functions ?? []).filter(
    ({ functionName, ranges }) => functionName !== '' && ranges[0].count > 0,
  );
  const files = ran.map(({ ranges }) => sources.findLast(({ index }) => index < ranges[0].startOffset)?.path ?? '');
  return [...new Set(files)].filter((path) => path.startsWith('src/rollout/'));
}

function look(session) {
  let found = [];
  session.post('Profiler.takePreciseCoverage', (error, { result }) => {
    if (error !== null) throw error;
    found = result;
  });
  return found;
}

function row(strategy, passed) {
  const [all, deciding] = [passed, passed.map((files) => files.filter((path) => DECIDING.test(path)))].map(range);
  const union = new Set(passed.flat()).size;
  return `${strategy}: ${all}, ${deciding} of them in strategies, events, gates and ladders; ${union} in all ${passed.length} decisions`;
}

// The fewest, the one in the middle, the most.
function range(lists) {
  const counts = lists.map((files) => files.length).toSorted((one, other) => one - other);
  return [counts[0], counts[Math.floor(counts.length / 2)], counts.at(-1)].join(' / ');
}

function names(passed) {
  const times = new Map();
  for (const path of passed.flat()) times.set(path, (times.get(path) ?? 0) + 1);
  const lines = [...times].map(([path, count]) => `  ${String(count).padStart(3)} ${path}`);
  return lines.toSorted().toReversed().join('\n');
}
