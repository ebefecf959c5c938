/** The demo as people see it: both stories told in lines, the check that must be able to fail, and the live picture. */

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { conclude, demoOptions, giveOrder, toldOf, watch } from '../../src/commands/demo.ts';
import { runProgram } from '../../src/commands/program.ts';
import { checkEnd } from '../../src/demo/check.ts';
import { calledAs, whereLines } from '../../src/demo/ending.ts';
import { livePicture } from '../../src/demo/live-view.ts';
import { lostRequests } from '../../src/demo/lost-requests.ts';
import type { Scene, Wait } from '../../src/demo/scene.ts';
import { newLines } from '../../src/demo/transcript.ts';
import { commit, type DemoWorld, openWorld } from '../../src/demo/world.ts';
import type { Io } from '../../src/options.ts';
import { coloured } from '../../src/reconcile/status/frame-lines.ts';
import { realKustomize } from '../support/kustomize.ts';

type Watched = {
  readonly io: Io;
  readonly text: () => string;
  readonly errors: () => string;
  readonly stop: () => void;
};

type Given = {
  readonly isTerminal?: boolean;
  readonly onOut?: (text: string) => void;
  readonly env?: Io['env'];
};

function watcher(given: Given = {}): Watched {
  const [out, err] = [[] as string[], [] as string[]];
  const stopping = new AbortController();
  const io: Io = {
    env: given.env ?? {},
    folder: process.cwd(),
    out: (text) => {
      out.push(text);
      given.onOut?.(text);
    },
    err: (text) => void err.push(text),
    isTerminal: given.isTerminal ?? false,
    signal: stopping.signal,
  };
  return { io, text: () => out.join(''), errors: () => err.join(''), stop: () => stopping.abort() };
}

/** Each pattern is found after the one before it; the answer is the first that is not. */
function missing(text: string, patterns: readonly RegExp[]): RegExp | undefined {
  let rest = text;
  for (const pattern of patterns) {
    const found = pattern.exec(rest);
    if (found === null) return pattern;
    rest = rest.slice(found.index + found[0].length);
  }
  return undefined;
}

const allOld = /groups {2}● v0.10.2 {3}● v0.10.2 {3}● v0.10.2 {3}● v0.10.2 {3}1000000\n/;
const allNew = /groups {2}● v0.11.0 {3}● v0.11.0 {3}● v0.11.0 {3}● v0.11.0 {3}1000000\n/;

const delivery = [
  /commit {2}\w{7} {2}tranche: rollout\(llm\/vllm\): adopt, partition 0 → 1000000\n/,
  allOld,
  /person {2}Ana merges a new image/,
  /commit {2}\w{7} {2}Ana Ortiz: vllm: v0.10.2 → v0.11.0\n/,
  /commit {2}\w{7} {2}tranche: .*step 1\/3, partition 1000000 → 3\n/,
  /agent {3}applied \w{7}/,
  /○ v0.10.2 {3}○ v0.10.2 {3}○ v0.10.2 {3}~ v0.11.0 {3}3\n/,
  /waits {3}GroupsNotReady: /,
  /○ v0.10.2 {3}○ v0.10.2 {3}○ v0.10.2 {3}● v0.11.0 {3}3\n/,
  /waits {3}PauseDuration: /,
  /step 2\/3, partition 3 → 2\n/,
  /○ v0.10.2 {3}○ v0.10.2 {3}● v0.11.0 {3}● v0.11.0 {3}2\n/,
  /waits {3}PausedForApproval: /,
  /person {2}.*\$ tranche approve vllm\n/,
  /step 3\/3, partition 2 → 0\n/,
  /step 3\/3, locked, partition 0 → 1000000\n/,
  allNew,
  /rollout\(llm\/vllm\): settled\n/,
  /The log of main, newest first:\n {2}\w{7} {2}tranche {4}rollout\(llm\/vllm\): settled\n/,
  /✔ 4 of 4 groups on v0.11.0, all pods ready\n/,
  /✔ failed requests: 0 of [1-9]\d+\n/,
];

