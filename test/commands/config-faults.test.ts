/** Verbs that only look, where `tranche.yaml` on main is wrong: they say so first, answer by an earlier version, and end as failed. */

import { afterEach, expect, test } from 'vitest';
import { type Called, type Site, startSite, stopSites } from '../support/site.ts';
import { LWS_FILE, NEW, OLD, VLLM_FILES } from '../support/vllm.ts';

afterEach(stopSites);

const CONFIG = 'tranche.yaml';
const GOOD = 'cluster: eu\npaths: [apps, rollouts]\n';
const FIRST = /^tranche\.yaml:2: path is not a field of this object .*Did you mean paths\?.*\n/;
const EARLIER = /\ntranche\.yaml:1: .*that of [0-9a-f]{8} counts.* \(EarlierConfig\)/;

/** In the middle of a delivery, with a slip in the file of settings. */
async function slipped(): Promise<Site> {
  const site = await startSite({ files: { ...VLLM_FILES, [CONFIG]: GOOD } });
  await site.run('reconcile');
  await site.edit(LWS_FILE, OLD, NEW);
  await site.settle();
  await site.run('reconcile');
  await site.edit(CONFIG, 'paths:', 'path:');
  return site;
}

const LOOKS: readonly (readonly [line: string, said: RegExp])[] = [
  ['status', /llm\/vllm +step 1\/3/],
  ['status vllm --live', /Step: +1 of 3/],
  ['status --output json', /"cluster": "eu"/],
  ['plan', /EarlierConfig/],
  ['preflight', /ForgeNotAsked/],
  ['history vllm', /llm\/vllm/],
  ['verify-history vllm', /step/],
  ['policy explain vllm', /llm\/vllm/],
  ['page --out out', /1 Rollout/],
];

test('each tells file, line and what is wanted first, answers, and ends with 1', async () => {
  const site = await slipped();
  const found: Record<string, Called> = {};
  for (const [line] of LOOKS) found[line] = await site.run(line);
  for (const [line, said] of LOOKS) {
    expect([line, found[line]?.err]).toEqual([line, expect.stringMatching(FIRST)]);
    expect([line, found[line]?.err]).toEqual([line, expect.stringMatching(EARLIER)]);
    expect([line, found[line]?.out]).toEqual([line, expect.stringMatching(said)]);
    expect([line, found[line]?.code]).toEqual([line, 1]);
  }
});

test('what judges the files ends with 2, as long as they are not mended', async () => {
  const site = await slipped();
  const ran = await site.run('lint --ref main');
  expect(ran).toMatchObject({ code: 2, out: '', err: expect.stringContaining('tranche.yaml:2: path is not a field') });
});

test('where no earlier version is known, looks end with 2 as a pass does, and name the way out', async () => {
  const site = await startSite({ files: { ...VLLM_FILES, [CONFIG]: 'path: [apps]\n' } });
  for (const line of ['status', 'plan', 'preflight'])
    expect([line, await site.run(line)]).toEqual([line, expect.objectContaining({ code: 2, out: '' })]);
  const named = await site.run('status --live --cluster eu --path apps --path rollouts');
  expect(named).toMatchObject({ code: 1, out: expect.stringContaining('vllm') });
});
