/** Serves watches: a stream of changes after a resource version, one JSON object a line. */

import type { ServerResponse } from 'node:http';
import type { JsonObject } from '../../api/json.ts';
import type { KubeObject } from '../../simulator/objects/objects.ts';
import type { Store } from '../../simulator/server/store.ts';
import { futureVersion, type ListOptions, listOptions } from './list-options.ts';
import { selectorOf } from './lists.ts';
import { badRequest, expired, type Reply } from './reply.ts';
import type { ApiRequest, Target } from './route.ts';
import { formOf, wireOne } from './wire-object.ts';

/** The store may be moved by others than this server, so open watches look again after this time. */
const LOOK_MILLISECONDS = 100;
const BOOKMARK_MILLISECONDS = 15_000;

type EventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

type Watch = { readonly flush: () => void; readonly bookmark: () => void; readonly end: () => void };

/** The open watches of one store. */
export class Watches {
  private readonly store: Store;
  private readonly open = new Set<Watch>();
  private timers: readonly NodeJS.Timeout[] = [];

  constructor(store: Store) {
    this.store = store;
  }

  /** Answers a watch request: a refusal, or undefined when the response has become a stream. */
  start(target: Target, request: ApiRequest, response: ServerResponse): Reply | undefined {
    const selector = selectorOf(request.query);
    if (selector.kind === 'bad') return badRequest(selector.message);
    const options = listOptions(request.query, true);
    if ('status' in options) return options;
    const current = this.store.objects.resourceVersion;
    if ((options.version ?? 0) > current) return futureVersion({ asked: options.version ?? 0, current });
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    // A watch of one object is one of the collection that shows nothing else.
    const matches = (object: KubeObject): boolean =>
      (target.name === '' || object.metadata.name === target.name) && selector.matches(object);
    const stream = new EventStream(this.store, target, { request, response, options, matches });
    const watch: Watch = {
      flush: () => {
        if (!stream.flush()) watch.end();
      },
      bookmark: () => stream.bookmark(),
      end: () => {
        this.open.delete(watch);
        if (this.open.size === 0) this.stopTimers();
        response.end();
      },
    };
    this.open.add(watch);
    this.startTimers();
    response.on('close', watch.end);
    const seconds = Number(request.query.get('timeoutSeconds') ?? 0);
    if (seconds > 0) setTimeout(watch.end, seconds * 1000).unref();
    watch.flush();
    return undefined;
  }

  /** Sends what has happened since; called after each write through the server. */
  flush(): void {
    for (const watch of this.open) watch.flush();
  }

  /** Ends all streams. */
  close(): void {
    for (const watch of this.open) watch.end();
  }

  private startTimers(): void {
    if (this.timers.length > 0) return;
    const bookmarks = (): void => {
      for (const watch of this.open) watch.bookmark();
    };
    this.timers = [setInterval(() => this.flush(), LOOK_MILLISECONDS), setInterval(bookmarks, BOOKMARK_MILLISECONDS)];
  }

  private stopTimers(): void {
    for (const timer of this.timers) clearInterval(timer);
    this.timers = [];
  }
}

type StreamOptions = {
  readonly request: ApiRequest;
  readonly response: ServerResponse;
  readonly options: ListOptions;
  readonly matches: (object: KubeObject) => boolean;
};

class EventStream {
  private readonly store: Store;
  private readonly target: Target;
  private readonly options: StreamOptions;
  private version: number;
  /** What the client has: an object that stops to match is deleted for it. */
  private readonly shown: Set<string>;

  constructor(store: Store, target: Target, options: StreamOptions) {
    this.store = store;
    this.target = target;
    this.options = options;
    const { version, sendsInitial } = options.options;
    const present = store.objects.list(target.resource, target.namespace === '' ? undefined : target.namespace);
    const matching = present.filter(options.matches);
    this.shown = new Set(matching.map(({ metadata }) => metadata.uid));
    const fromNow = version === undefined || version === 0 || sendsInitial;
    this.version = fromNow ? store.objects.resourceVersion : version;
    if (fromNow) for (const object of matching) this.send('ADDED', object);
    if (sendsInitial) this.bookmark({ 'k8s.io/initial-events-end': 'true' });
  }

  /** False when the stream has ended with an ERROR event, as it does when the log no longer reaches back. */
  flush(): boolean {
    const { objects } = this.store;
    const changes = objects.changesSince(this.version);
    if (changes === undefined) {
      const { body } = expired(`too old resource version: ${this.version} (${objects.resourceVersion})`);
      this.line({ type: 'ERROR', object: body });
      return false;
    }
    for (const change of changes) {
      this.version = change.resourceVersion;
      const { namespace, uid } = change.object.metadata;
      if (change.resource !== this.target.resource) continue;
      if (this.target.namespace !== '' && namespace !== this.target.namespace) continue;
      const matches = change.type !== 'DELETED' && this.options.matches(change.object);
      const had = this.shown.has(uid);
      if (matches) this.shown.add(uid);
      else this.shown.delete(uid);
      if (matches) this.send(had && change.type !== 'ADDED' ? 'MODIFIED' : 'ADDED', change.object);
      else if (had) this.send('DELETED', change.object);
    }
    return true;
  }

  /** Tells the version that the client is at; `annotations` mark the end of the first state. */
  bookmark(annotations?: JsonObject): void {
    if (this.options.request.query.get('allowWatchBookmarks') !== 'true') return;
    const { apiVersion, kind } = { apiVersion: this.target.kind, kind: this.target.kind.kind };
    const group = apiVersion.group === '' ? apiVersion.version : `${apiVersion.group}/${apiVersion.version}`;
    this.line({
      type: 'BOOKMARK',
      object: {
        kind,
        apiVersion: group,
        metadata: {
          resourceVersion: String(this.version),
          ...(annotations === undefined ? {} : { annotations }),
        },
      },
    });
  }

  private send(type: EventType, object: KubeObject): void {
    const { nowSeconds } = this.store.objects;
    const form = formOf(this.options.request);
    this.line({ type, object: wireOne(this.target.kind, object, { nowSeconds, form }) });
  }

  private line(event: { readonly type: EventType; readonly object: JsonObject | string }): void {
    this.options.response.write(`${JSON.stringify(event)}\n`);
  }
}
