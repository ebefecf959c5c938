/** What `tranche init` costs in a large clone: it looks at every file of the working tree. */

import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { gitEnvironment } from '../test/support/git-server.ts';
import { generateRepository } from '../test/support/repository-generator.ts';
import { LWS_FILE, LWS_TEXT } from '../test/support/vllm.ts';
import { inTurn, probed, progress, time } from './measure.ts';
import { atMost, forInformation, type Row } from './rows.ts';
import type { Bench } from './world.ts';

const MILLISECONDS_MOST = 5000;

/** `files` of them, and one LeaderWorkerSet among them. */
export async function initRows(bench: Bench, files: number, rounds: number): Promise<readonly Row[]> {
  const [bare, clone] = ['init.git', 'init'].map((name) => join(bench.scratch, name)) as [string, string];
  progress(`  makes a clone of ${files} files`);
  await generateRepository(bare, { files, extra: { [LWS_FILE]: LWS_TEXT } });
  execFileSync('git', ['clone', '--quiet', bare, clone], { env: gitEnvironment });
  const program = { command: process.execPath, args: [bench.bundle, 'init', '--repo', clone] };
  const spreads = await inTurn([{ name: 'init', run: () => time(program) }], rounds);
  const { median, least, most } = spreads.get('init') ?? { median: 0, least: 0, most: 0 };
  const probe = { probe: join(bench.programs, 'memory-probe.mjs'), report: join(bench.scratch, 'init-memory') };
  const { megabytes, cpuMilliseconds } = await probed(program, probe);
  rmSync(clone, { recursive: true });
  rmSync(bare, { recursive: true });
  return [
    atMost(
      { name: `init in a clone of ${files} files`, unit: 'ms', value: median, range: [least, most] },
      MILLISECONDS_MOST,
    ),
    forInformation({ name: 'CPU of it', unit: 'ms', value: cpuMilliseconds }),
    forInformation({ name: 'memory of it', unit: 'MB', value: megabytes }),
  ];
}
