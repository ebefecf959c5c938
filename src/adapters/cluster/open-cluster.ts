/** Opens the cluster: finds the credentials and gives the port that reads from it. */

import { homedir } from 'node:os';
import { unknown } from '../../api/known.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { Log } from '../../ports/log.ts';
import { PortError } from '../../ports/port-error.ts';
import type { Network } from '../network/proxy.ts';
import { configSource } from './config-source.ts';
import type { ClusterLimits } from './limits.ts';

type ClusterOptions = {
  /** From --kubeconfig or KUBECONFIG; undefined: the pod's service account, else ~/.kube/config. */
  readonly kubeconfigPath: string | undefined;
  /** Empty: the current context of the file. */
  readonly context: string;
  /** Only the service account of this pod will do. */
  readonly inCluster: boolean;
  /** Where the Git repository is on this disk, undefined for a remote one. */
  readonly repositoryPath: string | undefined;
  /** Where a job has the repository checked out; not there: this is no job. */
  readonly checkout?: string | undefined;
  readonly limits: ClusterLimits;
  /** The proxy and the authorities of the environment, where the kubeconfig names none. */
  readonly network: Network;
  readonly clock: Clock;
  readonly log: Log;
};

/**
 * The cluster of these options. Nothing is asked of it yet. Throws PortError, not retryable, where there are no
 * usable credentials; reading never throws.
 */
export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  const { limits, clock, log } = options;
  const [{ apiCluster }, { connectRenewed }] = await Promise.all([
    import('./api-cluster.ts'),
    import('./renewed-connection.ts'),
  ]);
  const connection = connectRenewed({
    source: configSource({
      kubeconfigPath: options.kubeconfigPath,
      inCluster: options.inCluster,
      home: homedir() === '' ? undefined : homedir(),
      serviceHost: process.env['KUBERNETES_SERVICE_HOST'],
      servicePort: process.env['KUBERNETES_SERVICE_PORT'],
    }),
    context: options.context,
    repositoryPath: options.repositoryPath,
    checkout: options.checkout,
    serviceAccountFolder: '/var/run/secrets/kubernetes.io/serviceaccount',
    network: options.network,
    clock,
    log,
  });
  return apiCluster({ connection, limits, clock, log, heard: options.network.heard });
}

/**
 * A cluster that is opened at the first read, and only then: settled Rollouts need none. Where it cannot be opened
 * every read is `unknown` and says why, so that going back, which needs no cluster, stays possible; the next read tries
 * again, because a kubeconfig may be written while we look, or mounted late.
 */
export function lazyCluster(open: () => Promise<Cluster>): Cluster {
  let opening: Promise<Cluster> | undefined;
  const opened = (): Promise<Cluster> => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      return unreadable(error);
    });
    return opening;
  };
  return {
    // What goes wrong is reported to those who come to read.
    expect: () => void opened().catch(() => undefined),
    list: async (resource, query, take) => (await opened()).list(resource, query, take),
  };
}

function unreadable(error: unknown): Cluster {
  if (!(error instanceof PortError)) throw error;
  const answer = unknown([error.message, error.hint].filter((text) => text !== '').join('. '));
  return { list: async () => answer };
}
