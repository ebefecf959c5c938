/** The verbs by which people steer: what each writes, on whom, and when it is refused with nothing written. */

import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { type Site, startSite, stopSites } from '../support/site.ts';
import { LWS_FILE, LWS_TEXT, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';

afterEach(stopSites);

/** Every step waits for someone. */
const MANUAL = ROLLOUT_TEXT.replace('{duration: 0}', '{}');
const FILES = { ...VLLM_FILES, [ROLLOUT_FILE]: MANUAL };
const RELEASE = '0e2416058dc43e573b24a117a3a83fda.2';
const SHORT = '0e241605.2';
const OLD_RELEASE = 'e7c114e968aaeab9b1c9c452a755d3c9.1';

/** Adopted and at rest. */
async function settled(files: Readonly<Record<string, string>> = FILES): Promise<Site> {
  const site = await startSite({ files });
  await site.run('reconcile');
  await site.settle();
  await site.run('reconcile');
  return site;
}

/** A new image is requested and live; nothing of it has started. */
async function requested(files?: Readonly<Record<string, string>>): Promise<Site> {
  const site = await settled(files);
  await site.edit(LWS_FILE, OLD, NEW);
  await site.settle();
  return site;
}

/** Step 1 is done and waits for someone. */
async function paused(files?: Readonly<Record<string, string>>): Promise<Site> {
  const site = await requested(files);
  await site.run('reconcile');
  await site.settle();
  await site.run('reconcile');
  return site;
}

/** Step 1 of the release was aborted, and every group is back. */
async function aborted(): Promise<Site> {
  const site = await paused();
  await site.run('abort vllm');
  for (let pass = 0; pass < 4; pass += 1) {
    await site.run('reconcile');
    await site.settle();
  }
  expect(await site.text(LWS_FILE)).toContain(`tranche.dev/aborted: "${RELEASE}"`);
  expect(await site.text(LWS_FILE)).not.toContain('tranche.dev/step');
  return site;
}

/** Where each state stands, as orders name it. */
const steps = { settled: 'settled', requested: 'requested', paused: '1/3', aborted: 'settled' };
const states = { settled, requested, paused, aborted };

/** A site in one of the states; each is played once and copied. */
const kept = new Map<keyof typeof states, Promise<Site>>();
async function siteAt(state: keyof typeof states): Promise<Site> {
  const made = kept.get(state) ?? states[state]().then((site) => site.keep());
  kept.set(state, made);
  return (await made).copy();
}
afterAll(async () => {
  for (const site of kept.values()) await (await site).stop();
});

/** From where, which verb, and what it writes: subject and the changed lines of the Rollout. */
const written: readonly (readonly [from: keyof typeof states, line: string, subject: string, changes: string])[] = [
  [
    'paused',
    'approve vllm',
    `approve step 1 of ${SHORT}`,
    `+  annotations:\n+    tranche.dev/approve: "1@${RELEASE}#3"`,
  ],
  [
    'paused',
    'approve vllm --step 1 -n llm --by Ada',
    `approve step 1 of ${SHORT}`,
    `+  annotations:\n+    tranche.dev/approve: "1@${RELEASE}#3"`,
  ],
  ['paused', 'jump vllm 3', `jump to step 3 of ${SHORT}`, `+  annotations:\n+    tranche.dev/jump: "3@${RELEASE}"`],
  ['requested', 'jump vllm 2', `jump to step 2 of ${SHORT}`, `+  annotations:\n+    tranche.dev/jump: "2@${RELEASE}"`],
  ['paused', 'abort vllm', `abort ${SHORT}`, `+  annotations:\n+    tranche.dev/abort: "${RELEASE}"`],
  ['requested', 'abort vllm', `abort ${SHORT}`, `+  annotations:\n+    tranche.dev/abort: "${RELEASE}"`],
  [
    'settled',
    'pause vllm --by Ada',
    'pause',
    `+  annotations:\n+    tranche.dev/paused: '{"since":"2026-11-21T00:03:00Z","by":"Ada"}'\n+    paused: true`,
  ],
];

describe('an order is a commit on the Rollout alone', () => {
  test.each(written)('%s: tranche %s', async (from, line, subject, changes) => {
    const site = await siteAt(from);
    const head = await site.head();
    const called = await site.run(line);
    expect(called).toMatchObject({ code: 0, err: '' });
    expect(await site.subject()).toBe(`rollout(llm/vllm): ${subject}`);
    expect(called.out.split('\n').slice(0, 2)).toEqual([subject, `commit ${(await site.head()).slice(0, 12)}`]);
    const shown = await site.repository.git('show', '--format=', '--no-color', 'main');
    expect(changed(shown), 'and nothing else').toBe(changes);
    expect(changed(called.out)).toBe(changes);
    expect(await site.repository.git('diff', '--name-only', head, 'main')).toBe(ROLLOUT_FILE);
    const message = await site.repository.git('log', '-1', '--format=%B', 'main');
    const at = `${from === 'settled' ? OLD_RELEASE : RELEASE}\nRollout-Step: ${steps[from]}`;
    const by = line.includes('--by') ? 'Ordered-By: Ada (claim)\n' : '';
    expect(message.split('\n\n').at(-1)?.trim()).toBe(
      `Rollout: default/llm/vllm\nRollout-Release: ${at}\n${by}Planned-From: ${head}`,
    );

    const again = await site.run(line);
    expect(again.out, 'twice is once').toContain('said already, nothing to write');
    expect(await site.repository.git('rev-list', '--count', `${head}..main`)).toBe('1');
  });

  test('what follows from each', async () => {
    const site = await siteAt('paused');
    await site.run('approve vllm');
    expect((await site.run('reconcile')).out).toContain('rollout(llm/vllm): step 2/3, partition 3 → 2');
    await site.settle();
    await site.run('reconcile');
    await site.run('pause vllm');
    await site.run('approve vllm');
    expect((await site.run('reconcile')).out).toContain('waits  Paused: ');
    await site.run('resume vllm');
    expect(await site.text(ROLLOUT_FILE), 'no trace').not.toContain('paused');
    expect((await site.run('reconcile')).out).toContain('rollout(llm/vllm): step 3/3, partition 2 → 0');
    await site.run('abort vllm');
    const back = await site.run('reconcile');
    expect(back.out).toContain('rollout(llm/vllm): rollback');
    expect(await site.text(LWS_FILE)).toContain(OLD);
  });

  test('--output json', async () => {
    const site = await siteAt('paused');
    const called = await site.run('approve vllm --output json');
    expect(JSON.parse(called.out)).toMatchObject({
      kind: 'written',
      what: `approve step 1 of ${SHORT}`,
      commits: [await site.head()],
      diff: expect.stringContaining('+    tranche.dev/approve'),
    });
    const refused = await site.run('approve vllm --step 2 --output json');
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.out)).toEqual({ kind: 'refused', why: 'step 1 is current, not step 2' });
  });
});

