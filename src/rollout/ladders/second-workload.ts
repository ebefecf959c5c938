/** The workload that a delivery fills, as a copy of the user's: made once, kept at no groups, given each release's template. */

import { at, isRecord } from '../../api/json.ts';
import { LWS_NAME } from '../../api/lws-labels.ts';
import { MADE_FOR, TEXT } from '../../api/marks.ts';
import { printRelease } from '../../api/release.ts';
import { RELEASE_PATHS } from '../../api/release-content.ts';
import { stringsIn } from '../../api/service.ts';
import { SENTINEL } from '../../api/workload.ts';
import { MAX_SURGE_PATH, PARTITION_PATH, REPLICAS_PATH } from '../../api/workload-paths.ts';
import type { Edit, ObjectEdits } from '../edits/edit.ts';
import { canaryService, picksVersion, renewed } from '../traffic/canary-service.ts';
import { edited, ofRoutes, setField } from './commit.ts';
import {
  annotationsOf,
  canarySide,
  type Delivery,
  greenServes,
  hasSubsets,
  replicasOf,
  secondName,
  selectorOf,
  sidesOf,
} from './delivery.ts';
import { prepared } from './shares.ts';

/** Annotations that say something of one object, which the copy is not. */
const LEFT_OUT =
  /^(tranche\.dev\/|kubectl\.kubernetes\.io\/last-applied-configuration$|argocd\.argoproj\.io\/|config\.k8s\.io\/)/;

/** Whether the workload to be filled has the template of this release. */
export function hasTemplate(delivery: Delivery): boolean {
  const side = canarySide(delivery);
  return side !== undefined && annotationsOf(side)[TEXT] === printRelease(delivery.release);
}

/** Whether the Service of the new version, or its subset, is there and selects the workload; true where none is to be. */
export function isSelected(delivery: Delivery): boolean {
  if (delivery.service === undefined) return true;
  // Requests for a subset that no DestinationRule has are refused.
  if (hasSubsets(delivery)) return prepared(delivery).length === 0;
  const selector = selectorOf(delivery.canaryService);
  return selector[LWS_NAME] === sidesOf(delivery).workloads.canary && !picksVersion(selector);
}

/** How many groups of it. */
export function grown(delivery: Delivery, replicas: number): readonly ObjectEdits[] {
  const side = canarySide(delivery);
  return side === undefined ? [] : edited(side, setField(side, REPLICAS_PATH, replicas));
}

/** The template of the release at no groups, locked, and the Service that selects it: the first time both are made. */
export function withTemplate(delivery: Delivery): readonly ObjectEdits[] {
  return [...textOf(delivery), ...serviceOf(delivery), ...prepared(delivery)];
}

function textOf(delivery: Delivery): readonly ObjectEdits[] {
  const { own, second } = delivery;
  const text = printRelease(delivery.release);
  if (hasTemplate(delivery)) return [];
  if (greenServes(delivery))
    return edited(own, [{ kind: 'set', path: ['metadata', 'annotations', TEXT], value: text }, ...idle(delivery)]);
  if (second === undefined) {
    const object = { ...own.object, name: secondName(delivery) };
    const edits = [...leftOut(delivery), ...marked(own.object.name, text), ...idle(delivery), ...patches(delivery)];
    return [{ file: own.file, object, edits, document: { kind: 'copy', of: own.object, source: undefined } }];
  }
  const restored = RELEASE_PATHS.map(
    (path): Edit => ({ kind: 'restore', path, source: own.text, of: own.object.name }),
  );
  return edited(second, [...restored, ...marked(own.object.name, text), ...idle(delivery), ...patches(delivery)]);
}

function marked(of: string, text: string): readonly Edit[] {
  const path = (key: string) => ['metadata', 'annotations', key];
  return [
    { kind: 'set', path: path(MADE_FOR), value: of },
    { kind: 'set', path: path(TEXT), value: text },
  ];
}

/** No groups, locked. A copy that is still to be made has what it is copied from. */
function idle(delivery: Delivery): readonly Edit[] {
  const document = canarySide(delivery) ?? delivery.own;
  return [
    ...setField(document, REPLICAS_PATH, 0),
    ...setField(document, PARTITION_PATH, SENTINEL),
    ...setField(document, MAX_SURGE_PATH, 0),
  ];
}

function leftOut({ own }: Delivery): readonly Edit[] {
  return Object.keys(annotationsOf(own))
    .filter((key) => LEFT_OUT.test(key))
    .map((key): Edit => ({ kind: 'remove', path: ['metadata', 'annotations', key] }));
}

/** `patchPodTemplateMetadata`, on the template that leaders are made of. */
function patches({ plan, own }: Delivery): readonly Edit[] {
  const leader = ['spec', 'leaderWorkerTemplate', 'leaderTemplate'];
  const template = at(own.value, leader) === undefined ? ['spec', 'leaderWorkerTemplate', 'workerTemplate'] : leader;
  return (['labels', 'annotations'] as const).flatMap((key) =>
    Object.entries(patched(plan, key)).map(
      ([name, value]): Edit => ({ kind: 'set', path: [...template, 'metadata', key, name], value }),
    ),
  );
}

function patched({ strategy }: Delivery['plan'], key: 'labels' | 'annotations'): Readonly<Record<string, string>> {
  const patch = strategy['patchPodTemplateMetadata'];
  return isRecord(patch) ? stringsIn(patch[key]) : {};
}

function serviceOf(delivery: Delivery): readonly ObjectEdits[] {
  const { service: stable, canaryService: canary, own, plan } = delivery;
  if (stable === undefined || hasSubsets(delivery)) return [];
  const sides = sidesOf(delivery);
  const to = { workload: sides.workloads.canary, labels: patched(plan, 'labels') };
  return canary === undefined
    ? ofRoutes([canaryService(stable, { ...to, name: sides.canary, of: own.object.name })])
    : edited(canary, renewed(canary, stable, to));
}

/** Whether it has groups according to Git. */
export function hasGroups(delivery: Delivery): boolean {
  return replicasOf(canarySide(delivery)) > 0;
}
