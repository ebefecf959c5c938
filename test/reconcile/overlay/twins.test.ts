/** HelmReleases of one name in two places, at each stage: steps stop, and an abort goes by the one that main had first. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/api/json.ts';
import { RELEASE_FILE, RELEASE_TEXT } from '../../support/helm-files.ts';
import { HelmWorld } from '../../support/helm-world.ts';
import { OverlayWorld, PATCH } from '../../support/overlay-world.ts';
import { ROLLOUT_FILE } from '../../support/vllm.ts';
import { yamlValues } from '../../support/yaml-values.ts';

const ABORT = { kind: 'abort', keepNewer: false, from: undefined } as const;
const OLD = '0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+';

const ownFile = (world: HelmWorld): string => (world instanceof OverlayWorld ? PATCH : RELEASE_FILE);
const ownText = (world: HelmWorld): string => world.repository.text('main', ownFile(world)) ?? '';
const rolloutOf = (world: HelmWorld): string => world.repository.text('main', ROLLOUT_FILE) ?? '';
const nameOf = (world: HelmWorld): string => (world instanceof OverlayWorld ? 'prod-vllm' : 'vllm');
const plain = (world: HelmWorld): string => RELEASE_TEXT.replace('name: vllm', `name: ${nameOf(world)}`);
const marksOf = (world: HelmWorld): string => /^ {2}annotations:\n(?: {4}.*\n)+/m.exec(ownText(world))?.[0] ?? '';
const settled = (text: string): string => text.replace(/ +tranche\.dev\/(step|restore|stable|rung): .*\n/g, '');
const entryOf = (world: HelmWorld): string => /^ {2}postRenderers:[^]*$/m.exec(ownText(world))?.[0] ?? '';
/** With annotations and entry, as tranche has made those. */
const managed = (world: HelmWorld, marks: string): string =>
  plain(world).replace('metadata:\n', `metadata:\n${marks}`) + entryOf(world);

const TWINS: Readonly<Record<string, (world: HelmWorld) => readonly [file: string, text: string]>> = {
  'in another folder': (world) => ['a/release.yaml', plain(world)],
  'with other values': (world) => ['a/release.yaml', plain(world).replace('v0.10.0', 'v9')],
  'with valuesFrom of others': (world) => [
    'a/release.yaml',
    plain(world).replace('  values:\n', '  valuesFrom: [{kind: ConfigMap, name: theirs}]\n  values:\n'),
  ],
  'with its annotations': (world) => ['a/release.yaml', managed(world, marksOf(world))],
  'that says that it has settled': (world) => ['a/release.yaml', managed(world, settled(marksOf(world)))],
  'of an earlier version': (world) => ['a/release.yaml', plain(world).replace('/v2', '/v2beta1')],
  'that is suspended': (world) => ['a/release.yaml', plain(world).replace('spec:\n', 'spec:\n  suspend: true\n')],
  'behind it in its file': (world) => [ownFile(world), `${ownText(world)}---\n${plain(world)}`],
  'before it in its file': (world) => [ownFile(world), `${plain(world)}---\n${ownText(world)}`],
  'next to it': (world) => [ownFile(world).replace(/[^/]*$/, 'zz.yaml'), plain(world)],
  'that a Rollout of others names as well': (world) => [
    'a/rollout.yaml',
    rolloutOf(world).replace('name: vllm', 'name: evil'),
  ],
  'of another name, for the same workload': (world) => [
    'a/all.yaml',
    `${rolloutOf(world)
      .replace('name: vllm', 'name: evil')
      .replace(
        /HelmRelease\/llm\/[a-z-]+/,
        'HelmRelease/llm/evil',
      )}---\n${plain(world).replace(/name: (prod-)?vllm/, 'name: evil')}`,
  ],
};

const HELM = (): Promise<HelmWorld> => HelmWorld.halfWay();
const OVERLAY = (): Promise<HelmWorld> => OverlayWorld.half();
const OF_OVERLAYS = [
  'with valuesFrom of others',
  'that says that it has settled',
  'before it in its file',
  'next to it',
];
const IN_ROLLBACKS = ['with valuesFrom of others', 'that says that it has settled', 'behind it in its file'];
const ROWS: readonly (readonly [twin: string, stage: 'delivery' | 'rollback', made: () => Promise<HelmWorld>])[] = [
  ...Object.keys(TWINS).map((twin) => [twin, 'delivery', HELM] as const),
  ...OF_OVERLAYS.map((twin) => [twin, 'delivery', OVERLAY] as const),
  ...IN_ROLLBACKS.map((twin) => [twin, 'rollback', HELM] as const),
  ...IN_ROLLBACKS.map((twin) => [twin, 'rollback', OVERLAY] as const),
];

test.each(ROWS)('one %s, in a %s', async (twin, stage, made) => {
  const world = await made();
  const seen: string[] = [];
  const round = async (): Promise<void> => void seen.push(`${world.groups()} | ${await world.step()}`);
  if (stage === 'rollback') {
    seen.push(await world.order(ABORT));
    await round();
  }
  const [path, text] = TWINS[twin]!(world);
  world.repository.commit('main', { writes: [{ path, text }], message: 'theirs' });
  if (stage === 'delivery') {
    const head = world.repository.head('main');
    for (let count = 0; count < 3; count += 1) await round();
    expect(world.repository.head('main'), seen.join('\n')).toBe(head);
    seen.push(await world.order(ABORT));
  }
  for (let count = 0; count < 8; count += 1) await round();
  expect(world.groups(), seen.join('\n')).toBe(OLD);
  if (path !== ownFile(world)) expect(world.repository.text('main', path)).toBe(text);
});

/** Flux renders what others have of the same Helm release, after that of its owners. */
class ContestedWorld extends HelmWorld {
  theirs: JsonObject | undefined;

  override apply(ref = 'main'): void {
    super.apply(ref);
    if (this.theirs !== undefined) this.upgrade(this.theirs);
  }
}

test('another name, with the same Helm release: no step follows once Flux has rendered it, and an abort is written', async () => {
  const world = new ContestedWorld();
  world.apply();
  world.tick(120);
  await world.play();
  world.edit(RELEASE_FILE, 'v0.10.0', 'v0.10.1');
  for (let step = 0; step < 4; step += 1) await world.step();
  const text = RELEASE_TEXT.replace('  name: vllm\n', '  name: evil\n').replace(
    'spec:\n',
    'spec:\n  releaseName: vllm\n',
  );
  world.repository.commit('main', { writes: [{ path: 'a/release.yaml', text }], message: 'theirs' });
  [world.theirs] = yamlValues(text);
  world.apply();
  const head = world.repository.head('main');
  for (let step = 0; step < 3; step += 1) await world.step();
  expect(world.repository.head('main')).toBe(head);
  expect(await world.order(ABORT)).toContain('abort');
  await world.step();
  expect(world.subject()).toContain('rollback');
  expect(world.release()).toContain('v0.10.0');
});
