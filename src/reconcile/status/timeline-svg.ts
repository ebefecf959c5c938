/** A delivery's course as a picture: how many groups its commits covered, and which share of the requests, over time. */

import type { RolloutRecord } from '../../api/record.ts';
import type { Course, Stand } from '../../api/record-course.ts';
import { shortRelease } from '../../api/release.ts';
import { printInstant } from '../../api/time.ts';
import { escaped } from './svg-text.ts';
import { areaOf, lineOf, type Point, TIMELINE } from './timeline-curve.ts';

const { width, height, left, right, top, bottom } = TIMELINE;

/** From the first commit to the last one that was seen: it changes with commits, never with the clock. */
export function timelineSvg({ namespace, name, course }: RolloutRecord): string | undefined {
  if (course === undefined) return undefined;
  const [first, last] = [course.stands[0], course.stands.at(-1)];
  if (first === undefined || last === undefined || last.at <= first.at) return undefined;
  const span = { from: first.at, to: last.at };
  const [groups, shares] = [groupsOf(course), sharesOf(course)];
  const what = shares.length === 0 ? '' : '; line: share of the requests';
  const title = escaped(`${namespace}/${name} ${shortRelease(course.release)}, ${last.step}: groups, of all${what}`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${title}">
<rect width="${width}" height="${height}" fill="#ffffff"/>
<rect x="${left}" y="${top}" width="${width - left - right}" height="${height - top - bottom}" fill="#f4f6f9" stroke="#c9d0d9"/>
${groups.length === 0 ? '' : `<path fill="#dcf3e6" stroke="#0a6b3d" stroke-width="2" d="${areaOf(groups, span)}"/>\n`}${shares.length === 0 ? '' : `<path fill="none" stroke="#8a4b00" stroke-width="3" stroke-dasharray="7 4" d="${lineOf(shares, span)}"/>\n`}<g fill="#16202c" font-family="system-ui,Verdana,sans-serif" font-size="13">
<text x="${left - 8}" y="${top + 10}" text-anchor="end">100%</text>
<text x="${left - 8}" y="${height - bottom}" text-anchor="end">0%</text>
<text x="${left}" y="${height - 24}">${printInstant(first.at)}</text>
<text x="${width - right}" y="${height - 24}" text-anchor="end">${printInstant(last.at)}</text>
<text x="${left}" y="${height - 6}">${title}</text>
</g></svg>
`;
}

const isBack = ({ stands }: Course): boolean => stands.some(({ step }) => step.startsWith('rollback'));

function groupsOf(course: Course): readonly Point[] {
  return course.stands.flatMap((stand) => {
    const part = partOf(stand, isBack(course));
    return part === undefined ? [] : [{ at: stand.at, part }];
  });
}

function partOf({ step, covers }: Stand, back: boolean): number | undefined {
  if (step.startsWith('rollback')) return 0;
  if (step.startsWith('promote')) return 1;
  if (step === 'settled') return back ? 0 : 1;
  return covers === undefined || covers.of === 0 ? undefined : Math.min(1, covers.groups / covers.of);
}

/** Rungs of a promotion from which on the user's own Service or route has the new version alone. */
const ALL = ['promote switch', 'promote route-restored', 'promote empty'];

function sharesOf(course: Course): readonly Point[] {
  if (course.stands.every(({ share }) => percentOf(share) === undefined)) return [];
  return course.stands.flatMap(({ at, step, share }) => {
    if (step === 'settled') return [{ at, part: isBack(course) ? 0 : 1 }];
    const percent = ALL.includes(step) ? 100 : percentOf(share);
    return percent === undefined ? [] : [{ at, part: percent / 100 }];
  });
}

/** undefined: requests are chosen by their headers, whose number nobody knows. */
function percentOf(share: string | undefined): number | undefined {
  if (share === '–') return 0;
  const [, percent] = /^([0-9]{1,3}(?:\.[0-9]{1,3})?)%$/.exec(share ?? '') ?? [];
  return percent === undefined ? undefined : Math.min(100, Number(percent));
}