const rollBack = [
  /step 2\/3, partition 3 → 2\n/,
  /○ v0.10.2 {3}○ v0.10.2 {3}~ v0.11.0 {3}● v0.11.0 {3}2\n/,
  /person {2}.*\$ tranche abort vllm\n/,
  /commit {2}\w{7} {2}tranche: rollout\(llm\/vllm\): abort [0-9a-f]{8}\.2\n/,
  /: rollback, maxUnavailable 1 → 2\n/,
  /: rollback, maxUnavailable 2 → 1\n/,
  /waits {3}RollingBack: /,
  /: rolled back, partition 2 → 1000000\n/,
  allOld,
  /✔ 4 of 4 groups on v0.10.2, all pods ready\n/,
  /✔ maxUnavailable is 1, as before\n/,
  /✔ failed requests: 0 of [1-9]\d+\n/,
];

test.each([
  ['installed', {}, 'tranche demo --keep  ', 'tranche status vllm --repo /d/repo.git'],
  ['from a checkout', { npm_lifecycle_event: 'demo' }, 'npm run demo -- --keep  ', 'node dist/tranche.js status vllm'],
])('%s, the commands to go on with are those that are there', (_, env, again, status) => {
  const at = { called: calledAs(env), folder: '/d', repository: '/d/repo.git', kubeconfig: '/d/kubeconfig' };
  expect(whereLines({ ...at, served: false, kept: false }).join('\n')).toContain(`\n  ${again}`);
  expect(whereLines({ ...at, served: true, kept: true }).join('\n')).toContain(`\n  ${status}`);
});

test('from a checkout help has what only a checkout takes as well', () => {
  const help = execFileSync(process.execPath, ['scripts/demo.mjs', '--help'], { encoding: 'utf8' });
  for (const option of ['--strategy', '--traffic', '--fail', '--keep', '--serve', '--pull-requests', '--out'])
    expect(help).toMatch(new RegExp(`^ +${option}\\b`, 'm'));
});

