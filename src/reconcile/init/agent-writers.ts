/** Objects next to the agents of a repository that hold up a delivery or write past it: sync windows, and what writes images. */

import { type Config, isBelow } from '../../api/config.ts';
import type { Issue } from '../../api/issue.ts';
import { at } from '../../api/json.ts';
import { stringsIn } from '../../api/service.ts';
import { mapsAt } from '../../api/weighted-routes.ts';
import { type ManifestDocument, parseManifestFile } from '../../manifests/parse-file.ts';
import { agentIssue, type AgentFinding as Found } from './agent-finding.ts';

const KINDS = ['AppProject', 'Application', 'ImageUpdateAutomation'];
const GROUPS = /^(argoproj\.io|image\.toolkit\.fluxcd\.io)\//;

/** Of those that may reach one of these files. */
export function writersIn(
  texts: ReadonlyMap<string, string>,
  files: readonly string[],
  { branch }: Config,
): readonly Issue[] {
  return [...texts].flatMap(([file, text]) =>
    KINDS.some((kind) => text.includes(kind))
      ? parseManifestFile(file, text, KINDS)
          .documents.filter(({ object }) => GROUPS.test(object.apiVersion))
          .flatMap((document) =>
            [...windows(document), ...imageUpdater(document), ...automation(document, files, branch)].map((found) =>
              agentIssue(document, found, text),
            ),
          )
      : [],
  );
}

/** Argo CD: outside of a window that allows, and inside of one that denies, nothing is synced by itself. */
function windows({ object, value }: ManifestDocument): readonly Found[] {
  if (object.kind !== 'AppProject') return [];
  return mapsAt(value, ['spec', 'syncWindows']).map((window, place) => ({
    path: ['spec', 'syncWindows', String(place)],
    reason: 'SyncWindow',
    message: `the window ${JSON.stringify(window)} keeps steps from being applied, and rollbacks as well`,
    hint: 'Take the Applications of LeaderWorkerSets out of it, and say when steps may start by windows of a RolloutPolicy.',
  }));
}

const UPDATER = 'argocd-image-updater.argoproj.io';

/** Unless it is told to write to Git, it sets the image in the Application, which no file shows. */
function imageUpdater({ object, value }: ManifestDocument): readonly Found[] {
  const annotations = stringsIn(at(value, ['metadata', 'annotations']));
  const isUpdated = annotations[`${UPDATER}/image-list`] !== undefined;
  if (object.kind !== 'Application' || !isUpdated) return [];
  if (annotations[`${UPDATER}/write-back-method`]?.startsWith('git') === true) return [];
  return [
    {
      path: ['metadata', 'annotations', `${UPDATER}/image-list`],
      reason: 'ImageWriter',
      message: 'Argo CD Image Updater sets images in the Application, past the files: all groups restart at once',
      hint: `Set ${UPDATER}/write-back-method: git, or take LeaderWorkerSets out of its image-list.`,
      mend: [{ kind: 'set', path: ['metadata', 'annotations', `${UPDATER}/write-back-method`], value: 'git' }],
    },
  ];
}

/** Flux writes tags where a file has its markers; what it pushes to the branch that is delivered starts a release each time. */
function automation({ object, value }: ManifestDocument, files: readonly string[], branch: string): readonly Found[] {
  if (object.kind !== 'ImageUpdateAutomation') return [];
  const path = at(value, ['spec', 'update', 'path']);
  const below = typeof path === 'string' ? path.replace(/^\.?\/*|\/+$/g, '') : '';
  const pushed =
    at(value, ['spec', 'git', 'push', 'branch']) ?? at(value, ['spec', 'git', 'checkout', 'ref', 'branch']);
  if (!files.some((file) => isBelow([below], file)) || (pushed !== undefined && pushed !== branch)) return [];
  return [
    {
      path: ['spec', 'update'],
      reason: 'ImageWriter',
      message: `it pushes new tags to ${branch} by itself: each of them starts a release, or takes the place of one in progress`,
      hint: 'Let it push to another branch (spec.git.push.branch) and merge that by pull requests, or leave markers out of LeaderWorkerSets.',
      mend: [{ kind: 'set', path: ['spec', 'git', 'push', 'branch'], value: 'image-updates' }],
    },
  ];
}
