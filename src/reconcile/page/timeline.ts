/** A delivery as a picture: how far its commits had come, over time. The table next to it says the same in words. */

import { type Instant, printDuration } from '../../api/time.ts';
import { html, type Markup } from './html.ts';
import { instantOf } from './published.ts';
import type { DeliveryShown, StepLine } from './published-history.ts';

const [WIDTH, HEIGHT] = [720, 220];
const [LEFT, RIGHT, TOP, BOTTOM] = [56, 16, 16, 44];

/** Outcomes after which its groups are on the version before. */
const BACK = ['rolled back', 'rolling back', 'undone'];

type Point = { readonly at: Instant; readonly part: number };

/**
 * From its first commit to its end, or to `until` while it goes on. By the groups that commits release for update where
 * they tell, else by steps. Nothing where there is no time to show.
 */
export function timelineOf(delivery: DeliveryShown, until: string): Markup {
  const steps = [...delivery.steps].reverse();
  const isByGroups = steps.some(({ groups }) => groups !== undefined);
  const points = pointsOf(steps, { isByGroups, isBack: BACK.includes(delivery.outcome) });
  const [first] = points;
  const last = instantOf(delivery.endedAt) ?? instantOf(until) ?? points.at(-1)?.at;
  if (first === undefined || last === undefined || last <= first.at) return html``;
  const what = isByGroups ? 'Groups released for update' : 'Steps written';
  const title = `${what}, of all, over ${printDuration(last - first.at)}`;
  return html`<figure><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}; the table of its commits has the same.">
<rect class="frame" x="${LEFT}" y="${TOP}" width="${WIDTH - LEFT - RIGHT}" height="${HEIGHT - TOP - BOTTOM}"/>
<path class="done" d="${pathOf(points, { from: first.at, to: last })}"/>
<text x="${LEFT - 8}" y="${TOP + 10}" text-anchor="end">100%</text>
<text x="${LEFT - 8}" y="${HEIGHT - BOTTOM}" text-anchor="end">0%</text>
<text class="quiet" x="${LEFT}" y="${HEIGHT - 24}">${delivery.begunAt}</text>
<text class="quiet" x="${WIDTH - RIGHT}" y="${HEIGHT - 24}" text-anchor="end">${delivery.endedAt === '' ? until : delivery.endedAt}</text>
<text x="${LEFT}" y="${HEIGHT - 6}">${title}</text>
</svg></figure>`;
}

function pointsOf(
  steps: readonly StepLine[],
  how: { readonly isByGroups: boolean; readonly isBack: boolean },
): readonly Point[] {
  return steps.flatMap((step) => {
    const at = instantOf(step.at);
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

/** Each commit holds until the next one: a step up or down, and down to the ground at both ends. */
function pathOf(points: readonly Point[], { from, to }: { readonly from: Instant; readonly to: Instant }): string {
  const x = (at: Instant): number => LEFT + Math.round(((at - from) / (to - from)) * (WIDTH - LEFT - RIGHT));
  const y = (part: number): number => HEIGHT - BOTTOM - Math.round(part * (HEIGHT - TOP - BOTTOM));
  const line = points.map(({ at, part }) => `H${x(Math.min(at, to))}V${y(part)}`);
  return `M${x(from)} ${y(0)}${line.join('')}H${x(to)}V${y(0)}Z`;
}
