/** What `lint` finds of Flux Kustomizations that apply a workload, each with the way out as a patch. */

import type { Issue } from '../../api/issue.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import type { Edit } from '../../rollout/edits/edit.ts';
import { type FluxSetting, fluxIssues, HEALTHY_AT_ONCE } from '../documents/flux-settings.ts';
import { mendPatch } from '../documents/mend-patch.ts';

/** `texts`: of the files of the Kustomizations. */
export function fluxFindings(
  all: readonly FluxSetting[],
  workload: ManifestDocument,
  texts: ReadonlyMap<string, string>,
): readonly Issue[] {
  return all.flatMap((setting) => {
    const { document } = setting;
    const patch = mendPatch(document, { mend: mendOf(setting), before: texts.get(document.file) ?? '' });
    return fluxIssues([setting], workload).map((issue) => (patch === '' ? issue : { ...issue, patch }));
  });
}

/** Of the three ways out of a gate the one that needs no other object: the expression of policies/agents/flux-health.yaml. */
function mendOf({ kind, path }: FluxSetting): readonly Edit[] {
  if (kind === 'force') return [{ kind: 'remove', path }];
  return [
    { kind: 'set', path: [...path, 'current'], value: HEALTHY_AT_ONCE },
    ...['failed', 'inProgress'].map((key): Edit => ({ kind: 'remove', path: [...path, key] })),
  ];
}
