/** The same of an autoscaler: what another folder adds for the same workload leaves the floor of the own one to its rollback. */

import { expect, test } from 'vitest';
import { commonFiles, ownFiles } from '../scenarios/check-stories.ts';
import { Forgery, reasonsOf } from '../support/forgery.ts';
import { LWS_FILE } from '../support/vllm.ts';

const HPA = 'apps/vllm/hpa.yaml';
const FILES = {
  ...commonFiles('vllm-service'),
  ...commonFiles('vllm-routed'),
  ...commonFiles('canary-steps'),
  ...commonFiles('autoscaler'),
  ...ownFiles('canary-with-an-autoscaler'),
};

let base: Promise<Forgery> | undefined;

/** The new version has a share, and the floor of the autoscaler is raised. */
async function shared(): Promise<Forgery> {
  const make = async () => {
    const at = new Forgery(FILES);
    await at.round();
    at.world.cluster.scale({ namespace: 'llm', name: 'vllm' }, 3);
    for (let pass = 0; pass < 3; pass += 1) await at.round();
    at.edit(LWS_FILE, /v0\.10\.0/g, 'v0.10.1');
    for (let pass = 0; pass < 20 && !at.text().includes('tranche.dev/rung: "traffic"'); pass += 1) await at.round();
    expect(at.text(HPA)).toMatch(/minReplicas: 3/);
    return at;
  };
  return (await (base ??= make())).fork();
}

const OWN = FILES[HPA] ?? '';
const keda = OWN.replace(/apiVersion: autoscaling.*/, 'apiVersion: keda.sh/v1alpha1')
  .replace('HorizontalPodAutoscaler', 'ScaledObject')
  .replaceAll('Replicas:', 'ReplicaCount:');

const ADDED: Readonly<Record<string, string>> = {
  none: '',
  'one of another name': OWN.replace('name: vllm', 'name: other'),
  'one of the same name': OWN,
  'one of the same name with another floor': OWN.replace(/minReplicas: \d+/, 'minReplicas: 1'),
  'a ScaledObject': keda,
  'one of another API group': OWN.replace(/apiVersion: autoscaling.*/, 'apiVersion: example.com/v1'),
  'three of other names': ['a', 'b', 'c'].map((name) => OWN.replace('name: vllm', `name: ${name}`)).join('---\n'),
};
const CASES = Object.keys(ADDED).flatMap((what) =>
  what === 'none'
    ? [[what, 'z.yaml', 0] as const]
    : ['a.yaml', 'teams/b/hpa.yaml'].map((path, at) => [what, path, 3 * at] as const),
);

// What the cluster has of it is seen by the passes before.
test.each(CASES)(
  '%s in %s in the middle of a share, %i passes before: the floor comes back',
  async (what, path, passes) => {
    const at = await shared();
    const added = ADDED[what] ?? '';
    if (added !== '') at.write(path, added);
    for (let pass = 0; pass < passes; pass += 1) await at.round();
    expect(await at.order({ kind: 'abort', keepNewer: false })).toMatch(/^abort/);
    await at.until('rolled back');
    expect(at.text(HPA)).toBe(OWN);
    if (added !== '') expect(at.text(path)).toBe(added);
    const last = at.world.repository.head('main');
    await at.round();
    expect(at.world.repository.head('main')).toBe(last);
  },
);

test.each([
  ['one of another name', 'ScalerRefused'],
  ['one of the same name', 'DuplicateObject'],
  ['a ScaledObject', 'ScalerRefused'],
])('%s: no step goes forward next to it', async (what, reason) => {
  const at = await shared();
  at.write('a.yaml', ADDED[what]);
  const last = at.world.repository.head('main');
  for (let pass = 0; pass < 10; pass += 1) await at.round();
  expect(reasonsOf(await at.round())).toContain(reason);
  expect(at.world.repository.head('main')).toBe(last);
});

test('one that only has the name of the kind counts for no step either', async () => {
  const at = await shared();
  at.write('a.yaml', ADDED['one of another API group']);
  await at.until('settled', 60);
  expect(at.text(HPA)).toBe(OWN);
});

const FOREIGN = OWN.replace('name: vllm', 'name: other');

test.each([
  ['in a file alone', (at: Forgery): void => void at.write('teams/b/hpa.yaml', FOREIGN)],
  ['in none', (): void => undefined],
])(
  'a change of replicas that is not applied yet, and a scaler %s: no step is sized by the groups of before',
  async (_, add) => {
    const at = new Forgery();
    await at.until('adopt');
    add(at);
    at.edit(LWS_FILE, /v0\.10\.0/g, 'v0.10.1');
    at.world.sync();
    at.edit(LWS_FILE, /replicas: 4/, 'replicas: 8');
    const { outcomes } = await at.world.pass();
    expect(outcomes[0]?.plan?.holds.map(({ reason }) => reason)).toContain('NotApplied');
    expect(outcomes[0]?.written).toBeUndefined();
  },
);
