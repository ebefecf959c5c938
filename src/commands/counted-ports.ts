/** The same ports, with each call to the world counted: a failure that a pass takes in its stride is one all the same. */

import type { Ports } from '../reconcile/pass.ts';

/** Says of each call, once it has ended, at which port it was and whether it failed. */
type Called = (port: string, isFailure: boolean) => void;

/** `begin` and what only says something ahead ask nobody; what answers at once is not counted. */
export function countedPorts(ports: Ports, called: Called): Ports {
  const { git, cluster, forge, notifier } = ports;
  return {
    ...ports,
    git: counted(git, 'git', called),
    cluster: counted(cluster, 'cluster', called),
    forge: forge === undefined ? undefined : counted(forge, 'forge', called),
    notifier: notifier === undefined ? undefined : counted(notifier, 'notify', called),
  };
}

function counted<T extends object>(port: T, name: string, called: Called): T {
  return new Proxy(port, {
    get: (target, key): unknown => {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      return (...args: readonly unknown[]): unknown => {
        const answer: unknown = Reflect.apply(value, target, args);
        return answer instanceof Promise ? watched(answer, (isFailure) => called(name, isFailure)) : answer;
      };
    },
  });
}

async function watched(answer: Promise<unknown>, ended: (isFailure: boolean) => void): Promise<unknown> {
  try {
    const value = await answer;
    ended(saysFailed(value));
    return value;
  } catch (error) {
    ended(true);
    throw error;
  }
}

/** Some ports answer that they do not know, or could not: a list of the cluster, a text that was to be sent. */
function saysFailed(answer: unknown): boolean {
  if (typeof answer !== 'object' || answer === null || !('kind' in answer)) return false;
  const wasAsked = !('asked' in answer) || answer.asked !== false;
  return answer.kind === 'failed' || (answer.kind === 'unknown' && wasAsked);
}
