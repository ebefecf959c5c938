/** Signatures by Ed25519, with Node's own crypto. The halves of a key are its 32 bytes as base64url, with a name in front. */

import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import { keyBody, PRIVATE_HALF, PUBLIC_HALF } from '../../api/status-keys.ts';
import type { Signatures, Signer } from '../../ports/signatures.ts';

/** What stands in front of the 32 bytes in DER: RFC 8410. */
const PRIVATE_DER = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_DER = Buffer.from('302a300506032b6570032100', 'hex');
/** Public halves whose key is kept at hand; main names no more. */
const KEYS_MOST = 100;

/** Signatures of a process with this private half; undefined or empty: it has none, and can only tell. */
export function openSignatures(privateHalf: string | undefined): Signatures {
  const given = privateHalf?.trim() ?? '';
  const own = given === '' ? undefined : signerOf(given);
  const known = new Map<string, KeyObject | undefined>();
  return {
    own,
    fault:
      given === '' || own !== undefined
        ? undefined
        : given.startsWith(PUBLIC_HALF)
          ? 'is a public half, wanted the private one'
          : 'is no private half that tranche status-key has printed',
    isSigned: (text, { key, signature }) => {
      if (!known.has(key)) {
        if (known.size >= KEYS_MOST) known.clear();
        known.set(key, publicKey(key));
      }
      const object = known.get(key);
      return object !== undefined && verify(null, Buffer.from(text), object, Buffer.from(signature, 'base64'));
    },
  };
}

/** A new key: both halves as text. */
export function newStatusKey(): { readonly privateHalf: string; readonly publicHalf: string } {
  const { privateKey, publicKey: made } = generateKeyPairSync('ed25519');
  const bytes = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(PRIVATE_DER.length);
  return { privateHalf: `${PRIVATE_HALF}${bytes.toString('base64url')}`, publicHalf: publicHalfOf(made) };
}

function signerOf(privateHalf: string): Signer | undefined {
  const body = keyBody(privateHalf, PRIVATE_HALF);
  if (body === undefined) return undefined;
  const key = createPrivateKey({
    key: Buffer.concat([PRIVATE_DER, Buffer.from(body, 'base64url')]),
    format: 'der',
    type: 'pkcs8',
  });
  return {
    key: publicHalfOf(createPublicKey(key)),
    sign: (text) => sign(null, Buffer.from(text), key).toString('base64'),
  };
}

function publicHalfOf(key: KeyObject): string {
  const bytes = key.export({ format: 'der', type: 'spki' }).subarray(PUBLIC_DER.length);
  return `${PUBLIC_HALF}${bytes.toString('base64url')}`;
}

function publicKey(publicHalf: string): KeyObject | undefined {
  const body = keyBody(publicHalf, PUBLIC_HALF);
  if (body === undefined) return undefined;
  return createPublicKey({
    key: Buffer.concat([PUBLIC_DER, Buffer.from(body, 'base64url')]),
    format: 'der',
    type: 'spki',
  });
}
