/** The options that verbs share, and what commander makes of them, checked. */

import { Command } from 'commander';
import { parseCommit } from '../api/marks.ts';
import { ENV, UsageError } from '../options.ts';
import type { Intent } from '../rollout/orders/intent.ts';

/** What help says below the verbs. */
export const AFTER_HELP = `
Environment:
  ${ENV.gitToken}    token for an http(s) repository; never an option
  ${ENV.gitHost}     the one host that tokens and keys are sent to, but for --forge, whatever origin says
  ${ENV.repo}         the repository, instead of --repo
  ${ENV.kustomize}    the program that builds kustomize folders, instead of --kustomize
  ${ENV.gitTimeout}  seconds that one pass waits for Git, instead of --git-timeout
  ${ENV.forgeToken}  token for pull requests; or an App: ${ENV.appId}, ${ENV.appKey}
  ${ENV.forge}        the API of the forge, instead of --forge
  ${ENV.statusKey}   signs the status branch, where tranche.yaml names its public half (status-key)
  ${ENV.kubeconfig}           credentials of the cluster, instead of --kubeconfig
  ${ENV.gitToken}_FILE, ${ENV.forgeToken}_FILE, ${ENV.appKey}_FILE, ${ENV.statusKey}_FILE  the same, as the path of a file
  HTTPS_PROXY, NO_PROXY, GIT_SSL_CAINFO, SSL_CERT_FILE  as for git

Exit codes:
  0  all well, also where there was nothing to do
  1  a Rollout failed or is stalled, an order was refused, or Git was not reachable
  2  wrong usage or configuration: nothing was written
`;

export type Given = Readonly<Record<string, unknown>>;

/** Options of every verb that reads the repository. */
export function gitFlags(command: Command): Command {
  return command
    .option('--repo <where>', 'URL or path of the repository (TRANCHE_REPO; default: where this clone came from)')
    .option('--branch <name>', 'the branch that the agent applies (default: as tranche.yaml says, else main)')
    .option('--status-branch <name>', 'where the status is kept (default: as tranche.yaml says, else tranche-status)')
    .option('--cluster <name>', 'the name of the cluster in records and trailers (default: as tranche.yaml says)')
    .option('--path <path...>', 'files and folders to read (default: as tranche.yaml says, else all)')
    .option('--ca-file <file>', 'certificates to trust, in PEM (GIT_SSL_CAINFO, http.sslCAInfo, SSL_CERT_FILE)')
    .option('--forge <url>', 'address of the API of the forge, or none (TRANCHE_FORGE; default: by the repository)')
    .option('--git-timeout <seconds>', 'all that one pass waits for the repository (TRANCHE_GIT_TIMEOUT; default: 60)')
    .option('--output <format>', 'text or json', 'text');
}

/** The option of every verb that builds kustomize folders. */
export function builderFlag(command: Command): Command {
  return command.option(
    '--kustomize <program>',
    'kustomize 5 or newer, or kubectl (TRANCHE_KUSTOMIZE; default: on PATH)',
  );
}

/** Options of every verb that reads the cluster. */
export function clusterFlags(command: Command): Command {
  return command
    .option('--kubeconfig <file>', 'credentials of the cluster (KUBECONFIG; default: in-cluster, else ~/.kube/config)')
    .option('--context <name>', 'context of the kubeconfig')
    .option('--in-cluster', 'only the service account of this pod');
}

/** The option of every verb that reads the status branch. */
export function shardFlag(command: Command): Command {
  return command.option('--shard <i/n>', 'only the Rollouts of one of n processes, counted from 0');
}

/** What every verb says of the Rollout that it takes. */
export const ROLLOUT_NAME = 'the Rollout: its name, or namespace/name';

/** Options of every verb that names one rollout. */
export function targetFlags(command: Command): Command {
  return command.option('-n, --namespace <namespace>', 'its namespace, where the name alone is not enough');
}

/**
 * The Rollout that is meant: by its name, or with its namespace in front as every message prints it. Throws UsageError for
 * more than that, and where `--namespace` says another one.
 */
export function targetOf(written: string, given: Given): { readonly name: string; readonly namespace: string } {
  const option = textOf(given, 'namespace') ?? '';
  const [name = '', namespace = '', ...more] = written.split('/').toReversed();
  const isOther = namespace !== '' && option !== '' && namespace !== option;
  if (more.length > 0 || isOther || (written !== '' && name.trim() === ''))
    throw new UsageError(
      `${JSON.stringify(written)}${isOther ? ` with --namespace ${option}` : ''}: wanted a name, or namespace/name`,
    );
  return { name, namespace: namespace === '' ? option : namespace };
}

/** The text of an option; undefined where it was not given. */
export function textOf(given: Given, key: string): string | undefined {
  const value = given[key];
  return typeof value === 'string' ? value : undefined;
}

/** The texts of an option that may be given several times. */
export function textsOf(given: Given, key: string): readonly string[] {
  const value = given[key];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/**
 * Throws UsageError for an argument without a letter, as that of a variable which is not set: to mean all Rollouts by it
 * would be a guess. What completion is asked for may be empty.
 */
export function refuseEmpty(command: Command): void {
  const places = command.registeredArguments;
  const at = command.args.findIndex((text) => text.trim() === '');
  const place = places[Math.min(at, places.length - 1)];
  if (at === -1 || place === undefined || command.name() === 'complete') return;
  throw new UsageError(`<${place.name()}> is empty, wanted ${place.description}`);
}

/** The Rollouts of an option. Throws UsageError for a name that is empty. */
export function namesOf(given: Given, key: string): readonly string[] {
  const names = textsOf(given, key);
  if (names.some((name) => name.trim() === '')) throw new UsageError(`--${key} is empty, wanted ${ROLLOUT_NAME}`);
  return names;
}

/** A whole number from 0, written plainly; throws UsageError for anything else. */
export function numberOf(value: unknown, name: string): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && /^(0|[1-9][0-9]{0,6})$/.test(value)) return Number(value);
  throw new UsageError(`${name} is ${JSON.stringify(value)}, wanted a whole number from 0 to 9999999`);
}

/** Commander hands the options over after the arguments and before the command itself. */
export function isGiven(value: unknown): value is Given {
  return typeof value === 'object' && value !== null && !(value instanceof Command);
}

/** What the flags of `abort` say. Throws UsageError for a commit that is none. */
export function abortWish(given: Given): Extract<Intent, { readonly kind: 'abort' }> {
  const text = textOf(given, 'from');
  const from = parseCommit(text);
  if (text !== undefined && from === undefined)
    throw new UsageError(`--from is ${text}, wanted a commit of 40 hex digits, as git rev-parse prints it`);
  const now = given['now'] === true ? { now: true } : {};
  const outage = given['acceptOutage'] === true ? { outage: true } : {};
  const release = textOf(given, 'release');
  return { kind: 'abort', keepNewer: given['keepNewer'] === true, release, ...now, ...outage, from };
}

/** Options of everything that people write to main: who does, and on which way. */
export function giverFlags(command: Command): Command {
  return command
    .option('--by <who>', 'who orders it, as a claim in the commit (default: GITHUB_ACTOR, else the user of git)')
    .option(
      '--pull-request',
      'open a pull request of it, where main takes no push: nothing happens before it is merged',
    );
}

/** Options of every order. */
export function orderFlags(command: Command): Command {
  return giverFlags(targetFlags(shardFlag(gitFlags(command)))).option(
    '--workload',
    'the LeaderWorkerSet of this name, where a Rollout has the name as well',
  );
}
