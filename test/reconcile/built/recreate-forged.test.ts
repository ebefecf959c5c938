/** What somebody writes while our patch has taken a workload out of what is built: it comes back as it was asked for, or a hold says how. */

import { expect, test } from 'vitest';
import { adopted, BUILT_FILES, type BuiltWorld, OVERLAY, PATCH, ROOT } from '../../support/built-world.ts';
import { lwsOf } from '../../support/kustomize-trees.ts';

const BASE = 'apps/vllm/base/lws.yaml';
const ROLLOUT = 'rollouts/vllm.yaml';
const POLICY = `apiVersion: tranche.dev/v1alpha1
kind: RolloutPolicy
metadata: {name: all}
spec: {recreate: Allow}
`;
const OUT = '"$patch": "delete"\n';
const SIZE = '    size: 2\n';
const SUBGROUPS = `${SIZE}    subGroupPolicy: {subGroupSize: 1}\n`;
const EVIL = 'evil.example/miner:v1';
const ALL = '0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+';

/** Out of what is built: its commit is on main. */
async function removed(isGone: boolean): Promise<BuiltWorld> {
  const world = await adopted({ files: { ...BUILT_FILES, 'policies/all.yaml': POLICY } });
  world.edit(BASE, SIZE, SUBGROUPS);
  await world.pass();
  expect(world.subject()).toBe('rollout(llm/vllm): recreate, removed');
  if (isGone) await world.apply();
  return world;
}

type Files = Readonly<Record<string, string | undefined>>;

const noteIn = (world: BuiltWorld): string =>
  /^ +tranche\.dev\/recreating: .*\n/m.exec(world.files()[ROLLOUT] ?? '')?.[0] ?? '';
const patchIn = (world: BuiltWorld): string => world.files()[PATCH] ?? '';
const rolloutIn = (world: BuiltWorld): string => world.files()[ROLLOUT] ?? '';
const edited = (world: BuiltWorld, from: RegExp | string, to: string): Files => {
  const text = rolloutIn(world).replace(from, to);
  expect(text).not.toBe(rolloutIn(world));
  return { [ROLLOUT]: text };
};
/** A pin of somebody's template. */
const PIN = `spec:\n  leaderWorkerTemplate:\n    $patch: replace\n    size: 2\n    workerTemplate: {spec: {containers: [{name: leader, image: "${EVIL}"}]}}\n`;

const FORGERIES: Readonly<Record<string, (world: BuiltWorld) => Files>> = {
  'the note names another file': (world) => edited(world, PATCH, BASE),
  'the note names a file above the repository': (world) => edited(world, PATCH, '../../etc/passwd'),
  'the note names tranche.yaml': (world) => edited(world, PATCH, 'tranche.yaml'),
  'the note names the patch of another folder': (world) => edited(world, ROOT, 'apps/a-team/prod'),
  'the note names another commit': (world) => edited(world, /[0-9a-f]{40}/, '1234567890123456789012345678901234567890'),
  'the note cannot be read': (world) => edited(world, noteIn(world), '    tranche.dev/recreating: "{"\n'),
  'the note is there twice': (world) =>
    edited(world, noteIn(world), `${noteIn(world)}${noteIn(world).replace(PATCH, BASE)}`),
  'a twin of the patch that has settled': (world) => ({
    [`apps/a-team/prod/kustomization.yaml`]: (world.files()[OVERLAY] ?? '').replace('../base', '../../vllm/base'),
    ['apps/a-team/prod/tranche/apply.yaml']: world.files()[`${ROOT}/tranche/apply.yaml`],
    ['apps/a-team/prod/tranche/llm-prod-vllm.yaml']: patchIn(world).replace(OUT, ''),
  }),
  'a document of its name in another folder': () => ({
    'a/lws.yaml': lwsOf('prod-vllm', EVIL).replace('  name: prod-vllm\n', '  name: prod-vllm\n  namespace: llm\n'),
  }),
  'the same, with annotations': (world) => ({
    'a/lws.yaml': lwsOf('prod-vllm', EVIL).replace(
      '  name: prod-vllm\n',
      `  name: prod-vllm\n  namespace: llm\n${/^ {2}annotations:\n(?: {4}.*\n)+/m.exec(patchIn(world))?.[0] ?? ''}`,
    ),
  }),
  'the note on a Rollout of others': (world) => ({
    'a/rollout.yaml': rolloutIn(world).replace('name: vllm', 'name: evil'),
  }),
  'a pin of another template in the patch': (world) => ({ [PATCH]: patchIn(world).replace('spec:\n', PIN) }),
  'the annotations of the patch are gone': (world) => ({
    [PATCH]: patchIn(world).replace(/ {2}annotations:\n(?: {4}.*\n)+/, ''),
  }),
  'the patch says that it has settled another release': (world) => ({
    [PATCH]: patchIn(world).replace(/(tranche\.dev\/release: )"[0-9a-f]{8}/, '$1"00000000'),
  }),
  'the line is written otherwise': (world) => ({
    [PATCH]: patchIn(world).replace(OUT, '$patch:   delete # for good\n'),
  }),
  'the note is gone': (world) => edited(world, noteIn(world), ''),
  'the line is gone': (world) => ({ [PATCH]: patchIn(world).replace(OUT, '') }),
  'note and line are gone': (world) => ({
    ...edited(world, noteIn(world), ''),
    [PATCH]: patchIn(world).replace(OUT, ''),
  }),
  'the patch is gone': () => ({ [PATCH]: undefined }),
  'the patch is no YAML': () => ({ [PATCH]: 'a: [\n' }),
};
/** Before the agent has deleted anything as well. */
const EARLY = ['the line is written otherwise', 'the note is gone', 'the patch is gone', 'the note names another file'];
const ROWS = Object.keys(FORGERIES).flatMap((forged) =>
  (EARLY.includes(forged) ? [false, true] : [true]).map((isGone) => [forged, isGone] as const),
);

test.each(ROWS)('%s, and the groups are gone: %s', async (forged, isGone) => {
  const world = await removed(isGone);
  const files = FORGERIES[forged]?.(world) ?? {};
  world.repository.commit('main', {
    writes: Object.entries(files).map(([path, text]) => ({ path, text })),
    message: 'theirs',
  });
  const seen: string[] = [];
  const round = async (): Promise<void> => void seen.push(`${world.groups('prod-vllm')} | ${await world.step()}`);
  // What is to come back, or the order that makes it so: no hand writes anything in between.
  for (let count = 0; count < 4; count += 1) await round();
  if (world.groups('prod-vllm') !== ALL || patchIn(world).includes('delete')) {
    for (let count = 0; count < 3; count += 1) {
      seen.push(await world.order({ kind: 'repair' }));
      await round();
    }
    for (let count = 0; count < 3; count += 1) await round();
  }
  expect(world.groups('prod-vllm'), seen.join('\n')).toBe(ALL);
  expect(patchIn(world), seen.join('\n')).not.toMatch(/delete|miner/);
  for (const [path, text] of Object.entries(files))
    if (path.startsWith('a') && !path.startsWith(ROOT)) expect(world.files()[path]).toBe(text);
});
