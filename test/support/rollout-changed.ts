/** A Rollout that is gone, or another since its delivery started; the files still tell how that was. */

import type { Rollout } from '../../src/api/rollout.ts';
import type { Snapshot } from '../../src/rollout/snapshot.ts';
import { type Found, releaseIn, type Stand, snapshotAt } from './ladder-pass.ts';
import { edited } from './ladder-stands.ts';
import { LWS_FILE } from './vllm.ts';

type Style = Rollout['style'];

/** What the files still tell of how it was started. */
export function begunAs(stand: Stand, style: Style = 'canary'): Snapshot['ladder'] {
  const { ladder } = snapshotAt(stand);
  return ladder === undefined ? undefined : { ...ladder, begun: { name: 'vllm', style } };
}

/** Its Rollout is deleted. */
export const orphan = (stand: Stand, more: Found = {}, style?: Style): Found => ({
  ...more,
  snapshot: { rollout: undefined, ladder: begunAs(stand, style) },
});

/** Its Rollout asks for something else. */
export function another(stand: Stand, change: Partial<Rollout>, more: Found = {}, style?: Style): Found {
  const { rollout } = snapshotAt(stand, more);
  if (rollout === undefined) throw new Error('no Rollout');
  const now = { ...rollout, rollout: { ...rollout.rollout, ...change } };
  return { ...more, snapshot: { rollout: now, ladder: begunAs(stand, style) } };
}

/** The order on the LeaderWorkerSet itself. */
export function ordered(stand: Stand, word = ''): Stand {
  return edited(
    stand,
    LWS_FILE,
    'annotations:\n',
    `annotations:\n    tranche.dev/abort: "${releaseIn(stand)}${word}"\n`,
  );
}
