/**
 * The model of kustomize that worlds of the simulation play is held against the real one, over drawn folders: those that are
 * recorded, and where KUSTOMIZE names a program as many more (`DRAWN=n` for others).
 */

import { expect, test } from 'vitest';
import { kustomizeBuilder } from '../../src/adapters/kustomize/kustomize-builder.ts';
import { canonicalJson, type JsonObject } from '../../src/api/json.ts';
import type { Builder } from '../../src/ports/builder.ts';
import { DRAWN_ROOT, drawnFolders, type Tree } from '../support/drawn-folders.ts';
import { realKustomize } from '../support/kustomize.ts';
import { modelBuild } from '../support/kustomize-model/build.ts';
import { printed } from '../support/kustomize-model/print.ts';
import { recordedBuilder } from '../support/recorded-builder.ts';
import { yamlValues } from '../support/yaml-values.ts';
import { Chance } from './chance.ts';

const RECORDED = 24;
const DRAWN = Number(process.env['DRAWN'] ?? '150');

/** The objects in the order of their names, or that there are none. */
function shown(objects: readonly JsonObject[] | undefined): readonly string[] {
  return objects === undefined ? ['refused'] : objects.map(canonicalJson).sort();
}

function files(tree: Tree) {
  return Object.entries(tree).map(([path, text]) => ({ path, text }));
}

async function check(builder: Builder, seed: number): Promise<boolean> {
  const tree = drawnFolders(new Chance(`folders ${seed}`));
  const real = await builder.build({ root: DRAWN_ROOT, files: files(tree) });
  const model = modelBuild(new Map(Object.entries(tree)), DRAWN_ROOT);
  const said = model.kind === 'refused' ? model.seen : real.kind === 'refused' ? real.seen : '';
  const objects = model.kind === 'built' ? model.objects : undefined;
  expect(shown(objects), `${seed}: ${said}`).toEqual(shown(real.kind === 'built' ? yamlValues(real.text) : undefined));
  // What is printed says the same.
  if (objects !== undefined) expect(shown(yamlValues(printed(objects)))).toEqual(shown(objects));
  return real.kind === 'built';
}

test('the model builds what kustomize has built of drawn folders', async () => {
  const builder = recordedBuilder();
  let built = 0;
  for (let seed = 0; seed < RECORDED; seed += 1) if (await check(builder, seed)) built += 1;
  // Of folders that are all refused nothing is learnt.
  expect(built).toBeGreaterThan(RECORDED / 2);
  expect(built).toBeLessThan(RECORDED);
});

test.skipIf(realKustomize === '')(
  'and of many more, side by side with the real one',
  { timeout: 300_000 },
  async () => {
    const builder = kustomizeBuilder({ named: realKustomize, searchPath: '' });
    for (let seed = RECORDED; seed < RECORDED + DRAWN; seed += 1) await check(builder, seed);
  },
);
