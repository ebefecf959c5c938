/** Questions that several writes ask: whether an account is us, and what a reply is that had to be heard. */

import type { Actor, Answer } from '../../ports/forge.ts';
import { type ForgeCaller, GRAPHQL, type Reply } from './call.ts';
import { idAt } from './pulls.ts';
import { textAt } from './read-pull.ts';

type Written = Exclude<Reply, { kind: 'unheard' }>;

/** The reply of a write that may be sent twice: `call` repeats it, and throws where nothing was heard in the end. */
export function heard(reply: Reply): Written {
  if (reply.kind === 'unheard') throw reply.error;
  return reply;
}

/** Who the credential acts as. GitHub names Apps, and the token of a run, with `[bot]` at the end. Throws PortError. */
export async function readSelf(caller: ForgeCaller): Promise<Answer<Actor>> {
  const reply = await viewer(caller, 'login');
  if (reply.kind !== 'reply') return reply;
  const login = textAt(reply.data, 'data', 'viewer', 'login') ?? '';
  return { kind: 'done', value: { login, isBot: login.endsWith('[bot]') } };
}

async function viewer(caller: ForgeCaller, field: 'databaseId' | 'login'): Promise<Written> {
  const parameters = { query: `query { viewer { ${field} } }` };
  return heard(await caller.call({ route: GRAPHQL, operation: 'read who the credential is', parameters }));
}

/** Whether an account is the one that the credential acts as. */
export async function isByUs(caller: ForgeCaller, id: number | undefined): Promise<Answer<boolean>> {
  const reply = await viewer(caller, 'databaseId');
  if (reply.kind !== 'reply') return reply;
  const own = idAt(reply.data, 'data', 'viewer', 'databaseId');
  return { kind: 'done', value: own !== undefined && own === id };
}
