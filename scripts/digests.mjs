// `npm run -s digests > before.txt`, a change of form, `npm run -s digests > after.txt`, `diff before.txt after.txt`: nothing
// is decided otherwise. More of each: `-- --worlds N`, `-- --schedules N`, `-- --stories N`.

import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeBundle } from './simulation-bundle.mjs';

const folder = await mkdtemp(join(tmpdir(), 'tranche-digests-'));
try {
  const program = join(folder, 'digests.cjs');
  await writeBundle({
    entry: 'digests.ts',
    outfile: program,
    stands: { 'src/rollout/plan.ts': 'plan.ts' },
  });
  const { status } = spawnSync(process.execPath, [program, ...process.argv.slice(2)], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
