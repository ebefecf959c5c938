/**
 * The API in front of the objects: what an agent, someone or an HTTP server may do to them.
 *
 * An HTTP server needs: `objects.get({resource, namespace, name})`, `objects.list(resource, namespace?)`,
 * `objects.resourceVersion` and `objects.changesSince(version)` to read; `create`, `update`, `patch`, `updateStatus`,
 * `apply`, `scale` and `remove` to write. A resource is named as kubectl does, `statefulsets.apps`, `pods`:
 * `resourceName({group, plural})`; the known kinds are `resourceKinds` in resource-table.ts. Objects carry apiVersion
 * and kind always; real lists leave them out for built-in kinds (`ResourceKind.custom` is false). Writes answer
 * `{ok: true, object}` or `{ok: false, status}` with the API server's own Status body, and never throw. Objects are
 * immutable: what you got stays as it was. `changesSince` is the log for watches, undefined when it no longer reaches
 * back that far (410 Expired). A deleted object with finalizers stays, with a deletionTimestamp, as in Kubernetes.
 */

import { isJsonObject, type JsonObject } from '../../api/json.ts';
import { withListDefaults } from '../lws/lws-defaults.ts';
import { schemaRefusal } from '../lws/lws-validation.ts';
import { mergePatch } from '../objects/object-edit.ts';
import type { ObjectStore, Propagation } from '../objects/object-store.ts';
import { type KubeObject, type NewObject, specOf, text } from '../objects/objects.ts';
import { LWS } from '../objects/resource-table.ts';
import type { ObjectKey } from '../objects/shelves.ts';
import {
  alreadyExists,
  applyConflict,
  notFound,
  preconditionFailed,
  type StatusBody,
  staleWrite,
} from '../objects/status-body.ts';
import { type Admission, admit } from './admission.ts';
import { applyFields, NO_OWNERS, type Ownership, ownershipAfterUpdate } from './field-ownership.ts';

export type Answer =
  | { readonly ok: true; readonly object: KubeObject }
  | { readonly ok: false; readonly status: StatusBody };

type ApplyOptions = { readonly manager: string; readonly force: boolean };

/** How an object is to be deleted, and what must be true of it: its uid, its version. */
export type Removal = { readonly propagation: Propagation; readonly uid?: string; readonly resourceVersion?: string };

export class Store {
  readonly objects: ObjectStore;
  private readonly owners: Map<string, Ownership>;
  private readonly admission: Admission;

  constructor(objects: ObjectStore, admission: Admission, from?: Store) {
    this.objects = objects;
    this.admission = admission;
    this.owners = new Map(from?.owners ?? []);
  }

  /** POST. `manager` owns every field that it sets. */
  create(resource: string, object: NewObject, manager: string): Answer {
    const key = keyOf(resource, object);
    if (this.objects.get(key) !== undefined) return refused(alreadyExists(key));
    const admitted = admit(this.admission, { resource, before: undefined, after: object });
    if (!admitted.ok) return admitted;
    const created = this.objects.add(resource, { ...withoutStatus(admitted.content), ...identity(object) });
    this.owners.set(ownerKey(key), ownershipAfterUpdate(NO_OWNERS, { manager, before: undefined, after: object }));
    return { ok: true, object: created };
  }

  /** PUT of the whole object; its resourceVersion, where it names one, must be the newest. */
  update(resource: string, object: NewObject, manager: string): Answer {
    const key = keyOf(resource, object);
    const before = this.objects.get(key);
    if (before === undefined) return refused(notFound(key));
    if (isStale(object, before)) return refused(staleWrite(key));
    const status = before['status'];
    const after = { ...withoutStatus(object), ...(status === undefined ? {} : { status }) };
    return this.change(key, before, after, manager);
  }

  /** A JSON merge patch of everything but the status. */
  patch(key: ObjectKey, patch: JsonObject, manager: string): Answer {
    const before = this.objects.get(key);
    if (before === undefined) return refused(notFound(key));
    if (isStale(patch, before)) return refused(staleWrite(key));
    const after = mergePatch(before, withoutStatus(patch));
    return this.change(key, before, isJsonObject(after) ? after : before, manager);
  }

