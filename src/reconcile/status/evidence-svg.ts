/** What metrics counted in a step as a picture: the share of bad requests of both versions over time, a strip a metric. */

import { shortRelease } from '../../api/release.ts';
import { printInstant } from '../../api/time.ts';
import { ANSWERS, countsText } from '../../rollout/analysis/metric-text.ts';
import type { Part } from '../../rollout/analysis/parts.ts';
import type { Evidence, MetricShown } from './evidence.ts';
import { escaped } from './svg-text.ts';

const WIDTH = 720;
const MARGIN = 16;
/** Of one metric: its words, and its curves below them. */
const STRIP = 84;
const [CURVES, WORDS] = [44, 18];
const [HEAD, NOTE] = [30, 14];
/** Metrics that are drawn; the file next to it has all of them. */
const DRAWN_MOST = 10;

/** The same for the same counts, whenever it is drawn. `note`: what is to be known of them, below the title. */
export function evidenceSvg(key: string, { release, step, metrics }: Evidence, note?: string): string {
  const drawn = metrics.slice(0, DRAWN_MOST);
  const top = note === undefined ? HEAD : HEAD + NOTE;
  const height = top + drawn.length * STRIP;
  const left = metrics.length - drawn.length;
  const title = escaped(
    `${key} ${shortRelease(release)}, ${step}: share of bad requests; line: new version, dashes: stable version${left === 0 ? '' : `; ${left} metrics more`}`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${title}">
<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>
<g fill="#16202c" font-family="system-ui,Verdana,sans-serif" font-size="12">
<text x="${MARGIN}" y="18">${title}</text>
${note === undefined ? '' : `<text x="${MARGIN}" y="${HEAD + 4}" font-size="11">${escaped(note)}</text>\n`}${drawn.map((metric, at) => strip(metric, top + at * STRIP)).join('')}</g></svg>
`;
}

function strip({ name, kind, canary, stable, parts }: MetricShown, top: number): string {
  const worst = Math.max(
    ...parts.flatMap(([, bad, of, stableBad, stableOf]) => [share(bad, of), share(stableBad, stableOf)]),
    0,
  );
  const ground = top + WORDS + CURVES;
  const at = (place: number, part: number): string => {
    const x = MARGIN + Math.round(((place + 0.5) / parts.length) * (WIDTH - 2 * MARGIN));
    return `${x} ${ground - (worst === 0 ? 0 : Math.round((part / worst) * (CURVES - 4)))}`;
  };
  const lineOf = (pick: (part: Part) => readonly [bad: number, of: number]): string => {
    const places = parts.flatMap((part, place) => {
      const [bad, of] = pick(part);
      return of === 0 ? [] : [at(place, share(bad, of))];
    });
    return places.length === 0 ? '' : `M${places.join('L')}h1`;
  };
  const words = `${name} ${ANSWERS[kind]}: new ${countsText(canary)}, stable ${countsText(stable)}; top: ${(worst * 100).toFixed(2)} %`;
  const until = parts.at(-1)?.[0];
  return `<text x="${MARGIN}" y="${top + 12}">${escaped(words)}</text>
<text x="${WIDTH - MARGIN}" y="${ground + 13}" text-anchor="end" font-size="10">${until === undefined ? '' : printInstant(until)}</text>
<rect x="${MARGIN}" y="${top + WORDS}" width="${WIDTH - 2 * MARGIN}" height="${CURVES}" fill="#f4f6f9" stroke="#c9d0d9"/>
<path fill="none" stroke="#566273" stroke-width="2" stroke-dasharray="5 3" d="${lineOf(([, , , bad, of]) => [bad, of])}"/>
<path fill="none" stroke="#8a4b00" stroke-width="2" d="${lineOf(([, bad, of]) => [bad, of])}"/>
`;
}

function share(bad: number, of: number): number {
  return of === 0 ? 0 : bad / of;
}
