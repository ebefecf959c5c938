/** The numbers of a cluster's records, signed in a file of its own: on a shared branch the index is that of another cluster. */

import { isJsonObject, isRecord, type Json } from '../../api/json.ts';
import { digestOf, type Signed, signatureIn } from './signed.ts';

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
