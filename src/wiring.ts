/** Builds the adapters: the only file that knows which technology stands behind a port. */

import { resolve } from 'node:path';
import { clusterLimits } from './adapters/cluster/limits.ts';
import { lazyCluster, openCluster } from './adapters/cluster/open-cluster.ts';
import { isForgeHost, openForge } from './adapters/forge/open-forge.ts';
import { openGit } from './adapters/git/open.ts';
import { lazyMetrics } from './adapters/metrics/lazy-metrics.ts';
import { isHostOf, isPlainElsewhere } from './adapters/network/plain-http.ts';
import type { Network } from './adapters/network/proxy.ts';
import { datedClock } from './adapters/network/server-dates.ts';
import { lazyNotifier } from './adapters/notify/lazy-notifier.ts';
import { systemClock } from './adapters/system/clock.ts';
import { newStatusKey, openSignatures } from './adapters/system/ed25519.ts';
import { textLog } from './adapters/system/text-log.ts';
import { type CommonOptions, ENV, type Io, UsageError, VERSION } from './options.ts';
import type { Builder } from './ports/builder.ts';
import type { Forge } from './ports/forge.ts';
import type { Git, Identity } from './ports/git.ts';
import type { Probes } from './ports/probes.ts';
import type { Giver } from './reconcile/order.ts';
import type { Ports } from './reconcile/pass.ts';

export { newStatusKey };

/** Loaded where somebody watches, and not for one pass. */
export async function openProbes(): Promise<Probes> {
  return (await import('./adapters/probes/probes.ts')).systemProbes;
}

/** Opens nothing yet: connections are made by the first call, and the cluster only when something is in flight. */
export function openPorts(options: CommonOptions, io: Io): Ports {
  const log = textLog((line) => io.err(`${line}\n`), { form: options.log, now: () => systemClock.now() });
  const location = isUrl(options.repo) ? options.repo : resolve(io.folder, options.repo);
  checkBound(options, io, location);
  const { gitTimeoutSeconds } = options;
  const limits = gitTimeoutSeconds === undefined ? {} : { passSeconds: gitTimeoutSeconds };
  const clock = datedClock(systemClock);
  const network = { ...networkOf(options, io), heard: clock.heard };
  const forge = forgeOf(options, io, { location, network });
  const token = forge?.gitToken ?? io.env[ENV.gitToken];
  const git = openGit({ location, token, log, limits, network });
  const cluster = lazyCluster(() =>
    openCluster({
      kubeconfigPath: options.kubeconfig,
      context: options.context,
      inCluster: options.inCluster,
      repositoryPath: isUrl(options.repo) ? undefined : location,
      checkout: io.env['GITHUB_ACTIONS'] === 'true' ? (io.env['GITHUB_WORKSPACE'] ?? io.folder) : undefined,
      limits: clusterLimits,
      network,
      clock,
      log,
    }),
  );
  const signatures = openSignatures(io.env[ENV.statusKey]);
  const builder = lazyBuilder(options.kustomize, io);
  const notifier = lazyNotifier(network);
  const metrics = lazyMetrics(network);
  return { git, cluster, clock, log, builder, notifier, metrics, forge: forge?.forge, signatures };
}

/** Loaded with the first folder that is built: most repositories have none. */
function lazyBuilder(given: string | undefined, { env, folder }: Io): Builder {
  // A name is looked for on PATH, as a shell does.
  const named = given?.includes('/') === true ? resolve(folder, given) : given;
  const found = { named, searchPath: env['PATH'] ?? '', checkouts: [folder, env['GITHUB_WORKSPACE'] ?? folder] };
  let opening: Promise<Builder> | undefined;
  const open = async (): Promise<Builder> =>
    (await import('./adapters/kustomize/kustomize-builder.ts')).kustomizeBuilder(found);
  return {
    isNamed: named !== undefined,
    build: async (input) => {
      opening ??= open();
      return (await opening).build(input);
    },
  };
}

/** Credentials of Git and of the forge. */
const CREDENTIALS = [ENV.gitToken, ENV.forgeToken, ENV.appKey];

/**
 * Credentials go to the host that they are for: the one of TRANCHE_GIT_HOST, else that of `--repo`, or of the server of the
 * job. A clone's `origin` names nothing. Throws UsageError.
 */
