/** Serves lists: selectors, pages of one moment, and the moments that are over. */

import type { Reading } from '../../simulator/objects/object-store.ts';
import { pastReading } from '../../simulator/objects/past-reading.ts';
import type { Store } from '../../simulator/server/store.ts';
import { futureVersion, type ListOptions, listOptions } from './list-options.ts';
import { badRequest, expired, ok, type Reply } from './reply.ts';
import type { ApiRequest, Target } from './route.ts';
import { fieldSelector, labelSelector, type Selector } from './selectors.ts';
import { formOf, wireItems } from './wire-object.ts';

/** Where a page ends: the moment, and the last object of the page. */
type Token = { readonly version: string; readonly after: string };

/** Serves the lists of one store. */
export class Lists {
  private readonly store: Store;
  /** Moments before this one are over: those before the server, and those that were compacted. */
  private oldest: number;

  constructor(store: Store) {
    this.store = store;
    this.oldest = store.objects.resourceVersion;
  }

  /** GET of a collection. */
  list(target: Target, request: ApiRequest): Reply {
    const selector = selectorOf(request.query);
    if (selector.kind === 'bad') return badRequest(selector.message);
    const options = listOptions(request.query, false);
    if ('status' in options) return options;
    const limit = Number(request.query.get('limit') ?? 0);
    const token = tokenOf(request.query.get('continue') ?? '');
    if (token === 'bad') return badRequest('continue key is not valid');
    const moment = token === undefined ? this.moment(options) : this.pageOf(token);
    if ('status' in moment) return moment;
    const namespace = target.namespace === '' ? undefined : target.namespace;
    const all = moment.list(target.resource, namespace).filter(selector.matches);
    const rest = token === undefined ? all : all.filter((object) => keyOf(object.metadata) > token.after);
    const items = limit > 0 ? rest.slice(0, limit) : rest;
    const last = items.at(-1);
    const more = rest.length - items.length;
    const meta = {
      resourceVersion: moment.resourceVersion,
      next:
        more > 0 && last !== undefined
          ? tokenText({ version: moment.resourceVersion, after: keyOf(last.metadata) })
          : '',
      remaining: more,
    };
    const { nowSeconds } = this.store.objects;
    return ok(wireItems(target.kind, items, { meta, nowSeconds, form: formOf(request) }));
  }

  /** Forgets every moment before now, as an API server does whose storage was compacted: open pages answer 410. */
  compact(): void {
    this.oldest = this.store.objects.resourceVersion;
  }

  private moment({ version, match }: ListOptions): Reading | Reply {
    const current = this.store.objects.resourceVersion;
    if (version !== undefined && version > current) return futureVersion({ asked: version, current });
    if (match !== 'Exact' || version === undefined || version === current) return this.store.objects.snapshot();
    return this.past(version) ?? expired('The resourceVersion for the provided list is too old.');
  }

  /** Anyone who does not mind the break goes on with the token of the refusal, at the present moment. */
  private pageOf({ version, after }: Token): Reading | Reply {
    if (version === ANY_MOMENT) return this.store.objects.snapshot();
    const next = tokenText({ version: ANY_MOMENT, after });
    return this.past(Number(version)) ?? expired(CONTINUE_TOO_OLD, { continue: next });
  }

  private past(version: number): Reading | undefined {
    return version < this.oldest ? undefined : pastReading(this.store.objects, version);
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

const ANY_MOMENT = '-1';
const CONTINUE_TOO_OLD =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
  'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
  'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
  'deleted between the time the first chunk was returned and now may show up in the list.';

function keyOf(metadata: { readonly namespace: string; readonly name: string }): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function tokenText({ version, after }: Token): string {
  return Buffer.from(`${version} ${after}`).toString('base64url');
}

function tokenOf(text: string): Token | undefined | 'bad' {
  if (text === '') return undefined;
  const [, version, after] = /^(-1|\d+) (.+)$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  return version === undefined || after === undefined ? 'bad' : { version, after };
}