describe('the story', () => {
  /** Told line by line, and the check is content. */
  function expectTold({ text, errors }: Watched, patterns: readonly RegExp[], said = /^$/): void {
    expect(missing(text(), patterns)).toBeUndefined();
    expect(text()).not.toContain('✘');
    // Lines with the folder of a run are as long as its path.
    const lines = text()
      .split('\n')
      .filter((line) => !line.includes('kubeconfig'));
    expect(lines.filter((line) => line.length > 120)).toEqual([]);
    expect(errors()).toMatch(said);
  }

  test('of a version that breaks', async () => {
    const watched = watcher();
    expect(await runProgram(['demo', '--fail'], watched.io)).toBe(0);
    expectTold(watched, rollBack);
  });

  test.each(['canary', 'blueGreen'])(
    'of a %s, to its end: all at rest, and no number that is none',
    async (strategy) => {
      const watched = watcher();
      expect(await runProgram(['demo', '--strategy', strategy], watched.io)).toBe(0);
      expectTold(watched, [/rollout\(llm\/vllm\): settled\n/, /✔ failed requests: 0 of [1-9]\d+\n/]);
      const [story = ''] = watched.text().split('The log of main');
      expect(story).not.toContain('groups 1000000');
      // While the colour before empties, that is waited for; it is not how it ends.
      expect(story.match(/^\S+ +(?:waits|rest) .*$/gm)?.at(-1)).toContain('rest    settled, and nothing is waited for');
    },
  );

  test('of a delivery; served: another process makes a pass on the same repository and API', async () => {
    let where = { repo: '', kubeconfig: '' };
    const watched = watcher({
      onOut: (text) => {
        const first = /^serving (\{.*\})\n$/.exec(text)?.[1];
        if (first !== undefined) where = JSON.parse(first) as typeof where;
        if (!text.startsWith('Serving until stopped')) return;
        const other = watcher();
        const pass = ['reconcile', '--repo', where.repo, '--kubeconfig', where.kubeconfig, '--output', 'json'];
        const status = ['status', 'vllm', '--live', '--repo', where.repo, '--kubeconfig', where.kubeconfig];
        const stop = ['stop', '--until', '2h', '--repo', where.repo];
        void (async () => {
          served.push(await runProgram(pass, other.io), await runProgram(status, other.io), other.text());
          served.push(await runProgram(stop, other.io));
          watched.stop();
        })();
      },
    });
    const served: (number | string)[] = [];
    expect(await runProgram(['demo', '--serve'], watched.io)).toBe(0);
    expectTold(watched, delivery, /^\S+ is removed with the repository; --serve --keep leaves it\n$/);
    expect(served.slice(0, 2)).toEqual([0, 0]);
    expect(watched.text(), 'to copy, for a repository of one’s own').toContain(
      `\n  export KUBECONFIG=${where.kubeconfig}\n`,
    );
    expect(served[2]).toMatch(/group 3 .*ready/);
    expect(served[3], 'stop, whose file is in policies/').toBe(0);
    expect(existsSync(where.repo)).toBe(false);
  });

  test('stopped half-way on a terminal: nothing is claimed, the cursor is back, the folder gone', async () => {
    let frames = 0;
    const watched = watcher({
      isTerminal: true,
      onOut: (text) => {
        if (text.includes('waits for')) frames += 1;
        if (frames === 3) watched.stop();
      },
    });
    expect(await runProgram(['demo'], watched.io)).toBe(1);
    expect(watched.text().endsWith('\u001b[?25h')).toBe(true);
    expect(watched.errors()).toContain('nothing was checked');
    expect(frames).toBe(3);
  });

  test.skipIf(realKustomize === '')(
    'over what kustomize builds: a tag in a component, and a version that breaks',
    async () => {
      for (const fail of [[], ['--fail']]) {
        const watched = watcher({ env: { TRANCHE_KUSTOMIZE: realKustomize } });
        expect(await runProgram(['demo', '--layout', 'kustomize', ...fail], watched.io)).toBe(0);
        const ends =
          fail.length === 0
            ? [/: settled\n/]
            : [/: rolled back, partition 2 → 1000000\n/, /rollout\(llm\/vllm\): unpin\n/];
        expectTold(watched, [
          /rollout\(llm\/vllm\): adopt, partition 0 → 1000000\n/,
          ...ends,
          /✔ every other byte of /,
        ]);
      }
    },
  );

  test('over what kustomize builds, on a machine without it: said, with the way out', async () => {
    const watched = watcher({ env: { TRANCHE_KUSTOMIZE: 'no-such-kustomize' } });
    expect(await runProgram(['demo', '--layout', 'kustomize'], watched.io)).toBe(2);
    expect(watched.errors()).toBe(
      'error: --layout kustomize: there is no no-such-kustomize. Install kustomize 5 or newer (or kubectl 1.27), or set TRANCHE_KUSTOMIZE to its path.\n',
    );
  });

  test('a temporary folder that takes none is named, and is no fault of ours', async () => {
    vi.stubEnv('TMPDIR', join(import.meta.dirname, 'nowhere'));
    const watched = watcher();
    expect(await runProgram(['demo'], watched.io)).toBe(2);
    expect(watched.errors()).toMatch(/^error: the demo needs a folder of its own, and .*nowhere takes none: ENOENT/);
    vi.unstubAllEnvs();
  });
});

