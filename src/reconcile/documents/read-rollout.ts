/** From a document to a Rollout: with the file and line of everything that is wrong with it. */

import { CARRIER } from '../../api/carrier.ts';
import type { FieldFault } from '../../api/field-reader.ts';
import { INTENT, parseIntents } from '../../api/intents.ts';
import type { Issue } from '../../api/issue.ts';
import { LWS_KIND } from '../../api/kinds.ts';
import type { MarkFault } from '../../api/marks.ts';
import { nearest } from '../../api/nearest.ts';
import { OWN_PREFIX } from '../../api/release-content.ts';
import {
  DISAGGREGATED_SET,
  LWS_API_VERSION,
  LWS_API_VERSION_ALIAS,
  parseRollout,
  ROLLOUT_API_VERSION,
  type Rollout,
} from '../../api/rollout.ts';
import { isOneWorkload, STYLES } from '../../api/styles.ts';
import { MAX_SYNTAX_ISSUES } from '../../manifests/limits.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import type { RolloutFile } from '../../rollout/snapshot.ts';
import { rolloutHash } from './digests.ts';

export type RolloutReading = {
  /** undefined: so wrong that nothing can be worked with. */
  readonly rollout: RolloutFile | undefined;
  readonly issues: readonly Issue[];
  readonly warnings: readonly Issue[];
};

/** Reads a Rollout strictly. What is valid for Kruise but not built here yet is an issue, never half-done. */
export function readRollout(document: ManifestDocument): RolloutReading {
  const { rollout, faults } = parseRollout(document.value);
  // Fields of another version are not misspelt ones: its version is all there is to say.
  if (document.object.apiVersion !== ROLLOUT_API_VERSION && faults.length > 0)
    return { rollout: undefined, issues: [versionIssue(document, ROLLOUT_VERSION)], warnings: [] };
  const issues = [
    ...document.twice.slice(0, MAX_SYNTAX_ISSUES),
    ...faults.map((fault) => fieldIssue(document, fault)),
    ...ambiguousFields(document),
  ];
  if (rollout === undefined) return { rollout: undefined, issues, warnings: [] };
  const { intents, faults: badIntents } = parseIntents(rollout.annotations);
  issues.push(...badIntents.map((fault) => markIssue(document, fault)), ...unsupported(document, rollout));
  issues.push(
    ...unknownAnnotations(document, { annotations: rollout.annotations, known: [...Object.values(INTENT), CARRIER] }),
  );
  const file: RolloutFile = {
    file: document.file,
    object: document.object,
    rollout,
    intents,
    hash: rolloutHash(rollout.strategy),
  };
  return { rollout: file, issues, warnings: aliasWarning(document, rollout) };
}

/** A fault of a field as an issue with its line. */
export function fieldIssue(document: ManifestDocument, fault: FieldFault): Issue {
  return {
    file: document.file,
    line: document.lineOf(fault.at),
    path: fault.at.join('.'),
    reason: fault.reason,
    message: `${nameOf(document)}: ${fault.message}`,
    hint: fault.hint,
  };
}

/** A mark or intent that cannot be read, as an issue with its line. */
export function markIssue(document: ManifestDocument, fault: MarkFault): Issue {
  const path = ['metadata', 'annotations', fault.key];
  const seen = fault.missing === undefined ? quoted(fault.seen) : `missing, though there is ${fault.seen}`;
  return {
    file: document.file,
    line: document.lineOf(path),
    path: path.join('.'),
    reason: 'BadAnnotation',
    message: `${nameOf(document)}: ${fault.key} is ${seen}, wanted ${fault.wanted}`,
    hint: 'Put the value back that the last commit of tranche wrote (git log -p shows it; on a LeaderWorkerSet tranche repair does it), or remove an order that is no longer meant.',
  };
}

/** Kubernetes takes annotations of 256 KiB: what is said of one is read in a terminal, a page and a notification. */
const SEEN_MOST = 200;

function quoted(seen: string): string {
  const { length } = seen;
  return length <= SEEN_MOST
    ? JSON.stringify(seen)
    : `${JSON.stringify(`${seen.slice(0, SEEN_MOST)}…`)}, of ${length} characters`;
}

/**
 * Annotations of our own prefix that say nothing to this version: a newer one may mean a brake by it. No step goes forward
 * over one; rollbacks stay open, for most will be misspelt.
 */
export function unknownAnnotations(
  document: ManifestDocument,
  { annotations, known }: { readonly annotations: Readonly<Record<string, string>>; readonly known: readonly string[] },
): readonly Issue[] {
  const unknown = Object.keys(annotations).filter((key) => key.startsWith(OWN_PREFIX) && !known.includes(key));
  return unknown.map((key) => {
    const path = ['metadata', 'annotations', key];
    const meant = nearest(wordOf(key), known.map(wordOf));
    return {
      file: document.file,
      line: document.lineOf(path),
      path: path.join('.'),
      reason: 'UnknownAnnotation',
      message: `${nameOf(document)}: ${key} is nothing that this version of tranche reads there${meant === undefined ? '' : `; is ${OWN_PREFIX}${meant} meant?`}`,
      hint: 'If a newer tranche wrote it (git log -p shows who did), run that one. If it is misspelt or on the wrong object, correct it or take it out.',
    };
  });
}

