/** The built bundle in processes of its own, against a simulated GitHub, a served cluster with an agent, and people. */

import { generateKeyPairSync } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type BuiltAction, buildAction, type Job } from '../support/built-action.ts';
import { press as pressed } from '../support/forge/merging.ts';
import type { MergeMethod } from '../support/forge/repository.ts';
import { type SimulatedForge, startForge } from '../support/forge/start-forge.ts';
import { ADA, APP, FORGE_TOKEN, type ForgeWorld, forgeWorld } from '../support/forge-world.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';

const LIMIT_MS = 300_000;
let forge: SimulatedForge;
let built: BuiltAction;
let count = 0;

beforeAll(async () => {
  [forge, built] = await Promise.all([startForge(), buildAction()]);
}, LIMIT_MS);
afterAll(async () => {
  await built.stop();
  await forge.stop();
});
afterEach(() => expect(forge.violations).toEqual([]));

/** A workload that was taken over, and a new version that someone is to approve step by step. */
async function requested(settings = ''): Promise<ForgeWorld> {
  count += 1;
  const files = { ...VLLM_FILES, [ROLLOUT_FILE]: ROLLOUT_TEXT.replace(/ +pause: .duration: 0.\n/, '') };
  const world = await forgeWorld(forge, `built-${count}`, files);
  await world.pass();
  await world.sync();
  const asked = (await world.text(LWS_FILE)).replaceAll(OLD, NEW);
  const config = `promotion: pullRequest\n${settings}`;
  await world.repository.git.commit('main', { [LWS_FILE]: asked, 'tranche.yaml': config }, 'v0.10.1');
  await world.sync();
  return world;
}

/** What the only Rollout waits for. */
function holdsOf({ outputs }: Job): readonly string[] {
  const [rollout] = JSON.parse(outputs['rollouts'] ?? '[]') as readonly { readonly holds: readonly string[] }[];
  return rollout?.holds ?? [];
}

/** The environment of a job that has the key of the App, which pushes and proposes with a token made of it. */
function asApp(): Readonly<Record<string, string>> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  forge.apps.push({ id: '4711', publicKey: pem, installation: 5, token: FORGE_TOKEN });
  return {
    TRANCHE_APP_ID: '4711',
    TRANCHE_APP_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    // The key of an App goes to no server that nobody has named.
    TRANCHE_FORGE: `${forge.url}/api/v3`,
  };
}

const DISPATCH = { GITHUB_EVENT_NAME: 'workflow_dispatch', GITHUB_ACTOR: 'ada' };

test(
  'a whole rollout by pull requests: a no, two runners, a crash between push and pull request, a squash',
  async () => {
    const world = await requested();
    const run = await built.runner(world);
    /** The agent applies what a job has written, and the groups have time to start. */
    const settle = async (): Promise<void> => {
      await world.sync();
      world.tick(60);
    };
    const first = await run({}, asApp());
    expect(first).toMatchObject({
      code: 0,
      err: '',
      outputs: { 'pull-requests': `${world.url}/pull/1`, changed: 'false' },
    });
    expect(first.summary).toContain(`\nPull requests that wait for someone:\n\n- <${world.url}/pull/1>\n`);
    expect(forge.calls[0]?.call).toMatch(/^GET .*\/installation$/);
    expect(first.out.replaceAll(/^::add-mask::.*/gm, '') + first.summary).not.toMatch(/ghs_|BEGIN/);

    world.repository.close(1, ADA);
    expect(holdsOf(await run({}))).toEqual(['ProposalVetoed']);
    const approved = await run({ verb: 'approve', rollout: 'llm/vllm' }, DISPATCH);
    expect(approved.outputs).toMatchObject({ changed: 'true', commits: await world.git('rev-parse', 'main') });
    await settle();

    const cut = new AbortController();
    forge.fault = ({ method, path }) => {
      if (method !== 'POST' || !path.endsWith('/pulls')) return undefined;
      cut.abort();
      return { kind: 'drop', when: 'before' };
    };
    expect((await run({}, {}, cut.signal)).code).toBe(137);
    forge.fault = () => undefined;
    expect([await world.branches(), world.repository.pulls]).toMatchObject([{ length: 1 }, { length: 1 }]);
    const [branch] = await world.branches();
    const twins = await Promise.all([run({}), run({})]);
    expect(twins.map(({ code }) => code)).toEqual([0, 0]);
    expect(world.pull).toMatchObject({ number: 2, branch });

    await world.repository.merge(2, ADA, 'squash', 'By ada\n\nCo-authored-by: x <x@example.com>');
    expect((await run({})).outputs).toMatchObject({ changed: 'true', failed: 'false' });
    await settle();
    expect((await run({})).outputs['pull-requests']).toBe(`${world.url}/pull/3`);
    await world.repository.merge(3, ADA, 'rebase');
    for (let job = 0; job < 3; job += 1) {
      await run({});
      await settle();
    }
    const before = await world.git('for-each-ref', 'refs/heads/main', 'refs/heads/tranche');
    expect(await run({})).toMatchObject({ code: 0, outputs: { changed: 'false', failed: 'false', commits: '' } });
    expect(await world.git('for-each-ref', 'refs/heads/main', 'refs/heads/tranche')).toBe(before);
    expect(await world.subjects()).toEqual([
      'rollout(llm/vllm): adopt, partition 0 → 1000000',
      'v0.10.1',
      expect.stringMatching(/: approve the start of /),
      'rollout(llm/vllm): step 1/3, partition 1000000 → 3',
      'By ada',
      'rollout(llm/vllm): step 2/3, partition 3 → 2',
      expect.stringMatching(/: approve step 3\/3 of /),
      'rollout(llm/vllm): step 3/3, partition 2 → 0',
      'rollout(llm/vllm): step 3/3, locked, partition 0 → 1000000',
      'rollout(llm/vllm): settled',
    ]);
  },
  LIMIT_MS,
);

