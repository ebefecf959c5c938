/** Which revision of LWS holds a template, by what it says and by its version label. */

import { firstDifference, leafCount } from '../../api/content-match.ts';
import type { JsonObject } from '../../api/json.ts';
import type { LiveLws, LiveRevision } from '../../api/live.ts';

/**
 * The key of the ControllerRevision that holds `content`: of several that contain it one with its version label, which
 * restarts groups though no release covers it, then the closest, then one that groups are on (a new version of LWS may
 * give the same template another name), then the newest.
 * `other` is the template that it must be distinguished from; what only that one says must not be in the revision.
 */
export function keyOf(
  { content, version }: { readonly content: JsonObject; readonly version?: string | undefined },
  other: JsonObject | undefined,
  revisions: readonly LiveRevision[],
  inUse: readonly string[],
): string | undefined {
  let best: Match | undefined;
  const wanted = withoutTopology(content);
  for (const revision of revisions) {
    if (
      firstDifference(wanted, other === undefined ? undefined : withoutTopology(other), revision.content) !== undefined
    )
      continue;
    const match: Match = {
      key: revision.key,
      rank: [
        Number(revision.version === version),
        -leafCount(revision.content),
        Number(inUse.includes(revision.key)),
        revision.revision,
      ],
    };
    if (best === undefined || isBetter(match.rank, best.rank)) best = match;
  }
  return best?.key;
}

/** A revision, and how well it fits: the first number that differs decides, and more is better. */
type Match = { readonly key: string; readonly rank: readonly number[] };

function isBetter(left: readonly number[], right: readonly number[]): boolean {
  const at = left.findIndex((value, index) => value !== right[index]);
  return at !== -1 && (left[at] ?? 0) > (right[at] ?? 0);
}

/**
 * Whether a revision with `key` holds `content`, nothing that only `before` says, and nothing that `live`, the object
 * itself, does not, by its version label as well: what LWS has put on its leader StatefulSet is this text, not one that it was added to or cut from.
 */
export function keyHolds(
  key: string,
  content: JsonObject,
  known: {
    readonly before: JsonObject | undefined;
    readonly live: Pick<LiveLws, 'content' | 'version'>;
    readonly revisions: readonly LiveRevision[];
  },
): boolean {
  const wanted = withoutTopology(content);
  const before = known.before === undefined ? undefined : withoutTopology(known.before);
  const same = known.revisions.filter((revision) => revision.key === key);
  return same.some(
    (revision) =>
      firstDifference(wanted, before, revision.content) === undefined &&
      revision.version === known.live.version &&
      firstDifference(revision.content, undefined, withoutTopology(known.live.content)) === undefined,
  );
}

/** Whether one revision holds `content` with less in addition to than another that holds it: the other is another template. */
export function hasCloser(key: string, content: JsonObject, revisions: readonly LiveRevision[]): boolean {
  const wanted = withoutTopology(content);
  const holding = revisions.filter((revision) => firstDifference(wanted, undefined, revision.content) === undefined);
  const own = holding.filter((revision) => revision.key === key).map((revision) => leafCount(revision.content));
  return own.length > 0 && holding.some((revision) => leafCount(revision.content) < Math.min(...own));
}

/** The path of the first field of `content` that a revision does not hold; undefined: it holds all of it. */
export function fieldNotIn({ content: held }: Pick<LiveRevision, 'content'>, content: JsonObject): string | undefined {
  return firstDifference(withoutTopology(content), undefined, held);
}

/** The exclusive-topology annotation is no part of LWS's own revisions. */
function withoutTopology(content: JsonObject): JsonObject {
  const { exclusiveTopology: _, ...rest } = content;
  return rest;
}
