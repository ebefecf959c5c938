/** What a kubeconfig may not do, no matter who wrote it: each refusal with the way out. */

import { realpathSync } from 'node:fs';
import path from 'node:path';
import { at, isRecord } from '../../api/json.ts';
import { printableLine } from '../../api/printable.ts';
import { PortError } from '../../ports/port-error.ts';

/** The parts of a user that say how credentials are got. */
type UserRules = { readonly name: string; readonly exec?: unknown; readonly authProvider?: unknown };

/** Auth providers that read a file or ask a server, and start nothing. */
const PROVIDERS: readonly string[] = ['tokenFile', 'oidc'];

/**
 * kubectl has dropped the auth providers that run a command (1.26), and the client library crashes on what they lack;
 * what their command prints would go to our output.
 */
export function forbidUnknownProvider({ name, authProvider }: UserRules): void {
  const provider = providerOf(authProvider);
  if (authProvider === undefined || (PROVIDERS.includes(provider) && isRecord(at(authProvider, ['config'])))) return;
  throw refused(
    PROVIDERS.includes(provider)
      ? `auth-provider ${provider} of user ${name} has no config`
      : `user ${name} of the kubeconfig uses auth-provider ${printableLine(provider)}, which Kubernetes clients no longer support`,
    'Use a credential command (exec), as gke-gcloud-auth-plugin or kubelogin, or a token.',
  );
}

function providerOf(authProvider: unknown): string {
  const name = at(authProvider, ['name']);
  return typeof name === 'string' ? name : 'without a name';
}

/** `exec` and auth providers start programs of the file's choice. Reading a token from a file does not. */
export function forbidPrograms({ name, exec, authProvider }: UserRules): void {
  const provider = authProvider === undefined ? 'tokenFile' : providerOf(authProvider);
  const wants = exec ? 'a command (exec)' : `auth-provider ${provider}`;
  if (!exec && provider === 'tokenFile') return;
  throw refused(
    `user ${name} of the kubeconfig wants to run ${wants}`,
    'That is only done for a kubeconfig that is named by --kubeconfig or KUBECONFIG.',
  );
}

/** A job runs no program that a file of its own checkout names: anyone who can push there writes that file. */
export function forbidProgramsInside(
  folder: string | undefined,
  paths: readonly string[],
  { name, exec, authProvider }: UserRules,
): void {
  const isPlain = !exec && (authProvider === undefined || providerOf(authProvider) === 'tokenFile');
  const file = isPlain ? undefined : insideOf(folder, paths);
  if (file === undefined) return;
  throw refused(
    `user ${name} of kubeconfig ${file} wants to run a command, and the file is inside of the checkout`,
    'Write the kubeconfig outside of it, from a secret, as to ${{ runner.temp }}.',
  );
}

/**
 * Nor is a file of the runner sent to a server that such a kubeconfig names: what `files` has (tokens, keys, certificates) lies
 * in the checkout too, links followed.
 */
export function forbidFilesOutside(
  folder: string | undefined,
  paths: readonly string[],
  files: readonly (string | undefined)[],
): void {
  const kubeconfig = insideOf(folder, paths);
  if (kubeconfig === undefined) return;
  const outside = files.find((file) => file !== undefined && insideOf(folder, [file]) === undefined);
  if (outside === undefined) return;
  throw refused(
    `kubeconfig ${kubeconfig} is inside of the checkout and takes ${printableLine(outside)}, which is not`,
    'Write the kubeconfig outside of it, from a secret, as to ${{ runner.temp }}.',
  );
}

/** Anyone who can push there could let us run programs, or send a file of this machine to a server of their own. */
export function forbidInside(folder: string | undefined, paths: readonly string[]): void {
  const file = insideOf(folder, paths);
  if (file === undefined) return;
  throw refused(`kubeconfig ${file} is inside of the Git repository`, 'Keep credentials outside of it: --kubeconfig.');
}

function insideOf(folder: string | undefined, paths: readonly string[]): string | undefined {
  if (folder === undefined) return undefined;
  return paths.find((file) => {
    const relative = path.relative(realPath(folder), realPath(file));
    // `..secrets` is the name of a folder, and lies inside.
    const isAbove = relative === '..' || relative.startsWith(`..${path.sep}`);
    return relative !== '' && !isAbove && !path.isAbsolute(relative);
  });
}

/** Without links, as far as the file exists: one that does not is found to be missing later. */
function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return path.resolve(file);
  }
}

/** A kubeconfig that cannot be used as it stands. */
export function refused(message: string, hint: string): PortError {
  return new PortError(`cluster: ${message}`, { port: 'cluster', operation: 'open', retryable: false, hint });
}
