/** Reads a list page by page: all of it as it was at one moment, or not at all. */

import { at, isRecord } from '../../api/json.ts';
import { type Known, known, unknown } from '../../api/known.ts';
import { askApi, type Deadline, type Wire } from './ask-api.ts';
import { type Call, describe, urlOf } from './call.ts';
import { isPage, parsed, refusal, webPage } from './refusal.ts';

type Page = { readonly items: readonly unknown[]; readonly resourceVersion: string; readonly next: string };

type ListRequest<T> = {
  readonly labelSelector: string;
  readonly deadline: Deadline;
  readonly take: (item: unknown) => T;
};

/** The list moved on while we read it; what we have of it is of no use. */
const expired = { kind: 'expired' } as const;

/**
 * All items. A continue token that has expired (410), or pages of different resource versions, start the list
 * from the beginning; a page that is missing or cannot be understood makes the whole list unknown.
 */
export async function readList<T>(wire: Wire, call: Call, ask: ListRequest<T>): Promise<Known<readonly T[]>> {
  const { readings } = wire.limits;
  for (let reading = 1; reading <= readings; reading += 1) {
    const list = await readPages(wire, call, ask);
    if (list.kind !== 'expired') return list;
  }
  return unknown(`${describe(call)}: the list expired ${readings} times while it was read`);
}

async function readPages<T>(
  wire: Wire,
  call: Call,
  ask: ListRequest<T>,
): Promise<Known<readonly T[]> | typeof expired> {
  const { listItems } = wire.limits;
  const items: T[] = [];
  let next = '';
  let version: string | undefined;
  do {
    const page = await readPage(wire, call, { ...ask, next });
    if (page.kind !== 'known') return page;
    const { value } = page;
    if (version !== undefined && value.resourceVersion !== version) return expired;
    version = value.resourceVersion;
    // Empty pages that never end would not trip the limit on items.
    if (items.length + value.items.length > listItems || (value.next !== '' && value.items.length === 0)) {
      return unknown(`${describe(call)}: more than ${listItems} items, or a page without any and more to come`);
    }
    // A page is released before the next one comes.
    items.push(...value.items.map(ask.take));
    next = value.next;
  } while (next !== '');
  return known(items);
}

async function readPage(
  wire: Wire,
  call: Call,
  ask: { readonly labelSelector: string; readonly deadline: Deadline; readonly next: string },
): Promise<Known<Page> | typeof expired> {
  const url = urlOf(wire.connection.server, call, [
    ['limit', String(wire.limits.pageItems)],
    ...(ask.labelSelector === '' ? [] : [['labelSelector', ask.labelSelector] as const]),
    ...(ask.next === '' ? [] : [['continue', ask.next] as const]),
  ]);
  const answer = await askApi(wire, url, ask.deadline);
  if (answer.kind === 'failure') return unknown(`${describe(call)} at ${url.origin}: ${answer.why}`);
  if (answer.status === 410) return expired;
  if (answer.status !== 200) return refusal(call, answer);
  return isPage(answer) ? webPage(call, answer) : pageOf(call, answer.body);
}

function pageOf(call: Call, body: string): Known<Page> {
  const list = parsed(body);
  const text = (key: string): string | undefined => {
    const value = at(list, ['metadata', key]) ?? '';
    return typeof value === 'string' ? value : undefined;
  };
  // Go writes an empty list as null.
  const items = isRecord(list) && Object.hasOwn(list, 'items') ? (list['items'] ?? []) : undefined;
  const resourceVersion = text('resourceVersion');
  const next = text('continue');
  // More to come, and no way to ask for it: somebody between us and the server has left it out.
  const left = at(list, ['metadata', 'remainingItemCount']) ?? 0;
  if (next === '' && left !== 0) return unknown(`${describe(call)}: the answer is a part of the list`);
  if (!Array.isArray(items) || resourceVersion === undefined || next === undefined) {
    return unknown(`${describe(call)}: the answer is no list`);
  }
  return known({ items, resourceVersion, next });
}
