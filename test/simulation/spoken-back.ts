/** Servers of a world with somebody hostile say the credentials of the process back, through what the adapters make of words. */

import { clean } from '../../src/adapters/git/remote-error.ts';
import { failureOf } from '../../src/adapters/network/pinned.ts';
import type { Git } from '../../src/ports/git.ts';
import { PortError } from '../../src/ports/port-error.ts';
import { GIT_TOKEN, NOTIFY_TOKEN } from './secret.ts';

const FORMS: readonly ((token: string) => string)[] = [
  (token) => token,
  (token) => `${token.slice(0, 7)}\u001b[31m${token.slice(7)}`,
  (token) => `${token.slice(0, 7)}\u202e${token.slice(7)}`,
  (token) => Buffer.from(`x-access-token:${token}`).toString('base64'),
];

/** The token in all forms, behind these words. */
export function words(said: string, token: string): string {
  return `${said}: remote: bad credential ${FORMS.map((form) => form(token)).join(' or ')} here`;
}

type Retold = (said: string) => string;

/** The same Git; what its server refuses, and how it fails, has the token in it, as the adapter tells it. */
export function gitThatSaysBack(git: Git): Git {
  const retold: Retold = (said) => clean(words(said, GIT_TOKEN), { token: GIT_TOKEN });
  return {
    ...git,
    heads: (branches) => failing(git.heads(branches), retold),
    readAt: (commit, request) => failing(git.readAt(commit, request), retold),
    differences: (before, after) => failing(git.differences(before, after), retold),
    history: (from, until, limit) => failing(git.history(from, until, limit), retold),
    push: async (updates) => {
      const done = await failing(git.push(updates), retold);
      return done.kind === 'refused' ? { ...done, rule: retold(done.rule) } : done;
    },
  };
}

/** Why a target was not reached that a token goes to, as the adapter tells it. */
export function notReached(): string {
  return failureOf(Object.assign(new Error(words('refused', NOTIFY_TOKEN)), { code: NOTIFY_TOKEN }), {});
}

/** The answer, or the PortError with its words told in this way. */
export async function failing<T>(call: Promise<T>, retold: Retold): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    const { port, operation, retryable, hint, missing } = error;
    throw new PortError(retold(error.message), { port, operation, retryable, hint, missing });
  }
}
