/** At rest in blueGreen, where the second colour serves: its groups run another template than Git has, or nothing locks it. */

import { releaseContent } from '../../api/release-content.ts';
import { SENTINEL } from '../../api/workload.ts';
import { type Hold, hold } from '../hold.ts';
import { partitionIn } from '../ladders/delivery.ts';
import { type Group, nameGroups } from '../observed/groups.ts';
import { keyOf } from '../observed/revisions.ts';
import type { Live } from '../snapshot.ts';
import { advice, partitionSet } from '../texts/advice.ts';
import type { RouteDocument } from '../traffic/provider.ts';

type Colour = {
  readonly name: string;
  readonly document: RouteDocument | undefined;
  readonly live: Pick<Live, 'revisions'>;
  readonly groups: readonly Group[];
};

/**
 * A folder that was put back from Git under a newer version gives the colour that serves an older template. It is locked, so
 * that its groups stay what they are, and nothing of the marks says so. No commit of ours moves a colour that serves: its owner
 * does, by its partition. undefined: they run what Git has, or their revision is not known.
 */
export function colourElsewhere({ name, document, live, groups }: Colour): Hold | undefined {
  if (document === undefined || live.revisions.kind !== 'known') return undefined;
  const known = live.revisions.value;
  const content = releaseContent(document.value);
  const isOther = (key: string | undefined): boolean => {
    const revision = known.find((one) => one.key === key);
    return revision !== undefined && keyOf({ content }, undefined, [revision], []) === undefined;
  };
  const others = groups.filter(({ uid, key, version }) => uid !== '' && version !== 'release' && isOther(key));
  const partition = partitionIn(document);
  if (others.length > 0) {
    const seen = `the template of ${nameGroups(others.map(({ index }) => index))} of ${name}, which serves, is not the one in ${document.file}, and by the annotations no delivery is in progress: the file was put back, or they came up so`;
    return partition === SENTINEL
      ? hold('GroupsElsewhere', {
          seen,
          action: advice`To bring them to the template of the file, maxUnavailable at a time: put ${partitionSet('partition 0', document, 0)} into ${name}; to keep theirs, revert that edit of the file`,
        })
      : hold('GroupsElsewhere', { seen, waits: 'controllers' });
  }
  if (partition === SENTINEL) return undefined;
  return hold('NotAtRest', {
    seen: `${name}, which serves, has partition ${partition ?? 'missing'}: the next edit of its template would restart its groups at once`,
    action: advice`Put ${partitionSet(`partition ${SENTINEL}`, document, SENTINEL)} back into ${document.file}`,
  });
}
