/** Builds the adapters: the only file that knows which technology stands behind a port. */

import { resolve } from 'node:path';
import type { ServedModel } from './adapters/api-server/start-api-server.ts';
import { clusterLimits } from './adapters/cluster/limits.ts';
import { lazyCluster, openCluster } from './adapters/cluster/open-cluster.ts';
import { openGit } from './adapters/git/open.ts';
import type { Network } from './adapters/network/proxy.ts';
import { systemClock } from './adapters/system/clock.ts';
import { textLog } from './adapters/system/text-log.ts';
import { type CommonOptions, ENV, type Io } from './options.ts';
import type { Ports } from './reconcile/pass.ts';

/** Opens nothing yet: connections are made by the first call, and the cluster only when something is in flight. */
export function openPorts(options: CommonOptions, io: Io): Ports {
  const log = textLog((line) => io.err(`${line}\n`));
  const location = isUrl(options.repo) ? options.repo : resolve(io.folder, options.repo);
  const { gitTimeoutSeconds } = options;
  const limits = gitTimeoutSeconds === undefined ? {} : { passSeconds: gitTimeoutSeconds };
  const git = openGit({ location, token: io.env[ENV.gitToken], log, limits, network: networkOf(options, io) });
  const cluster = lazyCluster(() =>
    openCluster({
      kubeconfigPath: options.kubeconfig,
      context: options.context,
      inCluster: options.inCluster,
      repositoryPath: isUrl(options.repo) ? undefined : location,
      limits: clusterLimits,
      clock: systemClock,
      log,
    }),
  );
  return { git, cluster, clock: systemClock, log };
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

/** Also `git@host:team/repo`, which is refused with the right words. */
function isUrl(repo: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(repo) || /^[^/\\]+@[^/\\]+:/.test(repo);
}

/** What the demo needs of the world beside the ports: an empty repository, and a model served as a cluster. */
export type DemoServers = {
  readonly apiUrl: string;
  /** The text of a kubeconfig for it. */
  readonly kubeconfig: string;
  readonly close: () => Promise<void>;
};

/** Makes a bare repository at `repository` and serves `model` on loopback, on any free port. */
export async function openDemoServers(given: {
  readonly repository: string;
  readonly branch: string;
  readonly model: ServedModel;
}): Promise<DemoServers> {
  // The servers of the demo are loaded by the demo only.
  const { createRepository } = await import('./adapters/git/create-repository.ts');
  const { startApiServer } = await import('./adapters/api-server/start-api-server.ts');
  createRepository(given.repository, given.branch);
  const server = await startApiServer({ model: given.model, port: 0, kinds: undefined, interfere: undefined });
  return { apiUrl: server.url, kubeconfig: server.kubeconfig, close: server.close };
}
