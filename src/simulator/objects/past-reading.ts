/** The objects as they were at an older version, as far back as the log of changes reaches. */

import type { ObjectStore, Reading } from './object-store.ts';
import type { KubeObject } from './objects.ts';

/** Undefined where the log has been cut since. */
export function pastReading(objects: ObjectStore, version: number): Reading | undefined {
  const changes = objects.changesSince(version);
  if (changes === undefined) return undefined;
  const now = objects.snapshot();
  if (changes.length === 0) return now;
  /** Resource → key → what was there. The oldest change since then knows. */
  const undone = new Map<string, Map<string, KubeObject | undefined>>();
  for (const { resource, object, before } of changes) {
    const shelf = undone.get(resource) ?? new Map<string, KubeObject | undefined>();
    undone.set(resource, shelf);
    if (!shelf.has(keyOf(object.metadata))) shelf.set(keyOf(object.metadata), before);
  }
  return {
    resourceVersion: String(version),
    get: (key) => {
      const shelf = undone.get(key.resource);
      return shelf?.has(keyOf(key)) === true ? shelf.get(keyOf(key)) : now.get(key);
    },
    list: (resource, namespace) => {
      const shelf = undone.get(resource) ?? new Map<string, KubeObject | undefined>();
      const same = now.list(resource, namespace).filter(({ metadata }) => !shelf.has(keyOf(metadata)));
      const gone = [...shelf.values()].flatMap((object) =>
        object === undefined || (namespace !== undefined && object.metadata.namespace !== namespace) ? [] : [object],
      );
      return [...same, ...gone].sort((left, right) => (keyOf(left.metadata) < keyOf(right.metadata) ? -1 : 1));
    },
  };
}

function keyOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}
