/** Two processes, one of which has read main before something happened: what it had planned is not written. Pull requests of others keep nothing back. */

import { expect, test } from 'vitest';
import { NO_OVERRIDES } from '../../src/api/config.ts';
import { type Memory, newMemory } from '../../src/reconcile/pass.ts';
import { runPass } from '../../src/reconcile/run.ts';
import { orderLine } from '../../src/reconcile/stop-line.ts';
import { Forgery } from '../support/forgery.ts';
import { sampled } from '../support/sampled.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, VLLM_FILES } from '../support/vllm.ts';

const POLICY_FILE = 'policies/production.yaml';
const policy = (spec: string): string => `apiVersion: tranche.dev/v1alpha1
kind: RolloutPolicy
metadata:
  name: production
spec:
  ${spec}
`;
const PULLS = { ...VLLM_FILES, [POLICY_FILE]: policy('promotion: pullRequest') };

/** What one process does, with what it remembers; `before`: something happens right before its push of this number. */
async function pass(at: Forgery, memory: Memory, before?: { readonly push: number; readonly act: () => unknown }) {
  const git = at.world.repository.open();
  let pushes = 0;
  const push: typeof git.push = async (updates) => {
    if (before !== undefined && (pushes += 1) === before.push) await before.act();
    return git.push(updates);
  };
  const forge = at.forge === undefined ? {} : { forge: at.forge.port() };
  const options = { overrides: NO_OVERRIDES, write: true, only: [] };
  try {
    return await runPass(at.world.ports({ git: { ...git, push }, ...forge }), memory, options);
  } finally {
    at.forge?.settle();
  }
}

/** Step 1 is done, and nothing but a pass is missing for the next one. */
async function beforeStep2(pulls: boolean): Promise<{ at: Forgery; memory: Memory }> {
  const at = new Forgery(pulls ? PULLS : VLLM_FILES, { pulls });
  const memory = newMemory('aaaaaaaa');
  const turn = async (): Promise<void> => {
    at.world.sync();
    at.world.tick(60);
    await pass(at, memory);
    at.mergeOpen();
  };
  for (let round = 0; round < 3; round += 1) await turn();
  at.edit(LWS_FILE, new RegExp(OLD, 'g'), NEW);
  for (let round = 0; round < 10 && !at.text().includes('step: "1/3'); round += 1) await turn();
  expect(at.text()).toContain('step: "1/3');
  at.world.sync();
  at.world.tick(60);
  return { at, memory };
}

/** Its pull request is there, and someone merges it. */
async function proposed(at: Forgery, memory: Memory): Promise<void> {
  for (let round = 0; round < 8 && at.forge?.open.length === 0; round += 1) {
    at.world.tick(60);
    await pass(at, memory);
  }
  expect(at.forge?.open.map(({ title }) => title)).toEqual([expect.stringContaining('2/3')]);
}

const approve = (at: Forgery) => at.order({ kind: 'approve', step: undefined });
const abort = (at: Forgery) => at.order({ kind: 'abort', keepNewer: false });

const MEANWHILE: Readonly<Record<string, (at: Forgery) => unknown>> = {
  nothing: () => undefined,
  'an abort': abort,
  'a pause': (at) => at.order({ kind: 'pause' }),
  'the line is stopped': (at) =>
    orderLine(at.world.ports(), {
      wish: { kind: 'stop', until: undefined, why: 'fire' },
      overrides: NO_OVERRIDES,
      by: 'ada',
    }),
  'the Rollout is deleted': (at) => at.write(ROLLOUT_FILE, undefined),
  'the Rollout is disabled': (at) => at.edit(ROLLOUT_FILE, 'spec:\n', 'spec:\n  disabled: true\n'),
  'a newer template': (at) => at.edit(LWS_FILE, new RegExp(NEW, 'g'), 'vllm/vllm-openai:v0.10.2'),
  'paths that leave it out': (at) => at.write('tranche.yaml', 'paths: [elsewhere]\n'),
  'main is rewound': (at) => at.world.repository.setHead('main', at.world.repository.log('main')[1]?.oid),
};

const WAYS = [false, true].flatMap((pulls) =>
  [false, true].flatMap((isSeen) => Object.keys(MEANWHILE).map((what) => [pulls, isSeen, what] as const)),
);
const PLAYED = sampled(WAYS, 3);

for (const pulls of [false, true])
  for (const isSeen of [false, true])
    test.each(PLAYED.flatMap((row) => (row[0] === pulls && row[1] === isSeen ? [row[2]] : [])))(
      `${pulls ? 'by pull requests' : 'by commits'}, ${isSeen ? 'seen by a fresh process' : 'seen by nobody'}: %s`,
      async (what) => {
        const { at, memory } = await beforeStep2(pulls);
        if (pulls) {
          await proposed(at, memory);
          at.mergeOpen();
        } else await approve(at);
        let from: string | undefined;
        await pass(at, memory, {
          push: 1,
          act: async () => {
            await MEANWHILE[what]?.(at);
            from = at.world.repository.head('main');
            if (isSeen) await pass(at, newMemory('bbbbbbbb'));
          },
        }).catch((error: unknown) => expect(String(error)).toContain('other writers'));
        const line = at.world.repository.log('main');
        const since = line.slice(
          0,
          line.findIndex(({ oid }) => oid === from),
        );
        expect(since.filter(({ message }) => /step 2\/3/.test(message.split('\n')[0] ?? ''))).toHaveLength(
          what === 'nothing' ? 1 : 0,
        );
        if (what !== 'an abort') return;
        for (let round = 0; round < 12; round += 1) {
          at.world.sync();
          at.world.tick(60);
          await pass(at, round % 2 === 0 ? memory : newMemory('bbbbbbbb'));
        }
        expect(at.world.groups()).toBe('0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+');
      },
    );

