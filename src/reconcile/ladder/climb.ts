/** Climbs a ladder on the texts of files: each commit is decided from what the one before has left, and from nothing else. */

import type { FieldFault } from '../../api/field-reader.ts';
import type { Issue } from '../../api/issue.ts';
import { isOneWorkload } from '../../api/styles.ts';
import { type KnownTexts, newKnownTexts } from '../../manifests/known-texts.ts';
import type { FileWrite } from '../../ports/git.ts';
import type { Delivery } from '../../rollout/ladders/delivery.ts';
import { goingBack, locking, nextCommit } from '../../rollout/ladders/next-commit.ts';
import { wholeCommit } from '../../rollout/ladders/version-whole.ts';
import type { RouteDocument } from '../../rollout/traffic/provider.ts';
import { render } from '../write/render.ts';
import { type DeliveryParts, deliveryIn, type Stand, type Texts } from './delivery-parts.ts';

type NextCommit = Extract<NextOf, { readonly kind: 'commit' }>;

/** One commit, and what Git has before and after it. */
export type Climbed = {
  readonly commit: NextCommit;
  readonly before: Delivery;
  readonly after: Delivery;
  readonly texts: Texts;
};

export type Obstacle =
  | { readonly kind: 'refused'; readonly issue: Issue; readonly texts: Texts }
  | { readonly kind: 'unwritable'; readonly route: RouteDocument; readonly faults: readonly FieldFault[] };

export type Climb = {
  readonly commits: readonly Climbed[];
  /** Why it ends before it is settled. */
  readonly obstacle: Obstacle | undefined;
};

/** Every step has five rungs at most, and may be entered once more for groups that were added. */
const COMMITS_MOST = 300;

/** From where the texts stand until it is settled; a workload at rest is locked first, as its adoption does. */
export function climb(texts: Texts, parts: DeliveryParts, known = newKnownTexts()): Climb {
  const delivery = deliveryIn({ texts, displaced: [] }, parts, known);
  const locked = delivery === undefined ? [] : locking(delivery);
  const start = render(locked, texts, { known });
  if (start.kind === 'refused') return { commits: [], obstacle: { ...start, texts } };
  return climbFrom({ texts: withWrites(texts, start.writes), displaced: [] }, { parts, known, decide: onward });
}

/** The rollback from the place that a commit has reached; no commits where there is nothing to go back from. */
export function climbBack({ texts, commit }: Climbed, parts: DeliveryParts, known = newKnownTexts()): Climb {
  const decide = (delivery: Delivery): NextOf | undefined => goingBack(delivery) ?? onward(delivery);
  return climbFrom({ texts, displaced: commit.displaced }, { parts, known, decide });
}

function onward(delivery: Delivery): NextOf | undefined {
  if (!isOneWorkload(delivery.plan.style)) return nextCommit(delivery);
  const next = wholeCommit(delivery) ?? nextCommit(delivery);
  // Nobody promotes groups that the last step leaves behind.
  return next.kind === 'commit' && next.stage.kind === 'promote' ? undefined : next;
}

type NextOf = ReturnType<typeof nextCommit>;
type Way = {
  readonly parts: DeliveryParts;
  readonly known: KnownTexts;
  readonly decide: (delivery: Delivery) => NextOf | undefined;
};

function climbFrom(start: Stand, { parts, known, decide }: Way): Climb {
  const commits: Climbed[] = [];
  let stand = start;
  let delivery = deliveryIn(start, parts, known);
  while (delivery !== undefined && commits.length < COMMITS_MOST) {
    const commit = decide(delivery);
    if (commit === undefined) break;
    if (commit.kind === 'unwritable') return { commits, obstacle: commit };
    const made = render(commit.objects, stand.texts, { known });
    if (made.kind === 'refused') return { commits, obstacle: { ...made, texts: stand.texts } };
    const texts = withWrites(stand.texts, made.writes);
    stand = { texts, displaced: commit.displaced };
    const after = deliveryIn(stand, parts, known);
    if (after === undefined) break;
    commits.push({ commit, before: delivery, after, texts });
    if (commit.at === 'settled') break;
    delivery = after;
  }
  return { commits, obstacle: undefined };
}

function withWrites(before: Texts, writes: readonly FileWrite[]): Texts {
  const texts = new Map(before);
  for (const { path, text } of writes) texts.set(path, text ?? '');
  return texts;
}
