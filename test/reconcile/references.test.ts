/** Which ConfigMaps and Secrets a template names, in each place where Kubernetes takes such a name. */

import { expect, test } from 'vitest';
import { referencesIn } from '../../src/reconcile/lint/references.ts';

const container = (inner: object) => ({ workerTemplate: { spec: { containers: [{ name: 'a', ...inner }] } } });
const volume = (inner: object) => ({ workerTemplate: { spec: { volumes: [{ name: 'v', ...inner }] } } });

test.each<readonly [template: object, names: readonly string[]]>([
  [container({ env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 's', key: 'k' } } }] }), ['ConfigMap s']],
  [container({ env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 't', key: 'k' } } }] }), ['Secret t']],
  [
    container({ envFrom: [{ configMapRef: { name: 's' } }, { secretRef: { name: 't' } }] }),
    ['ConfigMap s', 'Secret t'],
  ],
  [volume({ configMap: { name: 's' } }), ['ConfigMap s']],
  [volume({ secret: { secretName: 't' } }), ['Secret t']],
  [
    volume({ projected: { sources: [{ configMap: { name: 's' } }, { secret: { name: 't' } }] } }),
    ['ConfigMap s', 'Secret t'],
  ],
  [volume({ csi: { driver: 'x', nodePublishSecretRef: { name: 't' } } }), ['Secret t']],
  // Of no container: what pulls images is no content of the template.
  [{ workerTemplate: { spec: { imagePullSecrets: [{ name: 't' }] } } }, []],
  [volume({ secret: 'text' }), []],
  [volume({ secret: { secretName: 7 } }), []],
])('%j names %j', (template, names) => {
  expect([...referencesIn(template, ['spec']).keys()]).toEqual(names);
});

test('each name once, at the place where it stands first', () => {
  const twice = volume({ secret: { secretName: 't' }, projected: { sources: [{ secret: { name: 't' } }] } });
  expect([...referencesIn(twice, ['spec'])]).toEqual([
    ['Secret t', ['spec', 'workerTemplate', 'spec', 'volumes', '0', 'secret', 'secretName']],
  ]);
});
