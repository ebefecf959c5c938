/** What `git http-backend` starts for a request, and the head of its answer: for servers that need no process in between. */

import { existsSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';

export type Service = {
  /** Of git. */
  readonly args: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** Goes before what git prints. */
  readonly preamble: string;
};

type Question = { readonly method: string; readonly url: string; readonly headers: IncomingHttpHeaders };

const DISCOVERS = /^(\/[^?]+)\/info\/refs\?service=git-(upload|receive)-pack$/;
const ASKS = /^(\/[^?]+)\/git-(upload|receive)-pack$/;

/** undefined: anything out of the ordinary, which `git http-backend` has its own answers for. */
export function serviceOf(folder: string, { method, url, headers }: Question): Service | undefined {
  const discovers = method === 'GET' ? DISCOVERS.exec(url) : null;
  const asks = method === 'POST' && headers['content-encoding'] === undefined ? ASKS.exec(url) : null;
  const [, path = '', name = ''] = discovers ?? asks ?? [];
  const repository = join(folder, decodeURIComponent(path));
  if (path === '' || !existsSync(join(repository, 'HEAD'))) return undefined;
  const service = `git-${name}-pack`;
  const head = (kind: string) => ({ 'content-type': `application/x-${service}-${kind}`, 'cache-control': 'no-cache' });
  if (discovers === null)
    return { args: [`${name}-pack`, '--stateless-rpc', repository], headers: head('result'), preamble: '' };
  // As http-backend.c: the second protocol is known by its own first line.
  const named = `# service=${service}\n`;
  const line = `${(named.length + 4).toString(16).padStart(4, '0')}${named}0000`;
  return {
    args: [`${name}-pack`, '--http-backend-info-refs', repository],
    headers: head('advertisement'),
    preamble: headers['git-protocol'] === 'version=2' ? '' : line,
  };
}
