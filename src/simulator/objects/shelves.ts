/** The objects by resource, namespace and name. What nobody changes is shared by all who hold an earlier state. */

import type { KubeObject } from './objects.ts';

export type ObjectKey = { readonly resource: string; readonly namespace: string; readonly name: string };

/** Name → object, of one resource in one namespace: controllers look no further than their namespace. */
type Shelf = Map<string, KubeObject>;
/** Namespace → shelf. */
type Shelves = Map<string, Shelf>;

/** Mutable on purpose; `copy` costs nothing, the first change to a shelf after it copies that shelf. */
export class ObjectShelves {
  private byResource: Map<string, Shelves>;
  /** The maps that no copy has seen, and that may be changed in place. */
  private own = new WeakSet<object>();

  constructor(from?: ObjectShelves) {
    this.byResource = from?.shared() ?? new Map<string, Shelves>();
  }

  /** Everything as it is now; later changes of either do not reach the other. */
  copy(): ObjectShelves {
    return new ObjectShelves(this);
  }

  get({ resource, namespace, name }: ObjectKey): KubeObject | undefined {
    return this.byResource.get(resource)?.get(namespace)?.get(name);
  }

  /** By namespace and name; all namespaces without one. */
  list(resource: string, namespace?: string): readonly KubeObject[] {
    const shelves = this.byResource.get(resource);
    if (shelves === undefined) return [];
    if (namespace !== undefined) return sorted([...(shelves.get(namespace)?.entries() ?? [])]);
    return sorted(
      [...shelves].flatMap(([of, shelf]) => [...shelf].map(([name, object]) => [`${of}/${name}`, object] as const)),
    );
  }

  /** The same in no order. */
  unordered(resource: string, namespace?: string): Iterable<KubeObject> {
    const shelves = this.byResource.get(resource);
    if (namespace !== undefined) return shelves?.get(namespace)?.values() ?? [];
    return [...(shelves?.values() ?? [])].flatMap((shelf) => [...shelf.values()]);
  }

  /** The resources of which there are or were objects. */
  resources(): readonly string[] {
    return [...this.byResource.keys()];
  }

  set(resource: string, object: KubeObject): void {
    this.changeable(resource, object.metadata.namespace).set(object.metadata.name, object);
  }

  delete(resource: string, { namespace, name }: KubeObject['metadata']): void {
    this.changeable(resource, namespace).delete(name);
  }

  private changeable(resource: string, namespace: string): Shelf {
    this.byResource = this.owned(this.byResource);
    const shelves = this.owned(this.byResource.get(resource));
    this.byResource.set(resource, shelves);
    const shelf = this.owned(shelves.get(namespace));
    shelves.set(namespace, shelf);
    return shelf;
  }

  private owned<Value>(map: Map<string, Value> = new Map()): Map<string, Value> {
    if (this.own.has(map)) return map;
    const copied = new Map(map);
    this.own.add(copied);
    return copied;
  }

  /** The maps, to be read by a copy: from now on they are nobody's to change. */
  private shared(): Map<string, Shelves> {
    this.own = new WeakSet();
    return this.byResource;
  }
}

function sorted(entries: (readonly [string, KubeObject])[]): KubeObject[] {
  return entries.sort(([left], [right]) => (left < right ? -1 : 1)).map(([, object]) => object);
}
