/** What the signature of a commit says: whether there is one, of which key, and, by a file of keys, whether it is theirs. */

import type { CommitHeader } from '../../ports/git.ts';
import type { AllowedSigner } from './allowed-signers.ts';
import { openPgpKey } from './openpgp-key.ts';
import { isSignedBySsh, parseSshSignature } from './ssh-signature.ts';

/** `none`: the commit carries none. `other`: it carries something that is none of these. */
type Kind = 'none' | 'ssh' | 'openpgp' | 'x509' | 'other';

/**
 * `good`: by a key of the file. `unknown`: by a key that is not there. `bad`: that key has not signed this. `unchecked`: no
 * file was given, or only Ed25519 keys of SSH can be looked at.
 */
type Verdict = 'good' | 'unknown' | 'bad' | 'unchecked';

export type SignatureFound = {
  readonly kind: Kind;
  /** The fingerprint or the id of the key. Not there: none is named, or none is read of this kind. */
  readonly key?: string;
  /** Not there: there is no signature. */
  readonly verdict?: Verdict;
  /** Whom the file names for the key. Not there: nobody. */
  readonly signer?: string;
};

/** `allowed` undefined: nothing is verified. */
export function signatureOf({ signed }: CommitHeader, allowed: readonly AllowedSigner[] | undefined): SignatureFound {
  if (signed === undefined) return { kind: 'none' };
  const { armor, payload } = signed;
  if (armor.startsWith('-----BEGIN PGP ')) return named('openpgp', openPgpKey(armor));
  if (armor.startsWith('-----BEGIN SIGNED MESSAGE')) return named('x509', undefined);
  const ssh = parseSshSignature(armor);
  if (ssh === undefined) return named('other', undefined);
  const { fingerprint: key } = ssh;
  const isMade = allowed === undefined ? undefined : isSignedBySsh(payload, ssh);
  if (allowed === undefined || isMade === undefined) return named('ssh', key);
  if (!isMade) return { kind: 'ssh', key, verdict: 'bad' };
  const signer = allowed.find(({ fingerprint }) => fingerprint === key)?.principals;
  return signer === undefined
    ? { kind: 'ssh', key, verdict: 'unknown' }
    : { kind: 'ssh', key, verdict: 'good', signer };
}

function named(kind: Exclude<Kind, 'none'>, key: string | undefined): SignatureFound {
  return { kind, ...(key === undefined ? {} : { key }), verdict: 'unchecked' };
}
