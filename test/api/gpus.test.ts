/** GPUs of one group: which resources count, and how pods of a group add up. */

import { expect, test } from 'vitest';
import { gpusOfGroup } from '../../src/api/gpus.ts';
import type { JsonObject } from '../../src/api/json.ts';

const asks = (resources: JsonObject): JsonObject => ({ name: 'a', resources });
const limit = (limits: JsonObject): JsonObject => asks({ limits });
const worker = (...containers: JsonObject[]): JsonObject => ({ workerTemplate: { spec: { containers } } });

test.each<readonly [what: string, template: JsonObject, size: number, gpus: number]>([
  ['nothing asked', worker({ name: 'a' }), 4, 0],
  ['the leader is a worker', worker(limit({ 'nvidia.com/gpu': 8 })), 4, 32],
  [
    'a leader without any',
    { ...worker(limit({ 'nvidia.com/gpu': '8' })), leaderTemplate: { spec: { containers: [{ name: 'a' }] } } },
    4,
    24,
  ],
  ['two containers', worker(limit({ 'nvidia.com/gpu': 1 }), limit({ 'amd.com/gpu': '2' })), 1, 3],
  ['requests alone', worker(asks({ requests: { 'nvidia.com/gpu': '2' } })), 1, 2],
  ['both are one', worker(asks({ requests: { 'nvidia.com/gpu': 2 }, limits: { 'nvidia.com/gpu': 2 } })), 1, 2],
  ['parts, and those of Intel', worker(limit({ 'nvidia.com/mig-1g.5gb': 2, 'gpu.intel.com/i915': 1 })), 1, 3],
  ['other resources', worker(limit({ cpu: '96', memory: '1Ti', 'rdma/hca': 1, 'example.com/gpus': 8 })), 1, 0],
  ['thousands', worker(limit({ 'nvidia.com/gpu': '1k' })), 1, 1000],
  ['no quantity', worker(limit({ 'nvidia.com/gpu': 'all' })), 1, 0],
  [
    'an init container asks for more',
    {
      workerTemplate: {
        spec: { initContainers: [limit({ 'amd.com/gpu': 4 })], containers: [limit({ 'amd.com/gpu': 1 })] },
      },
    },
    2,
    8,
  ],
])('%s', (_, template, size, gpus) => {
  expect(gpusOfGroup({ leaderWorkerTemplate: template }, size)).toBe(gpus);
});
