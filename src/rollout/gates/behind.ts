/** At rest by the marks, and groups run what came before the template of the file, or nobody can tell: to follow it would take them on. */

import type { JsonObject } from '../../api/json.ts';
import { printRelease, shortDigest, shortRelease } from '../../api/release.ts';
import { type Hold, hold, withFacts } from '../hold.ts';
import { nameGroups } from '../observed/groups.ts';
import type { Seen } from '../situation.ts';
import { advice, commandLine } from '../texts/advice.ts';
import { withRollout } from '../texts/order-lines.ts';
import { elsewhereFacts } from './elsewhere.ts';

/**
 * Groups of a workload that has settled by its annotations, and that main's own line does not show to be older than what they run:
 * a squash has lost the annotations of a delivery, or somebody has written them. An abort goes back, and never on to the file.
 */
export function groupsBehind(situation: Seen): Hold | undefined {
  const facts = behindFacts(situation);
  const { behind, key } = situation.snapshot;
  if (facts === undefined || behind === undefined) return undefined;
  const { file, digest, state } = situation;
  const { groups = [] } = elsewhereFacts(situation) ?? {};
  const { stable } = behind;
  const names = nameGroups(groups);
  const there = `the template of ${names} of ${file.object.name} is not the one in ${file.file} (${shortDigest(digest)}), and by its annotations ${state.kind === 'settled' ? 'no delivery is in progress' : 'it goes back to that'}`;
  const approve = withRollout(situation.snapshot, advice`${commandLine('approve', key, '--hold GroupsBehind')}`);
  const accept = advice`to take ${names} on to the template of the file all the same: ${approve}`;
  if (stable.kind === 'known')
    return withFacts(
      hold('GroupsBehind', {
        seen: `${there}, but before it main had ${shortRelease(stable.value.release)}, in ${stable.value.commit.slice(0, 12)}`,
        action: advice`To go back to that: ${commandLine('abort', key)}; ${accept}`,
      }),
      facts,
    );
  const why = stable.kind === 'unknown' ? stable.why : 'nothing names it';
  return withFacts(
    hold('GroupsBehind', {
      seen: `${there}, and nobody can tell which of both is the older one: ${why}`,
      action: advice`To go back, name a commit of main that has the earlier template: ${commandLine('abort', key, '--from COMMIT')}, or put that into the file by hand; ${accept}`,
    }),
    facts,
  );
}

/** The groups, the template that they would be taken on to, and what an abort is about; undefined: none would be. */
export function behindFacts(situation: Seen): JsonObject | undefined {
  const { behind } = situation.snapshot;
  const facts = behind === undefined ? undefined : elsewhereFacts(situation);
  if (behind === undefined || facts === undefined) return undefined;
  return { groups: [...facts.groups], template: situation.digest, release: printRelease(behind.release) };
}
