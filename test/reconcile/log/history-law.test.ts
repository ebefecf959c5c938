/** A law: whatever lies on main, `history` tells each step and each order of git's own log once, in its order, and nothing else. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { array, assert, asyncProperty, boolean, constantFrom, integer, oneof, record, string, tuple } from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { openGit } from '../../../src/adapters/git/open.ts';
import { plainNetwork } from '../../../src/adapters/network/proxy.ts';
import { deliveryCollector } from '../../../src/reconcile/log/deliveries.ts';
import type { LogEntry } from '../../../src/reconcile/log/log-entry.ts';
import { readLog } from '../../../src/reconcile/log/read-log.ts';
import { intentMessage, lineMessage } from '../../../src/rollout/commits/messages.ts';
import { printTrailers } from '../../../src/rollout/commits/trailers.ts';
import { createBareRepository, gitEnvironment } from '../../support/git-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'tranche-history-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PLANNED = '4f1c'.repeat(10);
const key = constantFrom('vllm', 'llama').map((name) => ({ cluster: 'eu', namespace: 'llm', name }));
const release = integer({ min: 1, max: 3 }).map((serial) => ({ digest: String(serial).repeat(32), serial }));
const step = constantFrom('1/3', '2/3', 'promote', 'rollback', 'settled');
const reason = constantFrom('StepReady', 'Settled', 'RolledBack', 'Aborted', 'Adopted', 'Relocked');
/** Whatever people write, as far as a commit takes it. */
const text = string({ maxLength: 40 }).map((raw) => raw.replaceAll('\0', ''));

const stepMessage = tuple(key, release, step, reason, text).map(([of, { digest, serial }, at, why, label]) => {
  const rollout = `eu/llm/${of.name}`;
  const trailers = { rollout, release: `${digest}.${serial}`, step: at, reason: why, plannedFrom: PLANNED };
  return `rollout(llm/${of.name}): ${label.replace(/[\r\n]/g, ' ')}x\n\nWhy.\n\n${printTrailers(trailers)}\n`;
});
const message = oneof(
  stepMessage,
  tuple(key, release, step, text, text).map(([of, at, where, what, by]) =>
    intentMessage(`${what}x`, { key: of, main: PLANNED, by, at: { release: at, step: where } }),
  ),
  text.map((by) => lineMessage('rollouts: stop', { body: ['Writes stop.yaml.'], by, main: PLANNED })),
  text.map((subject) => `s${subject}\n`),
);
/** `isMerge`: the message is that of the head which a commit of a forge merges. */
const commits = array(record({ message, isMerge: boolean() }), { minLength: 1, maxLength: 25 });

let made = 0;
async function repositoryOf(list: readonly { readonly message: string; readonly isMerge: boolean }[]): Promise<string> {
  made += 1;
  const path = join(folder, `${made}.git`);
  await createBareRepository(path);
  let stream = '';
  let mark = 0;
  let head = 0;
  const commit = (branch: string, said: string, parents: readonly number[]): number => {
    mark += 1;
    stream += `commit refs/heads/${branch}\nmark :${mark}\ncommitter A <a@example.com> ${1_700_000_000 + mark} +0000\n`;
    stream += `data ${Buffer.byteLength(said)}\n${said}\n`;
    const [first, second] = parents;
    if (first !== undefined && first > 0) stream += `from :${first}\n`;
    if (second !== undefined) stream += `merge :${second}\n`;
    stream += '\n';
    return mark;
  };
  head = commit('main', 'first', []);
  for (const one of list) {
    if (!one.isMerge) head = commit('main', one.message, [head]);
    else
      head = commit('main', `Merge pull request #${mark} from team/x`, [
        head,
        commit(`side-${mark}`, one.message, [head]),
      ]);
  }
  execFileSync('git', ['-C', path, 'fast-import', '--quiet'], { env: gitEnvironment, input: stream });
  return path;
}

/** As git itself reads the trailers of main's own line, and of what was merged into it: newest first. */
function logOf(path: string): readonly string[] {
  const keys = ['Rollout', 'Rollout-Release', 'Rollout-Step', 'Rollout-Reason', 'Planned-From'];
  const format = keys.map((name) => `%(trailers:key=${name},valueonly,separator=%x2C)`).join('%x1f');
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-C', path, ...args], { env: gitEnvironment, encoding: 'utf8' });
  const line = git('log', '--first-parent', '--format=%H %P', 'main').trim().split('\n');
  return line.flatMap((row) => {
    const [own = '', , second] = row.split(' ');
    const told = git('show', '-s', `--format=%s%x1f${format}`, second ?? own)
      .replace(/\n+$/, '')
      .split('\x1f');
    const [subject = '', rollout = '', at = '', where = '', why = '', planned = ''] = told;
    const isTold = planned !== '' && (rollout !== '' || subject.startsWith('rollouts: '));
    return isTold ? [[own, rollout, at, where, why].join(' ')] : [];
  });
}

test('on random histories', async () => {
  await assert(
    asyncProperty(commits, async (list) => {
      const path = await repositoryOf(list);
      const git = openGit({ location: path, network: plainNetwork });
      const [head = ''] = await git.heads(['main']);
      const told: LogEntry[] = [];
      const collector = deliveryCollector(() => true);
      const read = await readLog(git, { head, since: undefined }, (_, found) => {
        told.push(...found);
        for (const one of found) collector.add(one);
      });
      expect(read.end).toBe('first');
      const wanted = logOf(path);
      expect(told.map((one) => [one.commit, one.rollout, one.release, one.step, one.reason].join(' '))).toEqual(wanted);
      const steps = collector.deliveries().flatMap((one) => one.steps.map(({ commit }) => commit));
      expect(new Set(steps).size, 'no step belongs to two releases').toBe(steps.length);
      const known = new Set(told.filter(({ kind }) => kind === 'step').map(({ commit }) => commit));
      expect(steps.filter((commit) => !known.has(commit))).toEqual([]);
      expect(collector.orders().length).toBe(told.filter(({ kind }) => kind !== 'step').length);
      for (const { begunAt, endedAt = begunAt } of collector.deliveries())
        expect(endedAt).toBeGreaterThanOrEqual(begunAt);
    }),
    { numRuns: 12 },
  );
});
