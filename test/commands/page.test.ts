/** `tranche page`: what people see of a delivery in a browser, and that nothing of what they see can act. */

import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type Site, startSite, stopSites } from '../support/site.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';

afterEach(stopSites);

const FILES = { ...VLLM_FILES, [ROLLOUT_FILE]: ROLLOUT_TEXT.replace('{duration: 0}', '{}') };
const ROLLOUT_PAGE = 'rollouts/default/llm/vllm.html';

/** Step 1 of a release is done and waits for someone; all Rollouts are stopped. */
async function waiting(): Promise<Site> {
  const site = await startSite({ files: FILES });
  await site.run('reconcile');
  await site.edit(LWS_FILE, OLD, NEW);
  await site.settle();
  for (let pass = 0; pass < 2; pass += 1) {
    await site.run('reconcile');
    await site.settle();
  }
  await site.run(['stop', '--until', '2h', '--why', 'maintenance <b>', '--by', 'Ada']);
  await site.run('reconcile');
  return site;
}

const page = (site: Site, path = 'index.html', out = 'pages'): string =>
  readFileSync(join(site.folder, out, path), 'utf8');

test('before the first pass: how many Rollouts wait for one', async () => {
  const site = await startSite({ files: FILES });
  const said = 'pages/index.html: 0 Rollouts, and 1 that no pass has looked at yet\n';
  expect(await site.run('page --out pages')).toEqual({ code: 0, out: said, err: '' });
  expect(wordsOf(page(site))).toContain('llm/vllm : no pass has looked at it yet');
});

/** Without markup, as one line. */
const wordsOf = (html: string): string =>
  html
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replace(/\s+/g, ' ');

test('all Rollouts, and one with what it waits for, its commits and who asked', async () => {
  const site = await waiting();
  expect(await site.run('page --out pages')).toEqual({ code: 0, out: 'pages/index.html: 1 Rollout\n', err: '' });
  const all = wordsOf(page(site));
  expect(all).toContain('1 in a delivery, waiting or stalled; 0 at rest.');
  expect(all).toMatch(/All Rollouts are stopped since \S+ \S+Z by Ada until \S+ \S+Z : maintenance <b>/);
  expect(all).toMatch(/llm\/vllm default step 1\/3, StepPaused/);
  expect(page(site)).toContain(`href="${ROLLOUT_PAGE}"`);
  const one = page(site, ROLLOUT_PAGE);
  const words = wordsOf(one);
  expect(words).toContain('PausedForApproval');
  expect(words).toContain('tranche abort llm/vllm');
  expect(words).toContain('tranche go');
  expect(words).toMatch(/3 ● groups of llm.vllm: .*3 on the version in Git, ready/);
  expect(words).toMatch(/0 ○ .*: 0 to 2 on the stable version, ready/);
  expect(words).toMatch(/in progress ; asked for by Ada in commit [0-9a-f]{12}/);
  const [step] = (await site.repository.git('log', '--format=%H', '--grep=step 1/3', 'main')).split('\n');
  expect(words).toContain('1/3, 1 of 4 groups StepReady');
  expect(one).toContain(`<code>${step?.slice(0, 12)}</code>`);
  expect(words).toContain('What it changes of the stable version');
  expect(words).toMatch(
    /- \S*image: &quot;vllm\/vllm-openai:v0.10.0&quot; \+ \S*image: &quot;vllm\/vllm-openai:v0.10.1&/,
  );
  expect(one).toContain('<svg');
  expect(one).toContain('href="../../../style.css"');
});

test('the files of both verbs give the same pages, without a repository', async () => {
  const site = await waiting();
  await site.run('page --out pages');
  site.file('status.json', (await site.run('status --output json')).out);
  site.file('history.json', (await site.run('history --output json')).out);
  const called = await site.run('page --out again --status status.json --history history.json', {
    TRANCHE_REPO: '/nowhere',
    KUBECONFIG: '/nowhere',
  });
  expect(called).toMatchObject({ code: 0, err: '' });
  for (const path of ['index.html', 'style.css', ROLLOUT_PAGE])
    expect(page(site, path, 'again'), path).toBe(page(site, path));
});

test('a second call writes over its own files and leaves those of others', async () => {
  const site = await waiting();
  await site.run('page --out pages');
  writeFileSync(join(site.folder, 'pages', 'CNAME'), 'tranche.example');
  writeFileSync(join(site.folder, 'kept'), 'not ours');
  mkdirSync(join(site.folder, 'pages/others'));
  symlinkSync(join(site.folder, 'kept'), join(site.folder, 'pages/others/0.html'));
  const before = page(site);
  expect(await site.run('page --out pages')).toMatchObject({ code: 0 });
  expect(page(site)).toBe(before);
  expect(page(site, 'CNAME')).toBe('tranche.example');
  expect(existsSync(join(site.folder, 'pages/others'))).toBe(false);
  expect(readFileSync(join(site.folder, 'kept'), 'utf8')).toBe('not ours');
});

describe('refused, with nothing written', () => {
  test.each([
    ['page', 'page needs --out DIR'],
    ['page --out full', 'has files that tranche page has not written'],
    ['page --out status.json', 'is no folder'],
    ['page --out pages --history status.json', '--history needs --status as well'],
    ['page --out pages --status none.json', 'cannot be read, wanted what tranche status --output json prints'],
    ['page --out pages --status text', 'is no JSON'],
    ['page --out pages --status list.json', 'the status is none of version 1'],
    ['page --out pages --status status.json --history list.json', 'the history is none of version 1'],
  ])('%s', async (line, why) => {
    const site = await startSite({ files: FILES });
    site.file('full/mine.txt', 'mine');
    site.file('status.json', JSON.stringify({ version: 1, rollouts: [] }));
    site.file('list.json', '[]');
    site.file('text', 'text');
    const called = await site.run(line);
    expect(called).toMatchObject({ code: 2, out: '', err: expect.stringContaining(why) });
    expect(existsSync(join(site.folder, 'pages'))).toBe(false);
    expect(readdirSync(join(site.folder, 'full'))).toEqual(['mine.txt']);
  });
});
