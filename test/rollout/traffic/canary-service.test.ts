/** The Service of the new version, as it stands behind the user's own: written out for each kind of Service. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { applyEdits } from '../../../src/manifests/splice/apply-edits.ts';
import { canaryService } from '../../../src/rollout/traffic/canary-service.ts';
import { documentsOf, spliced } from '../../support/routes.ts';

const ROOT = new URL('../../../fixtures/canary-service/', import.meta.url);
const FILE = 'service.yaml';

test.each(readdirSync(ROOT))('%s', (name) => {
  const before = readFileSync(new URL(`${name}/before.yaml`, ROOT), 'utf8');
  const [service] = documentsOf({ [FILE]: before }, ['Service']);
  const labels = { track: 'canary', unknown: 'label' };
  const edits = canaryService(service!, { name: 'vllm-svc-canary', workload: 'vllm-canary', of: 'vllm', labels });
  const after = spliced({ [FILE]: before }, [edits])[FILE] ?? '';
  const golden = new URL(`${name}/after.yaml`, ROOT);
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(golden, after);
  expect(after).toBe(readFileSync(golden, 'utf8'));
  const document = { kind: 'delete' } as const;
  const gone = applyEdits(after, { file: FILE, object: edits.object, edits: [], document });
  expect(gone).toEqual({ kind: 'ok', text: before });
});
