/** Compares what two commits build: which LeaderWorkerSets of which folders a merge reaches, and whether groups restart. */

import { at, type Json, jsonEqual } from '../../api/json.ts';
import { PARTITION_PATH } from '../../api/workload-paths.ts';
import { unifiedDiff } from '../../manifests/diff.ts';
import type { RootView, RootWorkload } from './read-roots.ts';

/**
 * `template`: groups restart as LWS releases them for update; `fields`: others, as `replicas`; `unknown`: one of the two
 * folders was not built.
 */
export type RootChange = {
  readonly folder: string;
  /** `namespace/name`; empty where the folder as a whole is not known. */
  readonly workload: string;
  readonly kind: 'new' | 'gone' | 'template' | 'fields' | 'unknown';
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
    return [...new Set([...left.keys(), ...right.keys()])]
      .sort()
      .flatMap((workload) => changeOf({ folder, workload, old: left.get(workload), now: right.get(workload) }));
  });
}

function isUnbuilt(view: RootView | undefined): boolean {
  return view !== undefined && view.workloads.length === 0 && view.issues.length > 0;
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
