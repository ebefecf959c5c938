/** Answers that no API of a forge gives, and at which the engine or Octokit fails: numbers that no number holds, and lists that nest without end. */

import { NoAnswer } from './fetch.ts';

const NOT_READ = new NoAnswer(
  'an answer is JSON that GitHub does not send',
  'Check the address of the forge: a proxy, a login page or another forge may answer there.',
);

/** Throws an error of the engine on as an answer that was none, and any other as it is. */
export function notRead(error: unknown): never {
  if (error instanceof TypeError || error instanceof RangeError) throw new Error(NOT_READ.message, { cause: NOT_READ });
  throw error;
}

/** The JSON of an answer, with the digits of any number. Throws what `notRead` throws where it cannot be printed. */
export function printed(data: unknown): string {
  try {
    const text: unknown = JSON.stringify(data, (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    return typeof text === 'string' ? text : '';
  } catch (error) {
    return notRead(error);
  }
}

/** The token of an answer. Throws as `notRead` where there is none. */
export function tokenIn(token: unknown): string {
  return typeof token === 'string' && token !== '' ? token : notRead(new TypeError());
}
