/** What metrics counted in the steps of a Rollout, as files on the status branch: for people, nothing reads them back. */

import { printRelease } from '../../api/release.ts';
import { joined } from '../../rollout/analysis/parts.ts';
import type { Evidence } from './evidence.ts';
import { evidenceSvg } from './evidence-svg.ts';

/** Steps of a Rollout whose counts are kept. */
const STEPS_MOST = 5;
/** Bytes of one file. */
const BYTES_MOST = 64 * 1024;
/** The picture of the step that was judged last. */
export function evidencePicture(key: string): string {
  return `analysis/${key}/newest.svg`;
}

/**
 * The files of these Rollouts that are to be there: those of steps before, as they are, and those of the steps that were
 * judged in this pass. They are for people, and no signature is about them.
 */
export function evidenceFiles(
  keys: Iterable<string>,
  fresh: ReadonlyMap<string, Evidence>,
  before: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const known = new Map<string, string[]>();
  for (const path of before.keys()) {
    const key = FILE.exec(path)?.[1];
    if (key !== undefined) known.set(key, [...(known.get(key) ?? []), path]);
  }
  const files = new Map<string, string>();
  for (const key of keys) {
    const evidence = fresh.get(key);
    const own = evidence === undefined ? undefined : `analysis/${key}/${nameOf(evidence)}.json`;
    const others = (known.get(key) ?? []).filter((path) => path !== own).sort(byStep);
    const kept = others.slice(own === undefined ? -STEPS_MOST : 1 - STEPS_MOST);
    const picture = evidencePicture(key);
    for (const path of [...kept, picture]) {
      const text = before.get(path);
      if (text !== undefined) files.set(path, text);
    }
    if (evidence === undefined || own === undefined) continue;
    files.set(own, evidenceText(key, evidence));
    files.set(picture, evidenceSvg(key, evidence));
  }
  return files;
}

/** Of a Rollout, a release by its number, and a step. A picture next to its folder could have the name of another Rollout's. */
const FILE = /^analysis\/(.+)\/([0-9]{1,9})-([a-z0-9-]{1,60})\.json$/;

/** Of which Rollout it is such a file; undefined: of none. */
export function evidenceOwner(path: string): string | undefined {
  return FILE.exec(path)?.[1] ?? /^analysis\/(.+)\/newest\.svg$/.exec(path)?.[1];
}

/** The release by its number, then the steps as they come: `7-2-traffic`, then what a promotion does. */
function nameOf({ release, step }: Evidence): string {
  const [, index, rung = ''] = /^(\d+)\/\d+ ?(.*)$/.exec(step) ?? [];
  const place = index === undefined ? step : [index.padStart(3, '0'), rung].filter((part) => part !== '').join('-');
  return `${release.serial}-${place.replaceAll(' ', '-')}`;
}

function byStep(a: string, b: string): number {
  const [left, right] = [FILE.exec(a), FILE.exec(b)];
  const serials = Number(left?.[2]) - Number(right?.[2]);
  if (serials !== 0) return serials;
  return (left?.[3] ?? '') < (right?.[3] ?? '') ? -1 : 1;
}

/** With the parts of one metric on a line, in as few parts as it has room for. */
function evidenceText(key: string, { release, step, metrics }: Evidence): string {
  const most = Math.max(1, ...metrics.map(({ parts }) => parts.length));
  for (let parts = most; ; parts = Math.floor(parts / 2)) {
    const lines = metrics.map(({ kind, ...metric }) => {
      const { name, canary, stable, ruledOut } = metric;
      return JSON.stringify({
        name,
        answer: kind,
        canary,
        stable,
        ruledOut,
        parts: joined(metric.parts, Math.max(1, parts)),
      });
    });
    const head = `"rollout": ${JSON.stringify(key)},\n"release": ${JSON.stringify(printRelease(release))},\n"step": ${JSON.stringify(step)}`;
    const columns = '"parts": ["end", "bad", "of", "stableBad", "stableOf"]';
    const text = `{\n${head},\n${columns},\n"metrics": [\n${lines.join(',\n')}\n]\n}\n`;
    if (Buffer.byteLength(text) <= BYTES_MOST || parts <= 1) return text;
  }
}
