/** The tables for the on-call of canary, blueGreen and pull requests, played on a forge: what status says, what is typed, what follows. */

import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { runProgram } from '../../src/commands/program.ts';
import { section } from '../support/documents.ts';
import { type SimulatedForge, startForge } from '../support/forge/start-forge.ts';
import { ADA, FORGE_TOKEN, type ForgeWorld, forgeWorld } from '../support/forge-world.ts';
import { ladderRollout } from '../support/ladder.ts';
import { ROUTE_FILE, TRAFFIC_FILES } from '../support/traffic-files.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';

let forge: SimulatedForge;
let made = 0;
beforeAll(async () => {
  forge = await startForge();
});
afterAll(() => forge.stop());
afterEach(() => vi.useRealTimers());

const LOOKS_MOST = 40;

async function run(world: ForgeWorld, line: string) {
  vi.useFakeTimers({ toFake: ['Date'], now: world.cluster.nowSeconds * 1000 });
  let [out, err] = ['', ''];
  const code = await runProgram(line.split(' '), {
    env: {
      TRANCHE_REPO: `${world.url}.git`,
      TRANCHE_GIT_TOKEN: FORGE_TOKEN,
      TRANCHE_FORGE_TOKEN: FORGE_TOKEN,
      GITHUB_ACTOR: 'octocat',
    },
    folder: '/',
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    isTerminal: false,
    signal: new AbortController().signal,
  });
  vi.useRealTimers();
  await world.repository.settle();
  return { code, out, err };
}

/** Passes, and an agent that follows, until the last commit of main is this. */
async function reach(world: ForgeWorld, subject: RegExp): Promise<void> {
  for (let look = 0; look < LOOKS_MOST; look += 1) {
    if (subject.test((await world.subjects()).at(-1) ?? '')) return;
    await world.sync();
    world.tick(30);
    await world.pass();
  }
  throw new Error(`no ${subject} after ${LOOKS_MOST} passes:\n${(await world.subjects()).join('\n')}`);
}

async function adopted(files: Readonly<Record<string, string>>): Promise<ForgeWorld> {
  made += 1;
  const world = await forgeWorld(forge, `on-call-${made}`, { ...files, 'tranche.yaml': 'promotion: commit\n' });
  await reach(world, /adopt/);
  await world.sync();
  world.tick(30);
  await world.pass();
  return world;
}

async function asked(world: ForgeWorld): Promise<ForgeWorld> {
  await world.edit(LWS_FILE, OLD, NEW);
  return world;
}

const STEPS = ['replicas: 1, traffic: 5%, pause: {}', 'replicas: 100%, traffic: 50%, pause: {}'];
const files = (style: 'canary' | 'blueGreen', steps = STEPS) => ({
  ...TRAFFIC_FILES,
  [ROLLOUT_FILE]: ladderRollout(style, steps),
});
/** Step 1 is done: it has its share. */
async function shared(style: 'canary' | 'blueGreen'): Promise<ForgeWorld> {
  const world = await asked(await adopted(files(style)));
  await world.until('PausedForApproval');
  return world;
}
/** Without pauses, through to its end. */
async function settled(style: 'canary' | 'blueGreen'): Promise<ForgeWorld> {
  const world = await asked(await adopted(files(style, ['replicas: 100%, traffic: 50%, pause: {duration: 0}'])));
  await reach(world, /: settled/);
  await world.sync();
  world.tick(30);
  await world.pass();
  return world;
}
const broken = (world: ForgeWorld, name: string) =>
  world.cluster.setPods({ namespace: 'llm', name, group: 0, pods: 'leader' }, { kind: 'unready' });

/** The first group of the second workload breaks under its share. */
async function withdrawn(): Promise<ForgeWorld> {
  const world = await shared('canary');
  broken(world, 'vllm-canary');
  await reach(world, /withdraw/);
  await world.sync();
  world.tick(30);
  await world.pass();
  return world;
}

const MANUAL = { ...VLLM_FILES, [ROLLOUT_FILE]: ROLLOUT_TEXT.replace('{duration: 0}', '{}') };
/** The first step is proposed. */
async function proposed(): Promise<ForgeWorld> {
  const world = await adopted(MANUAL);
  await world.edit('tranche.yaml', 'commit', 'pullRequest');
  await asked(world);
  await world.until('ProposalOpen');
  return world;
}

type Scene = {
  readonly stands: () => Promise<ForgeWorld>;
  /** After what is typed: what somebody does on the forge. */
  readonly onForge?: (world: ForgeWorld) => Promise<unknown>;
  readonly ends: RegExp;
};
const merged = (world: ForgeWorld) => world.repository.merge(world.pull.number, ADA, 'squash');

