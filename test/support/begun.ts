/** How a delivery was started, read from the documents of a test. */

import { DEFAULT_CONFIG } from '../../src/api/config.ts';
import { parseManifestFile } from '../../src/manifests/parse-file.ts';
import { idsOfTexts } from '../../src/reconcile/documents/file-ids.ts';
import { indexOf } from '../../src/reconcile/documents/manifest-index.ts';
import { readRollout } from '../../src/reconcile/documents/read-rollout.ts';
import { TRAFFIC_KINDS, trafficIndexOf } from '../../src/reconcile/documents/traffic-index.ts';
import { type Begun, begunPlan } from '../../src/reconcile/ladder/begun.ts';
import type { Texts } from '../../src/reconcile/ladder/delivery-parts.ts';
import { LWS_FILE, ROLLOUT_FILE } from './vllm.ts';

/** With the Rollout of this text; without one it is gone. */
export function begunIn(texts: Texts, rollout?: string): Begun | undefined {
  const files = [...texts].map(([path, text]) => parseManifestFile(path, text, ['LeaderWorkerSet', ...TRAFFIC_KINDS]));
  const [workload] = files.flatMap(({ documents }) => documents).filter(({ object }) => object.name === 'vllm');
  const [document] = parseManifestFile(ROLLOUT_FILE, rollout ?? '', ['Rollout']).documents;
  const reading = document === undefined ? { rollout: undefined, issues: [], warnings: [] } : readRollout(document);
  const of = { files, layouts: files, texts, blobs: idsOfTexts(texts), config: DEFAULT_CONFIG, customs: [] };
  const key = { cluster: 'default', namespace: 'llm', name: 'vllm' };
  const identity = { file: LWS_FILE, namespace: 'llm', name: 'vllm' };
  return begunPlan({
    entry: { reading, key, identity, workload },
    desired: { index: indexOf(of), traffic: trafficIndexOf(of) },
  });
}
