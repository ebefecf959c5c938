/** Kubernetes' revision hash: FNV-1, printed with letters that spell no words. */

const ALPHABET = '456789bcdf';
const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

/** FNV-1 (not 1a), 32 bits, over the UTF-16 code units of `text`. */
export function fnv1(text: string, start = OFFSET): number {
  let hash = start;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash, PRIME) ^ text.charCodeAt(at);
  return hash >>> 0;
}

/** A number as LWS and StatefulSets write it in names: decimal digits mapped to `4-9bcdf`. */
export function hashKey(hash: number): string {
  let key = '';
  for (const digit of String(hash)) key += ALPHABET[Number(digit)] ?? '';
  return key;
}

/** 40 hex digits: where Kubernetes writes a SHA-1 that only has to be unique. */
export function hex40(text: string): string {
  let hex = '';
  for (let round = 0; round < 5; round++)
    hex += fnv1(text, OFFSET + round)
      .toString(16)
      .padStart(8, '0');
  return hex;
}
