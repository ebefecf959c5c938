/** Why there is no connection to the API server, and what to do about it: in words that repeat nothing that was sent. */

import { ProxyError } from '../network/agents.ts';

type Cause = readonly [seen: string, remedy: string];

const REACH =
  'check the address in the kubeconfig, HTTPS_PROXY and NO_PROXY, and the network from here to the API server';
const AUTHORITY =
  'put the certificate of the authority that signed it into certificate-authority-data of the cluster in the kubeconfig, or without that into a file for --ca-file or SSL_CERT_FILE';

const untrusted: Cause = ['the certificate of the API server is not from an authority that is trusted here', AUTHORITY];

const causes: Readonly<Record<string, Cause>> = {
  ECONNREFUSED: ['connection refused', 'check that an API server can be reached from here'],
  ECONNRESET: ['connection closed by the server', REACH],
  ENOTFOUND: ['no such host', REACH],
  EAI_AGAIN: ['the host name cannot be looked up now', REACH],
  ETIMEDOUT: ['connection timed out', REACH],
  EHOSTUNREACH: ['no route to the host', REACH],
  ENETUNREACH: ['no route to the network', REACH],
  EPROTO: ['not a TLS server, or none that we can talk to', 'check that the API server speaks https at this address'],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'the certificate is for another host',
    'give the server in the kubeconfig by the name that its certificate is for, or that name as tls-server-name',
  ],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['the certificate is self-signed and not in the kubeconfig', AUTHORITY],
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  CERT_UNTRUSTED: untrusted,
  CERT_HAS_EXPIRED: [
    'the certificate of the API server has expired',
    'renew it, or set the clock of this machine right',
  ],
  CERT_NOT_YET_VALID: ['the certificate of the API server is not valid yet', 'set the clock of this machine right'],
};

/** For `ERR_SSL_…` codes: alerts name what the server did not like. */
const SSL: Cause = [
  'the API server and we do not agree on TLS',
  'check that it speaks https at this address, and that the client certificate in the kubeconfig is valid',
];

/** Reports only the code of an error, and what a proxy answered. */
export function connectionWhy(error: unknown): string {
  if (error instanceof ProxyError)
    return `${error.message}; check proxy-url in the kubeconfig, or HTTPS_PROXY, or except the API server in NO_PROXY`;
  const code =
    error instanceof Error && 'code' in error && typeof error.code === 'string'
      ? error.code
      : error instanceof Error
        ? error.name
        : 'no error';
  const cause = Object.hasOwn(causes, code) ? causes[code] : code.startsWith('ERR_SSL_') ? SSL : undefined;
  if (cause === undefined) return `connection failed (${code})`;
  const [seen, remedy] = cause;
  return `${seen} (${code}); ${remedy}`;
}
