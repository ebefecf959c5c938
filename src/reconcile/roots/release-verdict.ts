/** Says of a merge what it makes of HelmReleases that kustomize builds and a Rollout names: a release that waits, or groups that restart. */

import type { Carrier } from '../../api/carrier.ts';
import { inputsOf, renderersIn } from '../../api/helm-release.ts';
import type { Issue } from '../../api/issue.ts';
import { at } from '../../api/json.ts';
import { MARK } from '../../api/marks.ts';
import { SENTINEL } from '../../api/workload.ts';
import { rootOfPatch } from '../../manifests/patch-place.ts';
import { pathText } from '../../manifests/path-text.ts';
import { FILE_EFFECTS } from '../../rollout/edits/file-effects.ts';
import type { Desired } from '../desired/desired-rollout.ts';
import { changedInputs } from '../helm/release-inputs.ts';
import { reinstalled } from '../helm/release-target.ts';
import { isNamed, type RootRelease } from './named-in-root.ts';
import type { RootView } from './read-roots.ts';

type Effect = Issue & { readonly level: (typeof FILE_EFFECTS)[keyof typeof FILE_EFFECTS]['level'] };

const SHOWN_MOST = 3;

/** Of those that were there before: a new one starts its workload, and restarts nothing. */
export function verifyReleases(
  before: readonly RootView[],
  after: readonly RootView[],
  desired: Desired,
): {
  readonly effects: readonly Effect[];
  readonly broken: readonly Issue[];
  readonly isBuilt: (carrier: Carrier) => boolean;
} {
  const was = before.flatMap(releasesIn);
  const is = after.flatMap(releasesIn).filter(({ release }) => !isPlain(release, desired));
  const both = is.flatMap((now) => {
    const old = was.find(({ release }) => isSame(release, now.release));
    return old === undefined ? [] : [{ old: old.release, ...now }];
  });
  return {
    effects: both.flatMap(effectOf),
    broken: both.flatMap(targetOf),
    isBuilt: (carrier) => is.some(({ release }) => isSame(release, carrier)),
  };
}

/** Its own document is what Flux gets: what changes there is said at its line. */
function isPlain({ namespace = '', name }: RootRelease, desired: Desired): boolean {
  const named = desired.index.releasesCalled({ namespace, name });
  const isOwn = named.every((one) => rootOfPatch(one.file) === undefined && desired.index.layoutOf(one).length === 0);
  return named.length > 0 && isOwn;
}

type Built = { readonly release: RootRelease; readonly file: string };

function releasesIn({ root, releases }: RootView): readonly Built[] {
  return releases.filter(isNamed).map((release) => ({ release, file: root.document.file }));
}

function isSame(
  one: Pick<RootRelease, 'namespace' | 'name'>,
  other: { readonly namespace: string | undefined; readonly name: string },
): boolean {
  return one.name === other.name && one.namespace === other.namespace;
}

/** A line of a build helps nobody: it stands at the kustomization. */
function effectOf({ old, release, file }: Built & { readonly old: RootRelease }): readonly Effect[] {
  const changed = changedInputs(old.document.value, release.document.value);
  const [first] = changed;
  if (first === undefined) return [];
  const { value, object } = release.document;
  const isManaged = at(value, ['metadata', 'annotations', MARK.release]) !== undefined;
  const isLocked = isManaged && renderersIn(value).entry?.partition === SENTINEL;
  const name = isLocked ? 'LocksRelease' : 'ReachesGroups';
  const shown = changed.slice(0, SHOWN_MOST).map(pathText).join(', ');
  const more = changed.length > SHOWN_MOST ? ` and ${changed.length - SHOWN_MOST} more` : '';
  const does = isLocked
    ? 'and the partition in the patch of tranche releases no group for update'
    : isManaged
      ? 'and groups that the step of now has released restart when that is applied'
      : 'so Flux renders its LeaderWorkerSet again: every group of it may restart when that is applied, without steps';
  return [
    {
      file,
      line: 1,
      path: '',
      reason: name,
      message: `HelmRelease ${object.name}: this folder builds other inputs of it (${shown}${more}), ${does}`,
      hint: 'tranche roots --base shows the build before and after. What the chart makes of it is not known here.',
      level: FILE_EFFECTS[name].level,
    },
  ];
}

function targetOf({ old, release, file }: Built & { readonly old: RootRelease }): readonly Issue[] {
  const { namespace = '', name } = release;
  const inputs = { before: inputsOf(old.document.value), after: inputsOf(release.document.value) };
  return reinstalled(release.document, inputs, { namespace, name }).map((issue) => ({ ...issue, file, line: 0 }));
}
