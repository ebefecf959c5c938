/** A step that fails where a HelmRelease renders the workload, and a policy that lets it go back without a person. */

import { expect, test } from 'vitest';
import { RELEASE_FILE, RELEASE_TEXT } from '../../support/helm-files.ts';
import { HelmWorld, RUNNING_FILES } from '../../support/helm-world.ts';

const OLD = '0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+';
const NEW = OLD.replaceAll('v0.10.0', 'v0.10.1');
const ABORT = { kind: 'abort', keepNewer: false, from: undefined } as const;

const policy = (...lines: readonly string[]): string =>
  `apiVersion: tranche.dev/v1alpha1\nkind: RolloutPolicy\nmetadata: {name: extra}\nspec:\n${lines.map((line) => `  ${line}\n`).join('')}`;

/** Of the document what people have written. */
function people(text: string): string {
  return text
    .replace(/ {4}tranche\.dev\/.*\n/g, '')
    .replace('  annotations:\n', '')
    .replace(/ {2}postRenderers:\n[^]*$/, '');
}

/** Taken over; pods of the newer tag come up until `isBroken` says that they do not any more. */
async function failing(onFailure: string): Promise<{ readonly world: HelmWorld; readonly isBroken: { now: boolean } }> {
  const isBroken = { now: false };
  const world = await HelmWorld.adopted({
    files: { ...RUNNING_FILES, 'rollouts/policy.yaml': policy('readyDeadlineSeconds: 120', onFailure) },
    signed: true,
    cluster: {
      stock: { resource: 'nvidia.com/gpu', amount: 72 },
      readiness: (pod) => (isBroken.now && JSON.stringify(pod['spec']).includes('v0.10.1') ? 'never' : 20),
    },
  });
  world.edit(RELEASE_FILE, 'v0.10.0', 'v0.10.1');
  world.apply();
  return { world, isBroken };
}

test.each([1, 3, 5])('broken from pass %i on: the inputs come back without a person', async (passes) => {
  const { world, isBroken } = await failing('onFailure: rollback');
  for (let step = 0; step < passes; step += 1) await world.step();
  isBroken.now = true;
  const told = await world.play(30);
  if (world.groups() === NEW) return expect(world.subject()).toContain(': settled');
  expect(told.join('\n')).toContain(': rollback');
  expect([world.groups(), people(world.release())]).toEqual([OLD, RELEASE_TEXT]);
  const reasons = world.repository.log('main').map(({ message }) => /Rollout-Reason: (.*)/.exec(message)?.[1]);
  expect(reasons).toContain('Failed');
  const commits = world.commits();
  await world.pass();
  expect([world.commits(), world.failed]).toEqual([commits, 0]);
});

test('a policy that holds: nothing goes back before somebody orders it', async () => {
  const { world, isBroken } = await failing('onFailure: hold');
  for (let step = 0; step < 3; step += 1) await world.step();
  isBroken.now = true;
  for (let step = 0; step < 8; step += 1) await world.step();
  expect(await world.step()).toContain('StepFailed');
  expect(people(world.release())).toContain('v0.10.1');
  await world.order(ABORT);
  await world.play(30);
  expect([world.groups(), people(world.release())]).toEqual([OLD, RELEASE_TEXT]);
});

test('an undo later than a policy allows: the inputs come back as a request, and go by the steps', async () => {
  const world = await HelmWorld.adopted();
  world.repository.commit('main', {
    writes: [{ path: 'rollouts/policy.yaml', text: policy('undoWithinSeconds: 60') }],
    message: 'a policy',
  });
  world.edit(RELEASE_FILE, 'v0.10.0', 'v0.10.1');
  world.apply();
  await world.play();
  expect(world.groups()).toBe(NEW);
  world.tick(1000);
  expect(await world.order({ kind: 'undo', to: undefined })).toContain('This is a request and no rollback');
  expect(people(world.release())).toBe(RELEASE_TEXT);
  world.apply();
  world.tick(60);
  expect(world.groups(), 'no group follows before its step').toBe(NEW);
  expect((await world.play()).join('\n')).toContain('step 1/3, partition 1000000 → 3');
  expect([world.groups(), people(world.release())]).toEqual([OLD, RELEASE_TEXT]);
});