function checkBound({ repoIsDefault }: CommonOptions, { env }: Io, location: string): void {
  const given = CREDENTIALS.filter((name) => (env[name] ?? '') !== '');
  if (given.length === 0 || !URL.canParse(location)) return;
  const { protocol, host } = new URL(location);
  const bound = env[ENV.gitHost] ?? '';
  const server = env['GITHUB_SERVER_URL'] ?? '';
  const ofServer = URL.canParse(server) ? new URL(server).host : undefined;
  const isBound = bound === '' ? repoIsDefault !== true || host === ofServer : isHostOf({ protocol, host }, bound);
  if (!/^https?:$/.test(protocol) || isBound) return;
  const named = `${ENV.gitHost} is ${bound}. Write ${host} there if that is meant`;
  const unnamed = `nobody has named that host. Give --repo, or its host in ${ENV.gitHost}`;
  throw new UsageError(`${given.join(', ')} would go to ${host}, and ${bound === '' ? unnamed : named}`);
}

/** Throws UsageError where an App's key would go to a server that nobody has named, or all in plain text. */
function checkForgeHost(
  location: string,
  { forge, app }: { readonly forge: string | undefined; readonly app: boolean },
): void {
  const url = URL.canParse(forge ?? location) ? new URL(forge ?? location) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return;
  if (isPlainElsewhere(url))
    throw new UsageError(`the forge ${url.host} would be reached over plain http: give an https URL with --forge`);
  if (app && forge === undefined && !isForgeHost(url.hostname))
    throw new UsageError(
      `${ENV.appKey} would be used at ${url.host}, which is neither github.com nor below ghe.com: name the API of that server with --forge or ${ENV.forge}`,
    );
}

/** It stands in messages: the key in its place, or a token, must not. */
const APP_ID = /^(?!gh[a-z]_|github_)[\w.-]{1,64}$/;

/**
 * The forge of an http(s) repository, where there is a credential for it: that of the App before a token, its own before
 * Git's. An App makes Git's token as well (`gitToken`), where none was given.
 */
function forgeOf(
  { forge }: CommonOptions,
  { env }: Io,
  { location, network }: { readonly location: string; readonly network: Network },
): { readonly forge: Forge; readonly gitToken: (() => Promise<string>) | undefined } | undefined {
  if (forge === 'none' || !isUrl(location)) return undefined;
  const text = (name: string): string => env[name] ?? '';
  const [appId, key] = [text(ENV.appId), text(ENV.appKey)];
  const from = text(ENV.forgeToken) === '' ? ENV.gitToken : ENV.forgeToken;
  const token = text(from);
  if (appId !== '' && key !== '' && !APP_ID.test(appId))
    throw new UsageError(
      `${ENV.appId} is no id of a GitHub App, wanted its number or its client id; the key belongs into ${ENV.appKey}`,
    );
  const app = appId !== '' && key !== '' ? ({ kind: 'app', appId, key } as const) : undefined;
  const credential = app ?? (token === '' ? undefined : ({ kind: 'token', token, from } as const));
  if (credential === undefined) return undefined;
  checkForgeHost(location, { forge, app: app !== undefined });
  const own = { credential, network, clock: systemClock, userAgent: `tranche/${VERSION}` };
  const opened = openForge({ repository: location, apiUrl: forge, ...own });
  if (opened === undefined) return undefined;
  return { ...opened, gitToken: app === undefined || text(ENV.gitToken) !== '' ? undefined : opened.gitToken };
}

/**
 * The same options with the repository that is meant: who stands in a clone of their own, and names none, means where
 * it came from. Throws UsageError where that cannot be opened and something is to be written.
 */
export async function meant(options: CommonOptions, io: Io, writes: boolean): Promise<CommonOptions> {
  if (options.repoIsDefault !== true && !/^\.\/?$/.test(options.repo)) return options;
  const { refuseWithinClone, remoteOfClone } = await import('./adapters/git/clone-remote.ts');
  refuseWithinClone(resolve(io.folder));
  const remote = options.repoIsDefault === true ? remoteOfClone(resolve(io.folder, options.repo)) : undefined;
  if (remote === undefined) return options;
  const { name, kind, location } = remote;
  if (kind === 'reachable') {
    io.err(`info: the repository is ${location}, ${name} of this clone; --repo . is the clone itself\n`);
    return { ...options, repo: location };
  }
  const why = `${name} of this clone is reached by ssh, which is not spoken`;
  if (writes)
    throw new UsageError(`${why}. Give the repository as --repo, most likely ${location}, and TRANCHE_GIT_TOKEN`);
  io.err(`warning: ${why}: this reads the clone itself. Give the repository as --repo, most likely ${location}\n`);
  return options;
}

