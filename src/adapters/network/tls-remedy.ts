/** What a failure of TLS means for the one who has to mend it. */

const untrusted = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_UNTRUSTED',
]);
const outOfDate = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']);

/** What to do about a failure of TLS; undefined: it is something else. */
export function tlsRemedy(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (untrusted.has(code))
    return 'Name the certificate of the authority that signed it, a file in PEM, with --ca-file, GIT_SSL_CAINFO, http.sslCAInfo or SSL_CERT_FILE.';
  if (outOfDate.has(code)) return 'Renew the certificate of the server, or set the clock of this machine right.';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'Use the name that the certificate of the server is for, or give the server one for this name.';
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_'))
    return 'Check that the server speaks TLS at this address: an http port in an https URL answers like this.';
  return undefined;
}
