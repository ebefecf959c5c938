/** `history` and `verify-history`: what main tells of releases, and whether its files bear that out. */

import { afterEach, describe, expect, test } from 'vitest';
import { readHistory } from '../../src/reconcile/log/history.ts';
import { historyCsv, historyMarkdown, historyText } from '../../src/reconcile/log/history-text.ts';
import { NO_OVERRIDES } from '../../src/reconcile/pass.ts';
import { messagesOf } from '../support/forge-world.ts';
import { ladderRollout } from '../support/ladder.ts';
import { type Site, startSite, stopSites } from '../support/site.ts';
import { TRAFFIC_FILES } from '../support/traffic-files.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';
import { World } from '../support/world.ts';

afterEach(stopSites);

const FILES = { ...VLLM_FILES, [ROLLOUT_FILE]: ROLLOUT_TEXT.replace('{duration: 0}', '{}') };
const PERSON = { GITHUB_ACTOR: 'octocat' };

async function pass(site: Site): Promise<void> {
  await site.run('reconcile');
  await site.settle();
}

/** Step 1 of a release is done and waits for a person; that person approves, and step 2 is written. */
async function approved(): Promise<Site> {
  const site = await startSite({ files: FILES });
  await pass(site);
  await site.edit(LWS_FILE, OLD, NEW);
  await site.settle();
  await pass(site);
  await pass(site);
  await site.run('approve vllm', PERSON);
  await pass(site);
  return site;
}

