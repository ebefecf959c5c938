/** What is taken from the output of a build before anything is parsed. */

import { expect, test } from 'vitest';
import { apart, headsOf, ofKinds } from '../../src/manifests/build-output.ts';

const MAP = `apiVersion: v1
data:
  settings.toml: |
    kind: LeaderWorkerSet
    ---
    a = 1

    b = 2
kind: ConfigMap
metadata:
  annotations:
    kustomize.toolkit.fluxcd.io/prune: disabled
  name: settings
`;
const LWS =
  'apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata:\n  name: vllm\nspec:\n  replicas: 4\n';
const SECRET = 'apiVersion: v1\nkind: Secret\nmetadata:\n  name: token\nstringData:\n  a: b\ntype: Opaque\n';

test.each([
  [['LeaderWorkerSet'], LWS],
  [['ConfigMap'], MAP],
  [['ConfigMap', 'Secret'], `${MAP}---\n${SECRET}`],
  [['Service'], ''],
])('documents of %s', (kinds, expected) => {
  expect(ofKinds(`${MAP}---\n${LWS}---\n${SECRET}`, kinds)).toBe(expected);
});

test('a name and how it is kept, without what is in it', () => {
  expect(headsOf(`${MAP}---\n${SECRET}`, ['ConfigMap', 'Secret'])).toBe(
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  annotations:\n    kustomize.toolkit.fluxcd.io/prune: disabled\n  name: settings\n---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: token\n',
  );
});

const other = LWS.replace('4', '5');

test.each([
  ['the same map', `${MAP}---\n${LWS}`, `${MAP}---\n${other}`, [LWS, other]],
  ['a map that is gone', `${MAP}---\n${LWS}`, other, [`${MAP}---\n${LWS}`, other]],
  ['the workload as it was', `${MAP}---\n${LWS}`, `${MAP}---\n${LWS}`, [LWS, LWS]],
  [
    'one twice',
    `${MAP}---\n${MAP}---\n${LWS}`,
    `${MAP}---\n${LWS}`,
    [`${MAP}---\n${MAP}---\n${LWS}`, `${MAP}---\n${LWS}`],
  ],
  ['another order', `${MAP}---\n${SECRET}---\n${LWS}`, `${LWS}---\n${SECRET}---\n${MAP}`, [LWS, LWS]],
])('%s: what differs is left', (_, before, after, expected) => {
  expect(apart(before, after, 'LeaderWorkerSet')).toEqual(expected);
});
