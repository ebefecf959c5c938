/** Mode verify on pull requests and merge queues: what fails, what is only told, and what is not judged at all. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { recordedKustomize } from '../support/kustomize.ts';
import { llmD } from '../support/kustomize-trees.ts';
import { type Files, pullRequest } from '../support/pull-request.ts';
import { act, commands, type Env } from '../support/runner.ts';
import { type Site, startSite, stopSites } from '../support/site.ts';
import { LWS_FILE, LWS_TEXT, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';

afterEach(stopSites);

const verify = (site: Site, event: Env) => act(site, { mode: 'verify', kubeconfig: '', token: '' }, event);

async function inDelivery(): Promise<Site> {
  const site = await startSite();
  await site.run('reconcile');
  await site.edit(LWS_FILE, OLD, NEW);
  await site.settle();
  await site.run('reconcile');
  expect(await site.subject()).toContain('step 1/3');
  return site;
}

describe('kustomize folders', () => {
  const kustomize = recordedKustomize();
  afterAll(() => kustomize.remove());
  const env = { TRANCHE_KUSTOMIZE: kustomize.file };
  async function overlays(more: Files = {}): Promise<Site> {
    const site = await startSite();
    await site.repository.commit('main', { ...llmD(), ...more }, 'overlays');
    return site;
  }
  const judged = async (site: Site, files: Files, variables: Env = env) =>
    verify(site, { ...(await pullRequest(site, files)), ...variables });

  test('a tag in a shared component is told for each cluster that it reaches', async () => {
    const site = await overlays();
    const ran = await judged(site, llmD({ tag: 'v0.9.1' }));
    expect(ran.code).toBe(0);
    expect(commands(ran.out)).toEqual(
      [
        ['prod', '2 of 2'],
        ['stage', '1 of 1'],
      ].map(
        ([cluster, groups]) =>
          `::warning file=guides/wide-ep/overlays/${cluster}/kustomization.yaml,line=1,title=ReachesGroups::LeaderWorkerSet ${cluster}-wide-ep-decode: this folder builds another template of it (ghcr.io/llm-d/llm-d-cuda:v0.9.1): ${groups} groups restart when it is applied, without steps. tranche roots --base shows the build before and after.`,
      ),
    );
  });
  test('a partition that lets no group go is told as a lock', async () => {
    const armed = (tag: string): Files => {
      const file = 'guides/wide-ep/base/decode.yaml';
      const text = `${llmD()[file]}  rolloutStrategy: {rollingUpdateConfiguration: {partition: 1000000}}\n`;
      return { ...llmD({ tag }), [file]: text };
    };
    const site = await overlays(armed('v0.9.0'));
    const ran = await judged(site, armed('v0.9.1'));
    expect(commands(ran.out)).toEqual([
      expect.stringContaining('overlays/prod/kustomization.yaml,line=1,title=LocksRelease::'),
      expect.stringContaining('overlays/stage/kustomization.yaml,line=1,title=LocksRelease::'),
    ]);
  });
  test('one that no longer builds fails: the agent would apply nothing of it, no rollback either', async () => {
    const site = await overlays();
    const ran = await judged(site, {
      'guides/wide-ep/overlays/stage/replicas.yaml': '- {op: remove, path: /spec/none}\n',
    });
    expect(ran.code).toBe(1);
    expect(commands(ran.out)).toEqual([
      expect.stringMatching(
        /^::error file=guides\/wide-ep\/overlays\/stage\/kustomization.yaml,title=BuildFails::kustomize 5\.8\.1: .*remove/,
      ),
    ]);
  });
  test.each<[string, Files, Env]>([
    ['files that no build takes', { 'guides/wide-ep/README.md': 'new\n' }, env],
    [
      'a base that is fetched',
      { 'other/kustomization.yaml': 'resources: ["https://example.com/LeaderWorkerSet"]\n' },
      env,
    ],
    ['a machine without kustomize', llmD({ tag: 'v0.9.1' }), { TRANCHE_KUSTOMIZE: 'no-such-kustomize' }],
  ])('%s: nothing is told', async (_, files, variables) => {
    const ran = await judged(await overlays(), files, variables);
    expect([ran.code, commands(ran.out)]).toEqual([0, []]);
  });
  test('a plain manifest that is only listed has its own effects, and no second ones', async () => {
    const site = await overlays({ 'apps/vllm/kustomization.yaml': 'resources: [lws.yaml]\n' });
    await site.run('reconcile');
    const locked = await site.text(LWS_FILE);
    const ran = await judged(site, { [LWS_FILE]: locked.replaceAll(OLD, NEW) });
    expect(commands(ran.out)).toEqual([expect.stringContaining('title=LocksRelease::')]);
  });
});

describe('a pull request', () => {
  test('that locks a release passes, and its author is told', async () => {
    const site = await startSite();
    await site.run('reconcile');
    await site.api.close();
    const locked = await site.text(LWS_FILE);
    const heads = [await site.head(), await site.head('tranche-status')];
    const ran = await verify(site, await pullRequest(site, { [LWS_FILE]: `${locked.replaceAll(OLD, NEW)}\n` }));
    expect(ran).toMatchObject({ code: 0, err: '' });
    expect(commands(ran.out)).toEqual([
      expect.stringMatching(
        /^::notice file=apps\/vllm\/lws\.yaml,line=\d+,title=LocksRelease::LeaderWorkerSet vllm: .* no group of 4 is beyond/,
      ),
    ]);
    expect(ran.outputs).toMatchObject({
      failed: 'false',
      changed: 'false',
      summary: '0 new problems, 1 effects on groups, 0 problems from before',
    });
    expect(ran.summary).toContain('(LocksRelease)');
    const policy = 'apiVersion: tranche.dev/v1alpha1\nkind: RolloutPolicy\nmetadata: {name: a}\nspec: {surge: 1}\n';
    const both = { [LWS_FILE]: `${locked.replaceAll(OLD, NEW)}\n`, 'policies/a.yaml': policy };
    expect((await verify(site, await pullRequest(site, both))).out).toContain(
      '::warning file=policies/a.yaml,line=4,title=LocksAndEditsPolicy::the change locks a release of llm/vllm and adds RolloutPolicy a',
    );
    expect([await site.head(), await site.head('tranche-status')]).toEqual(heads);
  });

  test('with a newer template in the middle of a rollout says how many groups it reaches at once', async () => {
    const site = await inDelivery();
    const now = await site.text(LWS_FILE);
    const ran = await verify(
      site,
      await pullRequest(site, { [LWS_FILE]: `${now.replaceAll(NEW, 'vllm/vllm-openai:v9')}\n` }),
    );
    expect(ran.code).toBe(0);
    expect(ran.out).toMatch(
      /^::warning .*title=ReachesGroups::.*1 of 4 groups get it at once, because a rollout is in progress \(step 1\/3\)/m,
    );
  });

  test('that reverts a step is told that it brings no group back', async () => {
    const site = await inDelivery();
    const before = await site.text(LWS_FILE);
    for (let pass = 0; pass < 3; pass += 1) {
      await site.settle();
      await site.run('reconcile');
    }
    expect(await site.subject()).toContain('step 2/3');
    const ran = await verify(site, await pullRequest(site, { [LWS_FILE]: `${before}\n` }));
    expect(ran.code).toBe(0);
    expect(ran.out).toMatch(/title=TakesStepBack::.*tranche abort vllm/);
  });

  test('that starts a delivery next to as many as a policy allows fails at the line of the policy', async () => {
    const named = (text: string): string => text.replaceAll(/\bvllm(?!\/|-openai)/g, 'chat');
    const policy =
      'apiVersion: tranche.dev/v1alpha1\nkind: RolloutPolicy\nmetadata: {name: a}\nspec:\n  maxDeliveriesPerCluster: 1\n';
    const chat = { 'apps/chat/lws.yaml': named(LWS_TEXT), 'rollouts/chat.yaml': named(ROLLOUT_TEXT) };
    const site = await startSite({ files: { ...VLLM_FILES, ...chat, 'policies/a.yaml': policy } });
    await site.run('reconcile');
    await site.edit(LWS_FILE, OLD, NEW);
    await site.edit('apps/chat/lws.yaml', OLD, NEW);
    await site.settle();
    await site.run('reconcile');
    const marks = await site.text('apps/chat/lws.yaml');
    const [step = '', release = ''] = ['step', 'release'].map(
      (key) => new RegExp(`tranche.dev/${key}: .*`).exec(marks)?.[0],
    );
    expect(step).toContain('1/3');
    const begun = (await site.text(LWS_FILE)).replace(/tranche\.dev\/release: .*/, `${release}\n    ${step}`);
    const ran = await verify(site, await pullRequest(site, { [LWS_FILE]: begun }));
    expect(ran.code).toBe(1);
    expect(ran.out).toContain(
      '::error file=policies/a.yaml,line=5,title=OverSharedLimit::the change starts a delivery of llm/vllm next to llm/chat (1/3), and RolloutPolicy a allows 1',
    );
  });

  test('that breaks a file fails at its line; what was broken before is only told', async () => {
    const wrong = ROLLOUT_TEXT.replaceAll('vllm', 'chat').replace('50%', '20%');
    const site = await startSite({
      files: {
        ...VLLM_FILES,
        'rollouts/chat.yaml': wrong,
        'apps/chat.yaml': LWS_TEXT.replace('name: vllm', 'name: chat'),
      },
    });
    const other = await verify(site, await pullRequest(site, { 'docs/a.md': 'a' }));
    expect(other).toMatchObject({ code: 0, outputs: { failed: 'false' } });
    expect(commands(other.out)).toEqual([
      expect.stringMatching(/^::warning file=rollouts\/chat\.yaml,.*StepsNotIncreasing/),
    ]);
    const broken = await verify(site, await pullRequest(site, { [ROLLOUT_FILE]: ROLLOUT_TEXT.replace('50%', '20%') }));
    expect(broken).toMatchObject({ code: 1, outputs: { failed: 'true' } });
    expect(commands(broken.out)[0]).toMatch(/^::error file=rollouts\/vllm\.yaml,line=16,title=StepsNotIncreasing/);
  });

  test('is judged against what it was merged into, whatever main has become', async () => {
    const site = await startSite();
    const event = await pullRequest(site, { 'docs/a.md': 'a' });
    await site.run('reconcile');
    const ran = await verify(site, event);
    expect(ran).toMatchObject({ code: 0 });
    expect(commands(ran.out)).toEqual([]);
  });

  test('into another branch is not judged', async () => {
    const site = await startSite();
    const event = await pullRequest(site, { [ROLLOUT_FILE]: 'kind: Rollout\n' });
    const ran = await verify(site, { ...event, GITHUB_BASE_REF: 'docs' });
    expect(ran).toMatchObject({
      code: 0,
      outputs: { summary: 'the change goes into docs, and what is delivered is main: nothing to judge' },
    });
  });

  test('that has no merge is an error with what to do', async () => {
    const site = await startSite();
    const ran = await verify(site, {
      GITHUB_EVENT_NAME: 'pull_request',
      GITHUB_REF: 'refs/pull/9/merge',
      GITHUB_BASE_REF: 'main',
    });
    expect(ran.code).toBe(1);
    expect(ran.out).toContain('the repository has no merge at refs/pull/9/merge');
  });
});

