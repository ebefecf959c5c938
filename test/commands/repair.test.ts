/** `tranche repair`: annotations become again what tranche wrote, by main's own line alone, and nothing else changes. */

import { afterEach, describe, expect, test } from 'vitest';
import { type Site, startSite, stopSites } from '../support/site.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, VLLM_FILES } from '../support/vllm.ts';

afterEach(stopSites);

/** Step 1 is in Git. */
async function stepped(): Promise<Site> {
  const site = await startSite({ files: VLLM_FILES });
  await site.run('reconcile');
  await site.settle();
  await site.run('reconcile');
  await site.edit(LWS_FILE, OLD, NEW);
  await site.settle();
  await site.run('reconcile');
  expect(await site.text(LWS_FILE)).toContain('tranche.dev/step: "1/3@');
  return site;
}

async function write(site: Site, text: string): Promise<void> {
  await site.repository.commit('main', { [LWS_FILE]: `${text}\n` }, 'edit by hand');
}

const STEP = /^ {4}tranche\.dev\/step: .*\n/m;

describe('one commit, which writes what tranche had written', () => {
  const edits: readonly (readonly [what: string, edit: (text: string) => string])[] = [
    ['one is gone', (text) => text.replace(STEP, '')],
    ['all are gone', (text) => text.replaceAll(/^ {4}tranche\.dev\/.*\n/gm, '').replace('  annotations:\n', '')],
    ['one says nothing that can be read', (text) => text.replace(STEP, '    tranche.dev/step: "first"\n')],
    ['one is another', (text) => text.replace(/tranche\.dev\/stable: "[0-9a-f]{8}/, 'tranche.dev/stable: "deadbeef')],
    ['one came to them', (text) => text.replace(STEP, (step) => `${step}    tranche.dev/serves: "green"\n`)],
  ];
  test.each(edits)('%s', async (_, edit) => {
    const site = await stepped();
    const before = await site.text(LWS_FILE);
    await write(site, edit(before));
    const called = await site.run('repair vllm');
    expect(called).toMatchObject({ code: 0, err: '' });
    expect(await site.subject()).toBe('rollout(llm/vllm): repair, annotations of vllm as tranche wrote them');
    expect((await site.text(LWS_FILE)).split('\n').sort(), 'up to their order').toEqual(before.split('\n').sort());
    expect((await site.run('repair vllm')).err).toContain('there is nothing to repair');
  });

  test('an edit of another field stays', async () => {
    const site = await stepped();
    const text = await site.text(LWS_FILE);
    await write(site, text.replace(STEP, '').replace('replicas: 4', 'replicas: 6'));
    expect(await site.run('repair vllm')).toMatchObject({ code: 0 });
    expect(await site.text(LWS_FILE)).toMatch(/replicas: 6/);
    expect(await site.text(LWS_FILE)).toMatch(STEP);
  });
});

describe('refused, with nothing written', () => {
  const cases: readonly (readonly [what: string, make: (site: Site) => Promise<void>, why: string])[] = [
    [
      'main starts again, and only the status branch knows them',
      async (site) => {
        await write(site, (await site.text(LWS_FILE)).replace(STEP, ''));
        const root = await site.repository.git('commit-tree', 'main^{tree}', '-m', 'start again');
        await site.repository.git('update-ref', 'refs/heads/main', root.trim());
      },
      "main's own line does not tell what the last commit of tranche wrote",
    ],
    [
      'the workload is handed back',
      async (site) => void (await site.run('eject vllm --partition 0')),
      'the Rollout is disabled (spec.disabled), and the workload has no annotation of tranche',
    ],
  ];
  test.each(cases)('%s', async (_, make, why) => {
    const site = await stepped();
    await make(site);
    const head = await site.head();
    const called = await site.run('repair vllm');
    expect(called).toMatchObject({ code: 1, out: '' });
    expect(called.err).toContain(why);
    expect(await site.head()).toBe(head);
  });
});

test('handed back, neither the workload nor its Rollout keeps an annotation of tranche', async () => {
  const site = await stepped();
  await site.run('approve vllm --early');
  expect(await site.run('eject vllm --partition 0')).toMatchObject({ code: 0 });
  for (const file of [LWS_FILE, ROLLOUT_FILE]) expect(await site.text(file)).not.toContain('tranche.dev/');
});
