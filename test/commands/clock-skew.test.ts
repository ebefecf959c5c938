/** A window is open by the clock of this machine, and by those of the servers that it asks, or it counts as closed. */

import { afterEach, expect, test } from 'vitest';
import { startSite, stopSites } from '../support/site.ts';
import { LWS_FILE, NEW, OLD, VLLM_FILES } from '../support/vllm.ts';

afterEach(stopSites);

const WINDOWS = `apiVersion: tranche.dev/v1alpha1
kind: RolloutPolicy
metadata: {name: windows}
spec: {allow: [{cron: '0 0 * * *', minutes: 1440, timeZone: UTC}]}
`;

test.each([
  ['the clock of the API server', true, 'rollout(llm/vllm): step 1/3', 'ClockSkew'],
  ['one that is years behind', false, 'ClockSkew', 'rollout(llm/vllm): step 1/3'],
])('a step in a window that is open all day, by %s', async (_, isDated, said, unsaid) => {
  const site = await startSite({ files: { ...VLLM_FILES, 'policies/windows.yaml': WINDOWS }, api: { isDated } });
  await site.run('reconcile');
  await site.sync();
  await site.edit(LWS_FILE, OLD, NEW);
  await site.sync();
  const passes: string[] = [];
  for (let pass = 0; pass < 3; pass += 1) {
    passes.push((await site.run('reconcile')).out);
    await site.sync();
    site.model.tick(60);
  }
  expect(passes.join('')).toContain(said);
  expect(passes.join('')).not.toContain(unsaid);
});
