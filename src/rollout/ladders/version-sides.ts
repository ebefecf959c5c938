/** The two sides of a delivery: whole workloads, or the groups of one that are on the release and the others. */

import { LWS_NAME, REVISION_KEY } from '../../api/lws-labels.ts';
import { MARK } from '../../api/marks.ts';
import { inShort, printRelease } from '../../api/release.ts';
import { isOneWorkload } from '../../api/styles.ts';
import { VERSION } from '../../api/version-label.ts';
import { takesIn } from '../traffic/subsets.ts';
import type { Side } from './condition.ts';
import { annotationsOf, type Delivery, hasSubsets, selectorOf, sidesOf } from './delivery.ts';
import { positionOf } from './position.ts';

/**
 * Whether a Service of this selector takes in the leaders of a side. Of one workload the label tells it, or the revision:
 * where a revision stands, a commit of ours has put it there, and that of the release into the new version's Service alone.
 */
export function takesSide(delivery: Delivery, selector: Readonly<Record<string, string>>, side: Side): boolean {
  const workload = sidesOf(delivery).workloads[side];
  if (!isOneWorkload(delivery.plan.style)) return takesIn(selector, workload, hasSubsets(delivery));
  const version = selector[VERSION];
  const key = selector[REVISION_KEY];
  const isByKey = key !== undefined && key === selectorOf(delivery.canaryService)[REVISION_KEY];
  const isOfRelease =
    isByKey || version === (isTakenBack(delivery) ? newVersion(delivery) : printRelease(delivery.release));
  if (selector[LWS_NAME] !== workload) return false;
  return side === 'stable' ? !isOfRelease : isOfRelease || (version === undefined && key === undefined);
}

/** The groups whose leaders carry the label, or are of the revision; or all others. */
export type Told =
  | { readonly label: string; readonly isOn: boolean }
  | { readonly revision: string; readonly isOn: boolean };

/** The groups of a side by what the Service of the new version selects; undefined: that names no version. */
export function toldApart({ canaryService }: Pick<Delivery, 'canaryService'>, side: Side): Told | undefined {
  const { [VERSION]: label, [REVISION_KEY]: revision } = selectorOf(canaryService);
  const isOn = side === 'canary';
  if (label !== undefined) return { label, isOn };
  return revision === undefined ? undefined : { revision, isOn };
}

/** Which groups of its workload a side has: all, those on the template of Git, those on any other, or those of its Service. */
export function versionsOf(delivery: Delivery, side: Side): 'all' | 'release' | 'others' | Told {
  if (!isOneWorkload(delivery.plan.style)) return 'all';
  const position = positionOf(annotationsOf(delivery.own));
  // Requests go by the Services while groups are taken back a batch at a time, whatever the cluster calls its newest revision.
  const { putBack } = delivery;
  const told = isTakenBack(delivery) ? toldApart(delivery, side) : undefined;
  if (told !== undefined) return told;
  if (putBack?.revision !== undefined) return { revision: putBack.revision, isOn: side === 'stable' };
  // Once the stable template is back in Git, the groups on any other are those that are aborted.
  const isTemplateBack = position?.stage.kind === 'rollback' && (position.at === 'template' || position.at === 'back');
  const isBack = putBack !== undefined || isTemplateBack;
  return (side === 'canary') === isBack ? 'others' : 'release';
}

/** Whether groups are taken back a batch at a time, while the version that is aborted keeps a share for those that are left. */
function isTakenBack({ own }: Pick<Delivery, 'own'>): boolean {
  const position = positionOf(annotationsOf(own));
  return position?.stage.kind === 'rollback' && position.at === 'back';
}

/** A side by its name, for people. */
export function sideName(delivery: Delivery, side: Side): string {
  const name = sidesOf(delivery).workloads[side];
  if (!isOneWorkload(delivery.plan.style)) return name;
  return side === 'canary' ? `${name} on ${inShort(newVersion(delivery))}` : `${name} on the stable version`;
}

/** The release that requests are shared out with: in the rollback the one that was aborted. */
export function newVersion({ own, release }: Pick<Delivery, 'own' | 'release'>): string {
  const annotations = annotationsOf(own);
  const [given] =
    positionOf(annotations)?.stage.kind === 'rollback' ? (annotations[MARK.aborted] ?? '').split(',') : [];
  return given === undefined || given === '' ? printRelease(release) : given;
}
