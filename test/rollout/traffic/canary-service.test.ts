/** The Service of the new version, as it stands behind the user's own: written out for each kind of Service. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { at, type JsonObject } from '../../../src/api/json.ts';
import { mapsAt } from '../../../src/api/weighted-routes.ts';
import { applyEdits } from '../../../src/manifests/splice/apply-edits.ts';
import { canaryService, hasPortsOf, renewed } from '../../../src/rollout/traffic/canary-service.ts';
import { anyStyle } from '../../manifests/any-manifest.ts';
import { writeYaml } from '../../manifests/written-yaml.ts';
import { anyService } from '../../support/any-service.ts';
import { modelOf } from '../../support/published-schemas.ts';
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

const CLUSTER_IP_ALONE = [
  'type',
  'externalIPs',
  'externalTrafficPolicy',
  'healthCheckNodePort',
  'loadBalancerClass',
  'loadBalancerSourceRanges',
  'allocateLoadBalancerNodePorts',
];

test('of any Service, however it is written: valid, open to nobody outside, and gone again without a trace', async () => {
  const [sample] = fc.sample(anyService, 1);
  const model = await modelOf(sample!);
  fc.assert(
    fc.property(anyService, anyStyle, (value, style) => {
      new model!(value).validate();
      const before = writeYaml(value, { ...style, byteOrderMark: false, finalBreak: true });
      const [service] = documentsOf({ [FILE]: before }, ['Service']);
      const labels = { track: 'canary' };
      const edits = canaryService(service!, { name: 'vllm-svc-canary', workload: 'vllm-canary', of: 'vllm', labels });
      const after = spliced({ [FILE]: before }, [edits])[FILE] ?? '';
      const [own, copy] = documentsOf({ [FILE]: after }, ['Service']);
      expect(own?.value).toEqual(service!.value);
      new model!(copy!.value).validate();
      const spec = at(copy!.value, ['spec']) as JsonObject;
      expect(CLUSTER_IP_ALONE.filter((key) => key in spec)).toEqual([]);
      expect(mapsAt(spec, ['ports']).filter((port) => 'nodePort' in port)).toEqual([]);
      expect(spec['clusterIP']).toBe(at(value, ['spec', 'clusterIP']) === 'None' ? 'None' : undefined);
      const selector = at(value, ['spec', 'selector']) as JsonObject;
      expect(spec['selector']).toEqual({
        ...selector,
        ...('track' in selector ? { track: 'canary' } : {}),
        'leaderworkerset.sigs.k8s.io/name': 'vllm-canary',
      });
      expect(at(copy!.value, ['metadata', 'annotations'])).toEqual({ 'tranche.dev/made-for': 'vllm' });
      const gone = applyEdits(after, { file: FILE, object: edits.object, edits: [], document: { kind: 'delete' } });
      expect(gone).toEqual({ kind: 'ok', text: before });
    }),
    { numRuns: Number(process.env['ROUTE_RUNS'] ?? 25) },
  );
});

test('a copy whose Service was written again has its ports, and is valid', async () => {
  const [sample] = fc.sample(anyService, 1);
  const model = await modelOf(sample!);
  const to = { name: 'vllm-svc-canary', workload: 'vllm-canary', of: 'vllm', labels: {} };
  fc.assert(
    fc.property(anyService, anyService, anyStyle, (value, next, style) => {
      const before = writeYaml(value, { ...style, byteOrderMark: false, finalBreak: true });
      const [service] = documentsOf({ [FILE]: before }, ['Service']);
      const made = spliced({ [FILE]: before }, [canaryService(service!, to)]);
      const copy = documentsOf(made, ['Service'])[1]!;
      const edits = renewed(copy, { ...service!, value: next }, to);
      const [, after] = documentsOf(spliced(made, [{ file: FILE, object: copy.object, edits }]), ['Service']);
      expect(hasPortsOf(after!, { value: next })).toBe(true);
      expect(renewed(after!, { ...service!, value: next }, to)).toEqual([]);
      new model!(after!.value).validate();
    }),
    { numRuns: 10 },
  );
});
