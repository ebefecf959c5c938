/** Builds the adapters: the only file that knows which technology stands behind a port. */

import { resolve } from 'node:path';
import { clusterLimits } from './adapters/cluster/limits.ts';
import { lazyCluster, openCluster } from './adapters/cluster/open-cluster.ts';
import { openGit } from './adapters/git/open.ts';
import { systemClock } from './adapters/system/clock.ts';
import { textLog } from './adapters/system/text-log.ts';
import { type CommonOptions, ENV, type Io } from './options.ts';
import type { Ports } from './reconcile/pass.ts';

/** Opens nothing yet: connections are made by the first call, and the cluster only when something is in flight. */
export function openPorts(options: CommonOptions, io: Io): Ports {
  const log = textLog((line) => io.err(`${line}\n`));
  const location = isUrl(options.repo) ? options.repo : resolve(io.folder, options.repo);
  const git = openGit({ location, token: io.env[ENV.gitToken], log });
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

function isUrl(repo: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(repo);
}
