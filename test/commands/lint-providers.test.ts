/** `tranche lint` of an Analysis whose server the environment does not name. */

import { expect, test } from 'vitest';
import { linted } from '../support/linted.ts';
import { VLLM_FILES } from '../support/vllm.ts';
import { World } from '../support/world.ts';

const CHAT = `apiVersion: tranche.dev/v1alpha1
kind: Analysis
metadata: {name: chat}
spec:
  windowSeconds: 60
  provider: prod-eu
  metrics:
    - use: vllm/errors
`;

async function warned(env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const world = new World({ files: { ...VLLM_FILES, 'policies/chat.yaml': CHAT } });
  const { code, out } = await linted(world, { env });
  // A warning is no failure: the same files are right elsewhere.
  expect(code).toBe(0);
  return out.split('\n').filter((line) => line.includes('policies/chat.yaml'));
}

test.each<readonly [what: string, env: Readonly<Record<string, string>>]>([
  ['names it', { TRANCHE_METRICS_PROD_EU: 'https://prometheus.example' }],
  ['names none, as a check of a pull request', { HOME: '/', TRANCHE_REPO: '.' }],
  ['allows private addresses, and names none', { TRANCHE_METRICS_ALLOW_PRIVATE: 'true' }],
  // Of a fork: the forge sets what it keeps back to nothing.
  ['has them empty', { TRANCHE_METRICS_PROD_EU: '', TRANCHE_METRICS_US: '' }],
])('an environment that %s is fine', async (_, env) => {
  expect(await warned(env)).toEqual([]);
});

test.each<readonly [what: string, env: Readonly<Record<string, string>>]>([
  ['names others alone', { TRANCHE_METRICS_PROD: 'https://prometheus.example' }],
  ['has it empty beside others', { TRANCHE_METRICS_PROD_EU: '', TRANCHE_METRICS_US: 'https://prometheus.example' }],
])('an environment that %s is warned of, with the line', async (_, env) => {
  expect(await warned(env)).toEqual([
    'warning: policies/chat.yaml:6: Analysis chat asks prod-eu, and TRANCHE_METRICS_PROD_EU is not set here, though others are: a step would hold with MetricsUnreadable (ProviderUnset). Correct the name, or set TRANCHE_METRICS_PROD_EU to the address of its server.',
  ]);
});
