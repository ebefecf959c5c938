/** Two overlays of one base that are both delivered, in namespaces of one cluster: neither knows of the other. */

import { expect, test } from 'vitest';
import { syncCommit } from '../../../src/simulator/agent/agent.ts';
import { APPLY, BASE, OVERLAY, OVERLAY_FILES, OverlayWorld, PATCH, ROOT, VALUES } from '../../support/overlay-world.ts';
import { ROLLOUT_FILE } from '../../support/vllm.ts';
import { AGENT } from '../../support/world.ts';

const STAGE = 'apps/vllm/stage';
const STAGE_PATCH = `${STAGE}/tranche/HelmRelease_llm-stage_prod-vllm.yaml`;
const FILES = {
  ...OVERLAY_FILES,
  [`${STAGE}/kustomization.yaml`]: (OVERLAY_FILES[OVERLAY] ?? '').replace('namespace: llm', 'namespace: llm-stage'),
  [`${STAGE}/values.yaml`]: OVERLAY_FILES[VALUES] ?? '',
  'rollouts/stage.yaml': (OVERLAY_FILES[ROLLOUT_FILE] ?? '')
    .replace('HelmRelease/llm/', 'HelmRelease/llm-stage/')
    .replace('namespace: llm\n', 'namespace: llm-stage\n'),
};
const OLD = '0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+';
const NEW = OLD.replaceAll('v0.10.0', 'v0.10.1');

class Sides extends OverlayWorld {
  override async deploy(): Promise<void> {
    const sides = [
      [ROOT, 'llm'],
      [STAGE, 'llm-stage'],
    ] as const;
    for (const [root, namespace] of sides) {
      const release = await this.built('main', root);
      const object = release === undefined ? undefined : this.rendered(release);
      if (object === undefined) this.failed += 1;
      else
        syncCommit(this.cluster.store, new Map([[root, [object]]]), {
          manager: `${AGENT}-${namespace}`,
          namespace,
          prune: true,
        });
    }
    this.cluster.settle();
  }

  both(): readonly string[] {
    return [this.groups(), this.groups('vllm', 'llm-stage')];
  }
}

async function after(world: Sides, passes: number): Promise<void> {
  for (let pass = 0; pass < passes; pass += 1) {
    const { outcomes } = await world.pass();
    expect(outcomes.map(({ error }) => error)).toEqual([undefined, undefined]);
    await world.deploy();
    world.tick(60);
  }
}

test('a tag of the base is delivered by both, and an abort of one leaves the other to its steps', async () => {
  const world = new Sides({ files: FILES });
  await world.deploy();
  world.tick(120);
  await after(world, 3);
  const taken = world.files();
  const patches = Object.keys(taken).filter((file) => file.includes('/tranche/'));
  expect(patches.sort()).toEqual([APPLY, PATCH, `${STAGE}/tranche/apply.yaml`, STAGE_PATCH].sort());
  world.edit(BASE, 'v0.10.0', 'v0.10.1');
  await world.deploy();
  for (let pass = 0; pass < 5; pass += 1) await after(world, 1);
  expect(world.groups()).toContain('v0.10.1');
  await world.order({ kind: 'abort', keepNewer: false, from: undefined });
  await after(world, 9);
  expect([world.both(), world.failed]).toEqual([[OLD, NEW], 0]);
  expect([world.patch().includes('$patch'), world.files()[STAGE_PATCH]?.includes('$patch')]).toEqual([true, false]);
  const commits = world.commits();
  await after(world, 2);
  expect(world.commits(), 'nothing more is written').toBe(commits);
  world.edit(BASE, 'v0.10.1', 'v0.10.2');
  await world.deploy();
  await after(world, 12);
  expect(world.both()).toEqual([NEW.replaceAll('.1+', '.2+'), NEW.replaceAll('.1+', '.2+')]);
  expect(world.patch()).not.toContain('$patch');
});
