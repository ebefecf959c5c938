/** What Argo CD and Flux write about a sync into their own objects (reference: GitOps agents, 2.1 and 3.1). */

import type { Json, JsonObject } from '../../api/json.ts';
import { printInstant } from '../../api/time.ts';
import type { ManifestAnswer } from '../../simulator/agent/agent.ts';
import { type KubeObject, objects, part, specOf, statusOf, text } from '../../simulator/objects/objects.ts';

/** One round of an agent. */
export type Round = {
  readonly nowSeconds: number;
  /** 40 hexadecimal digits, and the branch that it was the head of. */
  readonly revision: string;
  readonly branch: string;
  /** All manifests of the commit, and whether the cluster has them now. */
  readonly compared: readonly { readonly manifest: JsonObject; readonly inSync: boolean }[];
  /** Undefined: nothing was applied this time. */
  readonly applied: readonly ManifestAnswer[] | undefined;
};

const HISTORY_MAX = { argo: 10, flux: 5 } as const;

/** The status of an Application. An unsuccessful revision is not tried again by itself. */
export function applicationStatus(application: KubeObject, round: Round): JsonObject {
  const before = statusOf(application);
  const now = printInstant(round.nowSeconds);
  const synced = round.compared.every(({ inSync }) => inSync);
  const source = part(specOf(application), 'source');
  const operation = round.applied === undefined ? undefined : operationState(round, round.applied, source);
  const failure = text(operation?.['phase']) === 'Failed' ? text(operation?.['message']) : undefined;
  const kept = operation === undefined ? objects(before['conditions']) : [];
  const conditions = failure === undefined ? kept : [{ type: 'SyncError', message: failure, lastTransitionTime: now }];
  return {
    ...(operation === undefined ? { operationState: before['operationState'] ?? {} } : { operationState: operation }),
    sync: {
      status: synced ? 'Synced' : 'OutOfSync',
      revision: round.revision,
      comparedTo: { source, destination: part(specOf(application), 'destination') },
    },
    // Argo CD has no health check for LeaderWorkerSets: what exists is healthy.
    health: { status: 'Healthy', lastTransitionTime: text(part(before, 'health')['lastTransitionTime'], now) },
    reconciledAt: now,
    resources: round.compared.map(({ manifest, inSync }) => ({
      ...resourceRow(manifest),
      status: inSync ? 'Synced' : 'OutOfSync',
    })),
    history: argoHistory(before, round, failure === undefined && operation !== undefined),
    ...(conditions.length === 0 ? {} : { conditions }),
  };
}

function operationState(round: Round, answers: readonly ManifestAnswer[], source: JsonObject): JsonObject {
  const now = printInstant(round.nowSeconds);
  const failed = answers.filter(({ answer }) => !answer.ok);
  const message =
    failed.length === 0
      ? 'successfully synced (all tasks run)'
      : 'one or more objects failed to apply, reason: ' + failed.map(({ answer }) => messageOf(answer)).join(',');
  return {
    phase: failed.length === 0 ? 'Succeeded' : 'Failed',
    message,
    startedAt: now,
    finishedAt: now,
    operation: { initiatedBy: { automated: true }, retry: {}, sync: { revision: round.revision } },
    syncResult: {
      revision: round.revision,
      source,
      resources: answers.map(({ manifest, answer }) => ({
        ...resourceRow(manifest),
        status: answer.ok ? 'Synced' : 'SyncFailed',
        message: answer.ok ? `${text(manifest['kind']).toLowerCase()} serverside-applied` : messageOf(answer),
        hookPhase: answer.ok ? 'Running' : 'Failed',
        syncPhase: 'Sync',
      })),
    },
  };
}

function argoHistory(before: JsonObject, round: Round, isNew: boolean): readonly Json[] {
  const known = objects(before['history']);
  if (!isNew) return known;
  const last = known.at(-1)?.['id'];
  const id = typeof last === 'number' ? last + 1 : 0;
  const now = printInstant(round.nowSeconds);
  const entry = {
    id,
    revision: round.revision,
    deployStartedAt: now,
    deployedAt: now,
    initiatedBy: { automated: true },
  };
  return [...known, entry].slice(-HISTORY_MAX.argo);
}

function resourceRow(manifest: JsonObject): JsonObject {
  const [group, version] = typeOf(manifest);
  const metadata = part(manifest, 'metadata');
  return {
    ...(group === '' ? {} : { group }),
    version,
    kind: text(manifest['kind']),
    namespace: text(metadata['namespace']),
    name: text(metadata['name']),
  };
}

