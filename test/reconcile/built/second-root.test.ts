/** A folder of others that holds a patch of tranche for the same workload: steps stop, and an abort goes back by the one that main had first. */

import { expect, test } from 'vitest';
import { type BuiltLayout, LAYOUTS } from '../../support/built-layouts.ts';
import { APPLY, BuiltWorld, COMPONENT, OVERLAY, ROOT } from '../../support/built-world.ts';
import { lwsOf } from '../../support/kustomize-trees.ts';

const ABORT = { kind: 'abort', keepNewer: false, from: undefined } as const;
const THEIRS = 'apps/a-team/prod';
const NEXT = 'apps/vllm/live';

type Files = Readonly<Record<string, string>>;

const settledIn = (text: string): string => text.replace(/ +tranche\.dev\/(step|restore|stable|rung): .*\n/g, '');
const nothingIn = (text: string): string =>
  text.replace(/ +tranche\.dev\/.*\n/g, '').replace(/ {2}annotations:\n(?! {4})/, '');

/** All files of the folder at another place, but what they share. */
function copyOf({ world, marked }: BuiltLayout, patched: (text: string) => string, root = THEIRS): Files {
  const files = world.repository.files('main');
  const own = Object.entries(files).filter(([path]) => path.startsWith(`${ROOT}/`));
  return Object.fromEntries(
    own.map(([path, text]) => [
      path.replace(ROOT, root),
      path === marked ? patched(text) : text.replace('../base', `../../vllm/base`),
    ]),
  );
}

const placeOf = ({ marked }: BuiltLayout): string => marked.replace(ROOT, THEIRS);
const textOf = ({ world }: BuiltLayout, path: string): string => world.repository.text('main', path) ?? '';
const markedIn = (at: BuiltLayout): string => textOf(at, at.marked);

const FORGERIES: Readonly<Record<string, (at: BuiltLayout) => Files>> = {
  'a copy that says that it has settled': (at) => copyOf(at, settledIn),
  'a copy as it is': (at) => copyOf(at, (text) => text),
  'a copy that goes back': (at) =>
    copyOf(at, (text) => text.replace(/tranche\.dev\/step: .*/, 'tranche.dev/step: "rollback"')),
  'a copy that nobody can read': (at) =>
    copyOf(at, (text) => text.replace(/tranche\.dev\/step: .*/, 'tranche.dev/step: "nonsense"')),
  'a copy without annotations': (at) => copyOf(at, nothingIn),
  'a copy that takes the workload out': (at) => copyOf(at, (text) => `${text}$patch: delete\n`),
  'a copy that is not built': (at) => ({ ...copyOf(at, settledIn), [`${THEIRS}/kustomization.yaml`]: 'a: [\n' }),
  'a copy without its entry': (at) => ({
    ...copyOf(at, settledIn),
    [`${THEIRS}/kustomization.yaml`]: textOf(at, OVERLAY)
      .replace(/transformers:[^]*$/, '')
      .replace('../base', '../../vllm/base'),
  }),
  'a patch that nothing applies': (at) => ({ [placeOf(at)]: settledIn(markedIn(at)) }),
  'a patch of another name': (at) => ({ 'a/tranche/zzz.yaml': settledIn(markedIn(at)) }),
  'two copies': (at) => ({ ...copyOf(at, settledIn), ...copyOf(at, (text) => text, 'apps/zzz/prod') }),
  'a folder that lists that of its owners': (at) => ({
    [`${THEIRS}/kustomization.yaml`]: 'resources: [../../vllm/prod]\ntransformers: [tranche/apply.yaml]\n',
    [`${THEIRS}/tranche/apply.yaml`]: textOf(at, APPLY),
    [placeOf(at)]: settledIn(markedIn(at)),
  }),
  'a folder that lists that of its owners, without a patch': () => ({
    [`${THEIRS}/kustomization.yaml`]: 'resources: [../../vllm/prod]\nnamePrefix: a-\n',
  }),
  'a folder that builds it without a patch': (at) => ({
    ...copyOf(at, settledIn),
    [`${THEIRS}/kustomization.yaml`]: textOf(at, OVERLAY)
      .replace('transformers:\n  - tranche/apply.yaml\n', '')
      .replace('../base', '../../vllm/base'),
  }),
};

/** A HelmRelease goes the same ways: one of each. */
const OF_RELEASES = ['a copy that says that it has settled', 'a copy that is not built', 'a patch of another name'];
const ROWS = [
  ...Object.keys(FORGERIES).map((forged) => ['a kustomize folder', forged] as const),
  ...OF_RELEASES.map((forged) => ['a HelmRelease of an overlay', forged] as const),
];

