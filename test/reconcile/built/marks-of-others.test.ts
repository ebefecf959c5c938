/** Annotations of tranche in what people's files bring into a build: a base may be delivered itself, and says nothing of what is built over it. */

import { expect, test } from 'vitest';
import { BuiltWorld, COMPONENT, NEW_TAG, OLD_TAG, PATCH } from '../../support/built-world.ts';

const BASE = 'apps/vllm/base/lws.yaml';
const ABORT = { kind: 'abort', keepNewer: false, from: undefined } as const;
const OLD = '0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+';
const DIGEST = '0'.repeat(32);
const BROUGHT: Readonly<Record<string, string>> = {
  'of a delivery': `tranche.dev/release: "${DIGEST}.9", tranche.dev/step: "rollback", tranche.dev/rung: "traffic", tranche.dev/serves: "green", tranche.dev/aborted: "${DIGEST}.8"`,
  'of a second workload': `tranche.dev/made-for: "other", tranche.dev/template: "${DIGEST}.9"`,
  'that nobody can read': `tranche.dev/restore: '{"undone":true}', tranche.dev/later: "1"`,
};

function bring(world: BuiltWorld, annotations: string): void {
  const { [BASE]: text = '' } = world.files();
  const brought = text.replace('metadata:\n', `metadata:\n  annotations: {${annotations}}\n`);
  expect(brought).not.toBe(text);
  world.repository.commit('main', { writes: [{ path: BASE, text: brought }], message: 'base: annotations' });
}

async function adopted(): Promise<BuiltWorld> {
  const world = new BuiltWorld();
  await world.apply();
  world.tick(120);
  await world.play();
  return world;
}

async function steps(world: BuiltWorld): Promise<readonly string[]> {
  const told: string[] = [];
  for (let step = 0; step < 6; step += 1) told.push(await world.step());
  return told;
}

test.each(Object.entries(BROUGHT))(
  '%s: a delivery goes by the patch, and so does its abort',
  async (_, annotations) => {
    const world = await adopted();
    bring(world, annotations);
    await world.apply();
    expect(await world.step(), 'at rest').toBe('');
    world.edit(COMPONENT, OLD_TAG, NEW_TAG);
    await world.apply();
    expect(await world.step()).toContain('step 1/3');
    expect(await world.order(ABORT)).toMatch(/^abort [0-9a-f]{8}\.2/);
    const told = await steps(world);
    expect(world.groups('prod-vllm'), told.join('\n')).toBe(OLD);
    expect(told.join('\n')).toContain('rolled back');
    expect(world.files()[PATCH]).not.toContain('tranche.dev/step');
    expect(world.files()[PATCH]).not.toContain(DIGEST);
  },
);

test.each(Object.entries(BROUGHT))('%s, in the middle of a step: an abort leads back', async (_, annotations) => {
  const world = await adopted();
  world.edit(COMPONENT, OLD_TAG, NEW_TAG);
  await world.apply();
  for (let step = 0; step < 2; step += 1) await world.step();
  bring(world, annotations);
  await world.apply();
  expect(await world.order(ABORT)).toMatch(/^abort [0-9a-f]{8}\.2/);
  const told = await steps(world);
  expect(world.groups('prod-vllm'), told.join('\n')).toBe(OLD);
  expect(told.join('\n')).toContain('rolled back');
});

test.each(Object.entries(BROUGHT))(
  '%s, before it is taken over: it is adopted all the same',
  async (_, annotations) => {
    const world = new BuiltWorld();
    bring(world, annotations);
    await world.apply();
    world.tick(120);
    expect((await world.play()).join('\n')).toContain('adopt, partition unset → 1000000');
    expect(world.files()[PATCH]).not.toContain(DIGEST);
  },
);