/** The status of a Kustomization: `lastAppliedRevision` is only of what went through as a whole. */
export function kustomizationStatus(kustomization: KubeObject, round: Round): JsonObject {
  const before = statusOf(kustomization);
  const revision = fluxRevision(round);
  const failed = (round.applied ?? []).filter(({ answer }) => !answer.ok);
  const isReady = failed.length === 0;
  const message = isReady
    ? `Applied revision: ${revision}`
    : failed
        .map(({ manifest, answer }) => `${objectName(manifest)} apply failed, error: ${messageOf(answer)}`)
        .join('\n');
  const requested = kustomization.metadata.annotations?.['reconcile.fluxcd.io/requestedAt'];
  const lastApplied = isReady ? revision : before['lastAppliedRevision'];
  return {
    observedGeneration: kustomization.metadata.generation ?? 1,
    ...(requested === undefined ? {} : { lastHandledReconcileAt: requested }),
    lastAttemptedRevision: revision,
    ...(lastApplied === undefined ? {} : { lastAppliedRevision: lastApplied }),
    conditions: [readyCondition(kustomization, { isReady, message, nowSeconds: round.nowSeconds })],
    inventory: isReady
      ? { entries: round.compared.map(({ manifest }) => inventoryEntry(manifest)) }
      : part(before, 'inventory'),
    history: fluxHistory(before, { round, revision, isReady }),
  };
}

function readyCondition(
  object: KubeObject,
  {
    isReady,
    message,
    nowSeconds,
  }: { readonly isReady: boolean; readonly message: string; readonly nowSeconds: number },
): JsonObject {
  const status = isReady ? 'True' : 'False';
  const before = objects(statusOf(object)['conditions']).find((one) => one['type'] === 'Ready');
  const since = before?.['status'] === status ? text(before['lastTransitionTime']) : printInstant(nowSeconds);
  return {
    type: 'Ready',
    status,
    reason: isReady ? 'ReconciliationSucceeded' : 'ReconciliationFailed',
    message,
    lastTransitionTime: since,
    observedGeneration: object.metadata.generation ?? 1,
  };
}

function fluxHistory(
  before: JsonObject,
  { round, revision, isReady }: { readonly round: Round; readonly revision: string; readonly isReady: boolean },
): readonly Json[] {
  const known = objects(before['history']);
  const [newest, ...older] = known;
  const lastReconciledStatus = isReady ? 'ReconciliationSucceeded' : 'ReconciliationFailed';
  const now = printInstant(round.nowSeconds);
  const same = newest !== undefined && part(newest, 'metadata')['revision'] === revision;
  const total = newest?.['totalReconciliations'];
  const entry: JsonObject = {
    firstReconciled: same ? text(newest['firstReconciled']) : now,
    lastReconciled: now,
    lastReconciledStatus,
    totalReconciliations: same && typeof total === 'number' ? total + 1 : 1,
    metadata: { revision },
  };
  return [entry, ...(same ? older : known)].slice(0, HISTORY_MAX.flux);
}

/** The status of the GitRepository that the Kustomization reads: its artifact is the head of the branch. */
export function gitRepositoryStatus(repository: KubeObject, round: Omit<Round, 'compared' | 'applied'>): JsonObject {
  const revision = fluxRevision(round);
  const message = `stored artifact for revision '${revision}'`;
  const condition = readyCondition(repository, { isReady: true, message, nowSeconds: round.nowSeconds });
  return {
    observedGeneration: repository.metadata.generation ?? 1,
    artifact: { revision, lastUpdateTime: printInstant(round.nowSeconds) },
    conditions: [{ ...condition, reason: 'Succeeded' }],
  };
}

function fluxRevision({ branch, revision }: { readonly branch: string; readonly revision: string }): string {
  return `${branch}@sha1:${revision}`;
}

/** `<namespace>_<name>_<group>_<kind>`, and the version. */
function inventoryEntry(manifest: JsonObject): JsonObject {
  const [group, version] = typeOf(manifest);
  const { namespace, name } = part(manifest, 'metadata');
  return { id: [text(namespace), text(name), group, text(manifest['kind'])].join('_'), v: version };
}

function objectName(manifest: JsonObject): string {
  const { namespace, name } = part(manifest, 'metadata');
  return `${text(manifest['kind'])}/${text(namespace)}/${text(name)}`;
}

function messageOf(answer: ManifestAnswer['answer']): string {
  return answer.ok ? '' : answer.status.message;
}

function typeOf(manifest: JsonObject): readonly [group: string, version: string] {
  const apiVersion = text(manifest['apiVersion']);
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? ['', apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
}
