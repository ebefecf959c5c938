/** Steps as pull requests where a HelmRelease renders the workload. */

import { expect, test } from 'vitest';
import type { FakeForge } from '../../support/fake-forge.ts';
import { RELEASE_FILE, RELEASE_TEXT } from '../../support/helm-files.ts';
import { HelmWorld, RUNNING_FILES } from '../../support/helm-world.ts';

const OLD = '0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+';
const NEW = OLD.replaceAll('v0.10.0', 'v0.10.1');
const ABORT = { kind: 'abort', keepNewer: false, from: undefined } as const;
const ADA = { login: 'ada', isBot: false } as const;
const POLICY =
  'apiVersion: tranche.dev/v1alpha1\nkind: RolloutPolicy\nmetadata: {name: pulls}\nspec:\n  promotion: pullRequest\n';

/** Taken over, with a newer tag in the values, and the pull request of its first step. */
async function proposed(isGuarded = false): Promise<{ readonly world: HelmWorld; readonly forge: FakeForge }> {
  const world = await HelmWorld.adopted({ files: { ...RUNNING_FILES } });
  const forge = world.withForge();
  forge.isGuarded = isGuarded;
  world.repository.commit('main', { writes: [{ path: 'rollouts/policy.yaml', text: POLICY }], message: 'a policy' });
  world.edit(RELEASE_FILE, 'v0.10.0', 'v0.10.1');
  world.apply();
  await world.step();
  await world.step();
  expect([forge.open.length, world.groups()]).toEqual([1, OLD]);
  return { world, forge };
}

function merge({ world, forge }: { readonly world: HelmWorld; readonly forge: FakeForge }): void {
  for (const pull of forge.open) expect(forge.merge(pull, ADA, false)).toBe(true);
  world.apply();
}

test('the pull request of a step says which inputs changed, and what the chart makes of them', async () => {
  const { forge } = await proposed();
  const body = forge.open[0]?.body ?? '';
  expect(body).toContain('| workload | ` llm/vllm ` |\n');
  expect(body).toContain('| rendered by | ` HelmRelease vllm (apps/vllm/release.yaml) ` |\n');
  expect(body).toMatch(/\| inputs \| ` [0-9a-f]{8} → [0-9a-f]{8} ` \|\n/);
  expect(body).toContain('- spec.values.image.tag: "v0.10.0"\n+ spec.values.image.tag: "v0.10.1"\n');
  expect(body).toContain('### What the chart makes of it');
  expect(body).toContain('containers[leader].image: "vllm/vllm-openai:v0.10.1"');
});

test.each([false, true])(
  'merged one after the other they deliver it (the step itself is in them: %s)',
  async (guarded) => {
    const at = await proposed(guarded);
    for (let round = 0; round < 24 && !at.world.subject().endsWith('settled'); round += 1) {
      merge(at);
      await at.world.step();
    }
    expect([at.world.groups(), at.world.failed]).toEqual([NEW, 0]);
  },
);

test('merged after other values came: no step of theirs is taken by it, and an abort leads back', async () => {
  const at = await proposed();
  at.world.edit(RELEASE_FILE, 'v0.10.1', 'v0.10.2');
  at.world.apply();
  merge(at);
  for (let step = 0; step < 4; step += 1) await at.world.step();
  expect(at.world.groups()).toBe(OLD);
  await at.world.order(ABORT);
  await at.world.play().catch(() => undefined);
  expect([at.world.groups(), at.world.release().includes(RELEASE_TEXT.slice(RELEASE_TEXT.indexOf('spec:')))]).toEqual([
    OLD,
    true,
  ]);
});

test('the step itself, merged by git after other values came: the roll is stopped, and an abort leads back', async () => {
  const { world, forge } = await proposed(true);
  const step = world.repository.text(forge.open[0]?.head ?? '', RELEASE_FILE) ?? '';
  expect(step).toContain('"partition":3');
  world.edit(RELEASE_FILE, 'v0.10.1', 'v0.10.2');
  const text = step.replace('v0.10.1', 'v0.10.2');
  world.repository.commit('main', { writes: [{ path: RELEASE_FILE, text }], message: 'merged' });
  world.apply();
  for (let round = 0; round < 4; round += 1) await world.step();
  const [group3, ...others] = world.groups().split(' ').reverse();
  expect([group3?.slice(0, -1), others.reverse().join(' ')]).toEqual(['3:v0.10.2', OLD.slice(0, OLD.indexOf(' 3:'))]);
  await world.order(ABORT);
  for (let round = 0; round < 8; round += 1) await world.step();
  expect(world.groups()).toBe(OLD);
});

test('a clone without history: what is in delivery goes back by the copy that the record has, byte for byte', async () => {
  const world = await HelmWorld.halfWay({ signed: true });
  world.lose(
    world.repository
      .log('main')
      .slice(1)
      .map(({ oid }) => oid),
  );
  await world.order(ABORT);
  for (let step = 0; step < 8; step += 1) await world.step();
  expect(world.groups()).toBe(OLD);
  expect(world.release()).toContain(RELEASE_TEXT.slice(RELEASE_TEXT.indexOf('spec:')));
});
