/** A delivery as a picture: how far its commits had come, and which share of the requests the new version had, over time. */

import { type Instant, printDuration } from '../../api/time.ts';
import { areaOf, lineOf, type Point, TIMELINE } from '../status/timeline-curve.ts';
import { html, type Markup } from './html.ts';
import { instantOf } from './json-parts.ts';
import type { DeliveryShown, StepLine } from './published-history.ts';

const { width, height, left, right, top, bottom } = TIMELINE;

/** Outcomes after which its groups are on the version before. */
const BACK = ['rolled back', 'rolling back', 'undone'];

/**
 * From its first commit to its end, or to `until` while it goes on. By the groups that commits release for update where
 * they tell, else by steps. Nothing where there is no time to show.
 */
export function timelineOf(delivery: DeliveryShown, until: string): Markup {
  const steps = [...delivery.steps].reverse();
  const isByGroups = steps.some(({ groups }) => groups !== undefined);
  const points = pointsOf(steps, { isByGroups, isBack: BACK.includes(delivery.outcome) });
  const shares = sharesOf(steps);
  const first = points[0] ?? shares[0];
  const last = instantOf(delivery.endedAt) ?? instantOf(until) ?? points.at(-1)?.at;
  if (first === undefined || last === undefined || last <= first.at) return html``;
  const span = { from: first.at, to: last };
  const what = isByGroups ? 'Groups released for update' : 'Steps written';
  const title = `${what}, of all, over ${printDuration(last - first.at)}${shares.length === 0 ? '' : '; line: share of the requests'}`;
  return html`<figure><svg viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="over-time">
<rect class="frame" x="${left}" y="${top}" width="${width - left - right}" height="${height - top - bottom}"/>
${points.length === 0 ? '' : html`<path class="done" d="${areaOf(points, span)}"/>\n`}${shares.length === 0 ? '' : html`<path class="share" d="${lineOf(shares, span)}"/>\n`}<text x="${left - 8}" y="${top + 10}" text-anchor="end">100%</text>
<text x="${left - 8}" y="${height - bottom}" text-anchor="end">0%</text>
<text class="quiet" x="${left}" y="${height - 20}">${delivery.begunAt}</text>
<text class="quiet" x="${width - right}" y="${height - 20}" text-anchor="end">${delivery.endedAt === '' ? until : delivery.endedAt}</text>
</svg>
<figcaption id="over-time">${title}</figcaption></figure>`;
}

function sharesOf(steps: readonly StepLine[]): readonly Point[] {
  return steps.flatMap(({ at: written, share }) => {
    const at = instantOf(written);
    return at === undefined || share === undefined ? [] : [{ at, part: share.percent / 100 }];
  });
}

function pointsOf(
  steps: readonly StepLine[],
  how: { readonly isByGroups: boolean; readonly isBack: boolean },
): readonly Point[] {
  return steps.flatMap((step) => {
    const at: Instant | undefined = instantOf(step.at);
    const isEnd = step.step === 'rollback' || step.step === 'settled';
    const part = how.isByGroups && !isEnd ? partOfGroups(step) : partOfSteps(step.step, how.isBack);
    return at === undefined || part === undefined ? [] : [{ at, part }];
  });
}

/** Nothing of a commit that locks: what it locks stays as it was. */
function partOfGroups({ groups }: StepLine): number | undefined {
  return groups === undefined || groups.of === 0 ? undefined : groups.updated / groups.of;
}

function partOfSteps(step: string, isBack: boolean): number | undefined {
  if (step === 'rollback') return 0;
  if (step === 'promote') return 1;
  if (step === 'settled') return isBack ? 0 : 1;
  const [, index, of] = /^(\d{1,4})\/(\d{1,4})$/.exec(step) ?? [];
  if (index === undefined || of === undefined || Number(of) === 0) return undefined;
  return Math.min(1, Number(index) / Number(of));
}
