/** The file of numbers as it is written, apart from reading it, which every pass does. */

import { asWritten, isJsonObject } from '../../api/json.ts';
import { type Numbers, numbersFile, readNumbers } from './numbers.ts';
import { digestOf, nextNumber, type Signing, sign } from './signed.ts';

/** The file, with the bytes that it has where they say the same. */
export function numbersText(numbers: Numbers, before: string | undefined, signing: Signing): string {
  const body = asWritten({ numbers });
  const digest = digestOf(body);
  const { signed } = (before === undefined ? undefined : readNumbers(before)) ?? {};
  const { signer, place, numbers: known, now } = signing;
  const path = numbersFile(place.cluster);
  const [there, seen] = [signed?.signature.number ?? 0, known.get(path) ?? 0];
  // Nobody has verified it where the index says the numbers: it is ours where the same key signs the same bytes.
  const isOurs =
    signed !== undefined &&
    sign(signer, { path, place, number: there, digest: signed.digest }).value === signed.signature.value;
  if (before !== undefined && isOurs && signed.digest === digest && there >= seen) return before;
  const number = nextNumber(Math.max(isOurs ? there : 0, seen), now);
  const signature = sign(signer, { path, place, number, digest });
  return `${JSON.stringify({ signature, ...(isJsonObject(body) ? body : {}) }, undefined, 2)}\n`;
}
