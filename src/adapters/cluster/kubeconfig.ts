/**
 * Turns a kubeconfig, or the service account of this pod, into a connection, by the official Kubernetes client.
 *
 * The only file that imports that client, and of it only what reads a kubeconfig: the client of the API next to it
 * costs 200 ms and 40 MB. Itself imported late: a pass in which nothing moves never talks to the cluster.
 */

import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import {
  type Cluster,
  newClusters,
  newContexts,
  newUsers,
  type User,
} from '@kubernetes/client-node/dist/config_types.js';
import { parseDocument } from 'yaml';
import { at, isRecord } from '../../api/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Network } from '../network/proxy.ts';
import type { ConfigSource } from './config-source.ts';
import type { Connection } from './connection.ts';
import { execCredentials } from './exec-credential.ts';
import {
  forbidFilesOutside,
  forbidInside,
  forbidPrograms,
  forbidProgramsInside,
  forbidUnknownProvider,
  refused,
} from './kubeconfig-rules.ts';
import { agentOf } from './proxied.ts';
import { requestOptions } from './request-options.ts';

const FILE_BYTES_MAX = 1024 * 1024;

export type ConnectOptions = {
  readonly source: ConfigSource;
  /** Empty: the file's current context. */
  readonly context: string;
  /** The checkout or bare repository on disk; a kubeconfig inside of it was written by the one who pushed last. */
  readonly repositoryPath: string | undefined;
  /** The folder of a job that has the repository checked out; not there: this is no job. */
  readonly checkout?: string | undefined;
  readonly serviceAccountFolder: string;
  readonly network: Network;
  readonly clock: Clock;
  readonly log: Log;
};

/** Throws PortError (not retryable) for a file that is missing, wrong or not allowed to do what it wants. */
export function connect(options: ConnectOptions): Connection {
  const { source } = options;
  if (source.kind === 'none') throw refused(source.why, 'Name a kubeconfig with --kubeconfig.');
  if (source.kind === 'files') forbidInside(options.repositoryPath, source.paths);
  const config = new KubeConfig();
  const raw = source.kind === 'files' ? loadFiles(config, source.paths) : [];
  if (source.kind === 'inCluster') loadServiceAccount(config, source, options.serviceAccountFolder);
  const { cluster, user, name } = chosen(config, options.context);
  if (source.kind === 'files' && !source.mayRunCommands) forbidPrograms(user);
  if (source.kind === 'files') {
    forbidProgramsInside(options.checkout, source.paths, user);
    forbidFilesOutside(options.checkout, source.paths, filesOf(cluster, user));
  }
  forbidUnknownProvider(user);
  const server = serverOf(cluster);
  if (cluster.skipTLSVerify && server.protocol === 'https:') {
    options.log.warn(
      `cluster: context ${name} does not verify the certificate of ${server.host} (insecure-skip-tls-verify)`,
    );
  }
  // The client refuses http:// unless verification is off; over http there is nothing to verify.
  const effective = new KubeConfig();
  effective.loadFromClusterAndUser(
    { ...cluster, skipTLSVerify: cluster.skipTLSVerify || server.protocol === 'http:' },
    withoutExec(user),
  );
  const credential = user.exec
    ? execCredentials({ exec: user.exec, cluster: () => clusterInfo(cluster, raw), clock: options.clock })
    : undefined;
  const agent = agentOf({ cluster, server, network: options.network });
  return { server, ...requestOptions(effective, { agent, credential }) };
}

/** What is read from the disk to ask this cluster. */
function filesOf({ caFile }: Cluster, { certFile, keyFile, authProvider }: User): readonly (string | undefined)[] {
  const tokenFile = at(authProvider, ['config', 'tokenFile']);
  return [caFile, certFile, keyFile, typeof tokenFile === 'string' ? tokenFile : undefined];
}

/** The client runs the command as well, and puts what it prints into its errors. */
function withoutExec(user: User): User {
  return { ...user, exec: undefined };
}

/** `spec.cluster` of an ExecCredential, for commands with `provideClusterInfo`. */
function clusterInfo(cluster: Cluster, raw: readonly unknown[]): unknown {
  const own = raw.map((file) => named(at(file, ['clusters']), cluster.name)).find((one) => one !== undefined);
  const authority = cluster.caFile === undefined ? cluster.caData : readFileSync(cluster.caFile).toString('base64');
  return {
    server: cluster.server,
    'tls-server-name': cluster.tlsServerName,
    'insecure-skip-tls-verify': cluster.skipTLSVerify,
    'certificate-authority-data': authority,
    'proxy-url': cluster.proxyUrl,
    config: at(named(at(own, ['cluster', 'extensions']), 'client.authentication.k8s.io/exec'), ['extension']),
  };
}

