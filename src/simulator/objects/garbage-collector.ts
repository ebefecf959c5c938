/** The garbage collector: dependents of what is gone, and the order of a foreground deletion. */

import type { World } from '../world.ts';
import { FOREGROUND, ORPHAN } from './object-store.ts';
import { controllerOf, isDeleting, type KubeObject } from './objects.ts';
import { resourceOf } from './resource-table.ts';

/** Work for the dependents of an owner that is gone. */
export function goneKey({ metadata }: KubeObject): string {
  return `gone ${metadata.uid} ${metadata.namespace}`;
}

/** Work for an owner whose deletion waits for its dependents, or has to let them go. */
export function waitingKey(resource: string, object: KubeObject): string {
  return `waiting ${resource} ${object.metadata.namespace}/${object.metadata.name}`;
}

/** Works off one key of the queue `garbage`. */
export function collectGarbage(world: World, key: string): void {
  const [kind, first = '', second = ''] = key.split(' ');
  if (kind === 'gone') {
    for (const { resource, object } of dependents(world, { uid: first, namespace: second })) {
      world.objects.remove(resource, object, 'Background');
    }
    return;
  }
  const slash = second.indexOf('/');
  const owner = world.objects.get({
    resource: first,
    namespace: second.slice(0, slash),
    name: second.slice(slash + 1),
  });
  if (owner !== undefined && isDeleting(owner)) finish(world, first, owner);
}

/** The owner to look at again when a dependent is gone. */
export function waitingOwnerKey(world: World, dependent: KubeObject): string | undefined {
  const reference = controllerOf(dependent);
  if (reference === undefined) return undefined;
  const resource = resourceOf(reference);
  const owner = world.objects.get({ resource, namespace: dependent.metadata.namespace, name: reference.name });
  if (owner === undefined || owner.metadata.uid !== reference.uid || !isDeleting(owner)) return undefined;
  return waitingKey(resource, owner);
}

function finish(world: World, resource: string, owner: KubeObject): void {
  const finalizers = owner.metadata.finalizers ?? [];
  const children = dependents(world, owner.metadata);
  if (finalizers.includes(ORPHAN)) {
    for (const child of children) {
      const references = (child.object.metadata.ownerReferences ?? []).filter(
        (reference) => reference.uid !== owner.metadata.uid,
      );
      const metadata = { ...child.object.metadata, ownerReferences: references };
      world.objects.put(child.resource, child.object, { ...child.object, metadata });
    }
    world.objects.setFinalizers(
      resource,
      owner,
      finalizers.filter((name) => name !== ORPHAN),
    );
    return;
  }
  if (!finalizers.includes(FOREGROUND)) return;
  if (children.length === 0) {
    world.objects.setFinalizers(
      resource,
      owner,
      finalizers.filter((name) => name !== FOREGROUND),
    );
    return;
  }
  for (const child of children) {
    const hasOwn = dependents(world, child.object.metadata).length > 0;
    world.objects.remove(child.resource, child.object, hasOwn ? 'Foreground' : 'Background');
  }
}

/** Those of an owner without a namespace may be in any. */
function dependents(
  world: World,
  { uid, namespace }: Pick<KubeObject['metadata'], 'uid' | 'namespace'>,
): readonly { readonly resource: string; readonly object: KubeObject }[] {
  const found: { resource: string; object: KubeObject }[] = [];
  for (const resource of world.objects.resources()) {
    for (const object of world.objects.unordered(resource, namespace === '' ? undefined : namespace)) {
      if (object.metadata.ownerReferences?.some((owner) => owner.uid === uid) === true)
        found.push({ resource, object });
    }
  }
  return found;
}
