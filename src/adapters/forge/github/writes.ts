/** What is written to a pull request that is there: each looks first, so that it may be asked for twice. */

import type { Answer, ForgeRefused, NewComment, NewStatus } from '../../../ports/forge.ts';
import { PortError } from '../../../ports/port-error.ts';
import type { ForgeCaller } from './call.ts';
import { heard, isByUs } from './own.ts';
import { readPages } from './pages.ts';
import { readPull } from './pulls.ts';
import { bodyDigest, idAt, listAt, textAt } from './read-pull.ts';
import { refused } from './refusals.ts';

const done: Answer<void> = { kind: 'done', value: undefined };

/** Writes title and body where they differ from what the forge holds. Throws PortError. */
export async function updatePull(
  caller: ForgeCaller,
  number: number,
  text: { readonly title: string; readonly body: string },
): Promise<Answer<void>> {
  const found = await readPull(caller, number);
  if (found.kind !== 'done') return found;
  const { value: pull } = found;
  if (pull === undefined) return noPull(caller, number);
  if (pull.title === text.title && pull.bodyDigest === bodyDigest(text.body)) return done;
  return patch(caller, number, `write the text of pull request ${number}`, text);
}

/** Writes why, as far as that is taken, then closes; nothing where it is not open. Throws PortError. */
export async function closePull(caller: ForgeCaller, number: number, why: string): Promise<Answer<void>> {
  const found = await readPull(caller, number);
  if (found.kind !== 'done') return found;
  if (found.value === undefined) return noPull(caller, number);
  if (found.value.state.kind !== 'open') return done;
  // What stands open could still be merged: neither a lock nor more comments than anybody reads keep it so.
  const commented = await writeComment(caller, { number, key: 'closed', body: why }).catch((error: unknown) => {
    if (error instanceof PortError && !error.retryable) return done;
    throw error;
  });
  if (commented.kind === 'deferred') return commented;
  return patch(caller, number, `close pull request ${number}`, { state: 'closed' });
}

async function patch(
  caller: ForgeCaller,
  number: number,
  operation: string,
  fields: Readonly<Record<string, string>>,
): Promise<Answer<void>> {
  const reply = heard(
    await caller.call({
      route: 'PATCH /repos/{owner}/{repo}/pulls/{pull_number}',
      operation,
      parameters: { pull_number: number, ...fields },
      isRepeatable: true,
    }),
  );
  return reply.kind === 'reply' ? done : reply;
}

function noPull(caller: ForgeCaller, number: number): ForgeRefused {
  return refused(
    'NotAccepted',
    `${caller.address.owner}/${caller.address.name} has no pull request ${number}`,
    'Check that the repository is the one that it was opened in',
  );
}

const descriptionCharacters = 140;

/** Sets a status where that of its context differs. Throws PortError. */
export async function writeStatus(caller: ForgeCaller, status: NewStatus): Promise<Answer<void>> {
  const { oid, context, state, url } = status;
  const description = status.description.slice(0, descriptionCharacters);
  const operation = `set the status ${context} of ${oid.slice(0, 8)}`;
  const read = heard(
    await caller.call({
      route: 'GET /repos/{owner}/{repo}/commits/{ref}/status',
      operation,
      parameters: { ref: oid, per_page: 100 },
    }),
  );
  if (read.kind !== 'reply') return read;
  const now = listAt(read.data, 'statuses').find((item) => textAt(item, 'context') === context);
  const same =
    textAt(now, 'state') === state &&
    (textAt(now, 'description') ?? '') === description &&
    (textAt(now, 'target_url') ?? undefined) === url;
  if (now !== undefined && same) return done;
  const reply = heard(
    await caller.call({
      route: 'POST /repos/{owner}/{repo}/statuses/{sha}',
      operation,
      parameters: { sha: oid, context, state, description, ...(url === undefined ? {} : { target_url: url }) },
      isRepeatable: true,
    }),
  );
  return reply.kind === 'reply' ? done : reply;
}

/**
 * Writes the comment of this key once, and edits it from then on. Ours is the one that starts with the key's mark and is
 * by us: nobody else's text is ever taken for ours. Throws PortError.
 */
export async function writeComment(caller: ForgeCaller, { number, key, body }: NewComment): Promise<Answer<void>> {
  const mark = `<!-- tranche:${key} -->`;
  const text = `${mark}\n${body}`;
  const operation = `write the comment ${key} of pull request ${number}`;
  const read = await readPages(caller, {
    route: 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments',
    operation,
    parameters: { issue_number: number },
  });
  if (read.kind !== 'done') return read;
  const marked = read.value.filter((item) => (textAt(item, 'body') ?? '').startsWith(mark));
  for (const item of marked) {
    const mine = await isByUs(caller, idAt(item, 'user', 'id'));
    if (mine.kind !== 'done') return mine;
    if (!mine.value) continue;
    if (bodyDigest(textAt(item, 'body') ?? '') === bodyDigest(text)) return done;
    const edited = heard(
      await caller.call({
        route: 'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}',
        operation,
        parameters: { comment_id: idAt(item, 'id') ?? 0, body: text },
        isRepeatable: true,
      }),
    );
    return edited.kind === 'reply' ? done : edited;
  }
  const reply = await caller.call({
    route: 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
    operation,
    parameters: { issue_number: number, body: text },
  });
  // Whether it was written is seen by the next call, which looks first.
  if (reply.kind === 'unheard') throw reply.error;
  return reply.kind === 'reply' ? done : reply;
}