/** The entry of that name in a list of a kubeconfig. */
function named(list: unknown, name: string): unknown {
  return Array.isArray(list) ? list.find((one) => at(one, ['name']) === name) : undefined;
}

function loadServiceAccount(
  config: KubeConfig,
  { host, port }: { readonly host: string; readonly port: string },
  folder: string,
): void {
  const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
  config.loadFromClusterAndUser(
    { name: 'in-cluster', server, caFile: `${folder}/ca.crt`, skipTLSVerify: false },
    { name: 'in-cluster', authProvider: { name: 'tokenFile', config: { tokenFile: `${folder}/token` } } },
  );
}

/** Merges the files into `config`, and returns them as they read: the client does not keep all that is in them. */
function loadFiles(config: KubeConfig, paths: readonly string[]): readonly unknown[] {
  return paths.map((file, i) => {
    try {
      const bytes = statSync(file).size;
      if (bytes > FILE_BYTES_MAX) throw new Error(`${bytes} bytes, at most ${FILE_BYTES_MAX}`);
      const raw = yamlOf(readFileSync(file, 'utf8'));
      if (!isRecord(raw)) throw new Error(raw === null ? 'it is empty' : 'it is no mapping');
      const part = partOf(raw);
      part.makePathsAbsolute(path.dirname(file));
      useTokenFiles(part, file, raw);
      // As kubectl does: of several files the first that names a current context wins.
      config.mergeConfig(part, i > 0 && config.getCurrentContext() !== undefined);
      return raw;
    } catch (error) {
      const line = (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
      throw refused(`cannot read ${file}: ${line.slice(0, 200)}`, 'Name a kubeconfig that kubectl can read.');
    }
  });
}

/** The value of a text that may hold tokens: messages and warnings of the library quote it, so none of them is printed. */
function yamlOf(text: string): unknown {
  const document = parseDocument(text, { merge: true, logLevel: 'silent' });
  const [error] = document.errors;
  if (error !== undefined) {
    const line = error.linePos?.[0].line;
    throw new Error(`it is not YAML (${error.code}${line === undefined ? '' : ` on line ${line}`})`);
  }
  try {
    return document.toJS();
  } catch {
    throw new Error('it is not YAML (an alias without its anchor)');
  }
}

/** What the client makes of a file; its own parser of YAML is a second one, which takes 10 ms to load and to use. */
function partOf(raw: unknown): KubeConfig {
  const part = new KubeConfig();
  const currentContext = at(raw, ['current-context']);
  part.loadFromOptions({
    clusters: newClusters(at(raw, ['clusters'])),
    contexts: newContexts(at(raw, ['contexts'])),
    users: newUsers(at(raw, ['users'])),
    currentContext,
  });
  return part;
}

/** The client knows the field of a user only by another name (`token-file`), and would ask without a token. */
function useTokenFiles(config: KubeConfig, file: string, raw: unknown): void {
  const users = at(raw, ['users']);
  if (!Array.isArray(users)) return;
  config.users = config.getUsers().map((user) => {
    const tokenFile = at(named(users, user.name), ['user', 'tokenFile']);
    if (typeof tokenFile !== 'string' || user.token !== undefined) return user;
    const absolute = path.resolve(path.dirname(file), tokenFile);
    return { ...user, authProvider: { name: 'tokenFile', config: { tokenFile: absolute } } };
  });
}

function chosen(
  config: KubeConfig,
  context: string,
): { readonly cluster: Cluster; readonly user: User; readonly name: string } {
  if (context !== '') config.setCurrentContext(context);
  const name = config.getCurrentContext() ?? '';
  const known = config.getContexts().map((one) => one.name);
  const cluster = known.includes(name) ? config.getCurrentCluster() : null;
  if (cluster === null) {
    const listed = known.length === 0 ? 'none' : known.slice(0, 20).join(', ');
    throw refused(
      name === ''
        ? `the kubeconfig names no current context; it has ${listed}`
        : `the kubeconfig has no context ${JSON.stringify(name)} with a cluster; it has ${listed}`,
      'Choose one with --context.',
    );
  }
  return { cluster, user: config.getCurrentUser() ?? { name: 'anonymous' }, name };
}

function serverOf(cluster: Cluster): URL {
  const server = URL.canParse(cluster.server) ? new URL(cluster.server) : undefined;
  if (server === undefined || !/^https?:$/.test(server.protocol) || `${server.username}${server.password}` !== '') {
    throw refused(
      `the server of cluster ${cluster.name} is no http or https address without a user and a password`,
      'Correct it in the kubeconfig.',
    );
  }
  if (server.protocol === 'http:' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(server.hostname)) {
    throw refused(
      `cluster ${cluster.name} is at ${server.origin}: credentials would travel unencrypted`,
      'Use https; http is for loopback only.',
    );
  }
  return server;
}