describe('where the annotations of the Rollout are', () => {
  const head = '  namespace: llm\n';
  const shapes: readonly (readonly [what: string, text: string, expected: string])[] = [
    ['there are none', MANUAL, `${head}  annotations:\n    tranche.dev/approve: "1@${RELEASE}#3"\nspec:`],
    [
      'there are others',
      MANUAL.replace(head, `${head}  annotations:\n    team: search  # ours\n`),
      `${head}  annotations:\n    team: search  # ours\n    tranche.dev/approve: "1@${RELEASE}#3"\nspec:`,
    ],
    [
      'in flow style',
      MANUAL.replace(head, `${head}  annotations: {team: search}\n`),
      `${head}  annotations: {team: search, tranche.dev/approve: "1@${RELEASE}#3"}\nspec:`,
    ],
    [
      'an older approval is there: its serial is not used again',
      MANUAL.replace(head, `${head}  annotations:\n    tranche.dev/approve: "2@11111111111111111111111111111111.1"\n`),
      `${head}  annotations:\n    tranche.dev/approve: "1@0e2416058dc43e573b24a117a3a83fda.3#3"\nspec:`,
    ],
    [
      'with Windows line ends',
      MANUAL.replaceAll('\n', '\r\n'),
      `${head}  annotations:\n    tranche.dev/approve: "1@${RELEASE}#3"\nspec:`.replaceAll('\n', '\r\n'),
    ],
  ];
  test.each(shapes)('%s', async (_, text, expected) => {
    const site = await paused({ ...FILES, [ROLLOUT_FILE]: text });
    expect(await site.run('approve vllm')).toMatchObject({ code: 0 });
    expect(await site.repository.git('cat-file', 'blob', `main:${ROLLOUT_FILE}`)).toContain(expected);
    expect((await site.run('reconcile')).out, 'and it is read').toContain('rollout(llm/vllm): step 2/3');
  });

  test('in one file with another Rollout: only the one that is meant', async () => {
    const other = MANUAL.replaceAll('vllm', 'chat');
    const site = await paused({
      [LWS_FILE]: LWS_TEXT,
      'apps/chat/lws.yaml': LWS_TEXT.replace('name: vllm', 'name: chat'),
      [ROLLOUT_FILE]: `${other}---\n${MANUAL}`,
    });
    await site.run('approve vllm');
    const [chat, vllm] = (await site.text(ROLLOUT_FILE)).split('---\n');
    expect(chat).toBe(other);
    expect(vllm).toContain(`tranche.dev/approve: "1@${RELEASE}#3"`);
  });
});

