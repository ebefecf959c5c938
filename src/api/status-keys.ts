/** `statusKeys` of `tranche.yaml`: the public halves of the keys that sign the status branch, where owners review them. */

import type { FieldReader } from './field-reader.ts';
import { type Instant, parseInstant } from './time.ts';

export type StatusKey = {
  /** The cluster whose records it signs. */
  readonly cluster: string;
  /** The public half; empty: this entry is wrong, and nothing that is signed counts by it. */
  readonly key: string;
  /** From then on it signs nothing any more; undefined: it does not end. */
  readonly until: Instant | undefined;
};

/** How each half starts: who puts the private one on main by mistake is reported. */
export const PUBLIC_HALF = 'tranche-public-';
export const PRIVATE_HALF = 'tranche-private-';

export const KEYS_LIMIT = 50;
/** 32 bytes as base64url. */
const KEY_TEXT = /^[A-Za-z0-9_-]{43}$/;

/** A text with no private half in it: what people put on main by mistake is read as one, stands in no message, and is no name. */
export function withoutPrivateHalves(text: string): string {
  return text.replace(PRIVATE_HALVES, `${PRIVATE_HALF}(hidden)`);
}

const PRIVATE_HALVES = new RegExp(`${PRIVATE_HALF}[A-Za-z0-9_-]+`, 'g');

/** The line, from 1, of the first whole private half, wherever it stands in a text; undefined: there is none. */
export function privateHalfLine(text: string): number | undefined {
  const at = text.search(WHOLE_PRIVATE_HALF);
  return at === -1 ? undefined : text.slice(0, at).split('\n').length;
}

const WHOLE_PRIVATE_HALF = new RegExp(`${PRIVATE_HALF}[A-Za-z0-9_-]{43}`);

/** The 43 characters behind the name of this half; undefined: it is no such half. */
export function keyBody(text: string, half: typeof PUBLIC_HALF | typeof PRIVATE_HALF): string | undefined {
  const body = text.startsWith(half) ? text.slice(half.length) : '';
  return KEY_TEXT.test(body) ? body : undefined;
}

/** The keys that main names for a cluster: where there are some, only what is signed by one of them counts. */
export function keysOf(keys: readonly StatusKey[], cluster: string): readonly StatusKey[] {
  return keys.filter((one) => one.cluster === cluster);
}

/** Whether a key still signs. */
export function isInForce({ key, until }: StatusKey, now: Instant): boolean {
  return key !== '' && (until === undefined || now < until);
}

/**
 * The keys as they stand there. An entry that is wrong stays, without its key: as long as it does nobody signs by it, and
 * its cluster is not taken for one that has no keys. `cluster`: that of an entry that names none.
 */
export function readStatusKeys(root: FieldReader, cluster: string): readonly StatusKey[] {
  const entries = root.objects('statusKeys', KEYS_LIMIT);
  if (root.has('statusKeys') && entries.length === 0) {
    if (root.faults.every(({ at }) => at[0] !== 'statusKeys'))
      root.fault('statusKeys', 'Missing', 'is an empty list, wanted keys', 'Name a key, or take the field out.');
    return [{ cluster, key: '', until: undefined }];
  }
  return entries.map((entry) => readKey(entry, cluster));
}

function readKey(entry: FieldReader, otherwise: string): StatusKey {
  entry.allow(['cluster', 'key', 'until']);
  const text = entry.text('key');
  const isWhole = text === '' || keyBody(text, PUBLIC_HALF) !== undefined;
  // Also with the name of its variable in front of it: the public half next to it would be that of a key which everybody has.
  if (!isWhole && text.includes(PRIVATE_HALF))
    entry.fault(
      'key',
      'PrivateKey',
      'is the private half: anyone who reads it can sign',
      'Throw this key away, make another (tranche status-key --cluster NAME), and write its public half here.',
    );
  else if (!isWhole)
    entry.fault(
      'key',
      'BadKey',
      `is not a public half: ${PUBLIC_HALF} and 43 characters`,
      'Write the public half as tranche status-key has printed it.',
    );
  const ends = entry.has('until') ? entry.text('until') : undefined;
  const until = ends === undefined ? undefined : parseInstant(ends);
  if (ends !== undefined && ends !== '' && until === undefined)
    entry.fault(
      'until',
      'BadTime',
      `is ${JSON.stringify(ends.slice(0, 40))}, wanted a time in UTC`,
      'Write for example "2027-06-01T00:00:00Z".',
    );
  const isRight = isWhole && (ends === undefined || until !== undefined);
  return { cluster: entry.optionalText('cluster', otherwise), key: isRight ? text : '', until };
}