describe('the check', () => {
  let world: DemoWorld | undefined;
  afterEach(async () => {
    await world?.close();
    await world?.removeFolder();
    world = undefined;
  });

  const everything = { paths: [''], suffixes: [], markers: [] } as const;

  async function edit({ ports }: DemoWorld, path: string, from: string, to: string): Promise<void> {
    const [main] = await ports.git.heads(['main']);
    const tree = await ports.git.readAt(main!, everything);
    const content = tree.files.find((file) => file.path === path)!.content;
    if (content.kind !== 'text' || !content.text.includes(from)) throw new Error(`${path} has no ${from}`);
    await commit(ports, { writes: [{ path, text: content.text.replace(from, to) }], message: 'tampered' });
  }

  const DELIVERY = toldOf('partition', false);

  test('sees every kind of wrong end, and the exit code says so', async () => {
    const { io, text } = watcher();
    world = await openWorld({ strategy: 'partition', broken: false, giveOrder }, io);
    const { model } = world;
    const story = { end: await watch(world, DELIVERY, io), told: DELIVERY } as const;
    expect(await conclude(world, story, io)).toBe(0);
    expect(text()).not.toContain('✘');
    const wrong = async (): Promise<readonly string[]> => {
      const seen = watcher();
      expect(await conclude(world!, story, seen.io)).toBe(1);
      return seen.text().match(/(?<=✘ ).*/g) ?? [];
    };
    model.setPods({ namespace: 'llm', name: 'vllm', group: 1, pods: 1 }, { kind: 'unready' });
    expect(await wrong()).toEqual([expect.stringMatching(/^4 of 4 groups on v0.11.0.*group 1: .*ready: false$/)]);
    model.setPods({ namespace: 'llm', name: 'vllm', group: 1, pods: 1 }, { kind: 'ready' });
    await edit(world, 'apps/vllm/lws.yaml', '# pages go to them', '# nobody');
    expect(await wrong()).toEqual([expect.stringMatching(/^every other byte.*there is: apps\/vllm\/lws.yaml$/)]);
    await edit(world, 'apps/vllm/lws.yaml', '# nobody', '# pages go to them');
    await edit(world, 'apps/vllm/service.yaml', 'port: 80', 'port: 81');
    expect(await wrong()).toEqual([expect.stringMatching(/there is: apps\/vllm\/service.yaml$/)]);
    await edit(world, 'apps/vllm/service.yaml', 'port: 81', 'port: 80');
    await edit(world, 'apps/vllm/lws.yaml', 'partition: 1000000', 'partition: 2');
    expect(await wrong()).toEqual([expect.stringMatching(/^locked in Git/)]);
    await world.agent.sync();
    expect(await wrong()).toEqual([
      expect.stringMatching(/^locked in the cluster/),
      expect.stringMatching(/^locked in G/),
    ]);
    await edit(world, 'apps/vllm/lws.yaml', 'partition: 2', 'partition: 1000000');
    await edit(world, 'apps/vllm/lws.yaml', 'maxUnavailable: 1 ', 'maxUnavailable: 2 ');
    await world.agent.sync();
    expect(await wrong()).toEqual([
      expect.stringMatching(/^maxUnavailable is 1/),
      expect.stringMatching(/^every other byte/),
    ]);
    const [head = ''] = await world.ports.git.heads(['main']);
    expect(await checkEnd(world.ports.git, world.apiUrl, { ...DELIVERY.wanted, firstCommit: head })).toContainEqual({
      good: false,
      what: expect.stringMatching(/^the log has the steps/),
      seen: 'none',
    });
    expect(await conclude(world, { ...story, told: toldOf('partition', true) }, watcher().io)).toBe(1);
    expect(await conclude(world, { ...story, end: 'late' }, watcher().io)).toBe(1);
  });
});

const scene: Scene = {
  at: 755,
  state: 'step 2/3, StepUpgrade',
  unapplied: '',
  traffic: undefined,
  requests: { sent: 0, failed: 0 },
  holds: [
    {
      reason: 'GroupsNotReady',
      message: 'group 2 is on the release and not ready yet; it loads 400 GB of weights, which takes some minutes',
    },
  ],
  fleet: {
    replicas: 4,
    partition: 2,
    maxUnavailable: 1,
    image: 'vllm/vllm-openai:v0.11.0',
    annotations: {},
    flipped: false,
    groups: [
      { index: 0, leaderImage: 'vllm/vllm-openai:v0.10.2', images: ['vllm/vllm-openai:v0.10.2'], ready: true },
      { index: 1, leaderImage: '', images: [], ready: false },
      { index: 2, leaderImage: 'vllm/vllm-openai:v0.11.0', images: ['vllm/vllm-openai:v0.11.0'], ready: false },
      { index: 3, leaderImage: 'vllm/vllm-openai:v0.11.0', images: ['vllm/vllm-openai:v0.11.0'], ready: true },
    ],
  },
  happened: [
    { kind: 'person', at: 60, says: 'Ana merges a new image' },
    { kind: 'commit', at: 60, oid: 'a'.repeat(40), author: 'Ana Ortiz', subject: 'vllm: v0.10.2 → v0.11.0' },
    { kind: 'agent', at: 90, oid: 'a'.repeat(40) },
    { kind: 'commit', at: 455, oid: 'b'.repeat(40), author: 'tranche', subject: 'rollout(llm/vllm): step 2/3' },
  ],
};

