/** Which certificate authorities are trusted next to those that Node knows. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { rootCertificates } from 'node:tls';
import { PortError } from '../../ports/port-error.ts';
import type { Environment } from './proxy.ts';

export type Authorities = {
  readonly env: Environment;
  /** Where relative paths start. */
  readonly folder: string;
  /** `--ca-file`. */
  readonly caFile: string | undefined;
  /** `http.sslCAInfo` of git's own settings. */
  readonly gitCaFile: string | undefined;
};

/** What is to be trusted; undefined: Node's own list, and what NODE_EXTRA_CA_CERTS adds. Throws PortError. */
export function readAuthorities({ env, folder, caFile, gitCaFile }: Authorities): readonly string[] | undefined {
  const named: readonly (readonly [string, string | undefined])[] = [
    ['--ca-file', caFile],
    ['GIT_SSL_CAINFO', env['GIT_SSL_CAINFO']],
    ['http.sslCAInfo', gitCaFile],
    ['SSL_CERT_FILE', env['SSL_CERT_FILE']],
  ];
  const [from, file] = named.find(([, path]) => path !== undefined && path !== '') ?? [];
  if (from === undefined || file === undefined) return undefined;
  const home = file.startsWith('~/') && env['HOME'] !== undefined ? resolve(env['HOME'], file.slice(2)) : file;
  const extra = env['NODE_EXTRA_CA_CERTS'] ?? '';
  // A list of one's own replaces that of Node, with what its variable adds.
  const others = extra === '' ? [] : [readText('NODE_EXTRA_CA_CERTS', extra)];
  return [...rootCertificates, ...others, readText(from, resolve(folder, home))];
}

function readText(from: string, file: string): string {
  try {
    const text = readFileSync(file, 'utf8');
    if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
    throw new Error('it holds no certificate in PEM');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new PortError(`the certificates of ${from} cannot be read from ${file}: ${why}`, {
      port: 'network',
      operation: 'open',
      retryable: false,
      hint: 'Name a readable file with certificates in PEM.',
    });
  }
}
