/** `undo`, `abort` of an earlier template and `show-stable`: what each writes or prints, and when it is refused. */

import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { type Site, startSite, stopSites } from '../support/site.ts';
import { LWS_FILE, LWS_TEXT, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';

afterEach(stopSites);

/** No step waits for anybody. */
const FILES = { ...VLLM_FILES, [ROLLOUT_FILE]: ROLLOUT_TEXT.replace('pause: {}', 'pause: {duration: 0}') };
const RELEASE = '0e2416058dc43e573b24a117a3a83fda.2';
const SHORT = '0e241605.2';

/** Passes until one writes nothing and no step is in flight. */
async function deliver(site: Site): Promise<void> {
  for (let pass = 0; pass < 20; pass += 1) {
    const head = await site.head();
    await site.settle();
    await site.run('reconcile');
    const isQuiet = (await site.head()) === head;
    if (isQuiet && !(await site.text(LWS_FILE)).includes('tranche.dev/step')) return;
  }
  throw new Error('not settled after 20 passes');
}

/** The new image has settled, after the old one. */
async function delivered(): Promise<Site> {
  const site = await startSite({ files: FILES });
  await deliver(site);
  await site.edit(LWS_FILE, OLD, NEW);
  await deliver(site);
  expect(await site.subject()).toBe('rollout(llm/vllm): settled');
  return site;
}

const kept: { site?: Promise<Site> } = {};
async function atRest(): Promise<Site> {
  kept.site ??= delivered().then((site) => site.keep());
  return (await kept.site).copy();
}
afterAll(async () => (await kept.site)?.stop());

const image = async (site: Site): Promise<string> =>
  /image: (\S+)/.exec(await site.text(LWS_FILE))?.[1]?.split(':')[1] ?? '';

describe('undo', () => {
  test('is one commit on the Rollout, and the rollback follows without steps', async () => {
    const site = await atRest();
    const head = await site.head();
    const [now, before] = [await image(site), OLD.split(':').at(-1)];
    const called = await site.run('undo vllm --by Ada');
    expect(called).toMatchObject({ code: 0, err: '' });
    expect(await site.subject()).toMatch(`rollout(llm/vllm): undo ${SHORT}, back to`);
    expect(await site.repository.git('diff', '--name-only', head, 'main')).toBe(ROLLOUT_FILE);
    expect(await site.text(ROLLOUT_FILE)).toContain(`tranche.dev/undo: "${RELEASE} 2 to `);
    expect((await site.run('undo vllm')).out, 'twice is once').toContain('said already, nothing to write');
    expect((await site.run('reconcile')).out).toContain('rollout(llm/vllm): rollback, partition 1000000 → 0');
    for (const order of ['undo vllm', 'abort vllm'])
      expect((await site.run(order)).err).toBe(
        'refused: it is going back already. tranche status vllm says where it stands, and what it waits for\n',
      );
    await deliver(site);
    expect(await site.subject()).toBe('rollout(llm/vllm): rolled back, partition 0 → 1000000');
    expect([now === before, await image(site)]).toEqual([false, before]);
    expect(await site.text(LWS_FILE)).toContain(`tranche.dev/aborted: "${RELEASE}"`);
    const template = (text: string): string => text.slice(text.indexOf('leaderWorkerTemplate')).trimEnd();
    expect(template(await site.text(LWS_FILE)), 'every byte of it').toBe(template(LWS_TEXT));
  });

  test('of an earlier template that someone has put back: the groups go back without its steps', async () => {
    const site = await atRest();
    await site.edit(LWS_FILE, NEW, OLD);
    const aborted = await site.run('abort vllm');
    expect(aborted).toMatchObject({ code: 1, out: '' });
    expect(aborted.err).toContain(
      `an abort would leave ${SHORT} in place. To go back from ${SHORT} at once: tranche undo vllm`,
    );
    expect(await site.run('undo vllm')).toMatchObject({ code: 0, err: '' });
    expect((await site.run('reconcile')).out).toContain('rollback, partition 1000000 → 0');
  });

  test('what holds the request of an earlier template names the order that goes back at once', async () => {
    const site = await atRest();
    await site.run('pause vllm');
    await site.edit(LWS_FILE, NEW, OLD);
    await site.settle();
    await site.run('reconcile');
    await site.run('reconcile');
    const shown = (await site.run('status vllm')).out;
    const [, typed = ''] =
      /EarlierTemplate[^]*To go back from 0e241605\.2 at once: tranche (undo vllm --to \S+\.1)/.exec(shown) ?? [];
    expect(shown).toContain('Paused');
    expect(await site.run(typed)).toMatchObject({ code: 0, err: '' });
    expect((await site.run('reconcile')).out).toContain('rollback, partition 1000000 → 0');
  });

  test('the same request is withdrawn where its release is named', async () => {
    const site = await atRest();
    await site.edit(LWS_FILE, NEW, OLD);
    const named = /--release (\S+)/.exec((await site.run('abort vllm')).err)?.[1] ?? '';
    expect((await site.run('abort vllm --release 11111111.9')).err).toContain(
      `${named} is what an abort is about now, and not 11111111.9`,
    );
    expect((await site.run('abort vllm --release latest')).err).toContain('latest is no release');
    expect(await site.run(`abort vllm --release ${named}`)).toMatchObject({ code: 0, err: '' });
    await site.run('reconcile');
    expect(await site.subject()).toBe('rollout(llm/vllm): withdraw');
  });

  test('of what has not settled is an abort', async () => {
    const site = await atRest();
    await site.edit(LWS_FILE, NEW, `${NEW}-rc1`);
    await site.settle();
    await site.run('reconcile');
    const called = await site.run('undo vllm');
    expect(called.out).toContain('has not settled yet: this is an abort');
    expect(await site.text(ROLLOUT_FILE)).toContain('tranche.dev/abort');
    expect((await site.run(`undo vllm --to ${SHORT}`)).out, 'the version before').toContain('said already');
  });

  test.each([
    ['', /has another template \([0-9a-f]{8}\) than the release that settled[^]*\n-.*\n\+.*-rc1/],
    ['--to latest', /latest is no release, wanted one as 0e241605\.2/],
    ['--to 11111111.1', /11111111\.1 is not among the releases that had settled before 0e241605\.2/],
    [`--to ${SHORT}`, /0e241605\.2 is what is delivered/],
  ])('is refused over a newer template in the file: undo vllm %s', async (flags, why) => {
    const site = await atRest();
    await site.edit(LWS_FILE, NEW, `${NEW}-rc1`);
    const head = await site.head();
    const called = await site.run(`undo vllm ${flags}`.trim());
    expect(called).toMatchObject({ code: 1, out: '' });
    expect(called.err).toMatch(why);
    expect(await site.head()).toBe(head);
  });

  test('a second one in a row goes back two releases, and needs the grant for two', async () => {
    const site = await atRest();
    await site.edit(LWS_FILE, NEW, `${NEW}-rc1`);
    await deliver(site);
    await site.run('undo vllm');
    await deliver(site);
    expect(await site.subject()).toBe('rollout(llm/vllm): rolled back, partition 0 → 1000000');
    const called = await site.run('undo vllm');
    expect(called).toMatchObject({ code: 0, err: '' });
    expect(called.out).toContain(
      'This is a request and no rollback: it settled 2 releases before the newest one that had settled, those that were undone among them, and one may be undone at a time (undo in a RolloutPolicy)',
    );
    expect(await image(site)).toBe(OLD.split(':').at(-1));
  });

  test('what had settled is found behind any number of commits of others', async () => {
    const site = await atRest();
    for (let count = 1; count <= 12; count += 1) {
      await site.repository.commit('main', { 'apps/other/notes.txt': `${count}\n` }, `notes ${count}`);
      expect((await site.run('undo vllm --to 11111111.1')).err, `${count} commits`).toContain(
        'is not among the releases',
      );
    }
  });

  test('too late it is a request, and says so', async () => {
    const site = await atRest();
    const policy =
      'apiVersion: tranche.dev/v1alpha1\nkind: RolloutPolicy\nmetadata:\n  name: undo\nspec:\n  undoWithinSeconds: 0\n';
    await site.repository.commit('main', { 'policies/undo.yaml': policy }, 'a policy');
    const called = await site.run('undo vllm');
    expect(called.out).toContain('This is a request and no rollback: the release settled at');
    expect(await image(site)).toBe(OLD.split(':').at(-1));
    await site.settle();
    expect((await site.run('reconcile')).out).toContain('rollout(llm/vllm): step 1/3');
  });

  test.each(['undo vllm', 'undo vllm --to 11111111.1'])('a policy that allows none: %s', async (line) => {
    const site = await atRest();
    const policy = 'apiVersion: tranche.dev/v1alpha1\nkind: RolloutPolicy\nmetadata:\n  name: calm\nspec:\n  undo: 0\n';
    const to = /^# release ([0-9a-f]{8})[0-9a-f]{24}(\.1)$/m.exec((await site.run('show-stable vllm')).out);
    await site.repository.commit('main', { 'policies/undo.yaml': policy }, 'a policy');
    const head = await site.head();
    const called = await site.run(line.replace('11111111.1', `${to?.[1]}${to?.[2]}`));
    expect(called).toMatchObject({ code: 1, out: '' });
    expect(called.err).toMatch(/calm \(policies\/undo\.yaml:\d+\)[^]* allows no undo/);
    expect(await site.head(), 'nothing is written').toBe(head);
    await site.settle();
    await site.run('reconcile');
    expect(await site.text(LWS_FILE)).toContain(NEW);
  });

  test('what was never delivered by steps has nothing before it', async () => {
    const site = await startSite({ files: FILES });
    await deliver(site);
    const called = await site.run('undo vllm');
    expect(called).toMatchObject({ code: 1, out: '' });
    expect(called.err).toContain('so there is nothing to undo');
  });
});

test('show-stable prints the template before, and writes nothing', async () => {
  const site = await atRest();
  const head = await site.head();
  const { out, code } = await site.run('show-stable vllm');
  const [, commit = ''] =
    /^# release [0-9a-f]{32}\.1\n# git show ([0-9a-f]{40}):apps\/vllm\/lws\.yaml\n/.exec(out) ?? [];
  expect(code).toBe(0);
  const shown = await site.repository.git('show', `${commit}:${LWS_FILE}`);
  expect(out.split('\n').slice(2).join('\n').trim()).toBe(shown.trim());
  expect(out).toContain(OLD);
  expect(await site.head()).toBe(head);
  expect((await site.run('show-stable other')).err).toContain('no Rollout other');
});