describe('history', () => {
  test('who asked, who approved, how long, and which image', async () => {
    const site = await approved();
    const [step, approve, first, request] = (await site.repository.git('log', '--format=%H', 'main')).split('\n');
    await site.run('abort vllm', PERSON);
    await pass(site);
    const found = JSON.parse((await site.run('history vllm --output json')).out);
    expect(found).toMatchObject({ version: 1, read: { commits: 8, end: 'first' } });
    const [delivery, adopted] = found.deliveries;
    expect(delivery).toMatchObject({
      rollout: 'default/llm/vllm',
      outcome: 'rolling back',
      images: [expect.stringContaining(NEW)],
      requested: { by: 'Ada', commit: request },
      isBorneOut: true,
      firstStep: first,
      why: expect.stringContaining('was aborted'),
    });
    expect(delivery.steps.map((one: { step: string; approvedBy: string }) => [one.step, one.approvedBy])).toEqual([
      ['rollback', ''],
      ['2/3', approve],
      ['1/3', ''],
    ]);
    expect(delivery.steps[1].commit).toBe(step);
    // By the files: what a rollback has releases the other way.
    expect(delivery.steps.map((one: { groups?: object }) => one.groups)).toEqual([
      undefined,
      { updated: 2, of: 4 },
      { updated: 1, of: 4 },
    ]);
    expect(adopted.steps[0]).not.toHaveProperty('groups');
    expect(delivery.orders.map((one: { what: string; by: string }) => [one.what.split(' ')[0], one.by])).toEqual([
      ['abort', 'octocat'],
      ['approve', 'octocat'],
    ]);
    expect(adopted).toMatchObject({ outcome: 'adopted', images: [expect.stringContaining(OLD)] });
    const holds = found.holds.map((one: { reason: string; mark: string }) => `${one.reason} ${one.mark}`);
    expect(holds).toContain('PausedForApproval reported');
  });

  test('as text, as CSV and as Markdown', async () => {
    const site = await approved();
    const text = await site.run('history');
    expect(text).toMatchObject({ code: 0, err: '' });
    const told = text.out.replace(/[0-9a-f]{12}/g, 'c').replace(/ {2}\d{4}-\S+Z/g, '  T');
    expect(told.split('\n').slice(0, 8)).toEqual([
      'default/llm/vllm  0e241605.2  in progress  T  vllm/vllm-openai:v0.10.1',
      '  requested  T  by Ada, c',
      expect.stringMatching(/^ {2}2\/3 {2}T {2}StepReady {2}c, approved by c$/),
      expect.stringMatching(/^ {2}1\/3 {2}T {2}StepReady {2}c, then \d+ (s|min)$/),
      '  order  T  approve step 1 of 0e241605.2  by octocat, c',
      '',
      'default/llm/vllm  e7c114e9.1  adopted  T, took 0 s  vllm/vllm-openai:v0.10.0',
      expect.stringMatching(/^ {2}settled {2}T {2}Adopted {2}c$/),
    ]);
    const csv = (await site.run('history --output csv')).out.split('\n');
    expect(csv[0]).toMatch(/^"rollout","release","outcome",/);
    expect(csv[1]).toContain('"0e2416058dc43e573b24a117a3a83fda.2","in progress"');
    const markdown = (await site.run('history --output md')).out.split('\n');
    expect(markdown[1]).toMatch(/^\| --- \|/);
    expect(markdown[2]).toContain('| in progress |');
  });

  test('under which policies a step was written, and by which exception', async () => {
    const frozen = `apiVersion: tranche.dev/v1alpha1
kind: RolloutPolicy
metadata: {name: freeze}
spec:
  deny: [{from: "2020-01-01T00:00:00Z", to: "2040-01-01T00:00:00Z"}]
`;
    const world = new World({
      files: { ...FILES, 'tranche.yaml': 'policyPaths: [policies]\n', 'policies/freeze.yaml': frozen },
    });
    const round = async () => {
      world.sync();
      world.tick(60);
      return messagesOf(await world.pass());
    };
    await round();
    world.edit(LWS_FILE, OLD, NEW);
    const [held = ''] = await round();
    const [release = ''] = /[0-9a-f]{32}\.2/.exec(held) ?? [];
    const exception = `  exceptions: [{release: ${release}, approver: Ana Example, until: "2039-01-01T00:00:00Z"}]\n`;
    const writes = [{ path: 'policies/freeze.yaml', text: `${frozen}${exception}` }];
    world.repository.commit('main', { writes, message: 'let it through' });
    await round();
    const history = await readHistory(world.ports(), NO_OVERRIDES, { name: '', namespace: '', since: undefined });
    if (typeof history === 'string') throw new Error(history);
    const [step] = history.deliveries[0]?.steps ?? [];
    expect(step).toMatchObject({
      step: '1/3',
      policies: [expect.stringMatching(/^freeze@[0-9a-f]{12}$/)],
      exceptions: [expect.stringContaining('Ana Example')],
    });
    const line =
      /^ {2}1\/3 {2}\S+ {2}StepReady {2}[0-9a-f]{12}, under freeze@[0-9a-f]{12}, by the exception .*Ana Example/m;
    expect(historyText(history)).toMatch(line);
    for (const text of [historyCsv(history), historyMarkdown(history)])
      expect(text).toMatch(/^.*0e241605.*freeze(@|&#64;).*Ana Example/m);
  });

  test.each([
    ['canary', 'settled', ['1/2 0', '1/2 0', '1/2 5', '2/2 5', '2/2 50', 'promote 50', 'promote 100', 'settled 100']],
    ['canary', 'rolled back', ['1/2 0', '1/2 0', '1/2 5', 'rollback 0', 'settled 0']],
  ] as const)('the share of the requests that each commit had: %s, %s', async (style, outcome, shares) => {
    const steps = ['replicas: 1, traffic: 5%, pause: {duration: 1}', 'replicas: 100%, traffic: 50%'];
    const world = new World({ files: { ...TRAFFIC_FILES, [ROLLOUT_FILE]: ladderRollout(style, steps) } });
    const round = async () => {
      world.sync();
      world.tick(300);
      await world.pass();
    };
    await round();
    world.edit(LWS_FILE, OLD, NEW);
    for (let rounds = 0; rounds < 40 && world.subject() !== 'rollout(llm/vllm): settled'; rounds += 1) {
      await round();
      if (outcome === 'rolled back' && world.subject().endsWith('traffic: – → 5%')) world.edit(LWS_FILE, NEW, OLD);
    }
    const history = await readHistory(world.ports(), NO_OVERRIDES, { name: '', namespace: '', since: undefined });
    if (typeof history === 'string') throw new Error(history);
    const [delivery] = history.deliveries;
    expect(delivery?.outcome).toBe(outcome);
    expect(delivery?.steps.map(({ step, share }) => `${step} ${share?.percent}`).reverse()).toEqual(shares);
    const changes = ['leaderTemplate.spec.containers[leader]', 'workerTemplate.spec.containers[worker]'].flatMap(
      (of) => {
        const image = `leaderWorkerTemplate.${of}.image: "vllm/vllm-openai`;
        return [`- ${image}:v0.10.0"`, `+ ${image}:v0.10.1"`];
      },
    );
    expect(delivery?.changes).toEqual(changes);
  });

  test('texts of others are no formula, no markup and no cell of their own', async () => {
    const site = await approved();
    await site.run(['abort', 'vllm', '--by', '=cmd|"x"`<b>;=1+1; ＝2+2 @octocat #7 GH-8']);
    await pass(site);
    const csv = (await site.run('history --output csv')).out;
    expect(csv).not.toMatch(/(^|,)"[=＝]/m);
    // As read where cells are separated by semicolons.
    expect(csv).toMatch(/;'=1\+1; '＝2\+2/);
    const row = (await site.run('history --output md')).out.split('\n')[2] ?? '';
    expect(row.match(/(?<!\\)\|/g)).toHaveLength(16);
    expect(row).not.toContain('<b>');
    // GitHub looks for people and issues in what it has rendered: https://github.com/github/cmark-gfm/issues/181.
    const rendered = row.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
    expect(rendered).toContain('octocat');
    expect(rendered).not.toMatch(/@\w|#\d|GH-\d/);
  });

  test.each([
    ['history vllm --since yesterday', 2, '--since is "yesterday", wanted 1h, 30m, 7d, or a time in UTC'],
    ['history --since 2999-01-01', 2, 'which is yet to come'],
    ['history --output yaml', 2, '--output is yaml, wanted text, json, csv or md'],
    ['history llama', 1, 'main has no Rollout llama. There is: llm/vllm'],
    ['verify-history --since 0h', 2, '--since is "0h"'],
  ])('%s', async (line, code, err) => {
    const site = await startSite({ files: FILES });
    await pass(site);
    const called = await site.run(line);
    expect(called.code).toBe(code);
    expect(called.err).toContain(err);
  });

  test('of a main without a release it says that none was delivered', async () => {
    const site = await startSite({ files: FILES });
    expect(await site.run('history')).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /^No release was delivered\. This is all that main says, from its first commit on\.\nRead: \d+ commits of main at [0-9a-f]{12}\n$/,
      ),
    });
  });

  test('no further back than --since', async () => {
    const site = await approved();
    site.model.tick(7200);
    await site.run('pause vllm', PERSON);
    const found = JSON.parse((await site.run('history --since 1h --output json')).out);
    expect(found.deliveries).toEqual([]);
    expect(found.orders.map((one: { what: string }) => one.what)).toEqual(['pause']);
  });
});

describe('verify-history', () => {
  const reasons = (out: string): readonly string[] =>
    JSON.parse(out).faults.map((one: { reason: string }) => one.reason);

  test('what tranche and people have done is whole', async () => {
    const site = await approved();
    const called = await site.run('verify-history');
    expect(called).toMatchObject({ code: 0 });
    expect(called.out).toContain('The chain is whole: 3 steps in 6 commits of main');
  });

  test.each<readonly [string, (site: Site) => Promise<unknown>, readonly string[]]>([
    [
      'marks that a hand has changed',
      (site) => site.edit(LWS_FILE, 'tranche.dev/step: "2/3@', 'tranche.dev/step: "3/3@'),
      ['MarksWrittenPast'],
    ],
    [
      'a partition that a hand has lowered',
      (site) => site.edit(LWS_FILE, 'partition: 2', 'partition: 0'),
      ['MarksWrittenPast'],
    ],
    [
      'a message of a step that is not in the file',
      async (site) => {
        const message = await site.repository.git('log', '-1', '--format=%B', 'main');
        await site.repository.commit(
          'main',
          { 'notes.txt': 'x' },
          message.replace('Rollout-Step: 2/3', 'Rollout-Step: 3/3'),
        );
      },
      ['StepNotInFile'],
    ],
    [
      'a message of a step that was written before',
      async (site) => {
        const message = await site.repository.git('log', '-1', '--format=%B', 'main');
        await site.repository.commit('main', { 'notes.txt': 'x' }, message);
      },
      ['StepWithoutEffect'],
    ],
    [
      'a step that was planned on another history',
      async (site) => {
        const message = await site.repository.git('log', '-1', '--format=%B', 'main');
        const text = (await site.text(LWS_FILE)).replace('tranche.dev/step: "2/3@', 'tranche.dev/step: "3/3@');
        const forged = message.replace('Rollout-Step: 2/3', 'Rollout-Step: 3/3');
        const elsewhere = forged.replace(/Planned-From: .*/, `Planned-From: ${'4f1c'.repeat(10)}`);
        await site.repository.commit('main', { [LWS_FILE]: `${text}\n` }, elsewhere);
      },
      ['PlannedElsewhere'],
    ],
  ])('%s', async (_, forge, wanted) => {
    const site = await approved();
    await forge(site);
    const called = await site.run('verify-history vllm --output json');
    expect(reasons(called.out)).toEqual(wanted);
    expect(called.code).toBe(1);
  });
});
