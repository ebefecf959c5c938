/** The file of keys that someone trusts, as `gpg.ssh.allowedSignersFile` of Git names it (ssh-keygen(1), ALLOWED SIGNERS). */

import { fingerprintOf } from './ssh-signature.ts';

export type AllowedSigner = { readonly fingerprint: string; readonly principals: string };

/** Keys that are read. */
const SIGNERS_MOST = 1000;

/** What the file allows, or why a line of it cannot be taken: a line that is passed over would make a wrong answer. */
export function parseAllowedSigners(text: string): readonly AllowedSigner[] | { readonly fault: string } {
  const found: AllowedSigner[] = [];
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    const [principals = '', ...rest] = line.trim().split(/\s+/);
    if (principals === '' || principals.startsWith('#')) continue;
    const options = isKeyType(rest[0]) ? undefined : rest.shift();
    const [type, body = ''] = rest;
    const where = `line ${at + 1}`;
    if (!isKeyType(type)) return { fault: `${where} has no key, wanted "who ssh-ed25519 AAAA…"` };
    if (options !== undefined && !/^namespaces="?(?:[^",]*,)*(?:git|\*)(?:,[^",]*)*"?$/i.test(options))
      return { fault: `${where} has the options ${options}, and only namespaces="git" is known here` };
    const key = Buffer.from(body, 'base64');
    if (!/^[A-Za-z0-9+/]+=*$/.test(body) || key.length < 20) return { fault: `${where} has a key that cannot be read` };
    found.push({ fingerprint: fingerprintOf(key), principals });
    if (found.length > SIGNERS_MOST) return { fault: `it has more than ${SIGNERS_MOST} keys` };
  }
  return found.length === 0 ? { fault: 'it has no key' } : found;
}

function isKeyType(word: string | undefined): boolean {
  return word !== undefined && /^(?:ssh|sk-ssh|ecdsa-sha2|sk-ecdsa-sha2)-[a-z0-9@.-]+$/.test(word);
}
