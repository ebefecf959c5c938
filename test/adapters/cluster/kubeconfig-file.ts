/** A kubeconfig of one context as a test needs it, and the cluster that it opens. */

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { clusterLimits } from '../../../src/adapters/cluster/limits.ts';
import { openCluster } from '../../../src/adapters/cluster/open-cluster.ts';
import { plainNetwork } from '../../../src/adapters/network/proxy.ts';

export type ConfigOf = {
  readonly server?: string;
  readonly cluster?: object;
  readonly user?: object;
  readonly context?: string;
};

/** Writes it below the folder, and says where. */
export function writeKubeconfig(
  folder: string,
  name: string,
  { server = 'http://127.0.0.1:1', cluster, user, context = 'dev' }: ConfigOf,
): string {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': context,
    clusters: [{ name: 'c', cluster: { server, ...cluster } }],
    users: [{ name: 'u', user: user ?? { token: 't0ken' } }],
    contexts: [{ name: 'dev', context: { cluster: 'c', user: 'u' } }],
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}

const quiet = {
  clock: { now: () => 0, sleep: async () => {} },
  log: { info: () => {}, warn: () => {}, error: () => {} },
};

/** The reader of that cluster; `more` replaces what it is opened with. */
export const openedBy = (kubeconfigPath: string, more: object = {}) =>
  openCluster({
    kubeconfigPath,
    context: '',
    inCluster: false,
    repositoryPath: undefined,
    limits: clusterLimits,
    network: plainNetwork,
    ...quiet,
    ...more,
  });

export const pods = { namespace: 'llm', labelSelector: '' };
