/** The hashes of a pass: of a release's content, and Kruise's of a strategy. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/api/json.ts';
import { releaseContent } from '../../src/api/release-content.ts';
import { releaseDigest, rolloutHash } from '../../src/reconcile/documents/digests.ts';

const template = (labels: JsonObject | undefined, image = 'a'): JsonObject => ({
  metadata: { name: 'vllm', annotations: { 'example.com/a': 'b' } },
  spec: {
    replicas: 4,
    leaderWorkerTemplate: {
      size: 2,
      workerTemplate: {
        ...(labels === undefined ? {} : { metadata: { labels } }),
        spec: { containers: [{ name: 'c', image }] },
      },
    },
  },
});
const digest = (manifest: JsonObject): string => releaseDigest(releaseContent(manifest));

test('it is the first 32 digits of a sha256 of canonical JSON', () => {
  expect(releaseDigest({ b: 1, a: { d: [1, 2], c: null } })).toBe(releaseDigest({ a: { c: null, d: [1, 2] }, b: 1 }));
  expect(releaseDigest({})).toBe('44136fa355b3678a1146ad16f7e8649e');
});

test.each<readonly [string, JsonObject, boolean]>([
  ['an image', template(undefined, 'b'), false],
  ["someone's label", template({ app: 'vllm' }), false],
  ['our own label', template({ 'tranche.dev/version': 'x' }), true],
  ['our own next to theirs', template({ app: 'vllm', 'tranche.dev/version': 'x' }), false],
  ['replicas', { ...template(undefined), spec: { ...(template(undefined)['spec'] as JsonObject), replicas: 9 } }, true],
  [
    'a rollout strategy',
    { ...template(undefined), spec: { ...(template(undefined)['spec'] as JsonObject), rolloutStrategy: {} } },
    true,
  ],
  [
    'network configuration',
    { ...template(undefined), spec: { ...(template(undefined)['spec'] as JsonObject), networkConfig: {} } },
    false,
  ],
  ['an annotation', { ...template(undefined), metadata: { annotations: { x: 'y' } } }, true],
  [
    'exclusive topology',
    { ...template(undefined), metadata: { annotations: { 'leaderworkerset.sigs.k8s.io/exclusive-topology': 'rack' } } },
    false,
  ],
])('%s: the same release is %j', (_, manifest, same) => {
  expect(digest(manifest) === digest(template(undefined))).toBe(same);
});

const steps = [{ replicas: '25%', pause: { duration: 10 } }, { replicas: '100%' }];

test.each<readonly [string, JsonObject, boolean]>([
  ['a pause', { steps: [{ replicas: '25%' }, { replicas: '100%', pause: {} }] }, true],
  ['the threshold', { steps, failureThreshold: 3 }, true],
  ['empty routings', { steps, trafficRoutings: [] }, true],
  ['the order of keys', { steps: [{ pause: {}, replicas: '25%' }, { replicas: '100%' }] }, true],
  ['replicas', { steps: [{ replicas: '50%' }, { replicas: '100%' }] }, false],
  ['a count for a percentage', { steps: [{ replicas: 25 }, { replicas: '100%' }] }, false],
  ['a step more', { steps: [...steps, { replicas: '100%' }] }, false],
  ['the style', { steps, enableExtraWorkloadForCanary: true }, false],
])('a plan with another value of %s has the same hash: %j', (_, strategy, same) => {
  expect(rolloutHash(strategy) === rolloutHash({ steps })).toBe(same);
  expect(rolloutHash(strategy)).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{64}$/);
});
