/** Which targets the environment names; what reaches them is loaded with the first text for one. */

import type { Notifier } from '../../ports/notifier.ts';
import type { Network } from '../network/proxy.ts';
import { targetsIn } from './targets.ts';

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
