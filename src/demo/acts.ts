/** What people do in the demo, and when: a new version, an approval, or an abort. */

import type { HoldReason } from '../rollout/hold.ts';
import { NAME, NEW_TAG, OLD_TAG } from './files.ts';
import type { Scene } from './scene.ts';
import type { StrategyPlan } from './strategies.ts';
import { BRANCH, commit, type DemoWorld } from './world.ts';

export type Act = {
  readonly when: (scene: Scene) => boolean;
  /** How long it must have been so. */
  readonly afterSeconds: number;
  readonly says: string;
  readonly run: (world: DemoWorld) => Promise<void>;
};

export const newVersion: Act = {
  when: (scene) => scene.state === 'settled',
  afterSeconds: 60,
  says: `Ana merges a new image, ${OLD_TAG} → ${NEW_TAG}`,
  run: (world) => retagged(world, OLD_TAG, NEW_TAG),
};

async function retagged({ ports, plan }: DemoWorld, from: string, to: string): Promise<void> {
  const { tagFile } = plan.layout;
  const [head] = await ports.git.heads([BRANCH]);
  const tree = await ports.git.readAt(head ?? '', { paths: [tagFile], suffixes: [], markers: [] });
  const content = tree.files[0]?.content;
  if (content?.kind !== 'text') throw new Error(`${tagFile} cannot be read`);
  const text = content.text.replaceAll(from, to);
  await commit(ports, { writes: [{ path: tagFile, text }], message: `vllm: ${from} → ${to}` });
}

const approval = ({ looked }: StrategyPlan): Act => ({
  when: isHeld('PausedForApproval'),
  afterSeconds: 90,
  says: `Ana has looked at ${looked}:  $ tranche approve ${NAME}`,
  run: (world) => world.order({ kind: 'approve', step: undefined }, 'Ana Ortiz'),
});

const abort: Act = {
  when: (scene) => scene.state.startsWith('step 2/') && scene.holds.some((hold) => hold.reason === 'GroupsNotReady'),
  afterSeconds: 600,
  says: `10 min without group 2. On call:  $ tranche abort ${NAME}`,
  run: (world) => world.order({ kind: 'abort', keepNewer: false }, 'on call'),
};

/** A rollback changes no file of people's where kustomize builds the workload: it pins, until they say the same. */
const takenBack: Act = {
  when: isHeld('ReleaseAborted'),
  afterSeconds: 60,
  says: `Ana takes the tag back, ${NEW_TAG} → ${OLD_TAG}: the pin may go`,
  run: (world) => retagged(world, NEW_TAG, OLD_TAG),
};

const crash: Act = {
  when: isHeld('PauseDuration'),
  afterSeconds: 20,
  says: 'the leader of the only group of the new version crashes, and goes on crashing',
  run: async (world) => world.crash(),
};

const abortWithdrawn: Act = {
  when: isHeld('TrafficWithdrawn'),
  afterSeconds: 120,
  says: `No request reaches it any more. On call:  $ tranche abort ${NAME}`,
  run: (world) => world.order({ kind: 'abort', keepNewer: false }, 'on call'),
};

/** What people do, in this order, while a release goes well; or while it breaks. */
export function actsOf(plan: StrategyPlan, fail: boolean): readonly Act[] {
  if (!fail) return [newVersion, approval(plan)];
  if (plan.routed) return [newVersion, crash, abortWithdrawn];
  return [newVersion, abort, ...(plan.layout.isBuilt ? [takenBack] : [])];
}

function isHeld(reason: HoldReason): Act['when'] {
  return ({ holds }) => holds.some((hold) => hold.reason === reason);
}
