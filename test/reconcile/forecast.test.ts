/** What a rollback says of capacity, against what then happens in the model: never fewer groups serve than it said. */

import { afterEach, expect, test } from 'vitest';
import { LWS } from '../../src/simulator/objects/resource-table.ts';
import { type Site, startSite, stopSites } from '../support/site.ts';
import { LWS_FILE, LWS_TEXT, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';

afterEach(stopSites);

const STEP = ROLLOUT_TEXT.replace(
  /steps:\n[^]*/,
  'steps:\n        - replicas: 75%\n          pause: {}\n        - replicas: 100%\n',
);

function readyNow(site: Site): number {
  const status = site.model.objects.get({ resource: LWS, namespace: 'llm', name: 'vllm' })?.['status'];
  return (status as { readonly readyReplicas?: number } | undefined)?.readyReplicas ?? 0;
}

const broken = (site: Site, groups: readonly number[]): void => {
  for (const group of groups)
    site.model.setPods({ namespace: 'llm', name: 'vllm', group, pods: 'leader' }, { kind: 'unready' });
};

test.each(
  (['off', 'on'] as const).flatMap((gate) =>
    [1, 2, 3].flatMap((budget) =>
      (['ready', 'loading', 'one broken', 'two broken'] as const).map((state) => [gate, budget, state] as const),
    ),
  ),
)('gate %s, maxUnavailable %i, %s', async (gate, budget, state) => {
  const files = {
    ...VLLM_FILES,
    [LWS_FILE]: LWS_TEXT.replace(/maxUnavailable: \d+/, `maxUnavailable: ${budget}`),
    [ROLLOUT_FILE]: STEP,
  };
  const site = await startSite({ files, cluster: { gate, readiness: () => 60 } });
  await site.run('reconcile');
  await site.settle();
  await site.run('reconcile');
  await site.edit(LWS_FILE, OLD, NEW);
  await site.settle();
  await site.run('reconcile');
  await site.sync();
  site.model.tick(state === 'loading' ? 90 : 600);
  if (state === 'one broken') broken(site, [3]);
  if (state === 'two broken') broken(site, [3, 2]);
  site.model.tick(30);
  await site.run('reconcile');
  await site.run('abort vllm');
  await site.run('reconcile');
  const message = (await site.repository.git('log', '-1', '--format=%B', 'main')).replaceAll('\n', ' ');
  const lowest = Number(/Capacity: \d of 4 groups are ready now, at the lowest (\d) /.exec(message)?.[1]);
  await site.sync();
  const seen = [readyNow(site)];
  for (let second = 0; second < 600; second += 5) {
    site.model.tick(5);
    if (seen.at(-1) !== readyNow(site)) seen.push(readyNow(site));
  }
  expect(Math.min(...seen)).toBeGreaterThanOrEqual(lowest);
  // Where all of them serve, it is what happens.
  if (state === 'ready') expect(Math.min(...seen)).toBe(lowest);
});
