/** A GitOps agent: applies the manifests of a commit as one field manager, all of them or some, in any order. */

import { isJsonObject, type JsonObject } from '../api/json.ts';
import { withoutValue } from './object-edit.ts';
import { keptMeta } from './object-meta.ts';
import { annotationsOf, type KubeObject, type NewObject, text } from './objects.ts';
import { resourceOf } from './resource-table.ts';
import { badRequest } from './status-body.ts';
import type { Answer, Store } from './store.ts';

/** The parsed documents of a commit, by file. Which commit, and when, is the caller's to decide: that is lag. */
export type CommitManifests = ReadonlyMap<string, readonly JsonObject[]>;

export type ManifestAnswer = { readonly manifest: JsonObject; readonly answer: Answer };

export type AgentOptions = {
  readonly manager: string;
  /** For manifests that name none. */
  readonly namespace: string;
  /** Fields that the agent leaves out of what it applies (`ignoreDifferences`), as `['spec', 'replicas']`. */
  readonly ignored?: readonly (readonly string[])[];
};

export type SyncOptions = AgentOptions & {
  /** Which documents are applied, in which order; all in the order of paths without it. */
  readonly choose?: (manifests: readonly JsonObject[]) => readonly JsonObject[];
  /** Objects of this agent that the commit does not have are deleted. */
  readonly prune: boolean;
};

/** Marks the objects of an agent, as Flux's labels and Argo CD's tracking id do. */
export const AGENT_ANNOTATION = 'agent.example.com/tracking-id';

/** Applies one commit. Objects that the agent did not choose this time are not pruned. */
export function syncCommit(store: Store, commit: CommitManifests, options: SyncOptions): readonly ManifestAnswer[] {
  const all = [...commit.keys()].sort().flatMap((path) => commit.get(path) ?? []);
  const tracked = all.map((manifest) => withTracking(manifest, options.manager));
  const chosen = options.choose?.(tracked) ?? tracked;
  const answers = applyManifests(store, chosen, options);
  if (options.prune) prune(store, tracked, options);
  return answers;
}

/** Server-side apply with force of each manifest in order; one refusal does not stop the others. */
export function applyManifests(
  store: Store,
  manifests: readonly JsonObject[],
  options: AgentOptions,
): readonly ManifestAnswer[] {
  return manifests.map((manifest) => ({ manifest, answer: applyOne(store, manifest, options) }));
}

function applyOne(store: Store, manifest: JsonObject, options: AgentOptions): Answer {
  const object = newObject(manifest, options.namespace);
  if (object === undefined)
    return { ok: false, status: badRequest('Object kind, apiVersion and metadata.name are required') };
  const ignored = options.ignored ?? [];
  const config = ignored.reduce((rest, path) => withoutValue(rest, path), manifest);
  return store.apply(resourceOf(object), { ...config, ...identity(object) }, { manager: options.manager, force: true });
}

/** A manifest as an object of the API; undefined where it is none. */
export function newObject(manifest: JsonObject, namespace: string): NewObject | undefined {
  const metadata = isJsonObject(manifest['metadata']) ? manifest['metadata'] : {};
  const apiVersion = text(manifest['apiVersion']);
  const kind = text(manifest['kind']);
  const name = text(metadata['name']);
  if (apiVersion === '' || kind === '' || name === '') return undefined;
  const meta = { ...keptMeta(metadata, undefined), name, namespace: text(metadata['namespace'], namespace) };
  return { ...manifest, apiVersion, kind, metadata: meta };
}

function identity(object: NewObject): Pick<NewObject, 'apiVersion' | 'kind' | 'metadata'> {
  return { apiVersion: object.apiVersion, kind: object.kind, metadata: object.metadata };
}

function withTracking(manifest: JsonObject, manager: string): JsonObject {
  const metadata = isJsonObject(manifest['metadata']) ? manifest['metadata'] : {};
  const annotations = isJsonObject(metadata['annotations']) ? metadata['annotations'] : {};
  return { ...manifest, metadata: { ...metadata, annotations: { ...annotations, [AGENT_ANNOTATION]: manager } } };
}

function prune(store: Store, wanted: readonly JsonObject[], options: SyncOptions): void {
  const names = new Set<string>();
  for (const manifest of wanted) {
    const object = newObject(manifest, options.namespace);
    if (object !== undefined) names.add(nameOf(resourceOf(object), object.metadata));
  }
  for (const resource of store.objects.resources()) {
    for (const object of store.objects.list(resource)) {
      if (!isMine(object, options.manager) || names.has(nameOf(resource, object.metadata))) continue;
      store.remove({ resource, ...place(object) }, { propagation: 'Background' });
    }
  }
}

/** LWS copies the annotations of its objects into StatefulSets: what has an owner is not ours to prune. */
function isMine(object: KubeObject, manager: string): boolean {
  return annotationsOf(object)[AGENT_ANNOTATION] === manager && object.metadata.ownerReferences === undefined;
}

function nameOf(resource: string, object: { readonly namespace: string; readonly name: string }): string {
  return `${resource} ${object.namespace}/${object.name}`;
}

function place(object: KubeObject): { readonly namespace: string; readonly name: string } {
  return { namespace: object.metadata.namespace, name: object.metadata.name };
}
