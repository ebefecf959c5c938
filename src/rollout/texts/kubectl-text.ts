/** What to type to see why a group does not serve: with the pod and the container that failed. */

import type { Group } from '../observed/groups.ts';
import type { RolloutKey } from '../snapshot.ts';

/**
 * `To see why: kubectl -n llm logs vllm-3 -c vllm --previous. ` for the first group in which a container has failed; empty
 * where none has. A container that never ran has no log: its pod is described.
 */
export function seeWhy({ namespace }: Pick<RolloutKey, 'namespace'>, groups: readonly Group[]): string {
  const fault = groups.find((group) => group.fault !== undefined)?.fault;
  if (fault === undefined) return '';
  const { pod, container, exit } = fault;
  const logs = `logs ${pod} -c ${container}${exit?.isPrevious === true ? ' --previous' : ''}`;
  const words = exit === undefined ? `describe pod ${pod}` : logs;
  return `To see why: kubectl -n ${namespace} ${words}. `;
}
