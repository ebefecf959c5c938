/** Reads lists of GitHub, page by page. */

import type { Answer } from '../../../ports/forge.ts';
import { type ForgeCaller, forgeError } from './call.ts';

/** Items, the most that GitHub gives at a time. */
export const perPage = 100;

export type Pages = {
  readonly route: string;
  readonly operation: string;
  readonly parameters: Readonly<Record<string, unknown>>;
};

/** All items of a list, page by page. Throws PortError, also where there are more pages than anybody reads. */
export async function readPages(caller: ForgeCaller, of: Pages): Promise<Answer<readonly unknown[]>> {
  const items: unknown[] = [];
  for (let page = 1; page <= caller.limits.pages; page += 1) {
    const some = await readPage(caller, of, page);
    if (some.kind !== 'done') return some;
    items.push(...some.value);
    if (some.value.length < perPage) return { kind: 'done', value: items };
  }
  throw forgeError(`${caller.address.owner}/${caller.address.name} has more than ${items.length} of them`, {
    operation: of.operation,
    retryable: false,
    hint: 'Close what is not needed, or give the Rollouts a repository of their own.',
  });
}

/** One page of a list. Throws PortError. */
export async function readPage(
  caller: ForgeCaller,
  { route, operation, parameters }: Pages,
  page: number,
): Promise<Answer<readonly unknown[]>> {
  const reply = await caller.call({ route, operation, parameters: { ...parameters, per_page: perPage, page } });
  if (reply.kind === 'unheard') throw reply.error;
  if (reply.kind !== 'reply') return reply;
  const list: readonly unknown[] = Array.isArray(reply.data) ? reply.data : garbled(caller, operation);
  return { kind: 'done', value: list };
}

/** Thrown for JSON that is not what GitHub documents. */
export function garbled(caller: ForgeCaller, operation: string): never {
  throw forgeError(`${new URL(caller.address.api).host} answered with JSON that is not GitHub's`, {
    operation,
    retryable: false,
    hint: 'Check the address of the forge: a proxy, a login page or another forge may answer there.',
  });
}
