/** Decides which kubeconfig counts, and whether it may run a command to get credentials. */

import path from 'node:path';

type SourceOptions = {
  /** One file, or several joined as KUBECONFIG joins them; from the command line or KUBECONFIG. */
  readonly kubeconfigPath: string | undefined;
  readonly inCluster: boolean;
  /** The user's home, undefined where there is none. */
  readonly home: string | undefined;
  /** KUBERNETES_SERVICE_HOST and _PORT, as every pod has them. */
  readonly serviceHost: string | undefined;
  readonly servicePort: string | undefined;
};

export type ConfigSource =
  | { readonly kind: 'inCluster'; readonly host: string; readonly port: string }
  | {
      readonly kind: 'files';
      readonly paths: readonly string[];
      /** True where someone named these files: a kubeconfig that we only found may not start programs (CVE-2022-24817). */
      readonly mayRunCommands: boolean;
    }
  | { readonly kind: 'none'; readonly why: string };

/** As client-go does: the file that was named, then the service account of this pod, then ~/.kube/config. */
export function configSource(options: SourceOptions): ConfigSource {
  const { kubeconfigPath, inCluster, home, serviceHost, servicePort } = options;
  const named = (kubeconfigPath ?? '').split(path.delimiter).filter((one) => one !== '');
  if (named.length > 0 && !inCluster) return { kind: 'files', paths: named, mayRunCommands: true };
  if (serviceHost !== undefined && servicePort !== undefined) {
    return { kind: 'inCluster', host: serviceHost, port: servicePort };
  }
  if (inCluster)
    return { kind: 'none', why: 'in-cluster was asked for, but KUBERNETES_SERVICE_HOST and _PORT are not set' };
  if (home === undefined) return { kind: 'none', why: 'no kubeconfig was named and there is no home directory' };
  return { kind: 'files', paths: [path.join(home, '.kube', 'config')], mayRunCommands: false };
}
