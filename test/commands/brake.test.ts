/** The brake brakes: `abort` leads back though a number of the workload cannot be read strictly any more. */

import { afterEach, expect, test } from 'vitest';
import { type Site, startSite, stopSites } from '../support/site.ts';
import { LWS_FILE, NEW, OLD } from '../support/vllm.ts';

afterEach(stopSites);

/** Step 1 of a delivery, its group on the new version. */
async function inDelivery(): Promise<Site> {
  const site = await startSite();
  await site.run('reconcile');
  await site.settle();
  await site.edit(LWS_FILE, OLD, NEW);
  await site.settle();
  await site.run('reconcile');
  await site.settle();
  expect(await site.subject()).toContain('step 1/3');
  return site;
}

const rows: readonly (readonly [what: string, from: string, to: string])[] = [
  ['the size through an alias', '    size: 2', '    size: *two'],
  ['the size a word', '    size: 2', '    size: two'],
  ['the replicas through an alias', '  replicas: 4', '  replicas: *four'],
  ['the replicas in hexadecimal', '  replicas: 4', '  replicas: 0x4'],
  ['the budget through an alias', 'maxUnavailable: 1 ', 'maxUnavailable: *one '],
  ['the partition through an alias', 'partition: 3', 'partition: *three'],
  ['the partition in hexadecimal', 'partition: 3', 'partition: 0x3'],
];

test.each(rows)('%s', async (_what, from, to) => {
  const site = await inDelivery();
  const anchors = '  labels: {one: &one 1, two: &two 2, three: &three 3, four: &four 4}\n';
  const text = await site.text(LWS_FILE);
  expect(text).toContain(from);
  const edited = text.replace('  namespace: llm\n', `  namespace: llm\n${anchors}`).replace(from, to);
  await site.repository.commit('main', { [LWS_FILE]: `${edited}\n` }, 'an edit that cannot be read strictly');
  await site.run('reconcile');
  await site.settle();
  expect(await site.run('abort vllm')).toMatchObject({ code: 0 });
  const back = await site.run('reconcile');
  expect(back.out).toMatch(/rollback[^]*wrong {2}apps\/vllm\/lws\.yaml/);
  expect(back.out).not.toMatch(/SizeChangeRefused|ReplicasMissing|PartitionMissing/);
  const after = await site.text(LWS_FILE);
  expect(after).not.toContain(NEW);
  // What the rollback covers is as it was; of the rest only the partition is written.
  for (const line of ['size: 2', '{one: &one 1, two: &two 2']) expect(after).toContain(line);
  await site.settle();
  const mended = (await site.text(LWS_FILE))
    .replace('*one', '1')
    .replace('*three', '3')
    .replace(/\*four|0x4/, '4');
  await site.repository.commit('main', { [LWS_FILE]: `${mended}\n` }, 'what the messages said');
  for (let pass = 0; pass < 2; pass += 1) {
    await site.run('reconcile');
    await site.settle();
  }
  expect((await site.run('status --live')).out).toMatch(/settled.*4\/4/);
  expect(await site.text(LWS_FILE)).toMatch(/v0\.10\.0[^]*v0\.10\.0/);
});
