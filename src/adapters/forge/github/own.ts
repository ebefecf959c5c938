/** Questions that several writes ask: whether an account is us, and what counts as a reply. */

import { absent, type Known, known, unknown } from '../../../api/known.ts';
import type { Answer, Self } from '../../../ports/forge.ts';
import { type ForgeCaller, GRAPHQL, type Reply } from './call.ts';
import { idAt, loginAt } from './read-pull.ts';

type Written = Exclude<Reply, { kind: 'unheard' }>;

/** The reply of a write that may be sent twice: `call` repeats it, and throws where no reply came in the end. */
export function heard(reply: Reply): Written {
  if (reply.kind === 'unheard') throw reply.error;
  return reply;
}

/** Who the credential acts as. GitHub names Apps, and the token of a run, with `[bot]` at the end. Throws PortError. */
export async function readSelf(caller: ForgeCaller): Promise<Answer<Self>> {
  const named = await readLogin(caller);
  if (named.kind !== 'done') return named;
  const { login, slug } = named.value;
  if (slug === undefined) return { kind: 'done', value: { login, isBot: false, app: absent } };
  return { kind: 'done', value: { login, isBot: true, app: await readApp(caller, slug) } };
}

/** The account of the credential, and what its App is called in addresses; undefined: it is none. Throws PortError. */
export async function readLogin(
  caller: ForgeCaller,
): Promise<Answer<{ readonly login: string; readonly slug: string | undefined }>> {
  const reply = await viewer(caller, 'login');
  if (reply.kind !== 'reply') return reply;
  const login = loginAt(reply.data, 'data', 'viewer', 'login');
  return { kind: 'done', value: { login, slug: /^(.+)\[bot\]$/.exec(login)?.[1] } };
}

/** The number of the App that an account belongs to. Throws PortError. */
async function readApp(caller: ForgeCaller, slug: string): Promise<Known<number>> {
  const operation = 'read which App the credential is';
  const reply = heard(
    await caller.call({ route: 'GET /apps/{app_slug}', operation, parameters: { app_slug: slug }, expected: [404] }),
  );
  if (reply.kind === 'deferred') return unknown(reply.why);
  if (reply.kind === 'refused') return unknown(reply.said);
  const id = idAt(reply.data, 'id');
  return id === undefined ? unknown(`the forge does not show the App ${slug}`) : known(id);
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
