/** What Git asks for at one commit: the Rollouts, the workloads they name, and what is wrong with either. */

import { type Config, mappedNamespace } from '../api/config.ts';
import type { Issue } from '../api/issue.ts';
import { at, isRecord } from '../api/json.ts';
import { MARK } from '../api/marks.ts';
import { LWS_API_VERSION, LWS_KIND } from '../api/rollout.ts';
import { type ManifestDocument, type ManifestFile, parseManifestFile } from '../manifests/parse-file.ts';
import type { Oid, ReadRequest, Tree } from '../ports/git.ts';
import type { RolloutKey } from '../rollout/snapshot.ts';
import { nameOf, type RolloutReading, readRollout } from './read-rollout.ts';

/** The kinds that a pass reads; `Kustomization` files are recognised by their names. */
export const INTERESTS = [LWS_KIND, 'Rollout', 'HorizontalPodAutoscaler', 'ScaledObject'] as const;

/** Parsed files by path and blob id: a file that has not changed is not parsed again. Owned by the caller. */
export type ParseCache = Map<string, ManifestFile>;

const PARSE_CACHE_LIMIT = 20_000;

/** A file that is there but could not be read as text. */
export type Unreadable = { readonly path: string; readonly why: string };

export type DesiredRollout = {
  readonly key: RolloutKey;
  /** undefined: a managed workload whose Rollout is gone. */
  readonly rollout: ManifestDocument | undefined;
  readonly reading: RolloutReading;
  /** undefined: missing, or there twice; `issues` says which. */
  readonly workload: ManifestDocument | undefined;
  readonly issues: readonly Issue[];
};

export type Desired = {
  readonly commit: Oid;
  readonly config: Config;
  /** Paths and blob ids of everything that was read: what must be unchanged for a plan to hold on another parent. */
  readonly blobs: ReadonlyMap<string, Oid>;
  readonly texts: ReadonlyMap<string, string>;
  readonly files: readonly ManifestFile[];
  readonly rollouts: readonly DesiredRollout[];
  /** Issues of files that belong to no rollout in particular. */
  readonly issues: readonly Issue[];
};

/** What to read of main for these paths. Only files that can concern a rollout keep their text. */
export function desiredRequest(paths: readonly string[]): ReadRequest {
  return {
    paths,
    suffixes: ['.yaml', '.yml', '.json', 'Kustomization', 'Chart.yaml'],
    markers: [
      LWS_KIND,
      'rollouts.kruise.io',
      'HorizontalPodAutoscaler',
      'ScaledObject',
      'resources:',
      'Kustomization',
      'kind: Rollout',
    ],
  };
}

/** Reads a tree into rollouts. Pure but for the cache, which only saves time. */
export function desiredOf(tree: Tree, config: Config, cache: ParseCache): Desired {
  const files: ManifestFile[] = [];
  const texts = new Map<string, string>();
  const unreadable: Issue[] = [];
  for (const file of tree.files) {
    if (file.content.kind === 'unreadable')
      unreadable.push(unreadableIssue({ path: file.path, why: file.content.why }));
    if (file.content.kind !== 'text') continue;
    texts.set(file.path, file.content.text);
    files.push(parsed(cache, { path: file.path, oid: file.oid, text: file.content.text }));
  }
  const documents = files.flatMap((file) => file.documents);
  const workloads = documents.filter(
    (document) => document.object.kind === LWS_KIND && document.object.apiVersion === LWS_API_VERSION,
  );
  const rollouts = documents.filter(
    (document) => document.object.kind === 'Rollout' && document.object.apiVersion.startsWith('rollouts.kruise.io/'),
  );
  return {
    commit: tree.commit,
    config,
    blobs: new Map(tree.files.map((file) => [file.path, file.oid])),
    texts,
    files,
    rollouts: [...rolloutsOf(rollouts, workloads, config), ...orphans(rollouts, workloads, config)].sort((a, b) =>
      compare(keyText(a.key), keyText(b.key)),
    ),
    issues: [...unreadable, ...files.flatMap((file) => file.issues)],
  };
}

