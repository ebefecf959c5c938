/** A base whose workload is open without our patch: the warning stands where the partition belongs. */

import { expect, test } from 'vitest';
import { BUILT_FILES, BuiltWorld, OVERLAY } from '../../support/built-world.ts';

const LWS = 'apps/vllm/base/lws.yaml';
const BASE = 'apps/vllm/base/kustomization.yaml';
const SMALL = 'apps/vllm/base/small.yaml';
const LOCKED = '  rolloutStrategy: {rollingUpdateConfiguration: {partition: 1000000}}\n';

type Files = Readonly<Record<string, string>>;

const based = (strategy: string): Files => ({
  [LWS]: (BUILT_FILES[LWS] ?? '').replace('spec:\n', `spec:\n${strategy}`),
});
/** A second one in the same base, whose name is a part of the other's. */
const twoOf = (name: string): Files => ({
  [BASE]: 'resources: [lws.yaml, service.yaml, small.yaml]\n',
  [SMALL]: (BUILT_FILES[LWS] ?? '').replace('name: vllm\n', `name: ${name}\n`).replace('spec:\n', `spec:\n${LOCKED}`),
});
const OPENED: Files = {
  ...based(LOCKED),
  [OVERLAY]: `${BUILT_FILES[OVERLAY]}patches:
  - target: {kind: LeaderWorkerSet}
    patch: |-
      - {op: replace, path: /spec/rolloutStrategy/rollingUpdateConfiguration/partition, value: 0}
`,
};

test.each<readonly [what: string, files: Files, place: string | undefined, way: string]>([
  ['not written', {}, `${LWS}:spec:`, `1000000 into LeaderWorkerSet vllm of ${LWS}.`],
  [
    'of a step',
    based(LOCKED.replace('1000000', '0')),
    `${LWS}:rolloutStrategy`,
    `1000000 into LeaderWorkerSet vllm of ${LWS}.`,
  ],
  ['not written, next to one with a shorter name', twoOf('vl'), `${LWS}:spec:`, LWS],
  ['locked', based(LOCKED), undefined, ''],
  [
    'locked, and opened by a patch of people',
    OPENED,
    `${OVERLAY}:/partition`,
    `${LWS} has 1000000: take out what writes another`,
  ],
])('a base whose partition is %s', async (_, files, place, way) => {
  const world = new BuiltWorld({ files: { ...BUILT_FILES, ...files } });
  await world.apply();
  await world.pass();
  await world.apply();
  const { outcomes } = await world.pass();
  const warnings = (outcomes[0]?.plan?.warnings ?? []).filter(({ reason }) => reason === 'BaseNotLocked');
  const [file = '', text = ''] = place?.split(/:(.*)/s) ?? [];
  const line = (world.files()[file] ?? '').split('\n').findIndex((one) => one.includes(text)) + 1;
  expect(warnings.map((one) => `${one.file}:${one.line}`)).toEqual(place === undefined ? [] : [`${file}:${line}`]);
  expect(warnings[0]?.hint ?? '').toContain(way);
});
