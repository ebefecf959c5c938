/** Edits of a delivery whose versions share one workload: which version each Service selects. */

import { LWS_NAME, REVISION_KEY } from '../../api/lws-labels.ts';
import { MADE_FOR } from '../../api/marks.ts';
import { printRelease } from '../../api/release.ts';
import { VERSION, versionIn } from '../../api/version-label.ts';
import type { ObjectEdits } from '../edits/edit.ts';
import { canaryService, canaryServiceName, picksVersion, renewed } from '../traffic/canary-service.ts';
import type { RouteDocument } from '../traffic/provider.ts';
import { type Commit, edited, madeOf, ofRoutes, removeField, setField, withObjects } from './commit.ts';
import { annotationsOf, type Delivery, type Pin, selectorOf, serviceMissing } from './delivery.ts';
import { isRestored, NO_SHARE, prepared, sharing } from './shares.ts';

const SELECTOR = ['spec', 'selector'];

/** Whether the user's Service takes in the leaders of one version only. */
export function isPinned({ service }: Pick<Delivery, 'service'>): boolean {
  return picksVersion(selectorOf(service));
}

/** Whether the user's Service names another workload than this, or none: a hand has mistyped it, and no commit of ours mends it. */
export function namesAnother({ service, own }: Pick<Delivery, 'service' | 'own'>): boolean {
  return service !== undefined && selectorOf(service)[LWS_NAME] !== own.object.name;
}

/** What of its selector says so, for people: `tranche.dev/version: 9c41d2e0.7`. */
export function pinIn(service: Delivery['service']): string {
  const selector = selectorOf(service);
  return [VERSION, REVISION_KEY]
    .flatMap((key) => (selector[key] === undefined ? [] : `${key}: ${selector[key]}`))
    .join(', ');
}

/** Whether the Service of the new version is there, ours, and selects the release: by its label, or by its revision. */
export function selectsRelease({ canaryService: service, own, release }: Delivery): boolean {
  const isOurs = service !== undefined && annotationsOf(service)[MADE_FOR] === own.object.name;
  const selector = selectorOf(service);
  const isIt = selector[VERSION] === printRelease(release) || selector[REVISION_KEY] !== undefined;
  return isOurs && selector[LWS_NAME] === own.object.name && isIt;
}

/** Whether the leaders to come carry the release's label. */
export function isLabelled({ own, release }: Pick<Delivery, 'own' | 'release'>): boolean {
  return versionIn(own.value) === printRelease(release);
}

/** The user's Service takes in the stable version alone. */
export function pinned({ service }: Delivery, { key, value }: Pin): readonly ObjectEdits[] {
  if (service === undefined) return [];
  const other = key === VERSION ? REVISION_KEY : VERSION;
  return edited(service, [
    ...setField(service, [...SELECTOR, key], value),
    ...removeField(service, [...SELECTOR, other]),
  ]);
}

/** The user's Service takes in all leaders, as it did before: what we have added goes. */
function unpinned({ service }: Delivery): readonly ObjectEdits[] {
  return service === undefined ? [] : unpinnedOf(service);
}

function unpinnedOf(service: RouteDocument): readonly ObjectEdits[] {
  return edited(
    service,
    [VERSION, REVISION_KEY].flatMap((key) => removeField(service, [...SELECTOR, key])),
  );
}

/**
 * The Service of the new version selects the release, by its label or by this revision: made the first time, as are
 * Ingresses for its share.
 */
export function released(delivery: Delivery, revision?: string): readonly ObjectEdits[] {
  return [...selecting(delivery, revision), ...prepared(delivery)];
}

/** The Service of the new version selects by label once more: the revision was that of a release that is overtaken. */
export function unrevised(delivery: Delivery): readonly ObjectEdits[] {
  return selectorOf(delivery.canaryService)[REVISION_KEY] === undefined ? [] : selecting(delivery, undefined);
}

/** Whether requests go by the label that the leaders to come carry: an edit of it would be found by no route. */
export function goesByLabel({ service, canaryService: canary, own, release }: Delivery): boolean {
  const label = versionIn(own.value);
  const isPinnedTo = label !== undefined && selectorOf(service)[VERSION] === label;
  return isPinnedTo || selectorOf(canary)[VERSION] === printRelease(release);
}

function selecting(
  { service, canaryService: canary, own, release }: Delivery,
  revision: string | undefined,
): readonly ObjectEdits[] {
  if (service === undefined) return [];
  const { name } = own.object;
  const by = revision === undefined ? {} : { revision };
  const to = { workload: name, labels: {}, version: printRelease(release), ...by };
  return canary === undefined
    ? ofRoutes([canaryService(service, { ...to, name: canaryServiceName(service.object.name), of: name })])
    : edited(canary, renewed(canary, service, to));
}

/** No request is the new version's alone, and the user's Service takes in all leaders. */
export function restoreAll(delivery: Delivery): Commit {
  return withObjects(withdrawShare(delivery), unpinned(delivery));
}

/**
 * No request is the new version's alone; the user's Service stays with the stable one. No route sends to the new version,
 * and where a document is missing its Service takes in all leaders: a route that no file has may still send there, and
 * to a Service that no file has nothing may be sent.
 */
export function withdrawShare(delivery: Delivery): Commit {
  const home = answersForAll(delivery) ? servicesOnly(delivery, []) : sharing(delivery, NO_SHARE);
  return withObjects(home, opened(delivery));
}

/** Whether it is so in Git. */
export function isShareWithdrawn(delivery: Delivery): boolean {
  return (answersForAll(delivery) || isRestored(delivery)) && opened(delivery).length === 0;
}

/** The user's Service is missing, and the other one, which is not, answers for all leaders: requests stay with that. */
export function answersForAll(delivery: Delivery): boolean {
  return serviceMissing(delivery) !== undefined && delivery.canaryService !== undefined;
}

/** Whether the Service of the new version takes in the leaders of both. */
export function isOpen({ canaryService: canary, own }: Pick<Delivery, 'canaryService' | 'own'>): boolean {
  const selector = selectorOf(canary);
  return selector[LWS_NAME] === own.object.name && !picksVersion(selector);
}

/** Where a document is missing: the Service of the new version, as far as it is ours, takes in all leaders. */
function opened({ canaryService: canary, missing, own }: Delivery): readonly ObjectEdits[] {
  if (canary === undefined || missing.length === 0 || annotationsOf(canary)[MADE_FOR] !== own.object.name) return [];
  return unpinnedOf(canary);
}

/** Services and no routes. */
export function servicesOnly(delivery: Delivery, objects: readonly ObjectEdits[]): Commit {
  return madeOf(delivery, objects);
}
