/**
 * Turns a kubeconfig, or the service account of this pod, into a connection, by the official Kubernetes client.
 *
 * The only file that imports that client, and of it only what reads a kubeconfig: the client of the API beside it
 * costs 200 ms and 40 MB. Itself imported late: a pass in which nothing moves never talks to the cluster.
 */

import { readFileSync, realpathSync, statSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import path from 'node:path';
import { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import type { Cluster, User } from '@kubernetes/client-node/dist/config_types.js';
import { parse } from 'yaml';
import { at } from '../../api/json.ts';
import type { Log } from '../../ports/log.ts';
import { PortError } from '../../ports/port-error.ts';
import type { ConfigSource } from './config-source.ts';
import type { Connection } from './connection.ts';

const FILE_BYTES_MAX = 1024 * 1024;

export type ConnectOptions = {
  readonly source: ConfigSource;
  /** Empty: the file's current context. */
  readonly context: string;
  /** The checkout or bare repository on disk; a kubeconfig inside of it was written by whoever pushed last. */
  readonly repositoryPath: string | undefined;
  readonly serviceAccountFolder: string;
  readonly log: Log;
};

/** Throws PortError (not retryable) for a file that is missing, wrong or not allowed to do what it wants. */
export function connect(options: ConnectOptions): Connection {
  const { source } = options;
  if (source.kind === 'none') throw refused(source.why, 'Name a kubeconfig with --kubeconfig.');
  if (source.kind === 'files') forbidInside(options.repositoryPath, source.paths);
  const config = new KubeConfig();
  if (source.kind === 'inCluster') loadServiceAccount(config, source, options.serviceAccountFolder);
  else loadFiles(config, source.paths);
  const { cluster, user, name } = chosen(config, options.context);
  if (source.kind === 'files' && !source.mayRunCommands) forbidPrograms(user);
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
    withExecInfo(user),
  );
  return { server, options: requestOptions(effective, cluster, server) };
}

function requestOptions(config: KubeConfig, cluster: Cluster, server: URL): Connection['options'] {
  const agentOptions = { keepAlive: true, maxSockets: 4 };
  const agent = server.protocol === 'http:' ? new http.Agent(agentOptions) : new https.Agent(agentOptions);
  return async () => {
    const options: https.RequestOptions = {};
    await config.applyToHTTPSOptions(options);
    // Files with tokens often end with a line end, which no header may hold.
    const given = Object.fromEntries(
      Object.entries(options.headers ?? {}).map(([name, value]) => [
        name,
        typeof value === 'string' ? value.trim() : value,
      ]),
    );
    const headers = { ...given, accept: 'application/json', 'user-agent': 'tranche' };
    // The client's own agent keeps the first certificate for ever; ours takes that of each request. Proxies are its alone.
    return { ...options, headers, ...(cluster.proxyUrl === undefined ? { agent } : {}) };
  };
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

function loadFiles(config: KubeConfig, paths: readonly string[]): void {
  paths.forEach((file, i) => {
    try {
      const bytes = statSync(file).size;
      if (bytes > FILE_BYTES_MAX) throw new Error(`${bytes} bytes, at most ${FILE_BYTES_MAX}`);
      const part = new KubeConfig();
      part.loadFromFile(file);
      useTokenFiles(part, file);
      // As kubectl does: of several files the first that names a current context wins.
      config.mergeConfig(part, i > 0 && config.getCurrentContext() !== undefined);
    } catch (error) {
      // A YAML error quotes the lines around it, and those may hold a token: only its first line is told.
      const line = (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
      throw refused(`cannot read ${file}: ${line.slice(0, 200)}`, 'Name a kubeconfig that kubectl can read.');
    }
  });
}

/** The client knows the field of a user only by another name (`token-file`), and would ask without a token. */
function useTokenFiles(config: KubeConfig, file: string): void {
  const raw: unknown = parse(readFileSync(file, 'utf8'));
  const users = at(raw, ['users']);
  if (!Array.isArray(users)) return;
  config.users = config.getUsers().map((user) => {
    const tokenFile = at(
      users.find((one) => at(one, ['name']) === user.name),
      ['user', 'tokenFile'],
    );
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
  if (server === undefined || !/^https?:$/.test(server.protocol) || server.username !== '') {
    throw refused(`the server of cluster ${cluster.name} is no http or https address`, 'Correct it in the kubeconfig.');
  }
  if (server.protocol === 'http:' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(server.hostname)) {
    throw refused(
      `cluster ${cluster.name} is at ${server.origin}: credentials would travel unencrypted`,
      'Use https; http is for loopback only.',
    );
  }
  return server;
}

/** `exec` and auth providers start programs of the file's choice. Reading a token from a file does not. */
function forbidPrograms(user: User): void {
  const provider = user.authProvider?.name ?? 'tokenFile';
  const wants = user.exec ? 'a command (exec)' : `auth-provider ${provider}`;
  if (!user.exec && provider === 'tokenFile') return;
  throw refused(
    `user ${user.name} of the kubeconfig wants to run ${wants}`,
    'That is only done for a kubeconfig that is named by --kubeconfig or KUBECONFIG.',
  );
}

/** Credential plugins of the v1 protocol fail without KUBERNETES_EXEC_INFO, which the client does not set. */
function withExecInfo(user: User): User {
  if (!user.exec) return user;
  const info = { apiVersion: user.exec.apiVersion, kind: 'ExecCredential', spec: { interactive: false } };
  const env = [{ name: 'KUBERNETES_EXEC_INFO', value: JSON.stringify(info) }, ...(user.exec.env ?? [])];
  return { ...user, exec: { ...user.exec, env } };
}

/** Whoever can push there could let us run programs, or send a file of this machine to a server of their own. */
function forbidInside(folder: string | undefined, paths: readonly string[]): void {
  if (folder === undefined) return;
  const inside = paths.filter((file) => {
    const relative = path.relative(realPath(folder), realPath(file));
    return relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative);
  });
  if (inside[0] === undefined) return;
  throw refused(
    `kubeconfig ${inside[0]} is inside of the Git repository`,
    'Keep credentials outside of it: --kubeconfig.',
  );
}

/** Without links, as far as the file exists: one that does not is found to be missing later. */
function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return path.resolve(file);
  }
}

function refused(message: string, hint: string): PortError {
  return new PortError(`cluster: ${message}`, { port: 'cluster', operation: 'open', retryable: false, hint });
}
