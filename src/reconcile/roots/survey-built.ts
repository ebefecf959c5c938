/** Puts what kustomize builds in the place of the manifests that it is built from: those are no workloads of their own. */

import { CARRIER_KIND } from '../../api/carrier.ts';
import type { Issue } from '../../api/issue.ts';
import { fieldIssues } from '../helm/release-fields.ts';
import type { FoundWorkload, Survey } from '../init/survey.ts';
import { isNamed, type RootWorkload } from './named-in-root.ts';
import type { RootView } from './read-roots.ts';

/** The survey with each LeaderWorkerSet of these folders as something that may be delivered by a patch. */
export function withBuiltWorkloads(survey: Survey, folders: readonly RootView[]): Survey {
  const parts = new Set(folders.flatMap(({ files }) => files));
  const plain = survey.workloads.filter(({ document }) => !parts.has(document.file));
  return { ...survey, workloads: [...plain, ...folders.flatMap((view) => view.workloads.map(foundIn(view)))] };
}

/** The same of HelmReleases that Rollouts name: what counts of them is what comes out, not the documents that they are built from. */
export function withBuiltCarriers(survey: Survey, folders: readonly RootView[]): Survey {
  const views = folders.filter(({ releases }) => releases.some(isNamed));
  const parts = new Set(views.flatMap(({ files }) => files));
  const rollouts = new Set(views.flatMap(({ releases }) => releases.flatMap((release) => release.rollouts)));
  const ofParts = survey.agents.filter(({ kind, file }) => kind === CARRIER_KIND && parts.has(file));
  const isPart = ({ file, line, path }: Issue): boolean =>
    ofParts.some(({ settings }) => settings.some((one) => one.file === file && one.line === line && one.path === path));
  const isFound = ({ file, reason }: Issue): boolean => reason === 'WorkloadMissing' && rollouts.has(file);
  const others = survey.settings.filter((issue) => !isPart(issue) && !isFound(issue));
  return { ...survey, settings: [...others, ...views.flatMap(inTheWay)] };
}

/** A line of a build helps nobody: it stands at the kustomization. */
function inTheWay({ root, releases }: RootView): readonly Issue[] {
  const { file } = root.document;
  return releases
    .filter(isNamed)
    .flatMap(({ document }) => fieldIssues(document).map((issue) => ({ ...issue, file, line: 0 })));
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
