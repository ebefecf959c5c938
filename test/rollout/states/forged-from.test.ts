/** An abort that names a commit to go back to: it counts where nothing else tells the stable version, and past no step. */

import { expect, test } from 'vitest';
import { Forgery } from '../../support/forgery.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE } from '../../support/vllm.ts';

const NEVER = 'vllm/vllm-openai:v9.9.9';
const FREEZE = `apiVersion: tranche.dev/v1alpha1
kind: RolloutPolicy
metadata: {name: freeze}
spec:
  deny:
    - {from: "2026-01-01T00:00:00Z", to: "2040-01-01T00:00:00Z"}
`;

/** A template that main had for one commit, and no delivery ever had; then a delivery in its first step, and a freeze. */
async function frozen(): Promise<{ readonly at: Forgery; readonly commit: string; readonly release: string }> {
  const at = new Forgery();
  await at.until('adopt');
  await at.round();
  const settled = at.text(LWS_FILE);
  const commit = at.edit(LWS_FILE, new RegExp(OLD, 'g'), NEVER);
  at.write(LWS_FILE, settled);
  at.edit(LWS_FILE, new RegExp(OLD, 'g'), NEW);
  await at.until('step 1/');
  await at.round();
  at.write('policies/freeze.yaml', FREEZE);
  const release = /tranche\.dev\/release: "(.+)"/.exec(at.text(LWS_FILE))?.[1] ?? '';
  return { at, commit, release };
}

type Row = readonly [where: string, write: 'order' | 'mark'];

test.each<Row>([
  ['the Rollout', 'order'],
  ['the workload', 'mark'],
])('written on %s: all groups go back to the stable version, and none to that template', async (_, write) => {
  const { at, commit, release } = await frozen();
  const order = `${release} from ${commit}`;
  if (write === 'mark') at.mark('abort', order);
  else {
    const annotated = `  namespace: llm\n  annotations:\n    tranche.dev/abort: "${order}"\n`;
    at.edit(ROLLOUT_FILE, '  namespace: llm\n', annotated);
  }
  for (let round = 0; round < 12; round += 1) {
    await at.round();
    expect(JSON.stringify(at.world.cluster.objects.list('pods', 'llm'))).not.toContain(NEVER);
  }
  expect(at.text(LWS_FILE)).toContain(OLD);
  expect(at.text(LWS_FILE)).not.toContain(NEVER);
  expect(at.text(LWS_FILE)).not.toContain('tranche.dev/step');
});
