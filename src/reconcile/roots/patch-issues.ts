/** What is wrong with our patch over a kustomize folder, and with what applies it. No step goes forward over it. */

import type { Issue } from '../../api/issue.ts';
import { isJsonObject, type Json, type JsonObject } from '../../api/json.ts';
import { EXCLUSIVE_TOPOLOGY, OWN_PREFIX } from '../../api/release-content.ts';
import { shellWord } from '../../api/shell-word.ts';
import { list } from '../../manifests/kustomize-changes.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import { APPLY_ENTRY, applyFile } from '../../manifests/patch-place.ts';
import type { RootView } from './read-roots.ts';
import { takesOut } from './taken-out.ts';

/** Whether a patch has a template of its own. */
export function hasPin({ spec }: JsonObject): boolean {
  return isJsonObject(spec) && (spec['leaderWorkerTemplate'] !== undefined || spec['networkConfig'] !== undefined);
}

type Asked = {
  readonly root: string;
  readonly file: string;
  /** undefined: a commit of ours is going to make it. */
  readonly patch: ManifestDocument | undefined;
  /** undefined: nothing is built in that folder. */
  readonly view: RootView | undefined;
};

/** Lost, not the last that is done, or changed by hand to what no commit of ours writes. */
export function patchIssues({ root, file, patch, view }: Asked): readonly Issue[] {
  const entries = view === undefined ? [] : list(view.root.document.value['transformers']);
  const isOff = entries.includes(APPLY_ENTRY) && entries.at(-1) !== APPLY_ENTRY;
  if (patch === undefined) return view === undefined || !isOff ? [] : [notLast(view.root.document)];
  const folder = root === '' ? 'the root of the repository' : root;
  if (view === undefined)
    return [
      issueOf(file, {
        reason: 'PatchNotApplied',
        message: `no kustomization of ${folder} applies this patch`,
        hint: 'Put the kustomization back, or hand the workload back: remove the patch and its line of apply.yaml.',
      }),
    ];
  const { document } = view.root;
  const lost = view.key !== undefined && !view.files.includes(file);
  if (lost)
    return [
      issueOf(document.file, {
        reason: 'PatchNotApplied',
        message: `${file} is not applied: the annotations and the partition of tranche are not in what is built`,
        hint: `Order tranche repair of its Rollout: that writes ${APPLY_ENTRY} as the last entry of transformers, and the patch into ${applyFile(root)}. By hand: git log -p ${shellWord(document.file)} shows both.`,
      }),
    ];
  return [...(isOff ? [notLast(document)] : []), ...edited(patch)];
}

function notLast(document: ManifestDocument): Issue {
  return issueOf(document.file, {
    reason: 'PatchNotLast',
    message: `${APPLY_ENTRY} is not the last entry of transformers: what comes after it may undo a step`,
    hint: `Move ${APPLY_ENTRY} to the end of transformers, or order tranche repair of its Rollout.`,
  });
}

/** All that commits of ours write, but for templates. */
const OWN: readonly (readonly string[])[] = [
  ['apiVersion'],
  ['kind'],
  ['metadata', 'name'],
  ['metadata', 'namespace'],
  ['metadata', 'annotations', EXCLUSIVE_TOPOLOGY],
  ['spec', 'replicas'],
  ['spec', 'leaderWorkerTemplate'],
  ['spec', 'networkConfig'],
  ['spec', 'rolloutStrategy', 'rollingUpdateConfiguration', 'partition'],
  ['spec', 'rolloutStrategy', 'rollingUpdateConfiguration', 'maxUnavailable'],
];

function edited({ file, value, object }: ManifestDocument): readonly Issue[] {
  const foreign = leaves(value, []).filter((path) => !isOwn(path) && !(path[0] === '$patch' && takesOut({ value })));
  const template = isJsonObject(value['spec']) ? value['spec']['leaderWorkerTemplate'] : undefined;
  const isPartial = template !== undefined && !(isJsonObject(template) && template['$patch'] === 'replace');
  const paths = [...foreign, ...(isPartial ? [['spec', 'leaderWorkerTemplate']] : [])];
  return paths.slice(0, 3).map((path) =>
    issueOf(file, {
      reason: 'PatchEdited',
      message: `${path.join('.')} of the patch of ${object.name} is nothing that tranche writes there`,
      hint: `Put it into your own files: this one is of tranche (git log -p ${shellWord(file)} shows who wrote it). tranche repair of its Rollout writes the patch as it was.`,
    }),
  );
}

function isOwn(path: readonly string[]): boolean {
  const [first, second, third = ''] = path;
  if (first === 'metadata' && second === 'annotations' && third.startsWith(OWN_PREFIX)) return true;
  return OWN.some((own) => own.every((part, depth) => path[depth] === part));
}

function leaves(value: Json | undefined, path: readonly string[]): readonly (readonly string[])[] {
  if (!isJsonObject(value) || Object.keys(value).length === 0) return [path];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...path, key]));
}

function issueOf(file: string, said: Pick<Issue, 'reason' | 'message' | 'hint'>): Issue {
  return { file, line: 0, path: '', ...said };
}
