/** What commits say of people: orders and approvals, read back from the messages that `messages.ts` prints. */

import { linesOf, paragraphsOf, TRAILER } from './trailers.ts';

/** An order as its message tells it: nothing of it is proven. A stop of all Rollouts is about none. */
type OrderTold = {
  readonly rollout: string | undefined;
  readonly release: string | undefined;
  readonly step: string | undefined;
  readonly by: string | undefined;
  readonly plannedFrom: string;
};

/** The order of a message, from its last paragraph; undefined: it tells none. A step has a reason, and an order never has. */
export function orderIn(message: string): OrderTold | undefined {
  const lines = linesOf(paragraphsOf(message).at(-1) ?? '');
  const plannedFrom = lines.get(TRAILER.plannedFrom);
  if (plannedFrom === undefined || lines.has(TRAILER.reason)) return undefined;
  const [release, step] = [lines.get(TRAILER.release), lines.get(TRAILER.step)];
  return { rollout: lines.get(TRAILER.rollout), release, step, by: lines.get(TRAILER.orderedBy), plannedFrom };
}

/** Whether two messages give the same order. Who gave it, and from which main, may differ: each is one line at most. */
export function isSameOrder(one: string, other: string): boolean {
  return withoutGiver(one) === withoutGiver(other);
}

function withoutGiver(message: string): string {
  const paragraphs = paragraphsOf(message);
  let last = paragraphs.at(-1) ?? '';
  for (const key of [TRAILER.plannedFrom, TRAILER.orderedBy])
    last = last.replace(new RegExp(`^${key}: .*(?:\\n|$)`, 'm'), '');
  return JSON.stringify([...paragraphs.slice(0, -1), last.trimEnd()]);
}

/** What a step says that it rests on; of a squash what its newest step says. undefined: nothing. */
export function approvedByIn(message: string): string | undefined {
  const key = `${TRAILER.approvedBy}: `;
  const line = message.split(/\r?\n/).findLast((one) => one.startsWith(key));
  return line?.slice(key.length);
}
