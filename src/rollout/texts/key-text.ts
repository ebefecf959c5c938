/** The name of a rollout as text, apart from what else is written in commits: every pass needs it, and most write none. */

import type { RolloutKey } from '../snapshot.ts';

/** `<cluster>/<namespace>/<name>`: the trailer, and the path of the record. */
export function printKey(key: RolloutKey): string {
  return `${key.cluster}/${key.namespace}/${key.name}`;
}