describe('the live view', () => {
  test('shows one scene on 21 lines of at most 80 columns', () => {
    expect(Math.max(...livePicture(scene).map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(livePicture(scene)).toHaveLength(21);
    expect(livePicture(scene)).toMatchInlineSnapshot(`
      [
        "  time       +12:35",
        "  state      step 2/3, StepUpgrade",
        "  partition  2",
        "",
        "             group 0     group 1     group 2     group 3",
        "             ○ v0.10.2   ~ –         ~ v0.11.0   ● v0.11.0",
        "",
        "  waits for  GroupsNotReady: group 2 is on the release and not ready yet; it",
        "             loads 400 GB of weights, which takes some minutes",
        "",
        "",
        "  +01:00     » Ana merges a new image",
        "  +01:00     aaaaaaa  vllm: v0.10.2 → v0.11.0",
        "  +07:35     bbbbbbb  rollout(llm/vllm): step 2/3",
        "",
        "",
        "",
        "",
        "",
        "",
        "  ● on the version in Git, ready   ○ on the other one, ready   ~ not ready",
      ]
    `);
  });

  test('keeps its height whatever there is to say', () => {
    const hold = scene.holds[0]!;
    const more = [
      { ...scene, holds: [] },
      { ...scene, holds: [hold, hold, hold, hold] },
      { ...scene, happened: [] },
    ];
    for (const one of more) expect(livePicture(one)).toHaveLength(livePicture(scene).length);
    const long = { ...scene, happened: Array.from({ length: 30 }, () => scene.happened[0]!) };
    expect(livePicture(long)).toHaveLength(livePicture(scene).length);
  });

  test.each([
    [{ unapplied: 'c'.repeat(40) }, 'the agent, to apply ccccccc'],
    [{ state: 'settled' }, 'nobody: every group is there, and main is locked'],
    [{}, 'the next pass'],
  ])('without a hold it says who is next: %j', (changed, words) => {
    const line = livePicture({ ...scene, holds: [], ...changed }).find((text) => text.startsWith('  waits for'));
    expect(line).toBe(`  waits for  ${words}`);
  });

  test('colours add no column', () => {
    // oxlint-disable-next-line no-control-regex -- these are the colours
    const plain = (text: string) => text.replace(/\u001b\[\d+m/g, '');
    const picture = livePicture(scene);
    expect(picture.map(coloured).map(plain)).toEqual(picture);
    expect(picture.map(coloured)).not.toEqual(picture);
  });
});

/** A fleet that nothing reaches in place, next to one group of the new version that has a share. */
function routed(failed: number, percent: number): Scene {
  const shares = [
    { backend: 'vllm-svc', percent: 100 - percent },
    { backend: 'vllm-svc-canary', percent },
  ];
  const fleet = { ...scene.fleet, groups: scene.fleet.groups.slice(3) };
  return { ...scene, traffic: { second: { side: 'canary', fleet }, shares }, requests: { sent: 900, failed } };
}

describe('the share', () => {
  test('is in the picture, which keeps its height', () => {
    const picture = livePicture(routed(2, 5));
    expect(picture).toHaveLength(livePicture(scene).length);
    expect(picture.slice(5, 9)).toEqual([
      '             ○ v0.10.2   ~ –         ~ v0.11.0   ● v0.11.0',
      '  canary     ● v0.11.0',
      '  route      vllm-svc 95 %, vllm-svc-canary 5 %',
      '  requests   900 sent, failed requests: 2',
    ]);
    const one = routed(2, 5);
    const shared = livePicture({ ...one, traffic: { ...one.traffic!, second: undefined } });
    expect(shared).toHaveLength(picture.length);
    expect(shared.slice(6, 8)).toEqual(picture.slice(7, 9));
  });

  test('is a line where it changes, and while requests fail', () => {
    const news = (before: Scene, after: Scene) => newLines(before, after).filter((line) => /route|canary/.test(line));
    expect(news(routed(0, 5), routed(0, 5))).toEqual([]);
    expect(news(routed(0, 5), routed(0, 50))).toEqual([
      '+12:35  route   vllm-svc 50 %, vllm-svc-canary 50 %   failed requests: 0',
    ]);
    expect(news(routed(0, 5), routed(3, 5))).toEqual([
      '+12:35  route   vllm-svc 95 %, vllm-svc-canary 5 %   failed requests: 3',
    ]);
    const [before] = [routed(0, 5)];
    const second = { side: 'canary', fleet: { ...before.traffic!.second!.fleet!, groups: [] } };
    expect(news(before, { ...before, traffic: { ...before.traffic!, second } })).toEqual(['+12:35  canary  no groups']);
  });

  const withdrawal = [{ oid: 'b', message: 'rollout(llm/vllm): step 1/2, traffic withdrawn\n\nIt died.\n' }];
  test.each([
    ['nothing was lost', { failed: 0, failedAt: undefined }, [], 'failed requests: 0 of 900', true],
    ['a healthy release lost some', { failed: 2, failedAt: 40 }, [], 'failed requests: 2 of 900; wanted 0', false],
    ['lost until the agent applied', { failed: 2, failedAt: 104 }, withdrawal, /^failed requests: 2 of 900, all/, true],
    ['lost after that too', { failed: 2, failedAt: 130 }, withdrawal, /^failed requests: 2 of 900, all/, false],
  ])('the check: %s', (_, lost, log, what, good) => {
    const found = lostRequests({ sent: 900, ...lost }, { appliedAt: (oid) => (oid === 'b' ? 100 : undefined) }, log);
    expect(found.good).toBe(good);
    expect(found.what).toMatch(what);
  });

  test.each([
    [{ strategy: 'partition' }, 'partition'],
    [{ strategy: 'partition', traffic: true }, 'shared'],
    [{ strategy: 'partition', layout: 'kustomize' }, 'built'],
    [{ strategy: 'canary' }, 'canary'],
  ] as const)('%j plays %s', (given, strategy) => {
    expect(demoOptions(given)).toEqual({ strategy, fail: false, keep: false, serve: false });
  });

  test.each([
    ['--strategy green', 'partition, canary, blueGreen'],
    ['--layout kustomize --traffic', 'error: --layout kustomize goes with --strategy partition, and without --traffic'],
    ['--layout kustomize --strategy canary', 'error: --layout kustomize goes with --strategy partition'],
    ['--strategy canary --traffic', 'error: --traffic goes with --strategy partition; canary always has a route'],
  ])('%s is refused', async (line, said) => {
    const { io, errors } = watcher();
    expect(await runProgram(['demo', ...line.split(' ')], io)).toBe(2);
    expect(errors()).toContain(said);
  });
});

describe('the transcript', () => {
  test('a countdown is no news, another group is', () => {
    const held = (reason: Wait['reason'], message: string): Scene => ({ ...scene, holds: [{ reason, message }] });
    expect(newLines(held('PauseDuration', 'soaks for 41 s'), held('PauseDuration', 'soaks for 11 s'))).toEqual([]);
    expect(newLines(held('GroupsNotReady', 'group 1 loads'), held('GroupsNotReady', 'group 2 loads'))).toEqual([
      '+12:35  waits   GroupsNotReady: group 2 loads',
    ]);
  });
});
