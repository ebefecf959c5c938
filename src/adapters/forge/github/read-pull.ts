/** From GitHub's JSON of a pull request to ours; undefined for what is not as GitHub documents it. */

import { createHash } from 'node:crypto';
import { at } from '../../../api/json.ts';
import { parseInstant } from '../../../api/time.ts';
import type { Actor, Pull, PullState } from '../../../ports/forge.ts';
import { branchNameFault, isOid } from '../../git/names.ts';

/** The text at a path; undefined: there is none. */
export function textAt(data: unknown, ...path: readonly string[]): string | undefined {
  const value = at(data, path);
  return typeof value === 'string' ? value : undefined;
}

/** The items of a list; of anything else none. */
export function listAt(data: unknown, ...path: readonly string[]): readonly unknown[] {
  const value = at(data, path);
  return Array.isArray(value) ? value : [];
}

/** A time of GitHub's, which are in UTC and in whole seconds; undefined: there is none. */
export function instantAt(data: unknown, ...path: readonly string[]): number | undefined {
  const text = textAt(data, ...path);
  return text === undefined ? undefined : parseInstant(text);
}

const LOGIN = /^[\w.-]{1,100}(\[bot\])?$/;

/** The name of an account, which stands in commits, records and holds; empty: there is none, or what is no name. */
export function loginAt(data: unknown, ...path: readonly string[]): string {
  const login = textAt(data, ...path) ?? '';
  return LOGIN.test(login) ? login : '';
}

/** Who is at a path; undefined: nobody, as where an account was deleted, or GitHub says neither User nor Bot. */
export function actorAt(data: unknown, ...path: readonly string[]): Actor | undefined {
  const login = loginAt(data, ...path, 'login');
  const type = textAt(data, ...path, 'type');
  return login === '' || (type !== 'User' && type !== 'Bot') ? undefined : { login, isBot: type === 'Bot' };
}

/** An address that people are shown as a link; empty: it is none. */
function addressAt(data: unknown, ...path: readonly string[]): string {
  const address = textAt(data, ...path) ?? '';
  return /^https?:\/\/[\w.:/%~-]{1,500}$/.test(address) ? address : '';
}

/** The id of an object, as GitHub counts. */
export function idAt(data: unknown, ...path: readonly string[]): number | undefined {
  const value = at(data, path);
  return typeof value === 'number' ? value : undefined;
}

/** The number of an object, as GitHub counts; undefined: there is none, or another. */
export function numberAt(data: unknown, ...path: readonly string[]): number | undefined {
  const value = at(data, path);
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

/** Of a branch: servers of Git take no longer file names. */
const NAME_MOST = 255;

const nobody: Actor = { login: 'ghost', isBot: false };

/**
 * A pull request of a list or alone. Of one that was closed only `closedBy` says who did it, for GitHub tells that of
 * the issue with its number; of one in a list `mergedBy` is missing as well.
 */
export function pullOf(data: unknown, closedBy: Actor | undefined): Pull | undefined {
  const number = numberAt(data, 'number');
  const branch = textAt(data, 'head', 'ref');
  const head = textAt(data, 'head', 'sha');
  const base = textAt(data, 'base', 'ref');
  const createdAt = instantAt(data, 'created_at');
  const state = stateOf(data, closedBy);
  if (number === undefined || branch === undefined || head === undefined || !isOid(head)) return undefined;
  if (base === undefined || createdAt === undefined || state === undefined) return undefined;
  if ([branch, base].some((name) => branchNameFault(name) !== undefined || name.length > NAME_MOST)) return undefined;
  const home = at(data, ['head', 'repo', 'id']);
  return {
    number,
    url: addressAt(data, 'html_url'),
    title: textAt(data, 'title') ?? '',
    bodyDigest: bodyDigest(textAt(data, 'body') ?? ''),
    branch,
    head,
    isSameRepository: typeof home === 'number' && home === at(data, ['base', 'repo', 'id']),
    base,
    state,
    author: actorAt(data, 'user') ?? nobody,
    createdAt,
  };
}

function stateOf(data: unknown, closedBy: Actor | undefined): PullState | undefined {
  const state = textAt(data, 'state');
  if (state === 'open') return { kind: 'open', isDraft: at(data, ['draft']) === true };
  const mergedAt = instantAt(data, 'merged_at');
  if (mergedAt !== undefined)
    return {
      kind: 'merged',
      at: mergedAt,
      commit: textAt(data, 'merge_commit_sha'),
      by: actorAt(data, 'merged_by'),
    };
  const closedAt = instantAt(data, 'closed_at');
  return state !== 'closed' || closedAt === undefined ? undefined : { kind: 'closed', at: closedAt, by: closedBy };
}

/** SHA-256 in hex of a text with LF for line ends: GitHub gives CRLF back for what was edited in a browser. */
export function bodyDigest(body: string): string {
  return createHash('sha256').update(body.replaceAll('\r\n', '\n')).digest('hex');
}
