/** Secrets that stand in files, as Kubernetes mounts them: an environment shows in `kubectl describe` and in every child. */

import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isKnownSecret, looksSecret } from '../api/secret-like.ts';
import { ENV, type Io, UsageError } from '../options.ts';

/** Each may be given by the path of a file, as `TRANCHE_GIT_TOKEN_FILE`. */
const SECRETS: readonly string[] = [ENV.gitToken, ENV.forgeToken, ENV.appKey, ENV.statusKey];

/** Names that count as they are, whatever they look like: of a program on PATH, of the author of commits, of hosts. */
const NAMES: readonly string[] = [ENV.kustomize, 'GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'no_proxy', 'NO_PROXY'];

/** Hosts, addresses, numbers, names and paths of files: errors say their values. */
const SAID: readonly string[] = [
  ...NAMES,
  ENV.gitHost,
  ENV.gitTimeout,
  ENV.forge,
  ENV.repo,
  ENV.kubeconfig,
  'GIT_SSL_CAINFO',
  'SSL_CERT_FILE',
  'NODE_EXTRA_CA_CERTS',
  'https_proxy',
  'HTTPS_PROXY',
  'all_proxy',
  'ALL_PROXY',
];

/** Stands in messages in its place: a path or a host that there is not, so that it fails as the value would have. */
const NOT_SHOWN = 'not-shown-as-it-may-be-a-secret';

const BYTES_MOST = 64 * 1024;

/**
 * The same environment with the text of each file as if it had been given itself, without white space around it. Throws
 * UsageError where a secret is given twice, or a file cannot be read, is empty or larger than 64 KiB.
 */
export function withSecretFiles(io: Io): Io {
  const read = SECRETS.flatMap((name) => {
    const path = io.env[`${name}_FILE`] ?? '';
    return path === '' ? [] : [[name, secretOf(io, name, path)] as const];
  });
  return read.length === 0 ? io : { ...io, env: { ...io.env, ...Object.fromEntries(read) } };
}

/**
 * The same environment without secrets in the place of what errors, holds and commits say: a token as TRANCHE_GIT_HOST, or
 * all of a kubeconfig as KUBECONFIG. A file of that name that is there is meant.
 */
export function withoutMisplaced(io: Io): Io {
  const misplaced = SAID.filter((name) => {
    const text = io.env[name] ?? '';
    const isSecret = NAMES.includes(name) ? isKnownSecret : looksSecret;
    return isSecret(withoutUser(name, text)) && !existsSync(resolve(io.folder, text));
  });
  if (misplaced.length === 0) return io;
  return { ...io, env: { ...io.env, ...Object.fromEntries(misplaced.map((name) => [name, NOT_SHOWN])) } };
}

/**
 * What errors say of an address. A proxy may want a token as its password, and is asked with it; errors say neither that nor what
 * stands so in the URL of a repository.
 */
function withoutUser(name: string, text: string): string {
  return text.replace(/^(?!no_)\w+_proxy$/i.test(name) ? /^.*@/ : /^https?:\/\/[^/]*@/i, '');
}

/**
 * The environment with what the files hold now, where that is something else than in `before`; undefined: nothing has
 * changed. Kubernetes exchanges a mounted file while the process runs. Throws UsageError as above.
 */
export function withNewSecrets(io: Io, before: Io): Io | undefined {
  const now = withSecretFiles(io);
  return SECRETS.some((name) => now.env[name] !== before.env[name]) ? now : undefined;
}

function secretOf({ env, folder }: Io, name: string, path: string): string {
  if ((env[name] ?? '') !== '') throw new UsageError(`${name} and ${name}_FILE are both given, wanted one of them`);
  const bytes = bytesOf(path, name, folder);
  if (bytes.length > BYTES_MOST) throw new UsageError(`${name}_FILE: ${path} has more than 64 KiB, wanted a secret`);
  const secret = bytes.toString().trim();
  if (secret === '') throw new UsageError(`${name}_FILE: ${path} is empty, wanted a secret`);
  return secret;
}

function bytesOf(path: string, name: string, folder: string): Buffer {
  const file = resolve(folder, path);
  try {
    return readFileSync(file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    if (SPELLED_AS_PATH.test(path))
      throw new UsageError(`${name}_FILE: ${file} cannot be read (${code}), wanted a file with the secret`);
    throw new UsageError(
      `what ${name}_FILE holds is no file (${code}), and is not shown because it may be the secret: wanted the path of one, as ./${name.toLowerCase()}; or give the secret itself as ${name}`,
    );
  }
}

/** Anything else may be a secret that somebody has given in the place of its path. */
const SPELLED_AS_PATH = /^(?:\/|\.\.?\/|\.$)/;