function put({ world }: BuiltLayout, files: Files, message = 'theirs'): void {
  world.repository.commit('main', {
    writes: Object.entries(files).map(([path, text]) => ({ path, text })),
    message,
    signature: { name: 'tranche', email: 'tranche@example.com', atSeconds: world.now },
  });
}

const newer = (at: BuiltLayout): number => at.groups().match(/v0\.10\.1/g)?.length ?? 0;

/** No group more is updated, and an abort takes all of them back; nothing is written into files of others. */
async function playsBack(at: BuiltLayout, theirs: Files): Promise<void> {
  const seen: string[] = [];
  const round = async (): Promise<void> => void seen.push(`${at.groups()} | ${await at.world.step()}`);
  // What the step before has released is on its way.
  await round();
  const most = newer(at);
  for (let count = 0; count < 3; count += 1) await round();
  expect(newer(at), seen.join('\n')).toBe(most);
  seen.push(await at.world.order(ABORT));
  for (let count = 0; count < 8; count += 1) {
    await round();
    expect(newer(at), seen.join('\n')).toBeLessThanOrEqual(most);
  }
  expect(at.groups(), seen.join('\n')).toBe(at.old);
  for (const [path, text] of Object.entries(theirs)) expect(at.world.repository.text('main', path)).toBe(text);
}

test.each(ROWS)('%s, and %s: held, and an abort goes back', async (layout, forged) => {
  const at = await LAYOUTS[layout]!();
  const theirs = FORGERIES[forged]?.(at) ?? {};
  put(at, theirs);
  await playsBack(at, theirs);
});

/** When, and with what message, such a copy comes. */
const MOMENTS: Readonly<Record<string, (at: BuiltLayout) => unknown>> = {
  'with the message of a commit of tranche': (at) => {
    const said = `rollout(llm/vllm): settled\n\nAll is well.\n\nRollout: default/llm/vllm\nRollout-Release: ${at.release}\nRollout-Step: settled\nRollout-Reason: Settled\nPlanned-From: ${at.world.repository.head('main')}`;
    put(at, copyOf(at, settledIn), said);
  },
  'in the middle of a rollback': async (at) => {
    await at.world.order(ABORT);
    await at.world.step();
    put(at, copyOf(at, settledIn));
  },
  'and its owners move their folder': (at) => {
    put(
      at,
      copyOf(at, (text) => text),
    );
    const moved = copyOf(at, (text) => text, NEXT);
    const gone = Object.keys(moved).map((path) => ({ path: path.replace(NEXT, ROOT), text: undefined }));
    const writes = [...Object.entries(moved).map(([path, text]) => ({ path, text })), ...gone];
    at.world.repository.commit('main', { writes, message: 'another folder' });
    if (at.world instanceof BuiltWorld) at.world.root = NEXT;
  },
  'while what both share is not built': async (at) => {
    const alone = copyOf(at, settledIn);
    const file = `${THEIRS}/kustomization.yaml`;
    const own = (alone[file] ?? '').replace('../../vllm/base', '../base').replace(/components:\n.*\n/, '');
    const base = {
      'apps/a-team/base/kustomization.yaml': 'resources: [lws.yaml]\n',
      'apps/a-team/base/lws.yaml': lwsOf('vllm', 'evil/miner:1'),
    };
    const shared = textOf(at, COMPONENT);
    put(at, { ...alone, [file]: own, ...base, [COMPONENT]: 'a: [\n' });
    await at.world.order(ABORT);
    for (let count = 0; count < 2; count += 1) await at.world.step();
    put(at, { [COMPONENT]: shared });
  },
};

test.each(Object.entries(MOMENTS))('a copy that comes %s: the groups come back', async (_, comes) => {
  const at = await LAYOUTS['a kustomize folder']!();
  await comes(at);
  const seen = [await at.world.order(ABORT)];
  for (let count = 0; count < 8; count += 1) seen.push(`${at.groups()} | ${await at.world.step()}`);
  expect(at.groups(), seen.join('\n')).toBe(at.old);
});

test('a patch that somebody has edited is written back while a copy of it is there', async () => {
  const at = await LAYOUTS['a kustomize folder']!();
  put(at, copyOf(at, settledIn));
  await at.world.order(ABORT);
  for (let count = 0; count < 3; count += 1) await at.world.step();
  const text = markedIn(at);
  put(at, { [at.marked]: text.replace('spec:\n', 'spec:\n  startupPolicy: LeaderReady\n') });
  expect(await at.world.order({ kind: 'repair' })).toContain('as tranche wrote it');
  expect(markedIn(at)).toBe(text);
});