function wordOf(key: string): string {
  return key.slice(OWN_PREFIX.length);
}

/** `Rollout vllm`: how messages name an object. */
export function nameOf(document: ManifestDocument): string {
  return `${document.object.kind} ${document.object.name}`;
}

/** Numbers that decide batch sizes must read the same for everybody. */
export function ambiguousFields(document: ManifestDocument): readonly Issue[] {
  return document.ambiguous
    .filter((place) => place.path.startsWith('spec'))
    .map((place) => ({
      file: document.file,
      line: place.line,
      path: place.path,
      reason: 'AmbiguousValue',
      message: `${nameOf(document)}: ${place.path} is written ${place.source}, which Kubernetes and YAML 1.2 read differently`,
      hint: 'Write a plain decimal number, or put text in quotes.',
    }));
}

const DISAGGREGATED_HINT =
  'A DisaggregatedSet makes its LeaderWorkerSets itself and allows no partition, so no step can be held. Write one LeaderWorkerSet for each role, with a Rollout each, or delete this Rollout.';

function unsupported(document: ManifestDocument, rollout: Rollout): readonly Issue[] {
  const issues: Issue[] = [];
  const add = (path: readonly string[], what: string, hint: string): void => {
    issues.push({
      file: document.file,
      line: document.lineOf(path),
      path: path.join('.'),
      reason: 'NotSupportedYet',
      message: `${nameOf(document)}: ${what}`,
      hint,
    });
  };
  if (document.object.apiVersion !== ROLLOUT_API_VERSION) issues.push(versionIssue(document, ROLLOUT_VERSION));
  const { apiVersion, kind } = rollout.workload;
  if (kind !== LWS_KIND || (apiVersion !== LWS_API_VERSION && apiVersion !== LWS_API_VERSION_ALIAS)) {
    add(
      ['spec', 'workloadRef'],
      `workloadRef is ${apiVersion} ${kind}, wanted ${LWS_API_VERSION} ${LWS_KIND}`,
      kind === DISAGGREGATED_SET ? DISAGGREGATED_HINT : 'tranche delivers LeaderWorkerSets only.',
    );
  }
  const traffic = trafficUnsupported(rollout);
  if (traffic !== undefined)
    add(
      ['spec', 'strategy', STYLES[rollout.style].key],
      traffic,
      'Name the Service and its routes under trafficRoutings, or deliver with enableExtraWorkloadForCanary: true.',
    );
  if (rollout.annotations['rollouts.kruise.io/rollback-in-batch'] === 'true') {
    add(
      ['metadata', 'annotations', 'rollouts.kruise.io/rollback-in-batch'],
      'going back in batches is not supported: a rollback is always one commit',
      'Remove the annotation.',
    );
  }
  return issues;
}

/** What of its traffic is not built; undefined: all that it asks for is. */
function trafficUnsupported({ asksForTraffic, style, routing }: Rollout): string | undefined {
  const routes = routing?.routes ?? [];
  if (!asksForTraffic || !isOneWorkload(style)) return undefined;
  if (routes.length === 0) return 'traffic (traffic, matches) without trafficRoutings is not built for this strategy';
  // Subsets name whole workloads.
  const isBySubsets = routes.some(({ kind }) => kind === 'DestinationRule');
  return isBySubsets ? 'traffic by subsets of a DestinationRule is not built for one workload' : undefined;
}

const ROLLOUT_VERSION = { what: 'Rollout', wanted: ROLLOUT_API_VERSION };

/** The object is written in another version of its API than the one that is read. */
export function versionIssue(
  document: ManifestDocument,
  asked: { readonly what: string; readonly wanted: string },
): Issue {
  return {
    file: document.file,
    line: document.lineOf(['apiVersion']),
    path: 'apiVersion',
    reason: 'NotSupportedYet',
    message: `${nameOf(document)}: apiVersion is ${document.object.apiVersion}, wanted ${asked.wanted}`,
    hint: `Write the ${asked.what} in ${asked.wanted}.`,
  };
}

function aliasWarning(document: ManifestDocument, rollout: Rollout): readonly Issue[] {
  if (rollout.workload.apiVersion !== LWS_API_VERSION_ALIAS) return [];
  const path = ['spec', 'workloadRef', 'apiVersion'];
  return [
    {
      file: document.file,
      line: document.lineOf(path),
      path: path.join('.'),
      reason: 'ApiVersionAlias',
      message: `${nameOf(document)}: ${LWS_API_VERSION_ALIAS} is the group of a proposal; it is read as ${LWS_API_VERSION}`,
      hint: `Write ${LWS_API_VERSION}.`,
    },
  ];
}
