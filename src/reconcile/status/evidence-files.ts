/** What metrics counted in the steps of a Rollout, as files on the status branch: for people, nothing decides by them. */

import type { Evidence } from './evidence.ts';
import { EVIDENCE_FILE, evidenceOwner, evidencePicture } from './evidence-owner.ts';
import { evidenceSvg } from './evidence-svg.ts';
import { evidenceText, readEvidence } from './evidence-text.ts';
import type { Signed, Signing } from './signed.ts';

/** Steps of a Rollout whose counts are kept. */
const STEPS_MOST = 5;

/** At rest nobody can count again what a server of metrics has forgotten, nor tell who wrote it. */
const UNSIGNED = 'No key signs these counts: anyone who can push to this branch can have written them.';

/** What is on the branch, which of it counts for nothing, and how a new file is signed. */
type Kept = {
  /** Whose pictures are drawn: those of other clusters on the branch stay as they have drawn them. */
  readonly cluster: string;
  readonly texts: ReadonlyMap<string, string>;
  readonly forged?: ReadonlySet<string> | undefined;
  readonly signing?: Signing | undefined;
};

/**
 * The files of these Rollouts that are to be there: those of steps before that tranche may have written, as they are, and those of
 * the steps that were judged in this pass. The picture is drawn again from the newest: nobody's but that of these counts stays.
 */
export function evidenceFiles(
  keys: Iterable<string>,
  fresh: ReadonlyMap<string, Evidence>,
  { cluster, texts, forged, signing }: Kept,
): ReadonlyMap<string, string> {
  const known = new Map<string, Map<string, Evidence>>();
  for (const [path, text] of texts) {
    const key = EVIDENCE_FILE.exec(path)?.[1];
    const read = key === undefined || forged?.has(path) === true ? undefined : ownEvidence(path, text);
    if (key !== undefined && read !== undefined) known.set(key, (known.get(key) ?? new Map()).set(path, read.evidence));
  }
  const owners = new Set(keys);
  const files = new Map<string, string>();
  for (const [path, text] of texts)
    if (!path.startsWith(`analysis/${cluster}/`) && owners.has(evidenceOwner(path) ?? '')) files.set(path, text);
  for (const key of owners) {
    if (!key.startsWith(`${cluster}/`)) continue;
    const evidence = fresh.get(key);
    const own = evidence === undefined ? undefined : `analysis/${key}/${nameOf(evidence)}.json`;
    const others = [...(known.get(key) ?? [])].filter(([path]) => path !== own).sort(([a], [b]) => byStep(a, b));
    const kept = others.slice(own === undefined ? -STEPS_MOST : 1 - STEPS_MOST);
    for (const [path, one] of kept)
      files.set(path, keptText(texts.get(path) ?? '', { key, path, evidence: one, signing }));
    const newest = evidence ?? kept.at(-1)?.[1];
    if (newest !== undefined)
      files.set(evidencePicture(key), evidenceSvg(key, newest, signing === undefined ? UNSIGNED : undefined));
    if (evidence === undefined || own === undefined) continue;
    const before = texts.get(own);
    const text = evidenceText(key, evidence, signing && { ...signing, path: own });
    const isSaid = before !== undefined && known.get(key)?.has(own) === true && isSameContent(own, { before, text });
    files.set(own, isSaid ? before : text);
  }
  return files;
}

/** As it is, unless the key that has signed it ends. */
function keptText(
  text: string,
  of: {
    readonly key: string;
    readonly path: string;
    readonly evidence: Evidence;
    readonly signing: Signing | undefined;
  },
): string {
  const { key, path, evidence, signing } = of;
  const by = ownEvidence(path, text)?.signed?.signature.key;
  const isEnding = by !== undefined && signing?.ending?.has(by) === true;
  return isEnding ? evidenceText(key, evidence, { ...signing, path }) : text;
}

/** What a file says that has the name of its own content; undefined: tranche has not written it. */
export function ownEvidence(
  path: string,
  text: string,
): { readonly evidence: Evidence; readonly signed: Signed | undefined } | undefined {
  const [, key = ''] = EVIDENCE_FILE.exec(path) ?? [];
  const read = readEvidence(key, text);
  return read !== undefined && path === `analysis/${key}/${nameOf(read.evidence)}.json` ? read : undefined;
}

/** Signed at another time it would be another file each pass. */
function isSameContent(path: string, { before, text }: { readonly before: string; readonly text: string }): boolean {
  const [there, now] = [ownEvidence(path, before), ownEvidence(path, text)];
  if (there === undefined || now === undefined) return false;
  if (there.signed?.signature.key !== now.signed?.signature.key) return false;
  return JSON.stringify(there.evidence) === JSON.stringify(now.evidence);
}

/** The release by its number, then the steps as they come: `7-2-traffic`, then what a promotion does. */
function nameOf({ release, step }: Evidence): string {
  const [, index, rung = ''] = /^(\d+)\/\d+ ?(.*)$/.exec(step) ?? [];
  const place = index === undefined ? step : [index.padStart(3, '0'), rung].filter((part) => part !== '').join('-');
  return `${release.serial}-${place.replaceAll(' ', '-')}`;
}

function byStep(a: string, b: string): number {
  const [left, right] = [EVIDENCE_FILE.exec(a), EVIDENCE_FILE.exec(b)];
  const serials = Number(left?.[2]) - Number(right?.[2]);
  if (serials !== 0) return serials;
  return (left?.[3] ?? '') < (right?.[3] ?? '') ? -1 : 1;
}
