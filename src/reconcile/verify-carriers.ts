/** Says of a merge that changes what a HelmRelease renders a workload from that no step holds it, as long as nobody has taken it over. */

import type { Carrier } from '../api/carrier.ts';
import { inputsOf } from '../api/helm-release.ts';
import type { Issue } from '../api/issue.ts';
import { at } from '../api/json.ts';
import { MARK } from '../api/marks.ts';
import { pathText } from '../manifests/path-text.ts';
import { FILE_EFFECTS } from '../rollout/edits/file-effects.ts';
import type { Desired, DesiredRollout } from './desired/desired-rollout.ts';
import { carrierOf } from './helm/named-releases.ts';
import { changedInputs } from './helm/release-inputs.ts';
import { reinstalled } from './helm/release-target.ts';

const EFFECT = 'ReachesGroups';
type Effect = Issue & { readonly level: (typeof FILE_EFFECTS)[typeof EFFECT]['level'] };

type Change = { readonly before: Desired | undefined; readonly after: Desired | undefined };

/** `isBuilt`: what kustomize makes of those is said where it is built. Of each Rollout that names one. A HelmRelease that was not there before starts its workload, and restarts nothing. */
export function verifyCarriers({ before, after }: Change, isBuilt: (carrier: Carrier) => boolean): readonly Effect[] {
  if (before === undefined || after === undefined) return [];
  const apart = after.rollouts.filter(({ rollout }) => {
    const carrier = carrierOf(rollout);
    return carrier !== undefined && !isBuilt(carrier);
  });
  return apart.flatMap((entry) => effectOf(entry, before, after));
}

/** Where Flux would take the release for another one, whether or not tranche has taken it over. */
export function verifyTargets({ before, after }: Change, isBuilt: (carrier: Carrier) => boolean): readonly Issue[] {
  if (before === undefined || after === undefined) return [];
  return after.rollouts.flatMap(({ rollout }) => {
    const carrier = carrierOf(rollout);
    if (carrier === undefined || isBuilt(carrier)) return [];
    const [was, is] = [before, after].map((desired) => desired.index.releasesCalled(carrier)[0]);
    if (was === undefined || is === undefined) return [];
    return reinstalled(is, { before: inputsOf(was.value), after: inputsOf(is.value) }, carrier);
  });
}

const SHOWN_MOST = 3;

function effectOf(
  { key, rollout, reading, workload }: DesiredRollout,
  before: Desired,
  after: Desired,
): readonly Effect[] {
  const carrier = carrierOf(rollout);
  // One that is taken over stays locked: what a merge does to it is said like that of any file.
  const isManaged = at(workload?.value, ['metadata', 'annotations', MARK.release]) !== undefined;
  if (carrier === undefined || isManaged) return [];
  const [was, is] = [before, after].map((desired) => desired.index.releasesCalled(carrier)[0]);
  const changed = was === undefined || is === undefined ? [] : changedInputs(was.value, is.value);
  const [first] = changed;
  if (is === undefined || first === undefined) return [];
  const shown = changed.slice(0, SHOWN_MOST).map(pathText).join(', ');
  const more = changed.length > SHOWN_MOST ? ` and ${changed.length - SHOWN_MOST} more` : '';
  const name = reading.rollout?.rollout.workload.name ?? key.name;
  return [
    {
      file: is.file,
      line: is.lineOf(first),
      path: pathText(first),
      reason: EFFECT,
      message: `HelmRelease ${is.object.name}: ${shown}${more} changed, so Flux renders LeaderWorkerSet ${name} again: every group of it may restart when that is applied, without steps`,
      hint: 'What the chart makes of it is not known here: compare helm template of both.',
      level: FILE_EFFECTS[EFFECT].level,
    },
  ];
}
