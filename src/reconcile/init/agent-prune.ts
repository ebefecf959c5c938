/** What a delivery takes out of Git and an agent leaves in the cluster: the second workload, and one that is made again. */

import type { Issue } from '../../api/issue.ts';
import { at, isJsonObject } from '../../api/json.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import type { Edit, FieldPath } from '../../rollout/edits/edit.ts';
import { type AgentFinding, agentIssue } from './agent-finding.ts';

const STAYS =
  'what a delivery takes out of Git stays in the cluster: the second workload of canary and blueGreen keeps its GPUs, and one that is to be made again is waited for (AwaitingRemoval)';

/** An agent that applies, and deletes nothing. One that waits for people is not among them: that is said of it already. */
export function unpruned(
  document: ManifestDocument,
  { spec, text }: { spec: FieldPath; text: string },
): readonly Issue[] {
  const { object, value } = document;
  const prune = object.kind === 'Kustomization' ? [...spec, 'prune'] : [...spec, 'syncPolicy', 'automated', 'prune'];
  const parent = at(value, prune.slice(0, -1));
  if (object.kind === 'HelmRelease' || !isJsonObject(parent) || parent['prune'] === true) return [];
  const finding: AgentFinding = {
    path: prune,
    reason: 'NotPruned',
    message: `it does not prune: ${STAYS}`,
    hint: `Set ${prune.slice(spec.length).join('.')}: true, after a look at what else it would delete (${object.kind === 'Kustomization' ? 'flux tree kustomization' : 'argocd app diff'} ${object.name}).`,
    mend: [{ kind: 'set', path: prune, value: true }],
  };
  return [agentIssue(document, finding, text)];
}

const ARGO = 'argocd.argoproj.io/sync-options';
const FLUX = 'kustomize.toolkit.fluxcd.io';
const RECREATED =
  'Argo CD deletes and creates it again where it refuses a change: all groups go down at once, past every policy';
const NOT_APPLIED = 'Flux does not apply what Git says: a step, and a rollback, is not applied as written';

type Said = Pick<AgentFinding, 'reason' | 'message'> & {
  readonly key: string;
  /** Of one entry of the list in the annotation. */
  readonly entry: RegExp;
};

/** What an annotation does, where a delivery takes the workload, or its copy, out of Git. */
const KEEPS: readonly Said[] = [
  { key: ARGO, entry: /^Prune=(false|confirm)$/, reason: 'NotPruned', message: `Argo CD does not prune it: ${STAYS}` },
  { key: `${FLUX}/prune`, entry: /^disabled$/, reason: 'NotPruned', message: `Flux does not prune it: ${STAYS}` },
];
/** The same in every delivery. */
const HARMS: readonly Said[] = [
  { key: ARGO, entry: /^(Replace|Force)=true$/, reason: 'ForcedApply', message: RECREATED },
  { key: `${FLUX}/ssa`, entry: /^(IfNotPresent|Ignore|Merge)$/, reason: 'IgnoredDifference', message: NOT_APPLIED },
  { key: `${FLUX}/reconcile`, entry: /^disabled$/, reason: 'IgnoredDifference', message: NOT_APPLIED },
];

/** Annotations of a workload by which an agent treats it in another way than the rest. A second workload is a copy with them. */
export function workloadSettings(
  document: ManifestDocument,
  { text, isTakenOut }: { readonly text: string; readonly isTakenOut: boolean },
): readonly Issue[] {
  return [...(isTakenOut ? KEEPS : []), ...HARMS].flatMap(({ key, entry, reason, message }) => {
    const path = ['metadata', 'annotations', key];
    const value = at(document.value, path);
    const entries = typeof value === 'string' ? value.split(',').map((one) => one.trim()) : [];
    const kept = entries.filter((one) => !entry.test(one));
    if (kept.length === entries.length) return [];
    const mend: Edit = kept.length === 0 ? { kind: 'remove', path } : { kind: 'set', path, value: kept.join(',') };
    const hint = `Take ${entries.filter((one) => entry.test(one)).join(' and ')} out of ${key}.`;
    return [agentIssue(document, { path, reason, message, hint, mend: [mend] }, text)];
  });
}