  /** PUT of the status subresource. */
  updateStatus(key: ObjectKey, status: JsonObject): Answer {
    const before = this.objects.get(key);
    if (before === undefined) return refused(notFound(key));
    return { ok: true, object: this.objects.putStatus(key.resource, before, status) };
  }

  /** Server-side apply. Creates the object where there is none. */
  apply(resource: string, config: NewObject, options: ApplyOptions): Answer {
    const key = keyOf(resource, config);
    const before = this.objects.get(key);
    const ownership = (before === undefined ? undefined : this.owners.get(ownerKey(key))) ?? NO_OWNERS;
    const complete = resource === LWS ? withListDefaults(config) : config;
    const applied = applyFields({ live: before ?? config, config: complete, ...options, ownership });
    if (applied.kind === 'conflict') return refused(applyConflict(applied.conflicts));
    const admitted = admit(this.admission, { resource, before, after: applied.object });
    if (!admitted.ok) return admitted;
    this.owners.set(ownerKey(key), applied.ownership);
    const object =
      before === undefined
        ? this.objects.add(resource, { ...withoutStatus(admitted.content), ...identity(config) })
        : this.objects.put(resource, before, admitted.content);
    return { ok: true, object };
  }

  /** The scale subresource. The webhook of LWS does not see it; the bounds of the CRD hold. */
  scale(key: ObjectKey, replicas: number, manager: string): Answer {
    const before = this.objects.get(key);
    if (before === undefined) return refused(notFound(key));
    const after = { ...before, spec: { ...specOf(before), replicas } };
    const fault = key.resource === LWS ? schemaRefusal(after, this.admission.modes().lws) : undefined;
    if (fault !== undefined) return refused(fault);
    return { ok: true, object: this.written(key, before, after, manager) };
  }

  /** DELETE, where the preconditions hold. */
  remove(key: ObjectKey, { propagation, uid, resourceVersion }: Removal): Answer {
    const before = this.objects.get(key);
    if (before === undefined) return refused(notFound(key));
    const { metadata } = before;
    if (uid !== undefined && uid !== metadata.uid) {
      return refused(preconditionFailed(key, { field: 'UID', wanted: uid, found: metadata.uid }));
    }
    if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
      const field = 'ResourceVersion';
      return refused(preconditionFailed(key, { field, wanted: resourceVersion, found: metadata.resourceVersion }));
    }
    this.objects.remove(key.resource, before, propagation);
    return { ok: true, object: this.objects.get(key) ?? before };
  }

  private change(key: ObjectKey, before: KubeObject, after: JsonObject, manager: string): Answer {
    const admitted = admit(this.admission, { resource: key.resource, before, after });
    if (!admitted.ok) return admitted;
    return { ok: true, object: this.written(key, before, admitted.content, manager) };
  }

  private written(key: ObjectKey, before: KubeObject, after: JsonObject, manager: string): KubeObject {
    const object = this.objects.put(key.resource, before, after);
    const ownership = this.owners.get(ownerKey(key)) ?? NO_OWNERS;
    if (object !== before)
      this.owners.set(ownerKey(key), ownershipAfterUpdate(ownership, { manager, before, after: object }));
    return object;
  }
}

function refused(status: StatusBody): Answer {
  return { ok: false, status };
}

function keyOf(resource: string, object: NewObject): ObjectKey {
  return { resource, namespace: object.metadata.namespace, name: object.metadata.name };
}

function identity(object: NewObject): Pick<NewObject, 'apiVersion' | 'kind' | 'metadata'> {
  return { apiVersion: object.apiVersion, kind: object.kind, metadata: object.metadata };
}

function withoutStatus(object: JsonObject): JsonObject {
  const { status: _, ...rest } = object;
  return rest;
}

function ownerKey(key: ObjectKey): string {
  return `${key.resource} ${key.namespace}/${key.name}`;
}

function isStale(write: JsonObject, before: KubeObject): boolean {
  const version = isJsonObject(write['metadata']) ? text(write['metadata']['resourceVersion']) : '';
  return version !== '' && version !== before.metadata.resourceVersion;
}
