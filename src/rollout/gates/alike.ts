/** Gate for templates that have one name: by chance there are none, so that somebody has made one. */

import { jsonEqual } from '../../api/json.ts';
import { looksLike, type Release, shortDigest } from '../../api/release.ts';
import { type Hold, hold } from '../hold.ts';
import type { Situation } from '../situation.ts';

/**
 * Whether the file has the stable template: its digest, and its content as well, so that no template that was made to
 * have that digest passes for the rollback to it.
 */
export function isStableTemplate({ digest, snapshot: { stable }, workload, file }: Situation): boolean {
  if (stable.kind !== 'known' || stable.value.release.digest !== digest) return false;
  const { content, rendered } = stable.value;
  return rendered === undefined || file.carried === undefined
    ? jsonEqual(content, workload.content)
    : jsonEqual(rendered.inputs, file.carried.inputs);
}

/** No release starts that people, or we, would take for another one of this workload. */
export function releasesAlike(situation: Situation): Hold | undefined {
  const { digest, file, marks, snapshot } = situation;
  const { stable } = snapshot;
  const isCollision = stable.kind === 'known' && stable.value.release.digest === digest && !isStableTemplate(situation);
  const known: readonly Release[] = [
    ...(marks === undefined ? [] : [marks.release, ...marks.aborted]),
    ...(stable.kind === 'known' ? [stable.value.release] : []),
  ];
  const like = isCollision ? digest : known.find((release) => looksLike(release.digest, digest))?.digest;
  if (like === undefined) return undefined;
  const what = isCollision
    ? `this template has the digest ${digest}, and so has the stable one, which is another`
    : `this template has the digest ${digest}, and an earlier release of it has ${like}: both are shown as ${shortDigest(digest)}`;
  return hold('ReleasesAlike', {
    seen: `${file.file}: ${what}. That does not happen by chance`,
    action:
      'Look at who made this template, and for what. To deliver it, add something to it that changes nothing, as an annotation of its pods: then it has a digest of its own',
  });
}
