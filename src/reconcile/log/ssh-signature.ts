/** Signatures that ssh-keygen makes (SSHSIG): which key a text names, and for Ed25519 whether that key has signed these bytes. */

import { createHash, createPublicKey, verify } from 'node:crypto';

/** https://github.com/openssh/openssh-portable/blob/master/PROTOCOL.sshsig: the magic, then version 1. */
const PREAMBLE = Buffer.from('SSHSIG');
const VERSION = 1;
const ED25519 = 'ssh-ed25519';
const HASHES = ['sha256', 'sha512'] as const;
/** A signature is some hundred bytes; of RSA some thousand. */
const TEXT_MOST = 20_000;

type SshSignature = {
  /** As `ssh-keygen -l` prints it: `SHA256:…`. */
  readonly fingerprint: string;
  /** `ssh-ed25519`. */
  readonly type: string;
  readonly publicKey: Buffer;
  readonly namespace: string;
  readonly reserved: Buffer;
  readonly hash: string;
  readonly signature: Buffer;
};

/** What is between the lines of the armor; undefined: it is no signature of ssh-keygen. */
export function parseSshSignature(armor: string): SshSignature | undefined {
  if (armor.length > TEXT_MOST) return undefined;
  const [, body] =
    /^-----BEGIN SSH SIGNATURE-----\s+([A-Za-z0-9+/=\s]+?)\s+-----END SSH SIGNATURE-----\s*$/.exec(armor) ?? [];
  const bytes = Buffer.from(body ?? '', 'base64');
  if (!bytes.subarray(0, PREAMBLE.length).equals(PREAMBLE) || bytes.length < 10 || bytes.readUInt32BE(6) !== VERSION)
    return undefined;
  const [publicKey, namespace, reserved, hash, signature, more] = stringsOf(bytes.subarray(10));
  if (publicKey === undefined || namespace === undefined || reserved === undefined || more !== undefined)
    return undefined;
  if (hash === undefined || signature === undefined) return undefined;
  const [type] = stringsOf(publicKey);
  if (type === undefined) return undefined;
  return {
    fingerprint: fingerprintOf(publicKey),
    type: type.toString(),
    publicKey,
    namespace: namespace.toString(),
    reserved,
    hash: hash.toString(),
    signature,
  };
}

/** As `ssh-keygen -l` prints it. */
export function fingerprintOf(publicKey: Buffer): string {
  return `SHA256:${createHash('sha256').update(publicKey).digest('base64').replace(/=+$/, '')}`;
}

/** Whether the key that the signature names has signed these bytes as a commit. undefined: it is no Ed25519 key, which alone is known here. */
export function isSignedBySsh(payload: Uint8Array, of: SshSignature): boolean | undefined {
  if (of.type !== ED25519) return undefined;
  const [, key] = stringsOf(of.publicKey);
  const [type, made] = stringsOf(of.signature);
  const hash = HASHES.find((one) => one === of.hash);
  if (key?.length !== 32 || made?.length !== 64 || type?.toString() !== ED25519) return false;
  if (hash === undefined || of.namespace !== 'git') return false;
  const parts = [Buffer.from(of.namespace), of.reserved, Buffer.from(hash), createHash(hash).update(payload).digest()];
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: key.toString('base64url') };
  return verify(
    null,
    Buffer.concat([PREAMBLE, ...parts.map(asString)]),
    createPublicKey({ key: jwk, format: 'jwk' }),
    made,
  );
}

function asString(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** The strings of RFC 4251 one after the other; what is cut off ends them. */
function stringsOf(bytes: Buffer): readonly Buffer[] {
  const found: Buffer[] = [];
  let at = 0;
  while (at + 4 <= bytes.length) {
    const length = bytes.readUInt32BE(at);
    if (at + 4 + length > bytes.length) return [];
    found.push(bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return found;
}
