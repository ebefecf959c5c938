/** Compares what two commits build: which workloads of which folders a merge reaches, and whether groups restart. */

import { CARRIER_KIND } from '../../api/carrier.ts';
import { at, type Json, jsonEqual } from '../../api/json.ts';
import { PARTITION_PATH } from '../../api/workload-paths.ts';
import { unifiedDiff } from '../../manifests/diff.ts';
import { changedInputs } from '../helm/release-inputs.ts';
import { isNamed, type RootWorkload } from './named-in-root.ts';
import type { RootView } from './read-roots.ts';

/**
 * `template`: groups restart as LWS releases them for update; `inputs`: of a HelmRelease that renders a workload; `fields`: others, as
 * `replicas`; `unknown`: one of the two folders was not built.
 */
export type RootChange = {
  readonly folder: string;
  /** `namespace/name`, of a HelmRelease with its kind in front; empty where the folder as a whole is not known. */
  readonly workload: string;
  readonly kind: 'new' | 'gone' | 'template' | 'inputs' | 'fields' | 'unknown';
  /** Groups that LWS restarts at once when this is applied, where the template changes. */
  readonly restarts: number;
  /** A unified diff of what is built; empty where there is nothing to compare. */
  readonly diff: string;
};

/** Every difference, in the order of the folders. Folders that are built from the same files have none. */
export function rootChanges(before: readonly RootView[], after: readonly RootView[]): readonly RootChange[] {
  const folders = [...new Set([...before, ...after].map(({ root }) => root.folder))].sort();
  return folders.flatMap((folder): readonly RootChange[] => {
    const [old, now] = [before, after].map((views) => views.find(({ root }) => root.folder === folder));
    if (old?.key !== undefined && old.key === now?.key) return [];
    if (isUnbuilt(old) || isUnbuilt(now)) return [{ folder, workload: '', kind: 'unknown', restarts: 0, diff: '' }];
    const [left, right] = [byName(old), byName(now)];
    const workloads = [...new Set([...left.keys(), ...right.keys()])]
      .sort()
      .flatMap((workload) => changeOf({ folder, workload, old: left.get(workload), now: right.get(workload) }));
    return [...workloads, ...releaseChanges(folder, old, now)];
  });
}

function isUnbuilt(view: RootView | undefined): boolean {
  return view !== undefined && view.workloads.length + view.releases.length === 0 && view.issues.length > 0;
}

/** Of those that a Rollout names. */
function releaseChanges(
  folder: string,
  before: RootView | undefined,
  after: RootView | undefined,
): readonly RootChange[] {
  const [old, now] = [before, after].map((view) => (view?.releases ?? []).filter(isNamed));
  return (now ?? []).flatMap((is) => {
    const was = old?.find(({ name, namespace }) => name === is.name && namespace === is.namespace);
    if (was === undefined || jsonEqual(was.document.value, is.document.value)) return [];
    const workload = `${CARRIER_KIND} ${is.namespace ?? '?'}/${is.name}`;
    const file = `${folder === '' ? '.' : folder}/${workload}`;
    const diff = unifiedDiff({ file, before: was.document.text, after: is.document.text });
    const isRendered = changedInputs(was.document.value, is.document.value).length > 0;
    return [{ folder, workload, kind: isRendered ? 'inputs' : 'fields', restarts: 0, diff }];
  });
}

function byName(view: RootView | undefined): ReadonlyMap<string, RootWorkload> {
  return new Map((view?.workloads ?? []).map((one) => [`${one.namespace ?? '?'}/${one.name}`, one]));
}

function changeOf(of: {
  readonly folder: string;
  readonly workload: string;
  readonly old: RootWorkload | undefined;
  readonly now: RootWorkload | undefined;
}): readonly RootChange[] {
  const { folder, workload, old, now } = of;
  if (old !== undefined && now !== undefined && jsonEqual(old.document.value, now.document.value)) return [];
  const file = `${folder === '' ? '.' : folder}/${workload}`;
  const diff = unifiedDiff({ file, before: textOf(old), after: textOf(now) });
  if (old === undefined || now === undefined)
    return [{ folder, workload, kind: old === undefined ? 'new' : 'gone', restarts: 0, diff }];
  const kind = old.digest === now.digest ? 'fields' : 'template';
  return [{ folder, workload, kind, restarts: kind === 'template' ? restartsOf(now) : 0, diff }];
}

/** LWS restarts the groups from the partition on; it takes a missing one for 0. */
function restartsOf({ document, groups }: RootWorkload): number {
  const partition: Json | undefined = at(document.value, PARTITION_PATH);
  return Math.max(0, groups - (typeof partition === 'number' ? partition : 0));
}

function textOf(workload: RootWorkload | undefined): string {
  return workload === undefined ? '' : workload.document.text;
}