const SCENES: Readonly<Record<string, Scene>> = {
  'canary: a step is done, and looks good': { stands: () => shared('canary'), ends: /step 2\/2, / },
  'canary: the new version is bad, and answers its share': { stands: () => shared('canary'), ends: /rolled back/ },
  'canary: no request may reach it from now on': { stands: () => shared('canary'), ends: /rollback|rolled back/ },
  'canary: its groups served nothing, and its share was taken back': { stands: withdrawn, ends: /rolled back/ },
  'canary: the same, and they serve again': {
    stands: async () => {
      const world = await withdrawn();
      world.cluster.setPods({ namespace: 'llm', name: 'vllm-canary', group: 0, pods: 'leader' }, { kind: 'ready' });
      for (let look = 0; look < 4; look += 1) {
        await world.sync();
        world.tick(60);
        await world.pass();
      }
      return world;
    },
    ends: /traffic: .* 5%/,
  },
  'canary: somebody has changed the weights of the route, and they may stand': {
    stands: async () => {
      const world = await shared('canary');
      await world.edit(ROUTE_FILE, 'weight: 5\n', 'weight: 6\n');
      await world.pass();
      return world;
    },
    ends: /accept CanaryEdited|step 2/,
  },
  'canary: a release that has settled is bad': { stands: () => settled('canary'), ends: /rolled back/ },
  'blueGreen: a step is done, and looks good': { stands: () => shared('blueGreen'), ends: /step 2\/2, / },
  'blueGreen: the new version is bad, and answers its share': {
    stands: () => shared('blueGreen'),
    ends: /rolled back/,
  },
  'blueGreen: all requests go to it, the version before bakes, and it is bad': {
    stands: async () => {
      const bakes = ['replicas: 100%, traffic: 50%, pause: {duration: 0}'];
      const world = await asked(await adopted(files('blueGreen', bakes)));
      await reach(world, /route-restored/);
      await world.sync();
      world.tick(60);
      await world.pass();
      return world;
    },
    ends: /rolled back/,
  },
  'blueGreen: a release that has settled is bad': { stands: () => settled('blueGreen'), ends: /rolled back/ },
  'pull request: the step looks good': { stands: proposed, onForge: merged, ends: /step 1\/3, / },
  'pull request: somebody has closed it, and the step is wanted': {
    stands: async () => {
      const world = await proposed();
      world.repository.close(world.pull.number, ADA);
      await world.pass();
      return world;
    },
    onForge: async (world) => {
      await world.pass();
      await merged(world);
    },
    ends: /step 1\/3, /,
  },
  'pull request: the new version is bad, and its next step is proposed': {
    stands: async () => {
      const world = await proposed();
      await merged(world);
      await reach(world, /step 1\/3, /);
      await world.until('ProposalOpen');
      return world;
    },
    ends: /rolled back/,
  },
  'pull request: main takes no push from you, and the new version is bad': {
    stands: async () => {
      const world = await asked(await adopted(MANUAL));
      await world.until('PausedForApproval');
      world.repository.enforce([
        { id: 1, name: 'main', branches: ['main'], rules: [{ type: 'pull_request' }], bypass: [] },
      ]);
      return world;
    },
    onForge: async (world) => {
      await merged(world);
      world.repository.enforce([]);
    },
    ends: /rolled back/,
  },
};

const table = /\n\n\|[^\n]*\n\|[^\n]*\n([^]*?)\n\n/.exec(section('On call with routes and pull requests'))?.[1] ?? '';
const rows = table.split('\n').map((row) => {
  const [, happened = '', says = '', typed = '', commands = ''] = row.split('|').map((cell) => cell.trim());
  const lines = [...typed.matchAll(/`tranche ([^`]+)`/g)].map(([, line = '']) => line);
  return { happened, says: says.replaceAll('`', ''), lines, typed, commands: Number(commands) };
});

test('each row has a scene, and each scene a row', () => {
  expect(rows.map(({ happened }) => happened)).toEqual(Object.keys(SCENES));
});

test.each(rows)('$happened: $typed', async ({ happened, says, lines, commands }) => {
  const { stands, onForge, ends } = SCENES[happened]!;
  const world = await stands();
  const shown = await run(world, 'status vllm');
  expect(shown.out).toContain(says);
  for (const line of lines) expect(await run(world, line)).toMatchObject({ code: 0, err: '' });
  expect(lines).toHaveLength(commands);
  expect(commands).toBeLessThanOrEqual(1);
  await onForge?.(world);
  await world.repository.settle();
  await reach(world, ends);
});