/** From where, which verb, and why not. */
const refused: readonly (readonly [from: keyof typeof states, line: string, why: string])[] = [
  ['paused', 'approve vllm --hold Overshoot', 'the last pass has seen no Overshoot that someone may accept'],
  ['paused', 'approve vllm --hold Paused', 'Paused is no hold that someone may accept. These are: Overshoot, '],
  ['paused', 'approve vllm --hold Overshoot --step 1', '--step and --hold are two orders'],
  [
    'settled',
    'approve vllm',
    'no step is in flight, so there is nothing to approve. tranche status vllm says where it stands',
  ],
  ['settled', 'jump vllm 2', 'nothing is being delivered, so there is no step to jump to'],
  [
    'settled',
    'abort vllm',
    'nothing is being delivered, so there is nothing to abort. There is nothing to undo either: ',
  ],
  ['settled', 'retry vllm', 'no release was aborted'],
  ['settled', 'repair vllm', 'the annotations of vllm are those that the last commit of tranche wrote'],
  ['settled', 'acknowledge vllm', 'main was not rewritten since the last pass, so there is nothing to acknowledge'],
  ['settled', 'approve other', 'no Rollout other. There is: llm/vllm'],
  ['settled', 'approve vllm -n prod', 'no Rollout prod/vllm. There is: llm/vllm'],
  [
    'requested',
    'approve vllm',
    'no step is in flight, so there is nothing to approve. tranche status vllm says where it stands',
  ],
  ['paused', 'approve vllm --step 2', 'step 1 is current, not step 2'],
  ['paused', 'retry vllm', 'no release was aborted'],
  ['aborted', 'abort vllm', 'nothing is being delivered'],
  ['aborted', 'retry vllm --release 11111111.1', `11111111.1 is not among the aborted releases: ${SHORT}`],
  ['aborted', 'retry vllm --release latest', 'latest is no release, wanted one as 9c41d2e0.7'],
];

