/** What a forge or its rules have against pull requests: each is said with the setting to change, and main stays as it is. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Hold } from '../../src/rollout/hold.ts';
import { type ForgeToken, type SimulatedForge, startForge } from '../support/forge/start-forge.ts';
import { FORGE_TOKEN, type ForgeWorld, forgeWorld } from '../support/forge-world.ts';
import { LWS_FILE, NEW, OLD, VLLM_FILES } from '../support/vllm.ts';

let forge: SimulatedForge;
let world: ForgeWorld;
let given: ForgeToken;

beforeAll(async () => {
  forge = await startForge();
  world = await forgeWorld(forge, 'gitops', VLLM_FILES);
  await world.pass();
  await world.sync();
  const asked = (await world.text(LWS_FILE)).replaceAll(OLD, NEW);
  const files = { [LWS_FILE]: asked, 'tranche.yaml': 'promotion: pullRequest\n' };
  await world.repository.git.commit('main', files, 'v0.10.1');
  await world.sync();
  given = forge.tokens.get(FORGE_TOKEN)!;
});
afterAll(() => forge.stop());

/** The only hold of a pass, and that main and the pull requests are as they were. */
async function held(): Promise<Hold | undefined> {
  const before = await world.git('rev-parse', 'main');
  const { outcomes } = await world.pass();
  expect(await world.git('rev-parse', 'main')).toBe(before);
  expect([world.repository.pulls, forge.violations]).toEqual([[], []]);
  const holds = outcomes.flatMap(({ plan }) => plan?.holds ?? []);
  expect(holds).toHaveLength(1);
  return holds[0];
}

const token = (changed: Partial<ForgeToken>): void => void forge.tokens.set(FORGE_TOKEN, { ...given, ...changed });
const ACTIONS = { login: 'github-actions[bot]', id: 3, type: 'Bot' } as const;
const CREATION = { id: 1, name: 'ours', branches: ['tranche/*'], rules: [{ type: 'creation' }], bypass: [] };

type Row = readonly [what: string, change: () => unknown, reason: Hold['reason'], setting: RegExp];

test('a branch stands where ours have their folder: the hold says to delete it', async () => {
  await world.git('update-ref', 'refs/heads/tranche', 'main');
  expect(await held()).toMatchObject({
    reason: 'PushRefused',
    message: expect.stringMatching(/'refs\/heads\/tranche' exists; cannot create .*\. Delete that branch/),
  });
  await world.git('update-ref', '-d', 'refs/heads/tranche');
});

test.each<Row>([
  [
    'a ruleset keeps our branches from being made',
    () => world.repository.enforce([CREATION]),
    'PushRefused',
    /GH013.*Allow the identity of tranche to create, move and delete branches below tranche\//,
  ],
  [
    'the permission is missing',
    () => token({ permissions: { contents: 'write', pull_requests: 'read' } }),
    'ForgeRefused',
    /pull_requests: write on team\/gitops: for GITHUB_TOKEN under permissions in the workflow/,
  ],
  [
    'workflows may not create pull requests',
    () => {
      token({ account: ACTIONS });
      world.repository.settings.actionsMayPropose = false;
    },
    'ForgeRefused',
    /Tick "Allow GitHub Actions to create and approve pull requests" in Settings, Actions, General/,
  ],
  [
    'the token is for another repository, which is a 404',
    () => token({ repositories: ['team/other'] }),
    'ForgeRefused',
    /an App must be installed there, a fine-grained token must list it/,
  ],
  [
    'the token is expired',
    () => void forge.tokens.delete(FORGE_TOKEN),
    'ForgeRefused',
    /Bad credentials\. Give a valid credential: .*may be expired or revoked/,
  ],
  [
    'the repository is archived',
    () => void (world.repository.settings.archived = true),
    'ForgeRefused',
    /Unarchive team\/gitops in its Settings/,
  ],
])('%s', async (_, change, reason, setting) => {
  change();
  expect(await held()).toMatchObject({ reason, message: expect.stringMatching(setting) });
  world.repository.enforce([]);
  Object.assign(world.repository.settings, { actionsMayPropose: true, archived: false });
  forge.tokens.set(FORGE_TOKEN, given);
});
