/** `reconcile --watch`: how long it waits between passes, what failures do to that, and when it stops. */

import { describe, expect, test } from 'vitest';
import { reconcile } from '../../src/commands/reconcile.ts';
import type { Io } from '../../src/options.ts';
import type { Git } from '../../src/ports/git.ts';
import { PortError } from '../../src/ports/port-error.ts';
import type { Ports } from '../../src/reconcile/pass.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';
import { WATCHING } from '../support/watching.ts';
import { World } from '../support/world.ts';

const FILES = { ...VLLM_FILES, [ROLLOUT_FILE]: ROLLOUT_TEXT.replace('duration: 0', 'duration: 90') };

type Watched = {
  readonly code: number;
  readonly waits: readonly number[];
  readonly out: string;
  readonly log: readonly string[];
};

/** Watches until `between` has been called so often; it is called at each wait, after the time has passed. */
async function watch(
  world: World,
  rounds: number,
  change: { readonly ports?: Partial<Ports>; readonly between?: (round: number) => void } = {},
): Promise<Watched> {
  const stop = new AbortController();
  const waits: number[] = [];
  let out = '';
  const io: Io = {
    env: {},
    folder: '/nonexistent',
    out: (text) => void (out += text),
    err: () => undefined,
    isTerminal: false,
    signal: stop.signal,
  };
  const clock = {
    now: () => world.now,
    sleep: async (seconds: number) => {
      waits.push(seconds);
      world.tick(seconds);
      change.between?.(waits.length);
      if (waits.length >= rounds) stop.abort();
    },
  };
  const code = await reconcile(WATCHING, world.ports({ clock, ...change.ports }), io);
  return { code, waits, out, log: world.log };
}

describe('watching', () => {
  test('a warning is told once by a process, not with every pass', async () => {
    const env = 'env: [{name: A, valueFrom: {configMapKeyRef: {name: settings, key: a}}}]\n            ports:';
    const world = new World({ files: { ...FILES, [LWS_FILE]: FILES[LWS_FILE].replace('ports:', env) } });
    const { out } = await watch(world, 5);
    expect(out.match(/FixedReference/g)).toHaveLength(1);
  });

  test('a whole delivery: it comes back when the plan asks for it, and is quiet once all is settled', async () => {
    const world = new World({
      files: { ...FILES, [ROLLOUT_FILE]: FILES[ROLLOUT_FILE].replace('pause: {}', 'pause: {duration: 40}') },
    });
    world.sync();
    world.tick(60);
    const { code, waits, out } = await watch(world, 30, {
      between: (round) => {
        if (round === 2) world.edit(LWS_FILE, OLD, NEW);
        world.sync();
      },
    });
    expect(code).toBe(0);
    expect(world.subject()).toBe('rollout(llm/vllm): settled');
    expect(Math.max(...waits), 'the ordinary interval').toBe(30);
    expect(
      waits.some((seconds) => seconds < 30),
      'sooner, to the end of a soak',
    ).toBe(true);
    expect(out, 'a pass that finds nothing says nothing').not.toContain('nothing has moved');
    expect(out.match(/ commit /g)).toHaveLength(world.repository.log('main').length - 2);
  });

  test('a world that fails is asked again, later each time, and at once as usual when it is back', async () => {
    const world = new World({ files: FILES });
    world.sync();
    world.tick(60);
    let away = true;
    const real = world.repository.open();
    const git: Git = {
      ...real,
      heads: async (branches) => {
        if (away)
          throw new PortError('connection refused', { port: 'git', operation: 'heads', retryable: true, hint: '' });
        return real.heads(branches);
      },
      readAt: (commit, request) => real.readAt(commit, request),
      history: (from, until, limit) => real.history(from, until, limit),
      push: (updates) => real.push(updates),
    };
    const { code, waits, log } = await watch(world, 14, {
      ports: { git },
      between: (round) => {
        if (round === 11) away = false;
        if (round === 12) away = true;
      },
    });
    expect(code).toBe(0);
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 30, 1, 2]);
    expect(log).toContain('git: heads: connection refused; trying again in 4 s');
    expect(world.subject()).toBe('rollout(llm/vllm): adopt, partition 0 → 1000000');
  });

  test('a wrong tranche.yaml is said and looked at again: somebody will correct it', async () => {
    const world = new World({ files: { ...FILES, 'tranche.yaml': 'cluster: Not OK\n' } });
    world.sync();
    world.tick(60);
    const { waits, log } = await watch(world, 4, {
      between: (round) => {
        if (round === 2) world.edit('tranche.yaml', 'Not OK', 'prod');
        world.sync();
      },
    });
    expect(waits.slice(0, 3)).toEqual([1, 2, 30]);
    expect(log[0]).toMatch(
      /^tranche\.yaml:1: cluster is "Not OK", .*\n.* main has never had one .*; trying again in 1 s$/,
    );
    expect(world.subject()).toBe('rollout(llm/vllm): adopt, partition 0 → 1000000');
  });

  test('a fault of ours ends it loudly: what restarts the process then says so', async () => {
    const world = new World({ files: FILES });
    const git: Git = {
      ...world.repository.open(),
      heads: async () => Promise.reject(new TypeError('x is not a function')),
    };
    await expect(watch(world, 3, { ports: { git } })).rejects.toThrow('x is not a function');
  });

  test('asked to stop before the first pass: nothing is done', async () => {
    const world = new World({ files: FILES });
    const io: Io = {
      env: {},
      folder: '/',
      out: () => undefined,
      err: () => undefined,
      isTerminal: false,
      signal: AbortSignal.abort(),
    };
    expect(await reconcile(WATCHING, world.ports(), io)).toBe(0);
    expect(world.repository.log('main')).toHaveLength(1);
  });
});
