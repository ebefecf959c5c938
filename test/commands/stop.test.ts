/** What stops all Rollouts or one, how that is shown, and a main that was rewritten: what each writes and says. */

import { afterEach, describe, expect, test } from 'vitest';
import { type Site, startSite, stopSites } from '../support/site.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';

afterEach(stopSites);

/** Every step waits for someone. */
const MANUAL = ROLLOUT_TEXT.replace('{duration: 0}', '{}');
const FILES = { ...VLLM_FILES, [ROLLOUT_FILE]: MANUAL };

/** Adopted and at rest. */
async function settled(): Promise<Site> {
  const site = await startSite({ files: FILES });
  await site.run('reconcile');
  await site.settle();
  await site.run('reconcile');
  return site;
}

/** A new image is requested and live; nothing of it has started. */
async function requested(): Promise<Site> {
  const site = await settled();
  await site.edit(LWS_FILE, OLD, NEW);
  await site.settle();
  return site;
}

test('acknowledge: main was rewritten, the rollout holds until someone says that it may be', async () => {
  const site = await requested();
  await site.run('reconcile');
  const step = await site.head();
  // The record stands on what was read, which is the parent of the step.
  const recorded = await site.repository.git('rev-parse', `${step}~1`);
  await site.repository.git('update-ref', 'refs/heads/main', `${step}~2`);
  await site.edit(ROLLOUT_FILE, '50%', '75%');
  await site.edit(LWS_FILE, OLD, NEW);
  const held = await site.run('reconcile');
  expect(held.out).toMatch(/waits {2}HistoryRewritten: main was rewritten: .*tranche acknowledge vllm/i);
  expect(await site.subject()).toBe(`edit ${LWS_FILE}`);
  const rewritten = await site.head();
  const called = await site.run('acknowledge vllm --by Ada');
  expect(called.code).toBe(0);
  expect(called.out).toContain(`+    tranche.dev/acknowledge: "${recorded} ${rewritten}"`);
  expect((await site.run('reconcile')).out).toContain('rollout(llm/vllm): step 1/3');
  expect(await site.run('acknowledge vllm')).toMatchObject({ code: 1 });
});

test.each<readonly [where: string, stands: () => Promise<Site>]>([
  ['at rest', settled],
  [
    'before anything of a request has started',
    async () => {
      const site = await settled();
      await site.run('stop');
      await site.edit(LWS_FILE, OLD, NEW);
      return site;
    },
  ],
  [
    'in a step',
    async () => {
      const site = await requested();
      await site.run('reconcile');
      await site.settle();
      return site;
    },
  ],
])('main that is rewritten %s is shown at once, and what accepts one rewrite accepts no other', async (_, stands) => {
  const site = await stands();
  await site.run('reconcile');
  const { git } = site.repository;
  const rewrite = async (): Promise<void> => {
    const by = ['-c', 'user.name=Eve', '-c', 'user.email=eve@example.com'];
    const commit = await git(
      ...by,
      'commit-tree',
      'main^{tree}',
      '-p',
      'main~1',
      '-m',
      'the same files, by another commit',
    );
    await git('update-ref', 'refs/heads/main', commit);
  };
  for (let time = 0; time < 2; time += 1) {
    await rewrite();
    expect((await site.run('reconcile')).out).toMatch(/waits {2}HistoryRewritten: main was rewritten: /i);
    expect((await site.run('status vllm')).out).toContain('HistoryRewritten');
    expect((await site.run('reconcile')).out, 'as long as nobody has accepted it').toContain('HistoryRewritten');
    expect(await site.run('acknowledge vllm')).toMatchObject({ code: 0 });
    expect((await site.run('reconcile')).out).not.toContain('HistoryRewritten');
    expect((await site.run('status vllm')).out).not.toContain('HistoryRewritten');
  }
});

