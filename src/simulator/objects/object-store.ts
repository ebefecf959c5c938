/** What is behind the API: objects, versions, the log of changes, and what a deletion leaves standing. */

import { isJsonObject, type JsonObject, jsonEqual } from '../../api/json.ts';
import { printInstant } from '../../api/time.ts';
import { share } from './object-edit.ts';
import { type KeptMeta, keptMeta } from './object-meta.ts';
import { isDeleting, type KubeObject, type NewObject, type ObjectMeta, specOf, text } from './objects.ts';
import { PODS } from './resource-table.ts';
import { type ObjectKey, ObjectShelves } from './shelves.ts';

export type Change = {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly resource: string;
  readonly resourceVersion: number;
  readonly object: KubeObject;
  /** What it was; undefined for a new object. */
  readonly before: KubeObject | undefined;
};

/** What can be read of a store, now or of an old state. */
export type Reading = {
  readonly resourceVersion: string;
  readonly get: (key: ObjectKey) => KubeObject | undefined;
  /** By namespace and name; all namespaces without one. */
  readonly list: (resource: string, namespace?: string) => readonly KubeObject[];
};

export type Propagation = 'Background' | 'Foreground' | 'Orphan';

export const FOREGROUND = 'foregroundDeletion';
export const ORPHAN = 'orphan';

/** Watches may fall behind by this many changes. */
const LOG_MAX = 4096;
const GRACE_SECONDS = 30;

/** Mutable on purpose, and owned by one cluster; the objects in it are immutable. */
export class ObjectStore {
  nowSeconds: number;
  private version: number;
  private uids: number;
  private readonly shelves: ObjectShelves;
  private log: Change[] = [];
  private readonly notify: (change: Change) => void;

  constructor(nowSeconds: number, notify: (change: Change) => void, from?: ObjectStore) {
    this.nowSeconds = nowSeconds;
    this.notify = notify;
    this.version = from?.version ?? 1;
    this.uids = from?.uids ?? 0;
    this.shelves = new ObjectShelves(from?.shelves);
  }

  get resourceVersion(): number {
    return this.version;
  }

  get(key: ObjectKey): KubeObject | undefined {
    return this.shelves.get(key);
  }

  list(resource: string, namespace?: string): readonly KubeObject[] {
    return this.shelves.list(resource, namespace);
  }

  /** The objects of one resource in no order: for controllers, which do not need one. All namespaces without one. */
  unordered(resource: string, namespace?: string): Iterable<KubeObject> {
    return this.shelves.unordered(resource, namespace);
  }

  /** The resources of which there are objects. */
  resources(): readonly string[] {
    return this.shelves.resources();
  }

  /** Everything as it is now; later changes do not reach it. */
  snapshot(): Reading {
    const shelves = this.shelves.copy();
    return {
      resourceVersion: String(this.version),
      get: (key) => shelves.get(key),
      list: (resource, namespace) => shelves.list(resource, namespace),
    };
  }

  /** The changes after `version`, oldest first; undefined where the log does not reach back to it. */
  changesSince(version: number): readonly Change[] | undefined {
    const first = this.log[0]?.resourceVersion ?? this.version + 1;
    return version < first - 1 ? undefined : this.log.filter((change) => change.resourceVersion > version);
  }

  /** Creates an object. The caller knows that the name is free. */
  add(resource: string, object: NewObject): KubeObject {
    this.uids += 1;
    const metadata: ObjectMeta = {
      ...keptMeta(object.metadata, undefined),
      name: object.metadata.name,
      namespace: object.metadata.namespace,
      uid: `00000000-0000-4000-8000-${this.uids.toString(16).padStart(12, '0')}`,
      resourceVersion: this.nextVersion(),
      ...(object['spec'] === undefined ? {} : { generation: 1 }),
      creationTimestamp: printInstant(this.nowSeconds),
    };
    const created = { ...object, metadata };
    this.place('ADDED', { resource, before: undefined, object: created });
    return created;
  }

