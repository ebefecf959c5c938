/** Puts what kustomize builds in the place of the manifests that it is built from: those are no workloads of their own. */

import type { FoundWorkload, Survey } from '../init/survey.ts';
import type { RootWorkload } from './named-in-root.ts';
import type { RootView } from './read-roots.ts';

/** The survey with each LeaderWorkerSet of these folders as something that may be delivered by a patch. */
export function withBuiltWorkloads(survey: Survey, folders: readonly RootView[]): Survey {
  const parts = new Set(folders.flatMap(({ files }) => files));
  const plain = survey.workloads.filter(({ document }) => !parts.has(document.file));
  return { ...survey, workloads: [...plain, ...folders.flatMap((view) => view.workloads.map(foundIn(view)))] };
}

/** It stands at the kustomization: that is the file that somebody knows it by. */
function foundIn({ root, agents, issues }: RootView): (workload: RootWorkload) => FoundWorkload {
  return ({ document, namespace = '', name, groups, size, gpusOfGroup, images, rollouts }) => ({
    document: {
      ...root.document,
      object: { ...document.object, namespace },
    },
    name,
    namespace: namespace === '' ? undefined : namespace,
    groups,
    saysSize: true,
    size,
    gpusOfGroup,
    images,
    // Who asks for a second workload next to it is refused: what is in front of it decides nothing.
    front: [],
    agents,
    deliveredBy: rollouts[0],
    refused: issues,
  });
}
