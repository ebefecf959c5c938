/** Builds the PortErrors of the Git adapter, and cleans what servers say before anybody reads it. */

import { UNSEEN_SIGNS } from '../../api/seen.ts';
import { PortError } from '../../ports/port-error.ts';
import { withoutSecrets } from './secret-forms.ts';

/** The words of the port, for messages: what was being done. */
export type GitOperation = 'open' | 'heads' | 'read' | 'history' | 'push';

type GitErrorFields = {
  readonly operation: GitOperation;
  readonly retryable: boolean;
  readonly hint?: string;
  readonly missing?: string;
};

/** A PortError of the port `git`; `message` says what was seen and what was wanted, never a token. */
export function gitError(message: string, fields: GitErrorFields): PortError {
  return new PortError(message, {
    port: 'git',
    operation: fields.operation,
    retryable: fields.retryable,
    hint: fields.hint ?? '',
    missing: fields.missing,
  });
}

/** The bytes of a commit or tree are not what Git writes: said with what was seen. */
export class MalformedObject extends Error {}

const cleanTextLimit = 500;
const UNSEEN = new RegExp(`${UNSEEN_SIGNS}+`, 'gu');

/** One line of printable text from a server's words, at most 500 characters, none of these secrets. */
export function cleanText(text: string, secrets: readonly string[] = []): string {
  const line = lineWithout(text, secrets);
  return line.length <= cleanTextLimit ? line : `${line.slice(0, cleanTextLimit)}…`;
}

/**
 * One line of a server's words without control characters, escapes and these secrets. Those are looked for once all else is gone,
 * which may stand inside of one, in whatever form; and before a cut, which may leave the start of one.
 */
export function lineWithout(text: string, secrets: readonly string[]): string {
  const line = text
    // Colours and cursor movements that hooks print for terminals.
    // oxlint-disable-next-line no-control-regex
    .replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '')
    .replace(UNSEEN, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
  return withoutSecrets(line, secrets);
}
