/** Whether the API server holds what a manifest says: defaults, quantities, named lists, leftovers. */

import { expect, test } from 'vitest';
import { emptiesDiffer, firstDifference, leafCount } from '../../src/api/content-match.ts';
import type { JsonObject } from '../../src/api/json.ts';

type Row = readonly [what: string, wanted: JsonObject, live: JsonObject, differs: string | undefined];

const container = (fields: JsonObject): JsonObject => ({ containers: [{ name: 'vllm', ...fields }] });

test.each<Row>([
  ['the same', { a: 1, b: 'x' }, { a: 1, b: 'x' }, undefined],
  ['another order of keys', { a: 1, b: 2 }, { b: 2, a: 1 }, undefined],
  [
    'defaults that the server added',
    { image: 'a' },
    { image: 'a', imagePullPolicy: 'Always', restartPolicy: 'None' },
    undefined,
  ],
  ['another leaf', { a: { b: 1 } }, { a: { b: 2 } }, 'a.b'],
  ['a missing leaf', { a: { b: 1 } }, { a: {} }, 'a.b'],
  ['a missing map', { a: { b: 1 } }, {}, 'a'],
  ['a number is not its text', { a: 1 }, { a: '1' }, 'a'],
  ['an empty map is nothing', { a: {} }, {}, undefined],
  ['null is nothing', { a: null }, {}, undefined],
  ['an empty list is nothing', { a: [] }, { a: [] }, undefined],
  ['a map where a list was', { a: [1] }, { a: { b: 1 } }, 'a'],
  [
    'limits as quantities',
    container({ resources: { limits: { cpu: 1 } } }),
    container({ resources: { limits: { cpu: '1' } } }),
    undefined,
  ],
  [
    'requests as quantities',
    container({ resources: { requests: { memory: '1Gi' } } }),
    container({ resources: { requests: { memory: '1024Mi' } } }),
    undefined,
  ],
  [
    'another quantity',
    container({ resources: { limits: { cpu: '1' } } }),
    container({ resources: { limits: { cpu: '2' } } }),
    'containers[vllm].resources.limits.cpu',
  ],
  ['sizeLimit is one', { emptyDir: { sizeLimit: '1Gi' } }, { emptyDir: { sizeLimit: '1024Mi' } }, undefined],
  ['an argument is none', container({ args: ['1000m'] }), container({ args: ['1'] }), 'containers[vllm].args[0]'],
  ['an added argument', { args: ['a'] }, { args: ['a', 'b'] }, 'args'],
  [
    'a sidecar that somebody injects',
    container({ image: 'a' }),
    { containers: [{ name: 'vllm', image: 'a' }, { name: 'proxy' }] },
    undefined,
  ],
  [
    'an injected one in front',
    container({ image: 'a' }),
    { containers: [{ name: 'proxy' }, { name: 'vllm', image: 'a' }] },
    undefined,
  ],
  ['a missing container', container({ image: 'a' }), { containers: [{ name: 'proxy' }] }, 'containers[vllm]'],
  ['order among named ones', { env: [{ name: 'A' }, { name: 'B' }] }, { env: [{ name: 'B' }, { name: 'A' }] }, 'env'],
  [
    'volume mounts of one volume, by place',
    {
      volumeMounts: [
        { name: 'v', mountPath: '/a' },
        { name: 'v', mountPath: '/b' },
      ],
    },
    {
      volumeMounts: [
        { name: 'v', mountPath: '/a' },
        { name: 'v', mountPath: '/c' },
      ],
    },
    'volumeMounts[1].mountPath',
  ],
])('%s', (_, wanted, live, differs) => expect(firstDifference(wanted, undefined, live)).toBe(differs));

test.each<readonly [...Row, before: JsonObject]>([
  ['a leftover of the text before', { a: 1 }, { a: 1, b: 2 }, 'b', { a: 1, b: 2 }],
  [
    'a deep leftover',
    container({ image: 'a' }),
    container({ image: 'a', args: ['x'] }),
    'containers[vllm].args',
    container({ image: 'a', args: ['x'] }),
  ],
  [
    'a container of the text before',
    container({}),
    { containers: [{ name: 'vllm' }, { name: 'old' }] },
    'containers[old]',
    { containers: [{ name: 'vllm' }, { name: 'old' }] },
  ],
  ['gone as wanted', { a: 1 }, { a: 1 }, undefined, { a: 1, b: 2 }],
  [
    'defaulted again',
    { containers: [] },
    { size: 1, restartPolicy: 'RecreateGroupOnPodRestart' },
    undefined,
    { size: 4, restartPolicy: 'None' },
  ],
  [
    'a map that was emptied',
    { emptyDir: {} },
    { emptyDir: { medium: 'M' } },
    'emptyDir',
    { emptyDir: { medium: 'M' } },
  ],
  ['a list that was emptied', { args: [] }, { args: ['x'] }, 'args', { args: ['x'] }],
  ['emptied with null', { a: null }, { a: { b: 1 } }, 'a', { a: { b: 1 } }],
  ['emptied as wanted', { emptyDir: {} }, { emptyDir: {} }, undefined, { emptyDir: { medium: 'M' } }],
  ['emptied, and defaulted', { ports: {} }, { ports: { protocol: 'TCP' } }, undefined, { ports: { protocol: 'UDP' } }],
  ["somebody else's value", { a: 1 }, { a: 1, b: 3 }, undefined, { a: 1, b: 2 }],
  [
    'a default that the text before spelled out',
    { name: 'p' },
    { name: 'p', protocol: 'TCP' },
    undefined,
    { name: 'p', protocol: 'TCP' },
  ],
])('before: %s', (_, wanted, live, differs, before) => expect(firstDifference(wanted, before, live)).toBe(differs));

test('leaves are counted through maps and lists', () => {
  expect(leafCount({ a: 1, b: { c: [1, 2, { d: null }] }, e: {}, f: [] })).toBe(4);
});

test.each<readonly [what: string, left: JsonObject, right: JsonObject, differ: boolean]>([
  ['none at all', { a: 1 }, { a: 2 }, false],
  ['the same ones, in another order', { a: {}, b: [] }, { b: [], a: {} }, false],
  ['one more', container({}), container({ securityContext: {} }), true],
  ['null is one', { a: null }, {}, true],
  ['a list for a map', { a: {} }, { a: [] }, true],
  ['filled', { emptyDir: {} }, { emptyDir: { medium: 'Memory' } }, true],
])('empty maps and lists: %s', (_, left, right, differ) => expect(emptiesDiffer(left, right)).toBe(differ));
