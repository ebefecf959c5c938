/** Main's own line says the same again further back, or a hand was in between: what a mark is held against is the newest beginning. */

import { expect, test } from 'vitest';
import { Forgery, saidOf } from '../../support/forgery.ts';
import { ladderRollout } from '../../support/ladder.ts';
import { ROUTE_FILE, TRAFFIC_FILES } from '../../support/traffic-files.ts';
import { LWS_FILE, ROLLOUT_FILE, VLLM_FILES } from '../../support/vllm.ts';

const ROLLOUT = ladderRollout('canary', ['replicas: 1, traffic: 5%, pause: {}', 'replicas: 100%']);
const ROUTE = `${TRAFFIC_FILES[ROUTE_FILE]}          weight: 7\n`;
const NEWER = 'v0.10.9';

/** Until a share of the requests is with the second workload: the weight of the route is put aside. */
async function shared(at: Forgery, was: number): Promise<void> {
  for (let round = 0; round < 30 && !at.text().includes(`"was":${was}`); round += 1) await at.round();
  expect(at.text()).toContain(`"was":${was}`);
}

async function sharing(): Promise<Forgery> {
  const at = new Forgery({ ...TRAFFIC_FILES, [ROUTE_FILE]: ROUTE, [ROLLOUT_FILE]: ROLLOUT });
  await at.stepped();
  await shared(at, 7);
  return at;
}

/** Ordered to abort, and played until the end; what was said. */
async function aborted(at: Forgery): Promise<string> {
  const said = [await at.order({ kind: 'abort', keepNewer: false })];
  for (let round = 0; round < 20; round += 1) said.push(saidOf(await at.round()));
  return said.join('\n');
}

const others = (at: Forgery, count: number): void => {
  for (let one = 0; one < count; one += 1) at.write('README.md', `line ${one}\n`);
};

test.each([
  ['all marks', / *tranche\.dev\/[a-z]+: .*\n/g],
  ['restore', / *tranche\.dev\/restore: .*\n/],
])('taken out by a hand and put back, %s: the route is as it was', async (_, marks) => {
  const at = await sharing();
  const written = at.text();
  at.edit(LWS_FILE, marks, '');
  at.write(LWS_FILE, written);
  const said = await aborted(at);
  expect(at.text(ROUTE_FILE), said).toMatch(/weight: 7$/m);
  expect(said).not.toContain('does not count');
});

test.each([
  ['six', 6],
  ['seven', 7],
])('shared once before, and %s other commits: forged, and the weight of now is back', async (_, count) => {
  const at = await sharing();
  others(at, 6);
  await aborted(at);
  at.edit(ROUTE_FILE, /weight: 7$/m, 'weight: 9');
  at.edit(LWS_FILE, /v0\.10\.0/g, NEWER);
  await shared(at, 9);
  others(at, count);
  at.edit(LWS_FILE, '"was":9', '"was":0');
  const said = await aborted(at);
  expect(at.text(ROUTE_FILE), said).toMatch(/weight: 9$/m);
});

const STYLES = ['partition', 'canary', 'blueGreen'] as const;
const STEPS = [
  'replicas: 1, traffic: 5%, pause: {duration: 120}',
  'replicas: 50%, traffic: 50%, pause: {duration: 60}',
  'replicas: 100%, pause: {duration: 60}',
];

/** What the annotation had of the route is out of it, and the share is in the route. */
async function forgotten(style: (typeof STYLES)[number]): Promise<Forgery> {
  const at = new Forgery({ ...TRAFFIC_FILES, [ROUTE_FILE]: ROUTE, [ROLLOUT_FILE]: ladderRollout(style, STEPS) });
  await at.stepped();
  await shared(at, 7);
  at.edit(LWS_FILE, /"objects":\[.*?\}\],/, '');
  return at;
}

test.each(STYLES)('%s: nothing says what the route was, aborted: it is as it was', async (style) => {
  const at = await forgotten(style);
  const said = await aborted(at);
  expect(at.text(ROUTE_FILE), said).toBe(ROUTE);
  expect(said).toMatch(
    /tranche\.dev\/restore leaves out what spec\.rules\[0\]\.backendRefs\[name=vllm-svc\]\.weight of \S+ was before this delivery set it, so the annotation does not count/,
  );
});

test.each(STYLES)('%s: nothing says what the route was, and the release goes on: it is as it was', async (style) => {
  const at = await forgotten(style);
  const said: string[] = [];
  for (let round = 0; round < 60; round += 1) said.push(saidOf(await at.round()));
  expect(at.text(), said.join('\n')).not.toContain('tranche.dev/step');
  expect(at.text(ROUTE_FILE), said.join('\n')).toBe(ROUTE);
});

const SURGE = `apiVersion: tranche.dev/v1alpha1
kind: RolloutPolicy
metadata: {name: surge}
spec: {surge: 1}
`;

test.each([0, 2])('an extra group, its annotation out of the file, %i other commits: it goes again', async (count) => {
  const at = await new Forgery({ ...VLLM_FILES, 'policies/surge.yaml': SURGE }).stepped();
  for (let round = 0; round < 10 && !at.text().includes('replicas: 5'); round += 1) await at.round();
  expect(at.text()).toContain('"replicas":{"was":4,"set":5}');
  const written = at.text();
  at.edit(LWS_FILE, / *tranche\.dev\/restore: .*\n/, '');
  others(at, count);
  at.write(LWS_FILE, written);
  const said = await aborted(at);
  expect(at.text(), said).toContain('replicas: 4');
  expect(said).not.toContain('does not count');
});

/** `git revert` of the last step, so that an older set of annotations stands over the newest. */
test.each([1, 2])(
  'the last step was reverted, %i other commits: tranche repair still finds what it wrote',
  async (count) => {
    const at = await new Forgery().stepped();
    others(at, 9);
    const before = at.text();
    for (let round = 0; round < 20 && at.text() === before; round += 1) await at.round();
    const written = at.text();
    expect(written).not.toBe(before);
    at.write(LWS_FILE, before);
    others(at, count);
    expect(await at.repair()).toContain('repair');
    expect(at.text().match(/tranche.dev.*/g)).toEqual(written.match(/tranche.dev.*/g));
  },
);

test('an aborted release stands as the one that settled: held, and tranche repair writes what did', async () => {
  const at = await new Forgery().stepped();
  const [, release = ''] = /tranche\.dev\/release: "([^"]*)"/.exec(at.text()) ?? [];
  await aborted(at);
  const settled = at.text();
  expect(settled).toContain(`tranche.dev/aborted: "${release}"`);
  at.mark('release', release);
  at.edit(LWS_FILE, /v0\.10\.0/g, NEWER);
  expect(saidOf(await at.round())).toContain('tranche.dev annotations of vllm are gone');
  expect(at.text()).not.toContain('tranche.dev/step');
  await at.repair();
  expect(at.text().match(/tranche.dev.*/g)).toEqual(settled.match(/tranche.dev.*/g));
  await at.round();
  expect(at.text()).toContain('tranche.dev/step: "1/');
});
