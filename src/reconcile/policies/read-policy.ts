/** From documents to the policies of a Rollout: which of them match it, what they ask for together, what is wrong. */

import { type Config, isBelow } from '../../api/config.ts';
import type { Issue } from '../../api/issue.ts';
import { POLICY_KIND } from '../../api/kinds.ts';
import { POLICY_FIELD_NAMES, POLICY_FIELDS } from '../../api/policy-fields.ts';
import { NO_RULES, type PolicyFieldName, type RolloutPolicy } from '../../api/policy-rules.ts';
import { POLICY_API_VERSION, parseRolloutPolicy } from '../../api/rollout-policy.ts';
import { undoGrants } from '../../api/undo-limits.ts';
import type { ManifestDocument, ManifestFile } from '../../manifests/parse-file.ts';
import type { Snapshot } from '../../rollout/snapshot.ts';
import { isData, type Unreadable, unreadableIssue, withoutEchoes } from '../documents/desired-issues.ts';
import type { FileIds } from '../documents/file-ids.ts';
import { ambiguousFields, fieldIssue, versionIssue } from '../documents/read-rollout.ts';
import { MATCHING_MOST, type PolicyReading, type PolicyScope } from './policy-scope.ts';
import { zoneIssues } from './windows.ts';
/** For what no Rollout names. */
export const NO_SCOPE: PolicyScope = {
  rules: NO_RULES,
  sources: {},
  matching: [],
  outOfReach: [],
  files: [],
  issues: [],
  missing: [],
  conflicts: [],
};

/** Every policy of the files. A file that may hold one and cannot be read is one that means every Rollout. */
export function readPolicies(
  files: readonly ManifestFile[],
  unreadable: readonly Unreadable[],
  config: Pick<Config, 'policyPaths' | 'stopFile'>,
): readonly PolicyReading[] {
  const hiding = unreadable.filter((file) => mayHide(file));
  const lost = hiding.map((file) =>
    placed({ ...unread(file.path), kind: 'lost', issues: [hidingIssue(file)] }, config),
  );
  const told = files.flatMap((file): readonly PolicyReading[] => {
    const policies = file.documents
      .filter((document) => document.object.kind === POLICY_KIND)
      .map((document) => placed(readPolicy(document), config));
    if (file.issues.length === 0 || [...file.text.matchAll(POLICY_LINE)].length <= policies.length) return policies;
    return [...policies, placed({ ...unread(file.file), kind: 'lost', issues: withoutEchoes(file.issues) }, config)];
  });
  return [...told, ...lost];
}

/** Of one that is too large, or only a link, nothing was read: nobody knows what is in it. No agent has a file of a name that is none. */
function mayHide(file: Unreadable): boolean {
  if (file.cause === 'name') return false;
  return file.cause !== 'garbled' ? !isData(file) : (file.legible ?? '').search(POLICY_LINE) >= 0;
}

function hidingIssue(file: Unreadable): Issue {
  const issue = unreadableIssue(file);
  return { ...issue, message: `${issue.message}: it may hold a ${POLICY_KIND}, so no step goes forward` };
}

const POLICY_LINE = new RegExp(`\\bkind["']?[ \\t]*:[ \\t]*["']?${POLICY_KIND}\\b`, 'g');

function unread(file: string): Omit<PolicyReading, 'kind' | 'issues'> {
  return { name: '', file, lines: {}, line: 0, selection: {}, policy: undefined };
}

const POLICY_VERSION = { what: 'policy', wanted: POLICY_API_VERSION };

function readPolicy(document: ManifestDocument): PolicyReading {
  const { file } = document;
  if (document.object.apiVersion !== POLICY_API_VERSION)
    return {
      ...unread(file),
      kind: 'wrong',
      name: document.object.name,
      issues: [versionIssue(document, POLICY_VERSION)],
    };
  const { name, policy, selection, faults } = parseRolloutPolicy(document.value);
  const issues = [
    ...faults.map((fault) => fieldIssue(document, fault)),
    ...ambiguousFields(document),
    ...zoneIssues(document, { policy, name }),
  ];
  const read = issues.length === 0 ? policy : undefined;
  const said = POLICY_FIELD_NAMES.filter((field) => policy?.[field] !== undefined);
  return {
    kind: read === undefined ? 'wrong' : 'read',
    name,
    file,
    lines: Object.fromEntries(said.map((field) => [field, document.lineOf(['spec', field])])),
    line: document.lineOf(['spec', 'rollouts']),
    ...(selection.clusters === undefined ? {} : { clustersLine: document.lineOf(['spec', 'clusters']) }),
    selection,
    policy: read,
    issues,
  };
}

/**
 * Who writes outside of `policyPaths` speaks for the folder of the file, and can only tighten there: what one value of decides
 * for all, or tells others, counts from inside alone.
 */
function placed(
  reading: PolicyReading,
  { policyPaths, stopFile }: Pick<Config, 'policyPaths' | 'stopFile'>,
): PolicyReading {
  const { policy, file } = reading;
  // Where anybody may write a policy, none grants an exception or a longer rollback; what it refuses counts all the same.
  if (policyPaths === undefined)
    return { ...reading, policy: policy && without(policy, ['exceptions', ...undoGrants(policy)]) };
  if (isBelow(policyPaths, file)) return reading;
  const folder = file === stopFile ? undefined : file.slice(0, Math.max(0, file.lastIndexOf('/')));
  const inside = POLICY_FIELD_NAMES.filter((name) => countsInsideAlone(name));
  return { ...reading, outside: { folder }, policy: policy && without(policy, inside) };
}

/** Whether the field counts from `policyPaths` alone where that is set. Of a grant, what it refuses counts anywhere. */
function countsInsideAlone(name: PolicyFieldName): boolean {
  const { composition } = POLICY_FIELDS[name];
  return name === 'exceptions' || composition === 'choice' || composition === 'observer' || composition === 'parameter';
}

function without(policy: RolloutPolicy, names: readonly PolicyFieldName[]): RolloutPolicy {
  return Object.fromEntries(Object.entries(policy).filter(([name]) => !names.some((one) => one === name)));
}

/** How many digits of a blob id are shown. */
export const BLOB_SHOWN = 12;

/** What only grants, or only tells, holds nothing that would start without it. */
function mayHold(name: PolicyFieldName): boolean {
  const { composition } = POLICY_FIELDS[name];
  return composition !== 'grant' && composition !== 'observer' && composition !== 'parameter';
}

/** What of it a decision may depend on. */
export function policyFacts(
  scope: PolicyScope,
  blobs: Pick<FileIds, 'get'>,
): Pick<Snapshot, 'policySources' | 'missingPolicies' | 'policyConflicts' | 'governing'> {
  const governing = scope.matching
    .filter(({ policy }) => POLICY_FIELD_NAMES.some((name) => policy?.[name] !== undefined && mayHold(name)))
    .slice(0, MATCHING_MOST)
    .map(({ name, file }) => `${name}@${(blobs.get(file) ?? '').slice(0, BLOB_SHOWN)}`);
  const { matching, missing, conflicts, sources } = scope;
  return {
    ...(matching.length === 0 ? {} : { policySources: sources }),
    ...(missing.length === 0 ? {} : { missingPolicies: missing }),
    ...(conflicts.length === 0 ? {} : { policyConflicts: conflicts }),
    ...(governing.length === 0 ? {} : { governing }),
  };
}
