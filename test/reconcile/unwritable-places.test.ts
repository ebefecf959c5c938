/** A workload or a Rollout in a place that tranche never writes: what is said names the way out, which is followed to its end. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { Forgery, saidOf } from '../support/forgery.ts';
import { LWS_FILE, OLD, ROLLOUT_FILE } from '../support/vllm.ts';

function moved(at: Forgery, from: string, to: string): void {
  const writes = [
    { path: to, text: at.text(from) },
    { path: from, text: undefined },
  ];
  at.world.repository.commit('main', { writes, message: 'another folder' });
}

/** A clone that has this file. */
function cloneWith(path: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'tranche-moved-'));
  execFileSync('git', ['init', '-q'], { cwd: folder });
  mkdirSync(join(folder, dirname(path)), { recursive: true });
  writeFileSync(join(folder, path), 'x: 1\n');
  execFileSync('git', ['add', '.'], { cwd: folder });
  return folder;
}

/** What the first issue of the Rollout says to do. */
async function hintOf(at: Forgery): Promise<string> {
  const { outcomes } = await at.round();
  return outcomes[0]?.plan?.issues.map(({ reason, hint }) => `${reason} ${hint}`).join('\n') ?? '';
}

test.each([
  ['the workload', LWS_FILE, '.apps/vllm/lws.yaml', 'apps/vllm/lws.yaml'],
  ['the workload, by its name', LWS_FILE, 'apps/vllm/.lws.yaml', 'apps/vllm/lws.yaml'],
  ['its Rollout', ROLLOUT_FILE, '.github/vllm.yaml', 'github/vllm.yaml'],
])(
  '%s in a folder that tranche never writes: no step goes, and once it is moved as it says an abort does',
  async (_, from, to, back) => {
    const at = await new Forgery().stepped();
    moved(at, from, to);
    const before = at.line().length;
    const told = /WriteOutOfBounds .*as by: (.*git mv (\S+) (\S+))\. Orders/.exec(await hintOf(at));
    expect(told?.slice(2)).toEqual([to, back]);
    const clone = cloneWith(to);
    execFileSync('sh', ['-c', told?.[1] ?? 'false'], { cwd: clone });
    expect(readFileSync(join(clone, back), 'utf8')).toBe('x: 1\n');
    at.world.tick(600);
    await at.round();
    expect(at.line()).toHaveLength(before);
    const { repository } = at.world;
    repository.commit('main', {
      writes: [
        { path: back, text: at.text(to) },
        { path: to, text: undefined },
      ],
      message: 'as it says',
    });
    expect(await at.order({ kind: 'abort', keepNewer: false })).toContain('abort');
    await at.until('rolled back', 8);
    expect(at.text(from === LWS_FILE ? back : LWS_FILE)).toContain(OLD);
  },
);

test('an abort that was ordered before the workload was moved there goes on after it', async () => {
  const at = await new Forgery().stepped();
  await at.order({ kind: 'abort', keepNewer: false });
  moved(at, LWS_FILE, '.apps/lws.yaml');
  const result = await at.round();
  expect(saidOf(result)).toContain('tranche never writes');
  expect(await hintOf(at)).toContain('mkdir -p apps && git mv .apps/lws.yaml apps/lws.yaml');
  moved(at, '.apps/lws.yaml', 'apps/lws.yaml');
  await at.until('rolled back', 8);
  expect(at.text('apps/lws.yaml')).toContain(OLD);
});