describe('an order that makes no sense', () => {
  test.each(refused)('%s: tranche %s', async (from, line, why) => {
    const site = await siteAt(from);
    const heads = [await site.head(), await site.head('tranche-status')];
    const called = await site.run(line);
    expect(called).toMatchObject({ code: 1, out: '' });
    expect(called.err.startsWith(`refused: ${why}`), called.err).toBe(true);
    expect([await site.head(), await site.head('tranche-status')]).toEqual(heads);
  });

  test.each([
    ['jump vllm 1', /^refused: .*step 1/],
    ['jump vllm 9', /^refused: .*3/],
    ['jump vllm 0', /^refused: /],
  ])('%s: only upward, and only to steps that are there', async (line, why) => {
    const site = await siteAt('paused');
    const head = await site.head();
    const called = await site.run(line);
    expect(called.code).toBe(1);
    expect(called.err).toMatch(why);
    expect(await site.head()).toBe(head);
  });

  test('a step may be approved early as soon as it is in Git: its groups are looked at all the same', async () => {
    const site = await siteAt('requested');
    await site.run('reconcile');
    expect((await site.run('approve vllm')).err).toContain('its pause would be skipped. To skip it all the same: ');
    expect(await site.run('approve vllm --early')).toMatchObject({ code: 0, err: '' });
    const waiting = await site.run('reconcile');
    expect(waiting.out).toContain('waits  NotApplied');
    await site.settle();
    await site.run('reconcile');
    expect(await site.subject()).toBe('rollout(llm/vllm): step 2/3, partition 3 → 2');
  });

  test('what is not paused can be resumed: nothing is written', async () => {
    const site = await siteAt('settled');
    const head = await site.head();
    expect(await site.run('resume vllm')).toEqual({
      code: 0,
      out: 'resume: said already, nothing to write\n',
      err: '',
    });
    expect(await site.head()).toBe(head);
  });

  test.each(['pause', 'resume'])(
    '%s after eject says that the Rollout is disabled, and how to use it again',
    async (verb) => {
      const site = await siteAt('settled');
      await site.run('eject vllm');
      const called = await site.run(`${verb} vllm`);
      expect(called).toMatchObject({ code: 1, out: '' });
      expect(called.err).toBe(
        `refused: the Rollout is disabled (spec.disabled), as eject leaves it, so there is nothing to ${verb}. To deliver by it again, remove spec.disabled in ${ROLLOUT_FILE}\n`,
      );
    },
  );

  test('line ends of what people write stay in their line', async () => {
    const site = await siteAt('settled');
    const called = await site.run(['retry', 'vllm', '--release', 'x\nwarning: y']);
    expect(called.err).toBe('refused: x\\nwarning: y is no release, wanted one as 9c41d2e0.7\n');
  });

  test('a Rollout that names another workload in mid-delivery, and the workload that it leaves', async () => {
    const site = await paused({
      ...FILES,
      'apps/chat/lws.yaml': LWS_TEXT.replace('name: vllm', 'name: chat'),
    });
    await site.edit(ROLLOUT_FILE, '    name: vllm', '    name: chat');
    const asked = await site.run('pause vllm');
    expect(asked).toMatchObject({ code: 1, out: '' });
    expect(asked.err).toContain(
      'vllm is a Rollout of chat, and a LeaderWorkerSet of this name is one that no Rollout names',
    );
    expect(asked.err).toContain('--workload');
    // The delivery that goes on is that of the workload: the brake is for it.
    expect(await site.run('abort vllm')).toMatchObject({ code: 0 });
    expect(await site.text(LWS_FILE)).toContain(`tranche.dev/abort: "${RELEASE}"`);
    expect(await site.text(ROLLOUT_FILE)).not.toContain('tranche.dev/abort');
    expect(await site.run('abort vllm --workload')).toMatchObject({ code: 0 });
  });

  test('two Rollouts swapped in mid-delivery: the name of the workload brings its release back, the name of a Rollout is its own', async () => {
    const site = await paused({
      ...FILES,
      'apps/chat/lws.yaml': LWS_TEXT.replace('name: vllm', 'name: chat'),
      'rollouts/chat.yaml': MANUAL.replaceAll('name: vllm', 'name: chat'),
    });
    await site.edit(ROLLOUT_FILE, '    name: vllm', '    name: chat');
    await site.edit('rollouts/chat.yaml', '    name: chat', '    name: vllm');
    expect(await site.run('pause vllm')).toMatchObject({ code: 0 });
    expect(await site.text(ROLLOUT_FILE)).toContain('paused: true');
    expect(await site.run('pause vllm --workload')).toMatchObject({ code: 0 });
    expect(await site.text('rollouts/chat.yaml')).toContain('paused: true');
    expect(await site.run('abort vllm')).toMatchObject({ code: 0 });
    expect(await site.text('rollouts/chat.yaml')).toContain(`tranche.dev/abort: "${RELEASE}"`);
    expect(await site.text(ROLLOUT_FILE)).not.toContain('tranche.dev/abort');
  });

  test('one name in two namespaces', async () => {
    const site = await settled({
      ...FILES,
      'apps/staging/lws.yaml': LWS_TEXT.replace('namespace: llm', 'namespace: staging'),
      'rollouts/staging.yaml': MANUAL.replace('namespace: llm', 'namespace: staging'),
    });
    expect(await site.run('pause vllm')).toEqual({
      code: 1,
      out: '',
      err: 'refused: vllm is in several namespaces: llm, staging. Say which with --namespace\n',
    });
    expect(await site.run('pause vllm -n staging')).toMatchObject({ code: 0 });
    expect(await site.text(ROLLOUT_FILE)).not.toContain('paused');
    expect(await site.run('resume staging/vllm')).toMatchObject({ code: 0 });
    expect(await site.text('rollouts/staging.yaml')).not.toContain('paused');
    expect(await site.run('pause llm/vllm -n staging')).toMatchObject({ code: 2 });
    expect(await site.run('pause a/llm/vllm')).toMatchObject({ code: 2 });
    const plan = await site.run('plan --only staging/vllm');
    expect(plan.out).toMatch(/^staging\/vllm /m);
    expect(plan.out).not.toMatch(/^llm\/vllm /m);
    // What a message prints is typed as it stands, with all that the pass itself was told.
    await site.run('pause llm/vllm');
    await site.edit(LWS_FILE, OLD, NEW);
    const held = await site.run('plan --only llm/vllm --cluster eu --path apps --path rollouts');
    const [resume = '', ...rest] = /(?<=To go on: tranche )resume.*/.exec(held.out) ?? [];
    expect([resume, ...rest]).toEqual(['resume llm/vllm --cluster=eu --path=apps --path=rollouts']);
    expect(await site.run(resume)).toMatchObject({ code: 0 });
    expect(await site.text(ROLLOUT_FILE)).not.toContain('paused');
  });
});

