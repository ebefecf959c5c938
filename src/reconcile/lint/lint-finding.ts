/** What lint looks at, and how a finding becomes an issue with its file and line. */

import type { Issue } from '../../api/issue.ts';
import type { LwsVersion } from '../../api/lws-version.ts';
import type { PolicyRules } from '../../api/policy-rules.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import type { BuildInput } from '../../ports/builder.ts';
import type { FieldPath } from '../../rollout/edits/edit.ts';
import type { Stable, WorkloadFile } from '../../rollout/snapshot.ts';
import type { Compared } from '../documents/built-over.ts';
import { nameOf } from '../documents/read-rollout.ts';

export type LintFacts = {
  readonly document: ManifestDocument;
  readonly file: WorkloadFile;
  /** The text of the whole file, other documents included. */
  readonly fileText: string;
  /** Something declared or found writes `replicas`. */
  readonly autoscaled: boolean;
  /** The text that is being left, where there is one to compare with. */
  readonly stable: Stable | undefined;
  readonly namespace: string;
  /** `kind/name` of ConfigMaps and Secrets whose name never changes, and needs not. */
  readonly accepted: readonly string[];
  readonly policy: PolicyRules;
  readonly lwsVersion: LwsVersion | undefined;
  /** What kustomize builds of the ConfigMaps and Secrets to which it refers; undefined: it builds nothing here. */
  readonly compared: Compared | undefined;
  /** The files that kustomize builds it from; undefined: it builds nothing here. */
  readonly input: BuildInput | undefined;
};

export type Finding = {
  readonly path: FieldPath;
  readonly reason: string;
  readonly what: string;
  readonly hint: string;
};

/** With the line of the field, or of the nearest parent that is written down. */
export function issueOf(document: ManifestDocument, finding: Finding): Issue {
  return {
    file: document.file,
    line: document.lineOf(finding.path),
    path: finding.path.join('.'),
    reason: finding.reason,
    message: `${nameOf(document)}: ${finding.what}`,
    hint: finding.hint,
  };
}