/** Our status, at a head that holds the newest commit: as people make pull requests the steps themselves. */
function guard(world: ForgeWorld): void {
  const parameters = {
    strict_required_status_checks_policy: true,
    required_status_checks: [{ context: 'tranche/gate', integration_id: APP.id }],
  };
  const rules = [{ type: 'required_status_checks', parameters }];
  world.repository.enforce([{ id: 1, name: 'gate', branches: ['main'], rules, bypass: [APP.login] }]);
}

test(
  'a whole rollout by pull requests that are the steps: an edit, a revert, each merged by the rules',
  async () => {
    const world = await requested();
    guard(world);
    const run = await built.runner(world);
    const propose = () => run({ verb: 'propose', rollout: 'llm/vllm' }, DISPATCH);
    const press = (method: MergeMethod) => pressed(world.repository, { number: world.pull.number, by: ADA, method });
    const settle = async (): Promise<void> => {
      await world.sync();
      world.tick(60);
    };
    expect((await run({})).outputs['pull-requests']).toBe(`${world.url}/pull/1`);
    expect(world.pull.branch).toMatch(/-fields$/);

    await world.repository.edit(1, { 'README.md': 'mine\n' });
    expect(holdsOf(await run({}))).toEqual(['ProposalChanged']);
    await expect(press('squash')).rejects.toThrow('rule violations');
    await propose();
    world.tick(660);
    expect((await run({})).outputs['pull-requests']).toBe(`${world.url}/pull/2`);

    await press('squash');
    await run({});
    await world.repository.revert(2);
    expect(holdsOf(await run({}))).toContain('ProposalReverted');
    await propose();
    for (const method of ['merge', 'squash', 'rebase'] as const) {
      for (let job = 0; job < 4 && world.repository.pulls.at(-1)?.state !== 'open'; job += 1) {
        await run({});
        await settle();
      }
      await press(method);
      await run({});
      await settle();
    }
    for (let job = 0; job < 3; job += 1) {
      await run({});
      await settle();
    }
    const before = await world.git('for-each-ref', 'refs/heads/main', 'refs/heads/tranche');
    expect(await run({})).toMatchObject({ code: 0, outputs: { changed: 'false', failed: 'false', commits: '' } });
    expect(await world.git('for-each-ref', 'refs/heads/main', 'refs/heads/tranche')).toBe(before);
    expect((await world.subjects()).slice(2)).toEqual([
      expect.stringMatching(/: propose step 0 of .* after pull request 1$/),
      expect.stringMatching(/1 of 4 groups .* \(#2\)$/),
      expect.stringMatching(/^Revert /),
      expect.stringMatching(/: propose step 0 of .* after pull request 2$/),
      expect.stringMatching(/1 of 4 groups .* \(#3\)$/),
      expect.stringMatching(/2 of 4 groups .* \(#4\)$/),
      'rollout(llm/vllm): step 3/3, partition 2 → 0',
      'rollout(llm/vllm): step 3/3, locked, partition 0 → 1000000',
      'rollout(llm/vllm): settled',
    ]);
  },
  LIMIT_MS,
);

test(
  'what is in the way is said with the setting to change, and nothing is written in part',
  async () => {
    const world = await requested('maxProposals: 1\n');
    const run = await built.runner(world);
    const head = await world.git('rev-parse', 'main');
    const other = 'tranche/default/llm/other/11111111111111111111111111111111.1-0-22222222222222222222222222222222';
    await world.git('update-ref', `refs/heads/${other}`, head);
    await world.repository.git.commit(other, { 'x.md': 'x\n' });
    const flood = world.repository.open({ by: APP, branch: other, base: 'main', title: 'x', body: '', head });
    expect(holdsOf(await run({}))).toEqual(['ProposalsFull']);
    world.repository.close(flood.number, ADA);

    const given = forge.tokens.get(FORGE_TOKEN)!;
    forge.tokens.set(FORGE_TOKEN, { ...given, permissions: { contents: 'write', pull_requests: 'read' } });
    const refused = await run({});
    expect(holdsOf(refused)).toEqual(['ForgeRefused']);
    expect(refused.out).toMatch(/^::warning title=ForgeRefused::.*pull_requests: write on team\/built-\d+/m);
    forge.tokens.set(FORGE_TOKEN, given);
    await world.pass();

    await world.repository.merge(world.pull.number, ADA);
    world.repository.enforce([{ id: 1, name: 'main', branches: ['main'], rules: [{ type: 'update' }], bypass: [] }]);
    const merged = await world.git('rev-parse', 'main');
    const protectedMain = await run({});
    expect(protectedMain).toMatchObject({ code: 1, outputs: { failed: 'true', changed: 'false', commits: '' } });
    expect(protectedMain.out).toContain('Allow the identity of tranche to push there, or change the rule');
    expect(await world.git('rev-parse', 'main')).toBe(merged);
  },
  LIMIT_MS,
);
