/** What git has answered to fetches and to questions for refs, so that it is asked for the same once: three processes less each time. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
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

/** What a question for refs asks: the same refs and settings give the same answer, whichever repository has them. */
export function refsAsked(path: string, { url, headers, body }: RefsQuestion): string | undefined {
  const refs = refsOf(path);
  if (refs === undefined) return undefined;
  const service = url.slice(url.lastIndexOf('/'));
  return JSON.stringify([service, headers['git-protocol'], body.toString('latin1'), refs]);
}

type RefsQuestion = { readonly url: string; readonly headers: IncomingHttpHeaders; readonly body: Buffer };

/** undefined: the repository is not one, or is being written to. */
function refsOf(path: string): readonly string[] | undefined {
  const known = ['HEAD', 'config', 'packed-refs'].map((file) => textOf(join(path, file)));
  if (known[0] === undefined) return undefined;
  try {
    const entries = readdirSync(join(path, 'refs'), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
    const refs = files.sort().map((file) => `${file.slice(path.length)} ${readFileSync(file, 'latin1')}`);
    return [...known.map((text) => text ?? ''), ...refs];
  } catch {
    return undefined;
  }
}

function textOf(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'latin1') : undefined;
}
