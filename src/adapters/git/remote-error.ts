/** Turns what goes wrong between us and a server into a PortError that says what was seen and what to do next. */

import { PortError } from '../../ports/port-error.ts';
import { cleanText, type GitOperation, gitError } from './git-error.ts';
import { type HttpAnswer, HttpFailure } from './http.ts';
import { TooLarge } from './inflate.ts';
import { ServerSaid } from './protocol.ts';

/** An answer with another status than 200, or in another format than Git's. */
export class UnusableAnswer extends Error {
  readonly answer: HttpAnswer;
  constructor(answer: HttpAnswer) {
    super(`HTTP ${answer.status}`);
    this.answer = answer;
  }
}

/** The request went out, and what became of it is not known. */
export class SentButUnknown extends Error {
  /** The connection had been closed before: the server most likely saw nothing. */
  readonly stale: boolean;
  constructor(message: string, stale: boolean) {
    super(message);
    this.stale = stale;
  }
}

export type ErrorContext = {
  /** The repository, as people know it. */
  readonly name: string;
  readonly operation: GitOperation;
  readonly token: string | undefined;
  /** The token is one of a GitHub App, which nobody gives by hand. */
  readonly isMade: boolean;
  /** How long one pass may take. */
  readonly passSeconds: number;
};

const tokenHint = 'Set TRANCHE_GIT_TOKEN to a token that may read and write the contents of this repository.';
const appHint = 'Give the GitHub App of TRANCHE_APP_ID contents: write, and install it in this repository.';

/** The same failure for the port. A PortError and what a server said in words pass through. */
export function asPortError(error: unknown, context: ErrorContext): Error {
  if (error instanceof PortError || error instanceof ServerSaid) return error;
  if (error instanceof UnusableAnswer) return answerError(error.answer, context);
  const text = error instanceof Error ? error.message : String(error);
  if (error instanceof HttpFailure && error.kind === 'deadline') {
    return gitError(
      `${context.name}: not done after ${context.passSeconds} s, which is all that one pass waits: ${text}`,
      {
        operation: context.operation,
        retryable: true,
        hint: 'Look at the server and the network; where the repository is that large, allow more with --git-timeout.',
      },
    );
  }
  if (error instanceof HttpFailure && error.remedy !== undefined) {
    const { operation } = context;
    return gitError(`${context.name}: ${clean(text, context)}`, { operation, retryable: false, hint: error.remedy });
  }
  const isTooLarge = error instanceof TooLarge || (error instanceof HttpFailure && error.kind === 'tooLarge');
  return gitError(`${context.name}: ${clean(text, context)}`, {
    operation: context.operation,
    retryable: !isTooLarge,
    hint: isTooLarge
      ? 'List the folders with rollouts and workloads under `paths` in tranche.yaml, so that less is read.'
      : 'Check the address of the repository, HTTPS_PROXY and NO_PROXY, and the network between here and there.',
  });
}

/** For a request that writes: a clear no is a PortError, everything else is not known. */
export function asWriteError(error: unknown, context: ErrorContext): Error {
  if (error instanceof PortError) return error;
  if (error instanceof UnusableAnswer && error.answer.status >= 300 && error.answer.status < 500) {
    return answerError(error.answer, context);
  }
  const stale = error instanceof HttpFailure && error.stale;
  const readable = error instanceof ServerSaid ? serverSaidError(error, context) : asPortError(error, context);
  return new SentButUnknown(readable.message, stale);
}

/** What a server said with ERR, as a PortError. */
export function serverSaidError(error: ServerSaid, context: ErrorContext): PortError {
  const { name, operation } = context;
  if (error.message === '') return gitError(`${name} ended its answer without a word`, { operation, retryable: true });
  return gitError(`${name} answered: ${clean(error.message, context)}`, { operation, retryable: true });
}

type StatusMeaning = { readonly says: string; readonly retryable: boolean; readonly hint: string };

const statusMeanings: ReadonlyMap<number, StatusMeaning> = new Map([
  [401, { says: 'wants a valid token', retryable: false, hint: tokenHint }],
  [403, { says: 'refuses this token', retryable: false, hint: tokenHint }],
  [404, { says: 'repository not found, or the token may not see it', retryable: false, hint: tokenHint }],
  [413, { says: 'the request is too large for the server', retryable: false, hint: '' }],
  [429, { says: 'too many requests', retryable: true, hint: '' }],
]);

const serverHint = 'The fault is there, or of a proxy before it: look at that server, or try again later.';

/** No token helps where nobody may write. */
const readOnly: StatusMeaning = {
  says: 'takes no changes',
  retryable: false,
  hint: 'The repository is archived or read-only there: make it writable again, or stop tranche for it.',
};

function answerError(answer: HttpAnswer, context: ErrorContext): PortError {
  const { name, operation } = context;
  const words = clean(answer.text.replace(/<[^>]*>/g, ' '), context).slice(0, 200);
  const quoted = words === '' ? '' : `: ${words}`;
  const location = answer.headers.location;
  if (answer.kind === 'strange') {
    const type = clean(answer.headers['content-type'] ?? 'no content type', context);
    return gitError(`${name} answered with ${type}, wanted Git's smart HTTP${quoted}`, {
      operation,
      retryable: false,
      hint: 'Check that the URL is the clone URL of the repository, and that no proxy or login page answers instead.',
    });
  }
  if (location !== undefined) {
    const target = URL.canParse(location, name) ? new URL(location, name) : undefined;
    const shown =
      target === undefined
        ? 'nowhere'
        : clean(`${target.origin}${target.pathname}`, context).replace(/\/info\/refs$/, '');
    return gitError(`${name} redirects to ${shown}, which is not followed`, {
      operation,
      retryable: false,
      hint: 'Give the new address as --repo if it is the right one.',
    });
  }
  const archived = answer.status === 403 && /\barchived\b|read[- ]only/i.test(words);
  const meaning = archived ? readOnly : statusMeanings.get(answer.status);
  const says = meaning === undefined ? '' : ` (${meaning.says})`;
  const otherwise = answer.status >= 500 ? serverHint : '';
  return gitError(`${name} answered HTTP ${answer.status}${says}${quoted}`.replace(/\.+$/, ''), {
    operation,
    retryable: meaning?.retryable ?? answer.status >= 500,
    hint: meaning?.hint === tokenHint && context.isMade ? appHint : (meaning?.hint ?? otherwise),
  });
}

/** Nothing that a server says back may carry our token into a log, a hold or a record. */
export function clean(text: string, { token }: Pick<ErrorContext, 'token'>): string {
  return cleanText(text, token === undefined ? [] : [token]);
}
