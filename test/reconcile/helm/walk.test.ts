/** Whatever people edit in a HelmRelease, Flux applies or fails to, and tranche writes in between, in any order. */

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderersIn } from '../../../src/api/helm-release.ts';
import { RELEASE_FILE } from '../../support/helm-files.ts';
import { HelmWorld } from '../../support/helm-world.ts';
import { yamlValues } from '../../support/yaml-values.ts';

const OLD = '0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+';
const ABORT = { kind: 'abort', keepNewer: false, from: undefined } as const;

const tagIn = (text: string): string => /image: \{tag: (.*)\}/.exec(text)?.[1] ?? expect.fail('no tag');
const partitionIn = (text: string): number =>
  renderersIn(yamlValues(text)[0] ?? {}).entry?.partition ?? expect.fail('no entry of ours');

/** Of the document what people have written. */
const people = (text: string): string =>
  text.replace(/ {4}tranche\.dev\/.*\n/g, '').replace(/ {2}postRenderers:\n[^]*$/, '');

/** Somebody changes the document, if that changes it. */
function edit(world: HelmWorld, change: (text: string) => string): void {
  const text = change(world.release());
  if (text !== world.release())
    world.repository.commit('main', { writes: [{ path: RELEASE_FILE, text }], message: 'an edit' });
}

/** A pass, and a second one right behind it, which has nothing to write. A step further lets no group go that was not seen. */
async function pass(world: HelmWorld): Promise<void> {
  const [before, groups, commits] = [world.release(), world.groups(), world.commits()];
  await world.pass();
  const after = world.release();
  const [from, to] = [partitionIn(before), partitionIn(after)];
  if (world.commits() > commits && /: step \d/.test(world.subject()) && to < from)
    for (const group of groups.split(' ').filter((one) => Number(one.split(':')[0]) >= from))
      expect(group, `${world.subject()} over ${groups}`).toMatch(new RegExp(`:${tagIn(before)}\\+$`));
  const written = world.commits();
  await world.pass();
  expect(world.commits(), `a second pass writes ${world.subject()}`).toBe(written);
}

const another = (_: string, minor: string): string => `version: 1.${7 - Number(minor)}.0`;
const tagged =
  (tag: number) =>
  (world: HelmWorld): void =>
    edit(world, (text) => text.replace(/tag: v0\.10\.\d/, `tag: v0.10.${tag}`));

const OPS = {
  pass,
  apply: (world: HelmWorld): void => world.apply(),
  minute: (world: HelmWorld): void => world.tick(60),
  tag0: tagged(0),
  tag1: tagged(1),
  tag2: tagged(2),
  chart: (world: HelmWorld): void => edit(world, (text) => text.replace(/version: 1\.(\d)\.0/, another)),
  comment: (world: HelmWorld): void => edit(world, (text) => text.replace('spec:\n', 'spec:\n  # so it is\n')),
};

const WEIGHTS = { pass: 6, apply: 5, minute: 4, tag0: 1, tag1: 1, tag2: 1, chart: 1, comment: 1 };
const NAMES = Object.keys(OPS).filter((name): name is keyof typeof OPS => Object.hasOwn(OPS, name));
const op = fc.oneof(...NAMES.map((name) => ({ weight: WEIGHTS[name], arbitrary: fc.constant(name) })));

test('no step over groups that were not seen, nothing twice, and an abort leads back to every byte', async () => {
  const start = await HelmWorld.adopted();
  await fc.assert(
    fc.asyncProperty(fc.array(op, { minLength: 8, maxLength: 30 }), async (ops) => {
      const world = start.fork();
      for (const name of ops) await OPS[name](world);
      const settled = /: settled$/m;
      const isDelivered = world.repository
        .log('main')
        .some(({ message }) => settled.test(message.split('\n')[0] ?? ''));
      if (isDelivered) return;
      await world.order(ABORT);
      for (let round = 0; round < 10; round += 1) await world.step();
      expect(world.groups()).toBe(OLD);
      expect(people(world.release()).replaceAll('  # so it is\n', '')).toBe(people(start.release()));
      expect(world.failed).toBe(0);
    }),
    { numRuns: 12 },
  );
});
