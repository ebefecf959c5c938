/** Serves lists: selectors, pages of one moment, and the moments that are over. */

import type { Reading } from '../../simulator/object-store.ts';
import type { Store } from '../../simulator/store.ts';
import { badRequest, expired, ok, type Reply, statusReply } from './reply.ts';
import type { ApiRequest, Target } from './route.ts';
import { fieldSelector, labelSelector, type Selector } from './selectors.ts';
import { wantsTable, wireList, wireTable } from './wire-object.ts';

/** How many moments are kept for clients that are still turning pages. */
const MOMENTS_MAX = 100;

/** Where a page ends: the moment, and the last object of the page. */
type Token = { readonly version: string; readonly after: string };

/** Serves the lists of one store. */
export class Lists {
  private readonly store: Store;
  private readonly moments = new Map<string, Reading>();

  constructor(store: Store) {
    this.store = store;
  }

  /** GET of a collection. */
  list(target: Target, request: ApiRequest): Reply {
    const selector = selectorOf(request.query);
    if (selector.kind === 'bad') return badRequest(selector.message);
    const limit = Number(request.query.get('limit') ?? 0);
    const token = tokenOf(request.query.get('continue') ?? '');
    if (token === 'bad') return badRequest('continue key is not valid');
    const moment = this.moment(request.query, token);
    if ('status' in moment) return moment;
    const namespace = target.namespace === '' ? undefined : target.namespace;
    const all = moment.list(target.resource, namespace).filter(selector.matches);
    const rest = token === undefined ? all : all.filter((object) => keyOf(object.metadata) > token.after);
    const items = limit > 0 ? rest.slice(0, limit) : rest;
    const last = items.at(-1);
    const more = rest.length - items.length;
    if (more > 0) this.keep(moment);
    const meta = {
      resourceVersion: moment.resourceVersion,
      next:
        more > 0 && last !== undefined
          ? tokenText({ version: moment.resourceVersion, after: keyOf(last.metadata) })
          : '',
      remaining: more,
    };
    const { nowSeconds } = this.store.objects;
    return ok(
      wantsTable(request.accept)
        ? wireTable(target.kind, items, { meta, nowSeconds })
        : wireList(target.kind, items, meta),
    );
  }

  /** Forgets every moment, as an API server does whose storage was compacted: open pages answer 410. */
  compact(): void {
    this.moments.clear();
  }

  private moment(query: URLSearchParams, token: Token | undefined): Reading | Reply {
    if (token !== undefined) return this.moments.get(token.version) ?? expired(CONTINUE_TOO_OLD);
    const now = this.store.objects.snapshot();
    const asked = query.get('resourceVersion') ?? '';
    const [wanted, current] = [Number(asked), Number(now.resourceVersion)];
    if (wanted > current) return futureVersion({ asked, current: now.resourceVersion });
    if (query.get('resourceVersionMatch') !== 'Exact' || wanted === current) return now;
    return this.moments.get(asked) ?? expired('The resourceVersion for the provided list is too old.');
  }

  private keep(moment: Reading): void {
    this.moments.set(moment.resourceVersion, moment);
    const oldest = this.moments.keys().next();
    if (this.moments.size > MOMENTS_MAX && oldest.done !== true) this.moments.delete(oldest.value);
  }
}

/** Both selectors of a list or a watch. */
export function selectorOf(query: URLSearchParams): Selector | { readonly kind: 'bad'; readonly message: string } {
  const labels = labelSelector(query.get('labelSelector') ?? '');
  if (labels.kind === 'bad') return labels;
  const fields = fieldSelector(query.get('fieldSelector') ?? '');
  if (fields.kind === 'bad') return fields;
  return { kind: 'selector', matches: (object) => labels.matches(object) && fields.matches(object) };
}

const CONTINUE_TOO_OLD =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
  'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
  'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
  'deleted between the time the first chunk was returned and now may show up in the list.';

function futureVersion({ asked, current }: { readonly asked: string; readonly current: string }): Reply {
  return statusReply(504, {
    message: `Timeout: Too large resource version: ${asked}, current: ${current}`,
    reason: 'Timeout',
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  });
}

function keyOf(metadata: { readonly namespace: string; readonly name: string }): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function tokenText({ version, after }: Token): string {
  return Buffer.from(`${version} ${after}`).toString('base64url');
}

function tokenOf(text: string): Token | undefined | 'bad' {
  if (text === '') return undefined;
  const [, version, after] = /^(\d+) (.+)$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  return version === undefined || after === undefined ? 'bad' : { version, after };
}