function parsed(
  cache: ParseCache,
  file: { readonly path: string; readonly oid: string; readonly text: string },
): ManifestFile {
  const key = `${file.oid} ${file.path}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  if (cache.size >= PARSE_CACHE_LIMIT) cache.clear();
  const fresh = parseManifestFile(file.path, file.text, INTERESTS);
  cache.set(key, fresh);
  return fresh;
}

function rolloutsOf(
  rollouts: readonly ManifestDocument[],
  workloads: readonly ManifestDocument[],
  config: Config,
): readonly DesiredRollout[] {
  return rollouts.map((document) => {
    const reading = readRollout(document);
    const namespace = namespaceOf(document, config);
    const key = { cluster: config.cluster, namespace: namespace ?? '', name: document.object.name };
    const issues: Issue[] = [...reading.issues];
    if (namespace === undefined) issues.push(namespaceIssue(document));
    const twins = rollouts.filter(
      (other) =>
        other !== document && other.object.name === document.object.name && namespaceOf(other, config) === namespace,
    );
    if (twins.length > 0) issues.push(twiceIssue(document, twins));
    const name = workloadName(document);
    const rivals = rollouts.filter(
      (other) =>
        other !== document &&
        workloadName(other) === name &&
        namespaceOf(other, config) === namespace &&
        !twins.includes(other),
    );
    if (name !== '' && rivals.length > 0) issues.push(rivalIssue(document, rivals, name));
    const found = workloads.filter(
      (workload) => workload.object.name === name && namespaceOf(workload, config) === namespace,
    );
    const [workload] = found;
    if (found.length !== 1 && name !== '')
      issues.push(
        found.length === 0
          ? missingIssue(document, name, namespace ?? '')
          : twiceIssue(found[0] ?? document, found.slice(1)),
      );
    return { key, rollout: document, reading, workload: found.length === 1 ? workload : undefined, issues };
  });
}

/** Managed workloads that no Rollout names: protected still, and reported. */
function orphans(
  rollouts: readonly ManifestDocument[],
  workloads: readonly ManifestDocument[],
  config: Config,
): readonly DesiredRollout[] {
  const named = new Set(rollouts.map((rollout) => `${namespaceOf(rollout, config) ?? ''}/${workloadName(rollout)}`));
  return workloads
    .filter(
      (workload) => isManaged(workload) && !named.has(`${namespaceOf(workload, config) ?? ''}/${workload.object.name}`),
    )
    .map((workload) => ({
      key: { cluster: config.cluster, namespace: namespaceOf(workload, config) ?? '', name: workload.object.name },
      rollout: undefined,
      reading: { rollout: undefined, issues: [], warnings: [] },
      workload,
      issues: [],
    }));
}

function isManaged(workload: ManifestDocument): boolean {
  const annotations = at(workload.value, ['metadata', 'annotations']);
  return isRecord(annotations) && Object.hasOwn(annotations, MARK.release);
}

function workloadName(rollout: ManifestDocument): string {
  const name = at(rollout.value, ['spec', 'workloadRef', 'name']);
  return typeof name === 'string' ? name : '';
}

/** The namespace of a manifest, or the one that the configuration maps its path to. */
export function namespaceOf(document: ManifestDocument, config: Config): string | undefined {
  return document.object.namespace === '' ? mappedNamespace(config, document.file) : document.object.namespace;
}

export function keyText(key: RolloutKey): string {
  return `${key.namespace}/${key.name}`;
}

/** Byte order, the same on every machine. */
function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function issue(
  document: ManifestDocument,
  path: readonly string[],
  rest: Pick<Issue, 'reason' | 'message' | 'hint'>,
): Issue {
  return {
    file: document.file,
    line: document.lineOf(path),
    path: path.join('.'),
    ...rest,
    message: `${nameOf(document)}: ${rest.message}`,
  };
}

function place(document: ManifestDocument): string {
  return `${document.file}:${document.lineOf([])}`;
}

function namespaceIssue(document: ManifestDocument): Issue {
  return issue(document, ['metadata', 'namespace'], {
    reason: 'NamespaceUnknown',
    message: 'no namespace in the manifest, and tranche.yaml maps none to its path',
    hint: `Add metadata.namespace, or a line under namespaces in tranche.yaml for ${document.file}.`,
  });
}

function twiceIssue(document: ManifestDocument, others: readonly ManifestDocument[]): Issue {
  return issue(document, ['metadata', 'name'], {
    reason: 'DuplicateObject',
    message: `the same object is also in ${others.map(place).join(' and ')}; wanted it once`,
    hint: 'Remove all but one, or narrow paths in tranche.yaml.',
  });
}

function rivalIssue(document: ManifestDocument, rivals: readonly ManifestDocument[], name: string): Issue {
  return issue(document, ['spec', 'workloadRef', 'name'], {
    reason: 'WorkloadClaimedTwice',
    message: `${name} is also named by ${rivals.map((rival) => `${nameOf(rival)} in ${place(rival)}`).join(' and ')}`,
    hint: 'Keep one Rollout for a workload.',
  });
}

function missingIssue(document: ManifestDocument, name: string, namespace: string): Issue {
  return issue(document, ['spec', 'workloadRef', 'name'], {
    reason: 'WorkloadMissing',
    message: `no LeaderWorkerSet ${namespace}/${name} in the files that were read`,
    hint: 'Check the name, the namespace (also namespaces in tranche.yaml), and paths in tranche.yaml.',
  });
}

function unreadableIssue(file: Unreadable): Issue {
  return {
    file: file.path,
    line: 0,
    path: '',
    reason: 'UnreadableFile',
    message: `${file.path}: ${file.why}`,
    hint: 'Make it UTF-8 text within the limit, or leave it out of paths in tranche.yaml.',
  };
}