test.each([false, true])(
  'main is rewound below a step that was written, and then an abort: by pull requests %s',
  async (pulls) => {
    const { at, memory } = await beforeStep2(pulls);
    const stale = newMemory('cccccccc');
    await pass(at, stale);
    if (pulls) await proposed(at, memory);
    if (pulls) at.mergeOpen();
    else await approve(at);
    const before = at.world.repository.head('main');
    for (let round = 0; round < 6 && !at.text().includes('step: "2/3'); round += 1) {
      await pass(at, memory);
      at.mergeOpen();
    }
    expect(at.text()).toContain('step: "2/3');
    at.world.sync();
    at.world.tick(60);
    at.world.repository.setHead('main', before);
    at.world.sync();
    at.world.tick(60);
    const told: string[] = [];
    for (const one of [stale, newMemory('dddddddd'), memory]) {
      const { outcomes } = await pass(at, one);
      told.push((outcomes[0]?.plan?.holds ?? []).map(({ reason }) => reason).join(' '));
    }
    told.push(await abort(at));
    for (let round = 0; round < 14; round += 1) {
      at.world.sync();
      at.world.tick(60);
      const { outcomes } = await pass(at, round % 2 === 0 ? stale : newMemory('bbbbbbbb'));
      told.push((outcomes[0]?.plan?.holds ?? []).map(({ reason }) => reason).join(' '), at.world.subject());
    }
    expect(at.world.groups(), told.join('\n')).toBe('0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+');
  },
);

const BY_OTHERS: Readonly<Record<string, (at: Forgery) => unknown>> = {
  nothing: () => undefined,
  'a hundred of others below tranche/': (at) => {
    for (let count = 0; count < 100; count += 1) {
      const branch = `tranche/default/llm/vllm/${String(count).padStart(32, '0')}.2-2-${String(count).padStart(32, '0')}`;
      at.world.repository.setHead(branch, at.world.repository.head('main'));
      at.forge?.pulls.push({
        ...at.forge.pulls[0],
        number: 1000 + count,
        branch,
        head: at.world.repository.head('main') ?? '',
        state: { kind: 'open', isDraft: count % 2 === 0 },
        author: { login: 'mallory', isBot: false },
        reviews: [],
      } as never);
    }
  },
  'ours is closed and opened again': (at) => {
    for (const pull of at.forge?.open ?? []) {
      at.forge?.close(pull, { login: 'mallory', isBot: false });
      at.forge?.reopen(pull);
    }
  },
  'ours has another base': (at) => {
    for (const pull of at.forge?.open ?? []) (pull as { base: string }).base = 'elsewhere';
  },
  'its branch holds something else': (at) => {
    for (const pull of at.forge?.open ?? [])
      at.world.repository.commit(pull.branch, { writes: [{ path: 'apps/evil.yaml', text: 'a: 1\n' }] });
  },
  'its branch is gone': (at) => {
    for (const pull of at.forge?.open ?? []) at.world.repository.setHead(pull.branch, undefined);
  },
  'the forge says nothing': (at) => {
    if (at.forge !== undefined) at.forge.fault = () => 'silent';
  },
};

test.each(Object.keys(BY_OTHERS))(
  'with pull requests of others, %s: a hold holds, and an abort goes back',
  async (what) => {
    const { at, memory } = await beforeStep2(true);
    await proposed(at, memory);
    await BY_OTHERS[what]?.(at);
    let calls = 0;
    if (at.forge !== undefined) {
      const { fault } = at.forge;
      at.forge.fault = (call) => {
        calls += 1;
        return fault(call);
      };
    }
    const counts: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      at.world.tick(60);
      calls = 0;
      await pass(at, memory);
      counts.push(calls);
    }
    await at.order({ kind: 'pause' });
    at.mergeOpen();
    for (let round = 0; round < 4; round += 1) {
      at.world.sync();
      at.world.tick(60);
      calls = 0;
      await pass(at, round % 2 === 0 ? newMemory('bbbbbbbb') : memory);
      counts.push(calls);
    }
    expect(at.text()).not.toContain('step: "2/3');
    const told = await abort(at);
    let rounds = 0;
    for (; rounds < 14 && !at.world.subject().includes('rolled back'); rounds += 1) {
      at.world.sync();
      at.world.tick(60);
      calls = 0;
      await pass(at, rounds % 2 === 0 ? memory : newMemory('bbbbbbbb'));
      counts.push(calls);
    }
    // To the way back nobody is asked but Git, and a crowd takes no more than a few requests of any pass.
    expect(rounds, told).toBe(2);
    expect(Math.max(...counts)).toBeLessThan(10);
    expect(at.world.groups()).toBe('0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+');
  },
);
