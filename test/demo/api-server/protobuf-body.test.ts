/** Bodies in protobuf, as kubectl 1.32 has sent them, and what is none. */

import { Buffer } from 'node:buffer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fromProtobuf, PROTOBUF } from '../../../src/demo/api-server/protobuf-body.ts';
import { type ApiServer, startApiServer } from '../../../src/demo/api-server/start-api-server.ts';
import { restingCluster } from '../../support/simulated-cluster.ts';

const NAMESPACE = 'azhzAAoPCgJ2MRIJTmFtZXNwYWNlEh8KFwoHdHJhbmNoZRIAGgAiACoAMgA4AEIAEgAaAgoAGgAiAA==';
const SECRET =
  'azhzAAoMCgJ2MRIGU2VjcmV0EjkKIgoLdHJhbmNoZS1naXQSABoHdHJhbmNoZSIAKgAyADgAQgASEQoFdG9rZW4SCGdocF9hYmMKGgAaACIA';
const CONFIG_MAP = 'azhzAAoPCgJ2MRIJQ29uZmlnTWFwEhsKEQoBYRIAGgAiACoAMgA4AEIAEgYKAWISAWMaACIA';

const bytes = (text: string): Buffer => Buffer.from(text, 'base64');
const none = { labels: {}, annotations: {} };

test.each([
  [NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'tranche', namespace: '', ...none } }],
  [
    SECRET,
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'tranche-git', namespace: 'tranche', ...none },
      data: { token: Buffer.from('ghp_abc\n').toString('base64') },
      type: 'Opaque',
    },
  ],
  [
    CONFIG_MAP,
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: '', ...none }, data: { b: 'c' } },
  ],
])('%s is read', (text, object) => {
  expect(fromProtobuf(bytes(text))).toEqual(object);
});

test.each([
  ['nothing', Buffer.alloc(0)],
  ['JSON', Buffer.from('{"kind":"Secret"}')],
  ['another kind', Buffer.from(bytes(NAMESPACE).toString('latin1').replace('Namespace', 'Gibberish'), 'latin1')],
  ['a length beyond its end', Buffer.from('k8s\0\x0a\x7fv1', 'latin1')],
  ['a number without an end', Buffer.from(`k8s\0${'\xff'.repeat(40)}`, 'latin1')],
])('%s is none', (_, body) => {
  expect(fromProtobuf(body)).toBeUndefined();
});

test('what is cut anywhere is never another object', () => {
  const whole = bytes(SECRET);
  const read = Array.from({ length: whole.length }, (_, at) => fromProtobuf(whole.subarray(0, at)));
  // Its last two fields are empty.
  expect(read.flatMap((object) => object ?? [])).toEqual([fromProtobuf(whole), fromProtobuf(whole)]);
});

let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer({ model: restingCluster(), port: 0, kinds: undefined, interfere: undefined });
});
afterAll(() => server.close());

test.each([
  ['namespaces', NAMESPACE, 201],
  ['namespaces/tranche/secrets', SECRET, 201],
  ['namespaces/tranche/pods', SECRET, 400],
  ['namespaces/tranche/secrets', '', 415],
])('a POST of it to %s is answered', async (path, text, status) => {
  const headers = { 'content-type': PROTOBUF };
  const reply = await fetch(`${server.url}/api/v1/${path}`, { method: 'POST', headers, body: bytes(text) });
  expect(reply.status).toBe(status);
});
