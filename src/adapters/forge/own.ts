/** Questions that several writes ask: whether an account is us, and what a reply is that had to be heard. */

import type { Answer } from '../../ports/forge.ts';
import { type ForgeCaller, GRAPHQL, type Reply } from './call.ts';
import { idAt } from './pulls.ts';

type Written = Exclude<Reply, { kind: 'unheard' }>;

/** The reply of a write that may be sent twice: `call` repeats it, and throws where nothing was heard in the end. */
export function heard(reply: Reply): Written {
  if (reply.kind === 'unheard') throw reply.error;
  return reply;
}

/** Whether an account is the one that the credential acts as. */
export async function isByUs(caller: ForgeCaller, id: number | undefined): Promise<Answer<boolean>> {
  const reply = heard(
    await caller.call({
      route: GRAPHQL,
      operation: 'read who the credential is',
      parameters: { query: 'query { viewer { databaseId } }' },
    }),
  );
  if (reply.kind !== 'reply') return reply;
  const own = idAt(reply.data, 'data', 'viewer', 'databaseId');
  return { kind: 'done', value: own !== undefined && own === id };
}
