/** What people change in mid-delivery that kustomize builds into a HelmRelease: no step before Flux has rendered it, and a way on and back. */

import { describe, expect, test } from 'vitest';
import { at } from '../../../src/api/json.ts';
import { RELEASE_FILE } from '../../support/helm-files.ts';
import { HelmWorld, RUNNING_FILES } from '../../support/helm-world.ts';
import { BASE, OVERLAY_FILES, OverlayWorld } from '../../support/overlay-world.ts';

const OLD = '0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+';
const NEW = OLD.replaceAll('v0.10.0', 'v0.10.1');
const HALF = '0:v0.10.0+ 1:v0.10.0+ 2:v0.10.1+ 3:v0.10.1+';
const ABORT = { kind: 'abort', keepNewer: false, from: undefined } as const;
const ACCEPT = { kind: 'approve', step: undefined, hold: 'Overshoot' } as const;

/** Labels of the LeaderWorkerSet itself: LWS sees no other template. */
const ENTRY = `  postRenderers:
    - kustomize:
        patches:
          - target: {kind: LeaderWorkerSet}
            patch: |
              metadata: {labels: {team: search}}
`;
const overlayFiles = {
  ...OVERLAY_FILES,
  [BASE]: (OVERLAY_FILES[BASE] ?? '').replace(/ {2}postRenderers:\n[^]*$/, ENTRY),
};
const plainFiles = { ...RUNNING_FILES, [RELEASE_FILE]: `${RUNNING_FILES[RELEASE_FILE]}${ENTRY}` };

async function settled(world: HelmWorld, most = 8): Promise<void> {
  for (let step = 0; step < most; step += 1) await world.step();
}

describe.each<readonly [what: string, half: () => Promise<HelmWorld>, file: string]>([
  ['in a base', () => OverlayWorld.half({ files: overlayFiles, signed: true }), BASE],
  ['in the file itself', () => HelmWorld.halfWay({ files: plainFiles, signed: true }), RELEASE_FILE],
])('an entry of people that changes no template, edited %s', (_, half, file) => {
  async function held(): Promise<HelmWorld> {
    const world = await half();
    world.edit(file, 'team: search', 'team: chat');
    await world.deploy();
    await world.step();
    // The groups of step 2 have what the new release renders: more than its step 1 allows.
    expect(await world.step()).toContain(
      'Overshoot: 2 of 4 groups are on the release, more than the 1 of step 1. To go on from here: tranche approve vllm --hold Overshoot; to go back: tranche abort vllm',
    );
    const commits = world.commits();
    await world.step();
    expect([world.groups(), world.commits()], 'it stands').toEqual([HALF, commits]);
    return world;
  }

  test('the order that the hold names goes on to the end', async () => {
    const world = await held();
    await world.order(ACCEPT);
    expect((await world.play()).at(-1)).toBe('0:1+ 1:1+ 2:1+ 3:1+ rollout(llm/vllm): settled');
    expect(world.groups()).toBe(NEW);
  });

  test('the other one goes back', async () => {
    const world = await held();
    await world.order(ABORT);
    await settled(world);
    expect([world.groups(), world.failed]).toEqual([OLD, 0]);
  });
});

describe('values and entries of people in one change', () => {
  async function changed(): Promise<OverlayWorld> {
    const world = await OverlayWorld.half();
    const text = (world.files()[BASE] ?? '').replace('v0.10.1', 'v0.10.2').replace('team: search', 'team: chat');
    world.repository.commit('main', { writes: [{ path: BASE, text }], message: 'both' });
    return world;
  }
  const inputs = async (world: OverlayWorld) => {
    const release = await world.built();
    const list = at(release, ['spec', 'postRenderers']);
    return [at(release, ['spec', 'values', 'image', 'tag']), Array.isArray(list) ? list.slice(0, -1) : list];
  };

  test('no step goes forward before Flux has rendered both', async () => {
    const world = await changed();
    const seen: string[] = [];
    for (let pass = 0; pass < 3; pass += 1) {
      const { outcomes } = await world.pass();
      seen.push(outcomes[0]?.plan?.holds.map(({ reason }) => reason).join() ?? '', world.subject());
      world.tick(60);
    }
    const first = 'rollout(llm/vllm): step 1/3, partition 2 → 3';
    expect(seen).toEqual(['', first, 'NotApplied', first, 'NotApplied', first]);
    expect(world.groups()).toBe(HALF);
    await world.deploy();
    world.tick(60);
    const told = await world.play();
    expect(told.at(-1)).toBe('0:2+ 1:2+ 2:2+ 3:2+ rollout(llm/vllm): settled');
    expect(JSON.stringify(await inputs(world))).toContain('team: chat');
    const commits = world.commits();
    await world.pass();
    expect(world.commits()).toBe(commits);
  });

  test.each([0, 1, 2, 4])('aborted %i passes later: both come back', async (passes) => {
    const world = await changed();
    await world.deploy();
    for (let step = 0; step < passes; step += 1) await world.step();
    await world.order(ABORT);
    await settled(world);
    const [tag, entries] = await inputs(world);
    expect([world.groups(), tag, JSON.stringify(entries)]).toEqual([
      OLD,
      'v0.10.0',
      expect.stringContaining('team: search'),
    ]);
    const commits = world.commits();
    await world.step();
    expect([world.commits(), world.failed]).toEqual([commits, 0]);
  });
});