describe('retry', () => {
  test('delivers the aborted template again, under a new serial', async () => {
    const site = await siteAt('aborted');
    expect(await site.run(`retry vllm --release ${SHORT}`)).toMatchObject({ code: 0 });
    expect(await site.subject()).toBe(`rollout(llm/vllm): retry ${SHORT}`);
    for (let pass = 0; pass < 3; pass += 1) {
      await site.run('reconcile');
      await site.settle();
    }
    const text = await site.text(LWS_FILE);
    expect(text).toContain(NEW);
    expect(text).toContain('tranche.dev/release: "0e2416058dc43e573b24a117a3a83fda.3"');
  });
});

describe('eject', () => {
  test('settled: annotations first, then partition 0, and the Rollout disabled', async () => {
    const site = await siteAt('settled');
    const called = await site.run('eject vllm --by Ada');
    expect(called).toMatchObject({ code: 0, err: '' });
    expect((await site.repository.git('log', '-2', '--format=%s', 'main')).split('\n').reverse()).toEqual([
      'rollout(llm/vllm): eject, annotations removed',
      'rollout(llm/vllm): eject, partition 1000000 → 0',
    ]);
    expect(await site.text(LWS_FILE), 'as it was before').toBe(LWS_TEXT.trimEnd());
    expect(await site.text(ROLLOUT_FILE)).toContain('disabled: true');
    expect((await site.text(LWS_FILE, 'main~1')).includes('partition: 1000000'), 'safe in between').toBe(true);
    await site.settle();
    const head = await site.head();
    expect((await site.run('reconcile')).code).toBe(0);
    expect(await site.head(), 'and it stays so').toBe(head);
  });

  test('it says what to delete; once that is gone nothing of tranche is left, and no pass writes', async () => {
    const site = await siteAt('settled');
    const { out } = await site.run('eject vllm');
    const file = /Delete the Rollout in (\S+): /.exec(out)?.[1] ?? '';
    await site.repository.commit('main', { [file]: undefined }, 'delete what eject names');
    await site.settle();
    const files = (await site.repository.git('ls-tree', '-r', '--name-only', 'main')).split('\n');
    for (const path of files) expect(await site.text(path), path).not.toContain('tranche.dev/');
    const head = await site.head();
    expect(await site.run('lint')).toMatchObject({
      code: 0,
      out: expect.stringContaining('\n0 Rollouts, 0 problems\n'),
    });
    expect(await site.run('reconcile')).toMatchObject({ code: 0, err: '' });
    expect(await site.head()).toBe(head);
  });

  test('in a delivery it is refused with the two ways out', async () => {
    const site = await siteAt('paused');
    const head = await site.head();
    expect(await site.run('eject vllm')).toEqual({
      code: 1,
      out: '',
      err: 'refused: a release is in flight: handing back at partition 0 would restart every group on it. Say --abort to put the stable template back, or --partition N to say how far it may go\n',
    });
    expect(await site.head()).toBe(head);
  });

  test('--abort puts the stable template back with it', async () => {
    const site = await siteAt('paused');
    expect(await site.run('eject vllm --abort')).toMatchObject({ code: 0 });
    expect(await site.text(LWS_FILE)).toBe(LWS_TEXT.trimEnd());
    await site.settle();
    expect(site.model.objects.list('pods', 'llm').length).toBe(8);
  });

  test('--partition says how far the release may go', async () => {
    const site = await siteAt('paused');
    for (const beyond of ['5', '99', '2000000'])
      expect(await site.run(`eject vllm --partition ${beyond}`)).toMatchObject({
        code: 1,
        err: expect.stringContaining('wanted 0 to 4: groups below it keep their version, so 4 keeps all of them'),
      });
    expect(await site.run('eject vllm --partition 3')).toMatchObject({ code: 0 });
    const text = await site.text(LWS_FILE);
    expect(text).toContain('partition: 3\n');
    expect(text).toContain(NEW);
    expect(text).not.toContain('tranche.dev');
  });

  test.each(['abort vllm', 'approve vllm', 'jump vllm 2', 'retry vllm', 'eject vllm --abort'])(
    '%s: a file that cannot be read is not taken for one without a delivery, and status says what is wrong',
    async (order) => {
      const site = await siteAt('paused');
      await site.repository.commit('main', { [LWS_FILE]: 'kind: LeaderWorkerSet\nx: [' }, 'rubbish');
      await site.run('reconcile');
      expect((await site.run('status vllm')).out).toContain('\nWrong files:\n  WorkloadMissing: Rollout vllm: no Lea');
      const called = await site.run(order);
      expect(called).toMatchObject({ code: 1, out: '' });
      expect(called.err).toContain('refused: the LeaderWorkerSet cannot be read from the files');
      expect(await site.subject()).toBe('rubbish');
    },
  );

  test('a workload whose Rollout is gone: named by itself, worked from its annotations alone', async () => {
    const site = await siteAt('paused');
    await site.repository.commit('main', { [ROLLOUT_FILE]: undefined }, 'delete the Rollout');
    const pass = await site.run('reconcile');
    expect(pass.out).toContain('waits  LockedWithoutRollout: ');
    expect(pass.out).toContain('tranche eject vllm');
    expect(pass.out).toContain('an edit of its template restarts the groups from 3 up at once');
    expect(pass.out).toContain('tranche eject vllm --abort');
    expect((await site.run('approve vllm')).err).toBe(
      'refused: there is no Rollout that can be read. If it was removed, add it again, or hand the workload back: tranche eject vllm; else tranche lint says what is wrong\n',
    );
    expect(await site.run('eject vllm --abort')).toMatchObject({ code: 0 });
    expect(await site.text(LWS_FILE)).toBe(LWS_TEXT.trimEnd());
  });

  test('with the Rollout in the same file', async () => {
    const site = await settled({ [LWS_FILE]: `${LWS_TEXT}---\n${MANUAL}` });
    expect(await site.run('eject vllm')).toMatchObject({ code: 0 });
    const [lws, rollout] = (await site.text(LWS_FILE)).split('---\n');
    expect(lws).toBe(LWS_TEXT);
    expect(rollout).toContain('disabled: true');
    expect(await site.repository.git('rev-list', '--count', 'main')).toBe('4');
  });

  test('nothing to hand back', async () => {
    const site = await startSite();
    expect(await site.run('eject vllm')).toMatchObject({
      code: 1,
      err: 'refused: the workload carries no annotation of tranche: there is nothing to hand back\n',
    });
  });
});

/** The changed lines of a diff. */
function changed(diff: string): string {
  return diff
    .split('\n')
    .filter((line) => /^[-+](?![-+]{2} )/.test(line))
    .join('\n');
}
