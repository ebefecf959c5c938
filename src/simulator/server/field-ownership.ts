/**
 * Who owns which field of an object, as far as a GitOps agent needs server-side apply: leaves of maps one by one,
 * lists whole (reference: Kubernetes, server-side apply).
 */

import { at, isJsonObject, type Json, type JsonObject, jsonEqual } from '../../api/json.ts';
import { withoutValue, withValue } from '../objects/object-edit.ts';

/** Manager → paths of the leaves that it owns. Applying and updating managers of one name are two. */
export type Ownership = ReadonlyMap<string, ReadonlySet<string>>;

export const NO_OWNERS: Ownership = new Map();

type Applied =
  | { readonly kind: 'applied'; readonly object: JsonObject; readonly ownership: Ownership }
  | { readonly kind: 'conflict'; readonly conflicts: readonly { readonly manager: string; readonly field: string }[] };

/** Keys of labels and annotations hold dots and slashes, so paths are joined by what no key can hold. */
const SEPARATOR = '\n';

/** What the API server itself owns. */
const SERVER_FIELDS = new Set([
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'managedFields',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
]);

type ApplyRequest = {
  readonly live: JsonObject;
  readonly config: JsonObject;
  readonly manager: string;
  readonly force: boolean;
  readonly ownership: Ownership;
};

/**
 * Applies `config` for `manager`. A field that this manager owned and no longer names is removed if no other manager
 * owns it: that is how a dropped `partition` falls to its default, and why it stays under a co-owner.
 */
export function applyFields(request: ApplyRequest): Applied {
  const { live, config, ownership } = request;
  const self = `Apply:${request.manager}`;
  const wanted = leaves(config);
  const conflicts: { manager: string; field: string }[] = [];
  const taken: string[] = [];
  for (const [path, value] of wanted) {
    const before = at(live, path.split(SEPARATOR));
    if (before !== undefined && jsonEqual(before, value)) continue;
    taken.push(path);
    if (before === undefined) continue;
    for (const [manager, paths] of ownership) {
      if (manager !== self && paths.has(path)) conflicts.push({ manager: nameOf(manager), field: shown(path) });
    }
  }
  if (conflicts.length > 0 && !request.force) return { kind: 'conflict', conflicts };

  let object = live;
  for (const path of ownership.get(self) ?? []) {
    if (!wanted.has(path) && !ownedByOthers(ownership, self, path))
      object = withoutValue(object, path.split(SEPARATOR));
  }
  for (const [path, value] of wanted) object = withValue(object, path.split(SEPARATOR), value);
  const next = new Map(without(ownership, self, taken));
  next.set(self, new Set(wanted.keys()));
  return { kind: 'applied', object, ownership: next };
}

/** After a create, PUT or patch: the manager owns what it changed, and nobody owns what is gone. */
export function ownershipAfterUpdate(
  ownership: Ownership,
  change: { readonly manager: string; readonly before: JsonObject | undefined; readonly after: JsonObject },
): Ownership {
  const self = `Update:${change.manager}`;
  const before = change.before === undefined ? new Map<string, Json>() : leaves(change.before);
  const after = leaves(change.after);
  const changed = [...after].filter(([path, value]) => !jsonEqual(before.get(path), value)).map(([path]) => path);
  const gone = [...before.keys()].filter((path) => !after.has(path));
  const next = new Map(without(ownership, self, changed));
  next.set(self, new Set([...(next.get(self) ?? []), ...changed]));
  for (const [manager, paths] of next) {
    if (gone.some((path) => paths.has(path))) next.set(manager, new Set([...paths].filter((path) => after.has(path))));
  }
  return next;
}

function without(ownership: Ownership, self: string, paths: readonly string[]): [string, ReadonlySet<string>][] {
  return [...ownership].map(([manager, owned]) => {
    if (manager === self || !paths.some((path) => owned.has(path))) return [manager, owned];
    const rest = new Set(owned);
    for (const path of paths) rest.delete(path);
    return [manager, rest];
  });
}

function ownedByOthers(ownership: Ownership, self: string, path: string): boolean {
  for (const [manager, paths] of ownership) if (manager !== self && paths.has(path)) return true;
  return false;
}

function leaves(object: JsonObject): Map<string, Json> {
  const found = new Map<string, Json>();
  for (const [key, value] of Object.entries(object)) {
    if (key === 'apiVersion' || key === 'kind' || key === 'status') continue;
    if (key !== 'metadata') collect(value, key, found);
    else if (isJsonObject(value)) {
      for (const [field, entry] of Object.entries(value)) {
        if (!SERVER_FIELDS.has(field)) collect(entry, `metadata${SEPARATOR}${field}`, found);
      }
    }
  }
  return found;
}

function collect(value: Json, path: string, into: Map<string, Json>): void {
  if (value === null) return;
  if (!isJsonObject(value) || Object.keys(value).length === 0) {
    into.set(path, value);
    return;
  }
  for (const [key, entry] of Object.entries(value)) collect(entry, `${path}${SEPARATOR}${key}`, into);
}

function nameOf(manager: string): string {
  return manager.slice(manager.indexOf(':') + 1);
}

function shown(path: string): string {
  return `.${path.split(SEPARATOR).join('.')}`;
}
