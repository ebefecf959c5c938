/** The layouts in which no file has the LeaderWorkerSet, each with a newer tag in its first step. */

import { BuiltWorld, COMPONENT, NEW_TAG, OLD_TAG, PATCH as OWN_PATCH } from './built-world.ts';
import { RELEASE_FILE } from './helm-files.ts';
import { HelmWorld } from './helm-world.ts';
import { BASE, OverlayWorld, PATCH as RELEASE_PATCH } from './overlay-world.ts';

const STEPS_MOST = 6;

export type BuiltLayout = {
  readonly world: BuiltWorld | HelmWorld;
  /** The file with the annotations of tranche, and the one with the tag. */
  readonly marked: string;
  readonly tagged: string;
  readonly groups: () => string;
  /** What is on its way. */
  readonly release: string;
  /** All groups on the version before. */
  readonly old: string;
};

type Made = Omit<BuiltLayout, 'old' | 'release'>;

/** What an annotation of tranche says; empty: it is not there. */
const markIn = ({ world, marked }: Pick<BuiltLayout, 'world' | 'marked'>, mark: string): string =>
  new RegExp(`tranche\\.dev/${mark}: (?:"([^"]*)"|'([^']*)'|(\\S+))`)
    .exec(world.repository.text('main', marked) ?? '')
    ?.slice(1)
    .find(Boolean) ?? '';

/** The newer tag is merged, and its first group is on it. */
async function stepped(made: Made): Promise<BuiltLayout> {
  const { world, marked, tagged, groups } = made;
  const old = groups();
  world.edit(tagged, OLD_TAG, NEW_TAG);
  await (world instanceof HelmWorld ? world.deploy() : world.apply());
  const isThere = (): boolean => markIn({ world, marked }, 'step').startsWith('1/');
  for (let step = 0; step < STEPS_MOST && !isThere(); step += 1) await world.step();
  if (!isThere()) throw new Error(`no step: ${world.subject()}\n${world.repository.text('main', marked)}`);
  return { ...made, old, release: markIn({ world, marked }, 'release') };
}

export const LAYOUTS: Readonly<Record<string, () => Promise<BuiltLayout>>> = {
  'a kustomize folder': async () => {
    const world = new BuiltWorld();
    await world.apply();
    world.tick(120);
    await world.play();
    return stepped({ world, marked: OWN_PATCH, tagged: COMPONENT, groups: () => world.groups('prod-vllm') });
  },
  'a HelmRelease': async () => {
    const world = await HelmWorld.adopted();
    return stepped({ world, marked: RELEASE_FILE, tagged: RELEASE_FILE, groups: () => world.groups() });
  },
  'a HelmRelease of an overlay': async () => {
    const world = await OverlayWorld.taken();
    return stepped({ world, marked: RELEASE_PATCH, tagged: BASE, groups: () => world.groups() });
  },
};
