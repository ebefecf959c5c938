/** What Argo CD's source hydrator makes of an Application: which branch it reads, and whether commits wait for a promoter. */

import { at } from '../../api/json.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import type { FieldPath } from '../../rollout/edits/edit.ts';
import type { AgentFinding as Found } from './agent-finding.ts';

/** Below the spec of an Application: what is hydrated. */
export const DRY_SOURCE: FieldPath = ['sourceHydrator', 'drySource'];

/** What is hydrated to another branch than the one that is applied reaches that by a pull request. */
export function promoted({ value }: ManifestDocument, spec: FieldPath): readonly Found[] {
  const path = [...spec, 'sourceHydrator', 'hydrateTo'];
  const next = at(value, [...path, 'targetBranch']);
  const applied = at(value, [...spec, 'sourceHydrator', 'syncSource', 'targetBranch']);
  if (typeof next !== 'string' || next === applied) return [];
  return [
    {
      path,
      reason: 'PromotionWaits',
      message: `it is hydrated to ${next}, and ${typeof applied === 'string' ? applied : 'the branch that is applied'} gets that by a pull request of a promoter: each step, and each rollback, waits until it is merged`,
      hint: 'Take hydrateTo out. Or let the promoter merge by itself (autoMerge of GitOps Promoter), without a check that waits for healthy groups.',
    },
  ];
}
