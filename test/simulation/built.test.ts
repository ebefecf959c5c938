/** Schedules of worlds that kustomize builds, and that the files of such a world build with the real one as in the model. */

import { expect, test } from 'vitest';
import { kustomizeBuilder } from '../../src/adapters/kustomize/kustomize-builder.ts';
import { canonicalJson } from '../../src/api/json.ts';
import { realKustomize } from '../support/kustomize.ts';
import { yamlValues } from '../support/yaml-values.ts';
import { isBuilt } from './built-files.ts';
import { personOf } from './built-people.ts';
import { buildOf } from './built-view.ts';
import { bundled } from './bundle.ts';
import { Chance } from './chance.ts';
import { report } from './report.ts';
import { plainPass } from './rest.ts';
import { kustomizeSetupOf } from './setup-built.ts';
import { Universe } from './universe.ts';

const SEEDS = Array.from({ length: Number(process.env['SEEDS'] ?? '3') }, (_, seed) => String(seed));

test(`${SEEDS.length} schedules of kustomize folders break no law`, async () => {
  const simulation = await bundled();
  for (const seed of SEEDS) {
    const setup = simulation.kustomizeSetupOf(seed);
    const { broken } = await simulation.runSchedule(seed, setup);
    expect(broken, broken === undefined ? '' : await report(simulation, seed, setup)).toBeUndefined();
  }
});

/** So many things people do, each before a pass. */
const ACTS = 60;

test.skipIf(realKustomize === '')(
  'what people and passes write is built as by the real one',
  { timeout: 300_000 },
  async () => {
    const universe = new Universe(kustomizeSetupOf('built'));
    const [chance, asked] = [new Chance('built'), { versions: 0 }];
    const folders = universe.setup.workloads.filter(isBuilt);
    const people = folders.map((one) => personOf(universe, one, chance.fork(one.name), asked));
    universe.sync('main');
    universe.tick(200);
    for (let act = 0; act < ACTS; act += 1) {
      await plainPass(universe);
      universe.sync('main');
      universe.tick(60);
      chance.pick(people).act();
    }
    const builder = kustomizeBuilder({ named: realKustomize, searchPath: '' });
    const { repository } = universe;
    expect(repository.log('main').length).toBeGreaterThan(ACTS / 2);
    for (const { oid, message } of repository.log('main')) {
      const files = repository.files(oid);
      const { root } = chance.pick(folders);
      const input = { root, files: Object.entries(files).map(([path, text]) => ({ path, text })) };
      const [model, real] = [buildOf(files, root), await builder.build(input)];
      const built = real.kind === 'built' ? yamlValues(real.text).map(canonicalJson).sort() : undefined;
      expect(model.kind === 'built' ? model.objects.map(canonicalJson).sort() : undefined, message).toEqual(built);
    }
  },
);
