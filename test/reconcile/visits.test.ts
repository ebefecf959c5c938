/** How often a pass looks at the manifests, counted and not timed: twice as many Rollouts are twice as many looks. */

import { expect, test } from 'vitest';
import type { ManifestFile } from '../../src/manifests/parse-file.ts';
import { NO_OVERRIDES, newMemory } from '../../src/reconcile/pass.ts';
import { runPass } from '../../src/reconcile/run.ts';
import { LWS_TEXT, ROLLOUT_TEXT } from '../support/vllm.ts';
import { World } from '../support/world.ts';

/** A service as platform teams have them: its workload, its Rollout, its scaler, and a kustomization that lists them. */
function service(at: number): Readonly<Record<string, string>> {
  const name = `service-${at}`;
  const named = (text: string): string => text.replaceAll('vllm', name);
  const scaler = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: ${name}, namespace: llm}
spec:
  scaleTargetRef: {apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, name: ${name}}
`;
  return {
    [`apps/${name}/lws.yaml`]: named(LWS_TEXT),
    [`apps/${name}/rollout.yaml`]: named(ROLLOUT_TEXT),
    [`apps/${name}/hpa.yaml`]: scaler,
    [`apps/${name}/kustomization.yaml`]: 'resources: [lws.yaml, rollout.yaml, hpa.yaml]\n',
  };
}

/** Looks at documents in a pass that only reads, over files that have been parsed before. */
async function visitsOf(services: number): Promise<number> {
  const files = Object.assign({}, ...Array.from({ length: services }, (_none, at) => service(at)));
  const ports = new World({ files }).ports();
  const memory = newMemory();
  const pass = () => runPass(ports, memory, { overrides: NO_OVERRIDES, write: false, only: [] });
  await pass();
  let visits = 0;
  const counted = (file: ManifestFile): ManifestFile => ({
    ...file,
    documents: file.documents.map(
      (document) =>
        new Proxy(document, {
          get: (target, property) => {
            visits += 1;
            return Reflect.get(target, property);
          },
        }),
    ),
  });
  for (const [key, file] of memory.parsed) memory.parsed.set(key, counted(file));
  // As if a file had changed: else nothing is made of them again.
  memory.desired = undefined;
  const { outcomes } = await pass();
  expect(outcomes).toHaveLength(services);
  return visits;
}

test('twice as many Rollouts are twice as many looks at manifests', async () => {
  const [few, many] = [await visitsOf(20), await visitsOf(80)];
  expect(few).toBeGreaterThan(0);
  expect(many / few).toBeLessThan(4.4);
});