describe('a change of marks', () => {
  const event = (site: Site, pull: object): string => site.file('event.json', JSON.stringify({ pull_request: pull }));
  const repo = { full_name: 'team/gitops' };
  const proposal = {
    user: { login: 'acme-tranche[bot]', type: 'Bot' },
    head: { ref: 'tranche/default/llm/vllm/x', repo },
    base: { repo },
  };

  test('to what main never had is an error that says what it would do; an older value is a warning', async () => {
    const site = await inDelivery();
    const now = await site.text(LWS_FILE);
    const rollout = await site.text(ROLLOUT_FILE);
    const forged = (text: string, from: RegExp, to: string): string => text.replace(from, to);
    const cases: readonly (readonly [files: Files, line: RegExp])[] = [
      [
        { [LWS_FILE]: forged(now, /stable: .*/, `stable: "${'a'.repeat(40)}"`) },
        /MarkForged::.*goes back to the template/,
      ],
      [{ [LWS_FILE]: forged(now, /step: "1/, 'step: "3') }, /MarkForged::.*takes that step for started/],
      [{ [LWS_FILE]: forged(now, /restore: .*/, 'restore: \'{"floor":0}\'') }, /MarkForged::.*writes the fields/],
      [{ [LWS_FILE]: forged(now, /(\n +tranche\.dev\/stable)/, '\n    tranche.dev/serves: green$1') }, /MarkForged::/],
      [
        {
          [ROLLOUT_FILE]: rollout.replace('metadata:\n', 'metadata:\n  annotations: {tranche.dev/recreating: "{}"}\n'),
        },
        /file=rollouts\/vllm\.yaml,line=4,title=MarkForged::Rollout vllm: .*writes the document of that commit/,
      ],
      [
        { 'apps/copy.yaml': now.replace('name: vllm', 'name: copy') },
        /file=apps\/copy\.yaml,.*MarkForged::LeaderWorkerSet copy/,
      ],
    ];
    // A document that says tranche.dev nowhere but by an escape of its YAML.
    const escaped = now
      .replace('name: vllm', 'name: escaped')
      .replace(/ +tranche\.dev\/.*\n/g, '')
      .replace('annotations:\n', 'annotations:\n    "tranche\\u002edev/serves": green\n');
    expect(escaped).toContain('u002e');
    for (const [files, line] of [...cases, [{ 'apps/escaped.yaml': escaped }, /MarkForged::/] as const]) {
      const ran = await verify(site, await pullRequest(site, files));
      expect([ran.code, ran.out]).toEqual([1, expect.stringMatching(line)]);
    }
    const [, before] = (await site.repository.git('log', '--format=%H', 'main', '--', LWS_FILE)).split('\n');
    const older = await site.repository.git('show', `${before}~1:${LWS_FILE}`);
    const put = await verify(site, await pullRequest(site, { [LWS_FILE]: `${older}\n` }));
    expect(put.out).toMatch(/::warning file=apps\/vllm\/lws\.yaml,.*title=MarkReturns::.*as main had it before/);
    expect(put.out).not.toContain('MarkForged');
    const moved = await pullRequest(site, { [LWS_FILE]: undefined, 'apps/moved.yaml': now });
    expect((await verify(site, moved)).out).not.toMatch(/MarkForged|MarkReturns/);
  });

  test('is judged by lint alike, where somebody says what the files are to be merged into', async () => {
    const site = await inDelivery();
    const [head, now] = [await site.head(), await site.text(LWS_FILE)];
    const cases: readonly (readonly [text: string, code: number, line: string])[] = [
      [
        now.replace('step: "1', 'step: "3'),
        1,
        '\napps/vllm/lws.yaml:10: LeaderWorkerSet vllm: the change writes tranche.dev/step',
      ],
      [now, 0, '\n1 Rollout, 0 problems'],
    ];
    for (const [text, code, line] of cases) {
      await site.repository.git('branch', '-f', 'theirs', 'main');
      await site.repository.commit('theirs', { [LWS_FILE]: `${text}\n` }, 'a change');
      for (const base of ['main', head]) {
        const ran = await site.run(`lint --ref theirs --base ${base}`);
        expect([ran.code, `\n${ran.out}`], ran.out).toEqual([code, expect.stringContaining(line)]);
      }
      expect((await site.run('lint --ref theirs')).out).not.toContain('MarkForged');
    }
    const clone = join(site.folder, 'clone');
    await site.repository.git('clone', '-q', site.repository.path, clone);
    writeFileSync(join(clone, LWS_FILE), now.replace('step: "1', 'step: "3'));
    const here = await site.run('lint --base HEAD', { TRANCHE_REPO: clone });
    expect([here.code, here.out]).toEqual([1, expect.stringContaining('MarkForged')]);
    expect(await site.run('lint --ref theirs --base nowhere')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--base nowhere'),
    });
  });

  test.each(['abort vllm', 'undo vllm', 'eject vllm --abort', 'eject vllm --partition 0', 'repair vllm'])(
    'that %s makes is exempt: it is computed again from main',
    async (verb) => {
      const site = await inDelivery();
      // What repair is for: a hand has changed one, and taken another out.
      if (verb.startsWith('repair')) {
        const text = (await site.text(LWS_FILE)).replace(/ +tranche\.dev\/step: .*\n/, '');
        const broken = text.replace(/tranche\.dev\/stable: "[0-9a-f]{8}/, 'tranche.dev/stable: "deadbeef');
        await site.repository.commit('main', { [LWS_FILE]: `${broken}\n` }, 'edit by hand');
      }
      const before = await site.head();
      expect(await site.run(verb)).toMatchObject({ code: 0 });
      const files: Record<string, string> = {};
      for (const file of [LWS_FILE, ROLLOUT_FILE]) files[file] = `${await site.text(file)}\n`;
      await site.repository.git('update-ref', 'refs/heads/main', before);
      const ran = await verify(site, await pullRequest(site, files));
      expect([ran.code, ran.out], ran.out).toEqual([0, expect.not.stringMatching(/MarkForged|MarkReturns/)]);
    },
  );

  test('that takes one from the workload of the same name in another namespace is an error', async () => {
    const site = await inDelivery();
    const now = await site.text(LWS_FILE);
    const other = LWS_TEXT.replace('namespace: llm', 'namespace: chat');
    expect(other).not.toBe(LWS_TEXT);
    await site.repository.commit('main', { 'apps/chat/vllm.yaml': other }, 'the same name in another namespace');
    const taken = { [LWS_FILE]: LWS_TEXT, 'apps/chat/vllm.yaml': now.replace('namespace: llm', 'namespace: chat') };
    const ran = await verify(site, await pullRequest(site, taken));
    expect([ran.code, ran.out]).toEqual([1, expect.stringMatching(/file=apps\/chat\/vllm\.yaml,.*MarkForged::/)]);
  });

  test('is tranche to make, in pull requests of the App that main names alone', async () => {
    const site = await inDelivery();
    const unnamed = await pullRequest(site, {
      [LWS_FILE]: (await site.text(LWS_FILE)).replace('step: "1', 'step: "2'),
    });
    const asked = await verify(site, { ...unnamed, GITHUB_EVENT_PATH: event(site, proposal) });
    expect([asked.code, asked.out]).toEqual([1, expect.stringContaining('app: acme-tranche in tranche.yaml')]);
    await site.repository.commit('main', { 'tranche.yaml': 'app: acme-tranche\n' }, 'name the App');
    const step = (await site.text(LWS_FILE)).replace('step: "1', 'step: "2');
    const change = await pullRequest(site, { [LWS_FILE]: step });
    const cases: readonly (readonly [what: string, pull: object, code: number])[] = [
      ['a proposal of tranche', proposal, 0],
      ['of another App', { ...proposal, user: { login: 'renovate[bot]', type: 'Bot' } }, 1],
      ['of someone', { ...proposal, user: { login: 'ada', type: 'User' } }, 1],
      ['of the token of a run', { ...proposal, user: { login: 'github-actions[bot]', type: 'Bot' } }, 1],
      ['from another branch', { ...proposal, head: { ref: 'x', repo } }, 1],
      ['from a fork', { ...proposal, head: { ref: 'tranche/x', repo: { full_name: 'eve/gitops' } } }, 1],
      ['of an event that says nothing', {}, 1],
    ];
    for (const [what, pull, code] of cases) {
      const ran = await verify(site, { ...change, GITHUB_EVENT_PATH: event(site, pull) });
      expect([what, ran.code]).toEqual([what, code]);
    }
  });
});

test('a merge queue is judged as one, against what it is put on', async () => {
  const site = await startSite();
  await site.run('reconcile');
  const base = await site.head();
  const locked = await site.text(LWS_FILE);
  await site.repository.git('branch', 'gh-readonly-queue/main/pr-7', 'main');
  await site.repository.commit(
    'gh-readonly-queue/main/pr-7',
    { [LWS_FILE]: `${locked.replaceAll(OLD, NEW)}\n` },
    'first of the queue',
  );
  await site.repository.commit('gh-readonly-queue/main/pr-7', { 'docs/a.md': 'a' }, 'second of the queue');
  const path = site.file(
    'event.json',
    JSON.stringify({ merge_group: { base_sha: base, base_ref: 'refs/heads/main' } }),
  );
  const ran = await verify(site, {
    GITHUB_EVENT_NAME: 'merge_group',
    GITHUB_REF: 'refs/heads/gh-readonly-queue/main/pr-7',
    GITHUB_EVENT_PATH: path,
  });
  expect(ran.code).toBe(0);
  expect(ran.out).toContain('title=LocksRelease::');
  const forged = locked.replace('annotations:\n', 'annotations:\n    tranche.dev/serves: green\n');
  expect(forged).not.toBe(locked);
  await site.repository.commit('gh-readonly-queue/main/pr-7', { [LWS_FILE]: forged }, 'third of the queue');
  const marked = await verify(site, {
    GITHUB_EVENT_NAME: 'merge_group',
    GITHUB_REF: 'refs/heads/gh-readonly-queue/main/pr-7',
    GITHUB_EVENT_PATH: path,
  });
  expect([marked.code, marked.out]).toEqual([1, expect.stringContaining('title=MarkForged::')]);
});

test('verify runs on no other event', async () => {
  const site = await startSite();
  for (const event of ['push', 'schedule', 'pull_request_target', 'workflow_run'])
    expect(await verify(site, { GITHUB_EVENT_NAME: event })).toMatchObject({
      code: 2,
      err: expect.stringContaining(event),
    });
});
