/** Which targets the environment names; what reaches them is loaded with the first text for one. */

import type { Notifier } from '../../ports/notifier.ts';
import type { Network } from '../network/proxy.ts';

/** Begins the names of targets: TRANCHE_NOTIFY_PROD is the address of `prod`, TRANCHE_NOTIFY_PROD_TOKEN its credential. */
export const PREFIX = 'TRANCHE_NOTIFY_';
export const TOKEN = '_TOKEN';
/** Where it is `true`, addresses of the runner's own networks are fine, and http as well. */
export const ALLOW_PRIVATE = `${PREFIX}ALLOW_PRIVATE`;

/** undefined: the environment names no target. */
export function lazyNotifier(network: Pick<Network, 'env' | 'authorities'>): Notifier | undefined {
  const targets = targetsIn(network.env);
  if (targets.length === 0) return undefined;
  return {
    targets,
    send: async (message) => {
      const { openNotifier } = await import('./open-notifier.ts');
      return (await openNotifier(network)?.send(message)) ?? { kind: 'failed', why: 'there is no such target' };
    },
  };
}

/** As files name them: `prod-eu` for TRANCHE_NOTIFY_PROD_EU. */
export function targetsIn(env: Network['env']): readonly string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && name !== ALLOW_PRIVATE && !name.endsWith(TOKEN))
    .filter((name) => (env[name] ?? '') !== '')
    .map((name) => name.slice(PREFIX.length).toLowerCase().replaceAll('_', '-'))
    .sort();
}
