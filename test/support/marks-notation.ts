/** Marks, releases and commits in the compact notation of tables: `B.2 1/3 floor=3 u=1>2 aborted=C.3,D.4`, `B.2 1/3 at=pods style=canary plan=0`. */

import { type Marks, parseRung, printStep, type StepMark, stableMark } from '../../src/api/marks.ts';
import { parseRelease, printRelease, type Release } from '../../src/api/release.ts';
import { ROLLING_STYLES } from '../../src/api/styles.ts';

/** A version of the template, by its letter: `A` … `F`. */
export type Letter = string;

export const MAIN = '9'.repeat(40);
export const WORKLOAD_FILE = 'apps/vllm/lws.yaml';

export function digestOf(letter: Letter): string {
  return letter.toLowerCase().repeat(32);
}

export function letterOf(digest: string): Letter {
  return digest.charAt(0).toUpperCase();
}

export function commitOf(letter: Letter): string {
  return letter.toLowerCase().repeat(40);
}

export function releaseOf(text: string): Release {
  const [letter = '', serial = ''] = text.split('.');
  const release = parseRelease(`${digestOf(letter)}.${serial}`);
  if (release === undefined) throw new Error(`no release: ${text}`);
  return release;
}

export function showRelease(release: Release): string {
  return `${letterOf(release.digest)}.${release.serial}`;
}

/** Marks from their notation; the stable commit is A's unless `stable=B` says otherwise. */
export function marksOf(notation: string): Marks | undefined {
  if (notation === 'none') return undefined;
  const [release = '', ...words] = notation.split(' ');
  const fields = new Map(words.filter((word) => word.includes('=')).map((word) => word.split('=') as [string, string]));
  const stepWord = words.find((word) => word.includes('/') || word === 'rollback' || word === 'promote');
  const step = stepWord === undefined ? undefined : stepOf(stepWord);
  const [was, set] = fields.get('u')?.split('>') ?? [];
  const displaced = set === undefined ? undefined : { was: was === '-' ? undefined : Number(was), set: Number(set) };
  const floor = fields.get('floor');
  const [without, extra] = fields.get('r')?.split('>').map(Number) ?? [];
  const replicas = without === undefined || extra === undefined ? {} : { replicas: { was: without, set: extra } };
  const stable = fields.get('stable') ?? 'A';
  const plan = fields.get('plan');
  const style = ROLLING_STYLES.find((one) => one === fields.get('style'));
  const [at, serves] = [parseRung(fields.get('at')), fields.get('serves')];
  const aside = { floor: floor === undefined ? undefined : Number(floor), maxUnavailable: displaced, ...replicas };
  const ladder = { ...(style && { style }), ...(plan && { plan: plan.repeat(32) }) };
  return {
    release: releaseOf(release),
    step,
    stable: stableIn(stable, releaseOf(release)),
    restore: style === undefined && floor === undefined ? undefined : { ...aside, ...ladder },
    aborted: fields.get('aborted')?.split(',').map(releaseOf) ?? [],
    ...(at === undefined ? {} : { at }),
    ...(serves === 'green' ? { serves } : {}),
  };
}

/** Main has the template of the release that is delivered. */
function stableIn(word: string, release: Release): Marks['stable'] {
  if (word === 'main') return stableMark({ commit: MAIN, release });
  return word === '-' ? undefined : { commit: commitOf(word), digest: digestOf(word) };
}

function stepOf(word: string): StepMark {
  if (word === 'rollback' || word === 'promote') return { kind: word };
  const [index, of] = word.split('/').map(Number);
  return { kind: 'step', index: index ?? 0, of: of ?? 0 };
}

/** Marks in their notation. */
export function showMarks(marks: Marks | undefined): string {
  if (marks === undefined) return 'none';
  const { release, step, stable, restore, aborted, at, serves } = marks;
  const words = [showRelease(release)];
  if (step !== undefined) words.push(printStep(step));
  if (at !== undefined) words.push(`at=${at}`);
  if (restore?.floor !== undefined) words.push(`floor=${restore.floor}`);
  if (restore?.maxUnavailable !== undefined)
    words.push(`u=${restore.maxUnavailable.was ?? '-'}>${restore.maxUnavailable.set}`);
  if (restore?.replicas !== undefined) words.push(`r=${restore.replicas.was}>${restore.replicas.set}`);
  if (aborted.length > 0) words.push(`aborted=${aborted.map(showRelease).join(',')}`);
  if (stable?.commit !== commitOf('A'))
    words.push(`stable=${stable === undefined ? '-' : stable.commit === MAIN ? 'main' : letterOf(stable.commit)}`);
  if (restore?.style !== undefined) words.push(`style=${restore.style}`);
  if (restore?.plan !== undefined) words.push(`plan=${restore.plan.charAt(0)}`);
  if (serves !== undefined) words.push(`serves=${serves}`);
  return words.join(' ');
}

/** `1@B.2`, `B.2`, `B.2 C`, `B.2 3` and `B.2 2 to A.1` with the digests spelled out; a commit stays as it is. */
export function longIntent(value: string): string {
  const [, step = '', release, newer, after = ''] =
    /^([0-9]+@)?([A-F]\.[0-9]+)(?: ([A-F]))?( [0-9]+|#[0-9]+| now)?$/.exec(value) ?? [];
  const undo = /^([A-F]\.[0-9]+) ([0-9]+) to ([A-F]\.[0-9]+)$/.exec(value);
  const [, from = '', highest = '', to = ''] = undo ?? [];
  if (undo !== null) return `${printRelease(releaseOf(from))} ${highest} to ${printRelease(releaseOf(to))}`;
  if (release === undefined) return value;
  return `${step}${printRelease(releaseOf(release))}${newer === undefined ? '' : ` ${digestOf(newer)}`}${after}`;
}
