/** What `tranche page` costs for 1,000 Rollouts: time from start to end, and what a browser opens. */

import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lookOf } from '../test/support/published-look.ts';
import { inTurn, time } from './measure.ts';
import { atMost, type Row } from './rows.ts';
import type { Bench } from './world.ts';

const ROLLOUTS = 1000;
const MILLISECONDS_MOST = 1000;
const MEGABYTES_MOST = 5;

/** A tenth of them are in a delivery; each has 8 groups and three releases. */
export async function pageRows(bench: Bench, rounds: number): Promise<readonly Row[]> {
  const { status, history } = lookOf(
    Array.from({ length: ROLLOUTS }, (_, at) => ({
      kind: at % 10 === 0 ? ('moving' as const) : ('resting' as const),
      name: `vllm-${at}`,
      groups: 8,
    })),
  );
  const [statusFile, historyFile, out] = ['status.json', 'history.json', 'pages'].map((name) =>
    join(bench.scratch, `page-${name}`),
  ) as [string, string, string];
  writeFileSync(statusFile, JSON.stringify(status));
  writeFileSync(historyFile, JSON.stringify(history));
  const args = [bench.bundle, 'page', '--out', out, '--status', statusFile, '--history', historyFile];
  const spreads = await inTurn([{ name: 'page', run: () => time({ command: process.execPath, args }) }], rounds);
  const spread = spreads.get('page') ?? { median: 0, least: 0, most: 0 };
  const measured = { value: spread.median, range: [spread.least, spread.most] as const };
  const megabytes = statSync(join(out, 'index.html')).size / 1_000_000;
  return [
    atMost({ name: `pages of ${ROLLOUTS} Rollouts`, unit: 'ms', ...measured }, MILLISECONDS_MOST),
    atMost({ name: 'the one that shows them all', unit: 'MB', value: megabytes }, MEGABYTES_MOST),
  ];
}
