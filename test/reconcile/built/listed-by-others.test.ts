/** A folder of others that lists a plain workload which tranche delivers, with a patch of tranche of its own over it. */

import { expect, test } from 'vitest';
import { BuiltWorld } from '../../support/built-world.ts';
import { RELEASE_FILE } from '../../support/helm-files.ts';
import { HelmWorld, RUNNING_FILES } from '../../support/helm-world.ts';
import { recordedBuilder } from '../../support/recorded-builder.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, VLLM_FILES } from '../../support/vllm.ts';
import type { WorldOptions } from '../../support/world.ts';

const ABORT = { kind: 'abort', keepNewer: false, from: undefined } as const;
const GROUPS_BEFORE = '0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+';

/** The agent applies the files as they are; a process of tranche has a kustomize. */
class PlainWorld extends BuiltWorld {
  override async apply(): Promise<void> {
    this.sync();
  }
}

class CarriedWorld extends HelmWorld {
  private readonly builder = recordedBuilder();

  override ports(replaced: Parameters<HelmWorld['ports']>[0] = {}): ReturnType<HelmWorld['ports']> {
    return super.ports({ builder: this.builder, ...replaced });
  }
}

type Layout = {
  readonly file: string;
  readonly name: string;
  readonly kind: string;
  readonly begun: (options: WorldOptions) => Promise<PlainWorld | CarriedWorld>;
  readonly files: Readonly<Record<string, string>>;
  readonly tag: readonly [from: string, to: string];
};

const RUNNING = VLLM_FILES[ROLLOUT_FILE].replace('pause: {}', 'pause: {duration: 0}');

const LAYOUTS: Readonly<Record<string, Layout>> = {
  'a LeaderWorkerSet': {
    file: LWS_FILE,
    name: 'llm-vllm',
    kind: 'apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\n',
    files: { ...VLLM_FILES, [ROLLOUT_FILE]: RUNNING, 'apps/vllm/kustomization.yaml': 'resources: [lws.yaml]\n' },
    tag: [OLD, NEW],
    begun: async (options) => {
      const world = new PlainWorld(options);
      await world.apply();
      return world;
    },
  },
  'a HelmRelease': {
    file: RELEASE_FILE,
    name: 'HelmRelease_llm-vllm',
    kind: 'apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\n',
    files: { ...RUNNING_FILES, 'apps/vllm/kustomization.yaml': 'resources: [release.yaml]\n' },
    tag: ['v0.10.0', 'v0.10.1'],
    begun: async (options) => {
      const world = new CarriedWorld(options);
      world.apply();
      return world;
    },
  },
};

/** With its first group on the newer tag. */
async function stepped({ begun, files, file, tag }: Layout): Promise<PlainWorld | CarriedWorld> {
  const world = await begun({ files });
  world.tick(120);
  for (let step = 0; step < 2; step += 1) await world.step();
  world.edit(file, ...tag);
  for (let step = 0; step < 6 && !/v0\.10\.1/.test(world.groups()); step += 1) await world.step();
  expect(world.groups()).toMatch(/^0:v0\.10\.0\+ .*v0\.10\.1/);
  return world;
}

/** Annotations of the delivery; of one that has settled the release alone. */
function marksIn(text: string, isSettled: boolean): string {
  const marks = /^ {2}annotations:\n(?: {4}.*\n)+/m.exec(text)?.[0] ?? '';
  return isSettled ? marks.replace(/ {4}tranche\.dev\/(step|stable|restore): .*\n/g, '') : marks;
}

const THEIRS: Readonly<Record<string, (layout: Layout, text: string) => Readonly<Record<string, string>>>> = {
  'has settled': (layout, text) => patchOf(layout, marksIn(text, true)),
  'is as its own': (layout, text) => patchOf(layout, marksIn(text, false)),
  'takes it out': (layout, text) => patchOf(layout, marksIn(text, true), '$patch: delete\n'),
  'is over the file alone, which kustomize refuses': (layout, text) => ({
    ...patchOf(layout, marksIn(text, true)),
    'teams/a/kustomization.yaml': `resources: [../../${layout.file}]\ntransformers: [tranche/apply.yaml]\n`,
  }),
};

function patchOf({ kind, name }: Layout, marks: string, more = ''): Readonly<Record<string, string>> {
  return {
    'teams/a/kustomization.yaml': 'resources: [../../apps/vllm]\ntransformers: [tranche/apply.yaml]\n',
    'teams/a/tranche/apply.yaml': `apiVersion: builtin\nkind: PatchTransformer\nmetadata:\n  name: tranche-${name}\npath: tranche/${name}.yaml\n`,
    [`teams/a/tranche/${name}.yaml`]: `${kind}metadata:\n  name: vllm\n  namespace: llm\n${marks}${more}`,
  };
}

const ROWS = Object.keys(LAYOUTS).flatMap((layout) => Object.keys(THEIRS).map((theirs) => [layout, theirs] as const));

test.each(ROWS)('%s, and a patch of others that %s: held, and an abort goes back', async (which, what) => {
  const layout = LAYOUTS[which]!;
  const world = await stepped(layout);
  const theirs = THEIRS[what]?.(layout, world.repository.text('main', layout.file) ?? '') ?? {};
  const writes = Object.entries(theirs).map(([path, text]) => ({ path, text }));
  world.repository.commit('main', { writes, message: 'theirs' });
  const seen: string[] = [];
  const round = async (): Promise<void> => void seen.push(`${world.groups()} | ${await world.step()}`);
  const newer = (): number => world.groups().match(/v0\.10\.1/g)?.length ?? 0;
  await round();
  const most = newer();
  for (let count = 0; count < 3; count += 1) await round();
  expect(newer(), seen.join('\n')).toBe(most);
  seen.push(await world.order(ABORT));
  for (let count = 0; count < 8; count += 1) await round();
  expect(world.groups(), seen.join('\n')).toBe(GROUPS_BEFORE);
  for (const [path, text] of Object.entries(theirs)) expect(world.repository.text('main', path)).toBe(text);
});
