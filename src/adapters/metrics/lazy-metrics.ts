/** The servers of metrics, loaded with the first question. */

import type { Metrics } from '../../ports/metrics.ts';
import type { Network } from '../network/proxy.ts';

/** Opens nothing. */
export function lazyMetrics(network: Pick<Network, 'env' | 'authorities'>): Metrics {
  return {
    round: () => {
      let opening: Promise<ReturnType<Metrics['round']>> | undefined;
      const open = async () => (await import('./open-metrics.ts')).openMetrics(network).round();
      return { range: async (question) => (await (opening ??= open())).range(question) };
    },
  };
}
