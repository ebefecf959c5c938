/** What git has answered to fetches, so that it is asked for the same objects once: three processes less each time. */

import { existsSync, readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Git ended well. */
  readonly isWhole: boolean;
};

/** By what was asked: objects never change, so any repository that has those would give the same answer. */
export type Fetches = Map<string, Answer>;
const FETCHES_MOST = 2000;

/** What a fetch asks of a repository; undefined: the answer may depend on more than that. */
export function askedBy(
  path: string,
  { headers, body }: { readonly headers: IncomingHttpHeaders; readonly body: Buffer },
): string | undefined {
  const text = body.toString('latin1');
  const wanted = Array.from(text.matchAll(/want ([0-9a-f]{2})([0-9a-f]{38})/g), ([, ...oid]) => oid.join('/'));
  const isThere = wanted.length > 0 && wanted.every((object) => existsSync(join(path, 'objects', object)));
  if (!isThere || text.includes('have ')) return undefined;
  return JSON.stringify([headers['git-protocol'], readFileSync(join(path, 'config'), 'latin1'), text]);
}

/** Keeps an answer of git; of one that broke off nothing. */
export function keep(fetches: Fetches, asked: string, answer: Answer): void {
  if (!answer.isWhole) return;
  if (fetches.size >= FETCHES_MOST) fetches.clear();
  fetches.set(asked, answer);
}