describe('stop and go', () => {
  const STOP = 'policies/stop.yaml';

  test('no step starts until it goes on, and each is one commit', async () => {
    const site = await requested();
    const stop = await site.run(['stop', '--by', 'Ada', '--why', "maintenance, it's late"]);
    expect(stop).toMatchObject({ code: 0, err: '' });
    expect(stop.out).toMatch(/^stop\ncommit [0-9a-f]{12}\n/);
    const text = await site.text(STOP);
    expect(text).toMatch(/^# Written by `tranche stop`; `tranche go` takes it away\.\napiVersion: /);
    expect(text).toMatch(
      /\n {2}name: stop\n {2}annotations:\n {4}tranche\.dev\/paused: '\{"since":"[^"]+Z","by":"Ada","why":"maintenance, it''s late"\}'\nspec:\n {2}deny:\n {4}- \{from: "/,
    );
    expect(stop.out).toContain(
      'Groups that are restarting finish, and rollbacks and tranche abort go on. It ends at 20',
    );
    const banner =
      /^STOPPED since 20\S+Z by Ada: maintenance, it's late\. No step .* Ends at 20\S+Z, or with: tranche go\n/;
    expect((await site.run('status')).out, 'seen before any pass has').toMatch(banner);
    expect((await site.run('reconcile')).out).toMatch(banner);
    const tree = (await site.run('status vllm')).out;
    expect(tree).toMatch(banner);
    expect(tree).toMatch(/WindowClosed.*RolloutPolicy stop \(policies\/stop\.yaml:9, deny\)/);
    const page = await site.text('README.md', 'tranche-status');
    expect(page).toMatch(/^\*\*Held:\*\* `STOPPED since 20\S+Z by Ada: maintenance, it's late\. .* tranche go`$/m);
    const json = JSON.parse((await site.run('status vllm --output json')).out);
    expect(json.brakes).toEqual([
      {
        kind: 'stop',
        file: STOP,
        ends: 'tranche go',
        since: expect.any(String),
        by: 'Ada',
        why: "maintenance, it's late",
        until: expect.any(String),
      },
    ]);
    expect(await site.run('go --by Ada')).toMatchObject({ code: 0, err: '' });
    expect((await site.run('status')).out).not.toContain('STOPPED');
    expect(await site.run('go')).toMatchObject({
      code: 1,
      err: expect.stringContaining(`nothing is stopped: there is no ${STOP}`),
    });
    expect((await site.run('reconcile')).out).toContain('step 1/3');
  });

  test.each<readonly [when: string, files: Readonly<Record<string, string>>, order: string, why: string]>([
    [
      'the file is not on the paths',
      { 'tranche.yaml': 'paths: [apps, rollouts]\n' },
      'stop',
      'is not on the paths that are read (apps, rollouts), so it would stop nothing. To stop at once: tranche pause NAME',
    ],
    [
      'the file is somebody\u2019s own, stop',
      { [STOP]: 'kind: ConfigMap\n' },
      'stop',
      'was not written by tranche stop. To stop at once: tranche pause NAME, for each Rollout. Name',
    ],
    ['the file is somebody\u2019s own, go', { [STOP]: 'kind: ConfigMap\n' }, 'go', 'was not written by tranche stop'],
    ['the time is over', {}, 'stop --until 2020-01-01T00:00:00Z', 'is not within the year'],
  ])('refused where %s, with nothing written', async (_, files, order, why) => {
    const site = await startSite({ files: { ...FILES, ...files } });
    expect(await site.run(order)).toMatchObject({ code: 1, out: '', err: expect.stringContaining(why) });
    expect(await site.run('stop --until tomorrow')).toMatchObject({
      code: 2,
      err: expect.stringContaining('wanted 30m, 2h or 3d from now, a day as 2026-12-20'),
    });
  });

  test('a pause at rest is shown too, by whom and why, until it is resumed', async () => {
    const site = await requested();
    const paused = await site.run(['pause', 'vllm', '--by', 'Ada', '--why', 'the disks are full']);
    expect(paused.out).toContain('and tranche abort go on. To end it: tranche resume vllm\n');
    const banner =
      /^PAUSED llm\/vllm since 20\S+Z by Ada: the disks are full\. No step .* Ends with: tranche resume vllm$/m;
    expect((await site.run('status')).out).toMatch(banner);
    await site.run('reconcile');
    expect((await site.run('status vllm')).out).toMatch(banner);
    expect(await site.text('README.md', 'tranche-status')).toContain('**Held:** `PAUSED llm/vllm since ');
    await site.run('resume vllm');
    expect(await site.text(ROLLOUT_FILE)).not.toMatch(/paused/);
    expect((await site.run('status vllm')).out).not.toContain('PAUSED');
    await site.edit(ROLLOUT_FILE, '  strategy:\n', '  strategy:\n    paused: true\n');
    expect((await site.run('status')).out, 'by hand: nobody has said who').toMatch(
      /^PAUSED llm\/vllm, as rollouts\/vllm\.yaml says \(git log rollouts\/vllm\.yaml says who and since when\)\. /m,
    );
  });

  test.each([
    ['90m', 5400],
    ['2h', 7200],
    ['3d', 3 * 86_400],
  ])('--until %s counts from now', async (until, seconds) => {
    const site = await startSite({ files: FILES });
    expect(await site.run(`stop --until ${until}`)).toMatchObject({ code: 0, err: '' });
    const to = new Date((site.model.nowSeconds + seconds) * 1000).toISOString().replace('.000Z', 'Z');
    expect(await site.text(STOP)).toContain(`to: "${to}"`);
  });

  test('--until takes a day, from its start', async () => {
    const site = await startSite({ files: FILES });
    const day = new Date((site.model.nowSeconds + 2 * 86_400) * 1000).toISOString().slice(0, 10);
    expect(await site.run(`stop --until ${day}`)).toMatchObject({ code: 0, err: '' });
    expect(await site.text(STOP)).toContain(`to: "${day}T00:00:00Z"`);
  });

  test('it is written where tranche.yaml says, again for another time, and until then', async () => {
    const site = await startSite({ files: { ...FILES, 'tranche.yaml': 'stopFile: apps/freeze.yaml\n' } });
    await site.run('stop');
    const until = new Date((Math.floor(Date.now() / 1000) + 86_400) * 1000).toISOString().replace('.000Z', 'Z');
    expect(await site.run(`stop --until ${until}`)).toMatchObject({ code: 0, err: '' });
    expect(await site.text('apps/freeze.yaml')).toContain(`to: "${until}"}`);
  });
});