/** What lies in the clone where the command was called, and `main` of the repository that was meant has not; undefined: it is no clone. */
export async function unpushed({ repo, repoIsDefault }: CommonOptions, io: Io, there: Git, main: string) {
  const folder = resolve(io.folder);
  if (repoIsDefault !== true || resolve(folder, repo) === folder) return undefined;
  return (await import('./adapters/git/unpushed.ts')).unpushedIn(folder, { open: openGit, there, main });
}

/** The http(s) address of a repository, or that which a clone of it came from; undefined: nobody knows one. */
export async function addressOf(repo: string, { folder }: Pick<Io, 'folder'>): Promise<string | undefined> {
  if (/^https?:/i.test(repo)) return repo;
  if (isUrl(repo)) return undefined;
  const { remoteOfClone } = await import('./adapters/git/clone-remote.ts');
  const remote = remoteOfClone(resolve(folder, repo));
  return remote !== undefined && /^https?:/i.test(remote.location) ? remote.location : undefined;
}

/** Which branch a clone has in place of the default one. */
export const ownBranches = () => import('./adapters/git/own-branch.ts');

/**
 * Who gives an order: the person a runner names, else git's own user. `claim` is what `--by` says, which the trailer calls
 * by that name; the author stays whom the environment names. Nobody is known where neither says anything.
 */
export async function giverOf(
  { repo }: CommonOptions,
  { env, folder }: Pick<Io, 'env' | 'folder'>,
  claim: string | undefined,
): Promise<Giver> {
  const actor = env['GITHUB_ACTOR'] ?? '';
  const person =
    actor === '' ? await userOfGit(repo, { env, folder }) : { name: actor, email: `${actor}@users.noreply.github.com` };
  const { name, email } = person;
  const said = actor === '' ? [name, email === '' ? '' : `<${email}>`].filter((part) => part !== '').join(' ') : actor;
  const by = claim === undefined ? { by: said } : { by: claim, isClaim: true };
  return name === '' ? by : { ...by, author: person };
}

async function userOfGit(repo: string, { env, folder }: Pick<Io, 'env' | 'folder'>): Promise<Identity> {
  const { settingOfClone } = await import('./adapters/git/clone-remote.ts');
  const { readUserConfig } = await import('./adapters/git/user-config.ts');
  const user = readUserConfig(env);
  const setting = (key: string): string | undefined =>
    (isUrl(repo) ? undefined : settingOfClone(resolve(folder, repo), key)) ??
    settingOfClone(folder, key) ??
    user.get(key);
  return {
    name: env['GIT_AUTHOR_NAME'] ?? setting('user.name') ?? '',
    email: env['GIT_AUTHOR_EMAIL'] ?? setting('user.email') ?? '',
  };
}

/** The proxy and the certificates for whatever is reached over https. */
function networkOf({ caFile }: CommonOptions, { env, folder }: Io): Network {
  return {
    env,
    authorities: async () => {
      const { readAuthorities } = await import('./adapters/network/certificates.ts');
      const { readUserConfig } = await import('./adapters/git/user-config.ts');
      return readAuthorities({ env, folder, caFile, gitCaFile: readUserConfig(env).get('http.sslcainfo') });
    },
  };
}

/** What lint looks at: in a working tree the files as they lie there; else, and where a ref is named, what is committed. */
export async function openFiles(
  options: CommonOptions,
  io: Io,
  ref: string | undefined,
): Promise<{ readonly ports: Ports; readonly ref: string | undefined; readonly folder: string | undefined }> {
  if (ref !== undefined || options.overrides.branch !== undefined || isUrl(options.repo))
    return { ports: openPorts(await meant(options, io, false), io), ref, folder: undefined };
  const { openWorkingTree, workingTreeAt, WORKING_TREE_REF } = await import('./adapters/git/working-tree.ts');
  const folder = workingTreeAt(resolve(io.folder, options.repo));
  if (folder === undefined) return { ports: openPorts(options, io), ref, folder };
  const ports = openPorts({ ...options, repo: folder }, io);
  return { ports: { ...ports, git: openWorkingTree({ root: folder, git: ports.git }) }, ref: WORKING_TREE_REF, folder };
}

/** Also `git@host:team/repo`, which is refused with the right words. */
function isUrl(repo: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(repo) || /^[^/\\]+@[^/\\]+:/.test(repo);
}
