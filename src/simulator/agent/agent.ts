/** A GitOps agent: applies the manifests of a commit as one field manager, all of them or some, in any order. */

import { isJsonObject, type JsonObject, jsonEqual } from '../../api/json.ts';
import { withListDefaults } from '../lws/lws-defaults.ts';
import { withoutValue } from '../objects/object-edit.ts';
import { keptMeta } from '../objects/object-meta.ts';
import { annotationsOf, type KubeObject, type NewObject, text } from '../objects/objects.ts';
import { LWS, resourceOf } from '../objects/resource-table.ts';
import { badRequest, type StatusBody } from '../objects/status-body.ts';
import type { Answer, Store } from '../server/store.ts';

/** The parsed documents of a commit, by file. Which commit, and when, is the caller's to decide: that is lag. */
export type CommitManifests = ReadonlyMap<string, readonly JsonObject[]>;

export type ManifestAnswer = { readonly manifest: JsonObject; readonly answer: Answer };

export type AgentOptions = {
  readonly manager: string;
  /** For manifests that name none. */
  readonly namespace: string;
  /** Fields that the agent leaves out of what it applies (`ignoreDifferences`), as `['spec', 'replicas']`. */
  readonly ignored?: readonly (readonly string[])[];
  /** A refusal instead of the API server's answer: a broken hook, a quota, someone's experiment. */
  readonly fails?: (manifest: JsonObject) => StatusBody | undefined;
};

type SyncOptions = AgentOptions & {
  /** Which documents are applied, in which order; all in the order of paths without it. */
  readonly choose?: (manifests: readonly JsonObject[]) => readonly JsonObject[];
  /** Objects of this agent that the commit does not have are deleted. */
  readonly prune: boolean;
};

/** Marks the objects of an agent, as Flux's labels and Argo CD's tracking id do. */
export const AGENT_ANNOTATION = 'agent.example.com/tracking-id';

/** Applies one commit. Objects that the agent did not choose this time are not pruned. */
export function syncCommit(store: Store, commit: CommitManifests, options: SyncOptions): readonly ManifestAnswer[] {
  const tracked = trackedManifests(commit, options.manager);
  const chosen = options.choose?.(tracked) ?? tracked;
  const answers = applyManifests(store, chosen, options);
  if (options.prune) prune(store, tracked, options);
  return answers;
}

/** The documents of a commit in the order of paths, each with the mark of its agent. */
export function trackedManifests(commit: CommitManifests, manager: string): readonly JsonObject[] {
  const all = [...commit.keys()].sort().flatMap((path) => commit.get(path) ?? []);
  return all.map((manifest) => withTracking(manifest, manager));
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
  const failure = options.fails?.(manifest);
  if (failure !== undefined) return { ok: false, status: failure };
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

/** Whether the live object has every field that the agent would apply: nothing is to be done. */
export function isInSync(store: Store, manifest: JsonObject, options: AgentOptions): boolean {
  const object = newObject(manifest, options.namespace);
  if (object === undefined) return false;
  const resource = resourceOf(object);
  const live = store.objects.get({ resource, ...place(object) });
  const config = (options.ignored ?? []).reduce((rest, path) => withoutValue(rest, path), manifest);
  const complete = resource === LWS ? withListDefaults(config) : config;
  return live !== undefined && isWithin(complete, live);
}

/** Maps field by field, lists and values whole. What the API server owns in metadata is not the agent's. */
function isWithin(wanted: JsonObject, live: JsonObject): boolean {
  return Object.entries(wanted).every(([key, value]) => {
    const there = live[key];
    if (key === 'status' || value === null || there === value) return true;
    if (key === 'namespace' || key === 'creationTimestamp') return true;
    if (isJsonObject(value) && isJsonObject(there)) return isWithin(value, there);
    return there !== undefined && jsonEqual(there, value);
  });
}

function nameOf(resource: string, object: { readonly namespace: string; readonly name: string }): string {
  return `${resource} ${object.namespace}/${object.name}`;
}

function place(object: NewObject): { readonly namespace: string; readonly name: string } {
  return { namespace: object.metadata.namespace, name: object.metadata.name };
}
