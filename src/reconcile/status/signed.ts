/** What a signature on the status branch is of: the content of a file, its number, and its place. */

import { createHash } from 'node:crypto';
import { canonicalJson, isRecord, type Json } from '../../api/json.ts';
import { isInForce, keysOf, type StatusKey } from '../../api/status-keys.ts';
import type { Instant } from '../../api/time.ts';
import type { Signatures, Signer } from '../../ports/signatures.ts';

/** Whose branch it is. In another place the same bytes are not signed. */
export type Place = {
  readonly cluster: string;
  /** The number of the shard; undefined: there are none. */
  readonly shard: number | undefined;
};

/** How files are signed. */
export type Signing = {
  readonly signer: Signer;
  readonly place: Place;
  /** The highest number that this process knows of a path. */
  readonly numbers: ReadonlyMap<string, number>;
  readonly now: Instant;
  /** What these have signed is signed again. */
  readonly ending?: ReadonlySet<string>;
};

/** As it stands in a file. */
type Signature = {
  /** The public half. */
  readonly key: string;
  /** Goes up with every change of this file, by at least 1 and to at least the time: one that was lost starts above what it had. */
  readonly number: number;
  readonly value: string;
};

/** A signature, and the digest of the content that it stands next to it. */
export type Signed = { readonly signature: Signature; readonly digest: string };

/** SHA-256 of a content, as hex. */
export function digestOf(content: Json): string {
  return createHash('sha256').update(canonicalJson(content)).digest('hex');
}

/** The signature in a file; undefined: it has none that can be read. */
export function signatureIn(value: unknown): Signature | undefined {
  if (!isRecord(value)) return undefined;
  const { key, number, value: bytes } = value;
  if (typeof key !== 'string' || typeof bytes !== 'string' || typeof number !== 'number') return undefined;
  return Number.isSafeInteger(number) && number > 0 ? { key, number, value: bytes } : undefined;
}

type Of = { readonly path: string; readonly place: Place; readonly number: number; readonly digest: string };

/** The main that a file was made from is in its content, and so in the digest. */
function signedText({ path, place: { cluster, shard }, number, digest }: Of): string {
  return canonicalJson({ of: 'tranche status 1', path, cluster, shard: shard ?? null, number, digest });
}

/** The same content at the same place under the same number has the same signature. */
export function sign(signer: Signer, of: Of): Signature {
  return { key: signer.key, number: of.number, value: signer.sign(signedText(of)) };
}

/**
 * The number behind this one, which is of a signature that was verified: anybody can write one that none is higher than, and ours
 * would follow it.
 */
export function nextNumber(before: number | undefined, now: Instant): number {
  return Math.max((before ?? 0) + 1, now);
}

/** By whom a signature in a place may be. */
export type By = { readonly place: Place; readonly keys: readonly StatusKey[]; readonly now: Instant };

/** Why what is signed does not count in this place; undefined: it does. */
export function signatureFault(
  { isSigned }: Pick<Signatures, 'isSigned'>,
  file: { readonly path: string; readonly signed: Signed | undefined },
  { place, keys, now }: By,
): string | undefined {
  if (file.signed === undefined) return 'it is not signed';
  const { signature, digest } = file.signed;
  const named = keysOf(keys, place.cluster).filter(({ key }) => key === signature.key);
  if (named.length === 0) return `it is signed by a key that statusKeys does not name for ${place.cluster}`;
  if (!named.some((key) => isInForce(key, now))) return 'it is signed by a key that has expired';
  return isOf(isSigned, { ...file, signature, digest, place })
    ? undefined
    : 'its signature is not of this content in this place';
}

/** Whether this process has signed it, by the key that it has: no main needs to be read for that. */
export function isOwn(
  { own, isSigned }: Signatures,
  file: { readonly path: string; readonly signed: Signed | undefined },
  place: Place,
): boolean {
  if (own === undefined || file.signed?.signature.key !== own.key) return false;
  return isOf(isSigned, { ...file, ...file.signed, place });
}

function isOf(
  isSigned: Signatures['isSigned'],
  { signature, ...of }: Omit<Of, 'number'> & { readonly signature: Signature },
): boolean {
  const text = signedText({ ...of, number: signature.number });
  return isSigned(text, { key: signature.key, signature: signature.value });
}