  /**
   * Replaces an object; an equal one is no write at all. What the API server owns in metadata stays as it was, and
   * the generation rises where anything but metadata and status changed.
   */
  put(resource: string, before: KubeObject, after: JsonObject): KubeObject {
    const shared = share(before, after);
    if (shared === before || !isJsonObject(shared)) return before;
    const fields = Object.keys({ ...before, ...shared }).filter(
      (field) => field !== 'metadata' && shared[field] !== before[field],
    );
    const sameMeta = shared['metadata'] === before.metadata;
    const meta = sameMeta ? before.metadata : keptMeta(shared['metadata'], before.metadata);
    if (!sameMeta && fields.length === 0 && jsonEqual(meta, keptMeta(before.metadata, before.metadata))) return before;
    const changed = fields.some((field) => field !== 'status');
    return this.replace(resource, before, { content: shared, meta, changed });
  }

  putStatus(resource: string, before: KubeObject, status: JsonObject): KubeObject {
    return this.put(resource, before, { ...before, status });
  }

  /**
   * Deletes an object. One with finalizers, and a pod on a node, stays with a deletionTimestamp until those are done
   * with it: `setFinalizers` and `finishTermination` are the ends of the two ways.
   */
  remove(resource: string, object: KubeObject, propagation: Propagation): void {
    if (isDeleting(object)) return;
    const finalizers = [...(object.metadata.finalizers ?? [])];
    if (propagation === 'Foreground') finalizers.push(FOREGROUND);
    if (propagation === 'Orphan') finalizers.push(ORPHAN);
    const bound = resource === PODS && text(specOf(object)['nodeName']) !== '';
    if (finalizers.length === 0 && !bound) {
      this.drop(resource, object);
      return;
    }
    const grace = bound ? GRACE_SECONDS : 0;
    const meta = { ...keptMeta(object.metadata, object.metadata), ...(finalizers.length > 0 ? { finalizers } : {}) };
    this.replace(resource, object, {
      content: object,
      meta: {
        ...meta,
        deletionTimestamp: printInstant(this.nowSeconds + grace),
        deletionGracePeriodSeconds: grace,
      },
      changed: true,
    });
  }

  /** Finalizers done with an object take themselves off; the last one lets it go. */
  setFinalizers(resource: string, object: KubeObject, finalizers: readonly string[]): void {
    if (finalizers.length === 0 && isDeleting(object) && object.metadata.deletionGracePeriodSeconds === 0) {
      this.drop(resource, object);
      return;
    }
    const { finalizers: _, ...meta } = keptMeta(object.metadata, object.metadata);
    const rest = finalizers.length === 0 ? meta : { ...meta, finalizers };
    this.replace(resource, object, { content: object, meta: rest, changed: false });
  }

  /** The kubelet has ended the containers of a deleted pod. */
  finishTermination(resource: string, object: KubeObject): void {
    if ((object.metadata.finalizers ?? []).length === 0) {
      this.drop(resource, object);
      return;
    }
    const meta = { ...keptMeta(object.metadata, object.metadata), deletionGracePeriodSeconds: 0 };
    this.replace(resource, object, { content: object, meta, changed: false });
  }

  private replace(
    resource: string,
    before: KubeObject,
    next: { readonly content: JsonObject; readonly meta: KeptMeta; readonly changed: boolean },
  ): KubeObject {
    const { name, namespace, uid, creationTimestamp, generation } = before.metadata;
    const rise = next.changed ? 1 : 0;
    const metadata: ObjectMeta = {
      ...next.meta,
      name,
      namespace,
      uid,
      resourceVersion: this.nextVersion(),
      ...(generation === undefined ? {} : { generation: generation + rise }),
      creationTimestamp,
    };
    const object = { ...next.content, apiVersion: before.apiVersion, kind: before.kind, metadata };
    this.place('MODIFIED', { resource, before, object });
    return object;
  }

  private drop(resource: string, object: KubeObject): void {
    const last = { ...object, metadata: { ...object.metadata, resourceVersion: this.nextVersion() } };
    this.place('DELETED', { resource, before: object, object: last });
  }

  private nextVersion(): string {
    this.version += 1;
    return String(this.version);
  }

  private place(type: Change['type'], from: Pick<Change, 'resource' | 'before' | 'object'>): void {
    const { resource, object } = from;
    if (type === 'DELETED') this.shelves.delete(resource, object.metadata);
    else this.shelves.set(resource, object);
    const change = { type, ...from, resourceVersion: this.version };
    this.log.push(change);
    if (this.log.length > 2 * LOG_MAX) this.log = this.log.slice(-LOG_MAX);
    this.notify(change);
  }
}
