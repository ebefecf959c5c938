/** The numbers of a cluster's records, signed in a file of its own: on a shared branch the index is that of another cluster. */

import { asWritten, isJsonObject, isRecord, type Json } from '../../api/json.ts';
import { digestOf, nextNumber, type Signed, type Signing, sign, signatureIn } from './signed.ts';

/** The numbers of records by their paths. */
export type Numbers = Readonly<Record<string, number>>;

/** Its path: each cluster has one. */
export function numbersFile(cluster: string): string {
  return `numbers/${cluster}.json`;
}

/** What stands in such a file; undefined: it is none. */
export function readNumbers(
  text: string,
): { readonly numbers: Numbers; readonly signed: Signed | undefined } | undefined {
  try {
    const value: Json = JSON.parse(text);
    if (!isJsonObject(value)) return undefined;
    const { signature: given, ...rest } = value;
    const signature = signatureIn(given);
    const signed = signature === undefined ? undefined : { signature, digest: digestOf(rest) };
    return { numbers: numbersIn(rest['numbers']) ?? {}, signed };
  } catch {
    return undefined;
  }
}

/** Numbers by paths; undefined: it is something else. */
export function numbersIn(value: unknown): Numbers | undefined {
  if (!isRecord(value)) return undefined;
  const numbers = Object.entries(value).flatMap(([path, number]) =>
    typeof number === 'number' && Number.isSafeInteger(number) ? [[path, number] as const] : [],
  );
  return Object.fromEntries(numbers);
}

/** The file, with the bytes that it has where they say the same. */
export function numbersText(numbers: Numbers, before: string | undefined, signing: Signing): string {
  const body = asWritten({ numbers });
  const digest = digestOf(body);
  const { signed } = (before === undefined ? undefined : readNumbers(before)) ?? {};
  const { signer, place, numbers: known, now } = signing;
  const path = numbersFile(place.cluster);
  const isSame = signed?.digest === digest && signed.signature.key === signer.key;
  if (before !== undefined && isSame && signed.signature.number >= (known.get(path) ?? 0)) return before;
  const number = nextNumber(Math.max(signed?.signature.number ?? 0, known.get(path) ?? 0), now);
  const signature = sign(signer, { path, place, number, digest });
  return `${JSON.stringify({ signature, ...(isJsonObject(body) ? body : {}) }, undefined, 2)}\n`;
}
