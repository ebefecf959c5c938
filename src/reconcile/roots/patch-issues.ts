/** What is wrong with our patch over a kustomize folder, and with what applies it. No step goes forward over it. */

import { CARRIER_KIND } from '../../api/carrier.ts';
import { INPUTS } from '../../api/helm-release.ts';
import type { Issue } from '../../api/issue.ts';
import { at, isJsonObject, type Json, type JsonObject } from '../../api/json.ts';
import { EXCLUSIVE_TOPOLOGY, OWN_PREFIX } from '../../api/release-content.ts';
import { shellWord } from '../../api/shell-word.ts';
import { foreignInApply } from '../../manifests/apply-file.ts';
import { fluxMerge } from '../../manifests/flux-merge.ts';
import { list } from '../../manifests/kustomize-changes.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import { APPLY_ENTRY, applyFile, isApplyEntry, type Patched, typeOf } from '../../manifests/patch-place.ts';
import { pathText } from '../../manifests/path-text.ts';
import { type Called, command } from '../../rollout/texts/command-text.ts';
import type { RootView } from './read-roots.ts';
import { takesOut } from './taken-out.ts';

/** Whether a patch has a template, or inputs, of its own. */
export function hasPin({ spec }: JsonObject): boolean {
  return isJsonObject(spec) && PINS.some((key) => spec[key] !== undefined);
}

/** Keys of a release; of a HelmRelease the patch has the list of entries in any case. */
const PINS = ['leaderWorkerTemplate', 'networkConfig', ...INPUTS.filter((key) => key !== 'postRenderers')];

/** In words of kustomize: the object of a patch is not there. */
const NOT_THERE = 'no resource matches strategic merge patch';

/** What keeps the folder from being built, and what to do where that is the name that our patch is for. */
export function unbuiltIssues({ root, patch, view, named, rollout }: Asked): readonly Issue[] {
  const { namespace, name } = named;
  const { apiVersion, kind } = typeOf(named);
  const id = `"${kind}.${apiVersion.split('/').toReversed().join('.')}/${name}.${namespace}"`;
  return (view?.issues ?? []).map((issue) => {
    if (view !== undefined && isAtApply(issue, view)) return { ...issue, hint: applyHint(root, rollout) };
    const isRenamed = issue.reason === 'BuildFails' && issue.message.includes(`${NOT_THERE} ${id}`);
    if (view === undefined || patch === undefined || !isRenamed) return issue;
    const place = namedAt(view);
    const eject = rollout === undefined ? 'tranche eject' : command('eject', rollout);
    return {
      ...issue,
      ...place,
      hint: `The patch of tranche is for ${kind} ${namespace}/${name}, which this folder builds no more under that name. Put the name, the prefix or suffix and the namespace back as they were. To rename it, order ${eject} before that.`,
    };
  });
}

/** What makes another name or namespace: fields of an object of Flux, else of the kustomization. */
function namedAt({ root: { folder, document }, input }: RootView): Pick<Issue, 'file' | 'line'> {
  const merge = fluxMerge({ root: folder, files: input?.files ?? [] });
  const own = merge.kind === 'merged' ? merge : undefined;
  const added = ['namePrefix', 'nameSuffix', 'targetNamespace'].find((one) => own?.fields[one] !== undefined);
  if (own !== undefined && added !== undefined)
    return { file: own.document.file, line: own.document.lineOf(['spec', added]) };
  const key = ['namePrefix', 'nameSuffix', 'namespace'].find((one) => document.value[one] !== undefined);
  return { file: document.file, line: key === undefined ? 0 : document.lineOf([key]) };
}

/** It stands at the entry of ours: what that names is gone, or no transformers. */
function isAtApply({ file, path }: Issue, { root: { document } }: RootView): boolean {
  const place = list(document.value['transformers']).indexOf(APPLY_ENTRY);
  return place >= 0 && file === document.file && path === pathText(['transformers', String(place)]);
}

function applyHint(root: string, rollout: Called | undefined): string {
  const file = applyFile(root);
  const repair = rollout === undefined ? 'tranche repair of its Rollout' : command('repair', rollout);
  return `Order ${repair}: that writes ${file} as tranche left it. By hand: git log -p ${shellWord(file)} shows it.`;
}

type Asked = {
  readonly root: string;
  readonly file: string;
  /** undefined: a commit of ours is going to make it. */
  readonly patch: ManifestDocument | undefined;
  /** Another document of its file; not there: it has none. */
  readonly twin?: ManifestDocument | undefined;
  /** undefined: nothing is built in that folder. */
  readonly view: RootView | undefined;
  /** What it is for. */
  readonly named: Patched;
  /** The Rollout of that workload; undefined: it is gone. */
  readonly rollout: Called | undefined;
};

/** The order that writes a patch again. */
export function repairText(rollout: Called | undefined): string {
  return rollout === undefined ? 'tranche repair of its Rollout' : command('repair', rollout);
}

/** Lost, not the last that is done, or changed by hand to what no commit of ours writes. */
export function patchIssues({ root, file, patch, twin, view, rollout }: Asked): readonly Issue[] {
  const entries = view === undefined ? [] : list(view.root.document.value['transformers']);
  const count = entries.filter(isApplyEntry).length;
  const isOff = count > 1 || (count === 1 && entries.at(-1) !== APPLY_ENTRY);
  const repair = repairText(rollout);
  if (patch === undefined) return view === undefined || !isOff ? [] : [notLast(view.root.document, repair)];
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
      issueIn(document, ['transformers'], {
        reason: 'PatchNotApplied',
        message: `${file} is not applied: the annotations and the partition of tranche are not in what is built`,
        hint: `Order ${repair}: that writes ${APPLY_ENTRY} as the last entry of transformers, and the patch into ${applyFile(root)}. By hand: git log -p ${shellWord(document.file)} shows both.`,
      }),
    ];
  return [
    ...(isOff ? [notLast(document, repair)] : []),
    ...edited(patch, repair),
    ...twinIn(twin, repair),
    ...editedApply(root, view, repair),
  ];
}

/** What applies the patches is ours alone as well: a target of somebody, or a document behind ours, decides what they do. */
function editedApply(root: string, { input }: RootView, repair: string): readonly Issue[] {
  const file = applyFile(root);
  const text = input?.files.find(({ path }) => path === file)?.text;
  const line = text === undefined ? undefined : foreignInApply(text);
  if (line === undefined) return [];
  const said = {
    reason: 'PatchEdited',
    message: `${file} has what tranche does not write there: it decides whether the patch counts`,
    hint: `Put it into a file of your own, listed in front of ${APPLY_ENTRY} (git log -p ${shellWord(file)} shows who wrote it). ${repair} writes the file as it was.`,
  };
  return [{ ...issueOf(file, said), line }];
}

function notLast(document: ManifestDocument, repair: string): Issue {
  const entries = list(document.value['transformers']);
  const own = entries.flatMap((entry, place) => (isApplyEntry(entry) ? [place] : []));
  const [place = 0] = own;
  const what =
    own.length > 1
      ? 'is there more than once, and kustomize builds nothing'
      : place < entries.length - 1
        ? 'is not the last entry of transformers: what comes after it may undo a step'
        : `is written ${shownText(entries[place])}: commits of tranche know it by its plain name alone`;
  return issueIn(document, ['transformers', String(place)], {
    reason: 'PatchNotLast',
    message: `${APPLY_ENTRY} ${what}`,
    hint: `Write ${APPLY_ENTRY} once, at the end of transformers, or order ${repair}.`,
  });
}

function shownText(entry: Json | undefined): string {
  return typeof entry === 'string' ? entry : '';
}

/** All that commits of ours write, but for templates. */
const OWN: readonly (readonly string[])[] = [['apiVersion'], ['kind'], ['metadata', 'name'], ['metadata', 'namespace']];
const OWN_OF_RELEASE = [...OWN, ...INPUTS.map((key) => ['spec', key])];
const OWN_OF_WORKLOAD = [
  ...OWN,
  ['metadata', 'annotations', EXCLUSIVE_TOPOLOGY],
  ['spec', 'replicas'],
  ['spec', 'leaderWorkerTemplate'],
  ['spec', 'networkConfig'],
  ['spec', 'rolloutStrategy', 'rollingUpdateConfiguration', 'partition'],
  ['spec', 'rolloutStrategy', 'rollingUpdateConfiguration', 'maxUnavailable'],
];

/** What no commit of ours writes into a patch: fields of somebody, and a part of a template. */
export function foreignIn({ value }: Pick<ManifestDocument, 'value'>): readonly (readonly string[])[] {
  const isRelease = value['kind'] === CARRIER_KIND;
  const own = isRelease ? OWN_OF_RELEASE : OWN_OF_WORKLOAD;
  const foreign = leaves(value, []).filter(
    (path) => !isOwn(path, own) && !(path[0] === '$patch' && takesOut({ value })),
  );
  const spec = isJsonObject(value['spec']) ? value['spec'] : {};
  const isPart = (part: Json | undefined): boolean => isJsonObject(part) && part['$patch'] !== 'replace';
  const { leaderWorkerTemplate: template } = spec;
  const isPartial = template !== undefined && (!isJsonObject(template) || isPart(template));
  const parts = isRelease ? INPUTS.filter((key) => isPart(spec[key])) : isPartial ? ['leaderWorkerTemplate'] : [];
  return [...foreign, ...parts.map((key) => ['spec', key])];
}

function edited(patch: ManifestDocument, repair: string): readonly Issue[] {
  const { file, object } = patch;
  const paths = foreignIn(patch);
  return paths.slice(0, 3).map((path) =>
    issueIn(patch, path, {
      reason: 'PatchEdited',
      message: `${path.join('.')} of the patch of ${object.name} is nothing that tranche writes there`,
      hint: `Put it into your own files: this one is of tranche (git log -p ${shellWord(file)} shows who wrote it). ${repair} writes the patch as it was.`,
    }),
  );
}

/** Commits of tranche write one document a patch: what kustomize makes of a second one, no step knows. */
function twinIn(twin: ManifestDocument | undefined, repair: string): readonly Issue[] {
  if (twin === undefined) return [];
  return [
    issueIn(twin, ['metadata', 'name'], {
      reason: 'PatchEdited',
      message: `${twin.object.kind} ${twin.object.name} is a second document of this patch: kustomize applies both`,
      hint: `Take it out (git log -p ${shellWord(twin.file)} shows who wrote it). ${repair} writes the patch as it was.`,
    }),
  ];
}

function isOwn(path: readonly string[], all: readonly (readonly string[])[]): boolean {
  const [first, second, third = ''] = path;
  if (first === 'metadata' && second === 'annotations' && third.startsWith(OWN_PREFIX)) return true;
  return all.some((own) => own.every((part, depth) => path[depth] === part));
}

function leaves(value: Json | undefined, path: readonly string[]): readonly (readonly string[])[] {
  if (!isJsonObject(value) || Object.keys(value).length === 0) return [path];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...path, key]));
}

type Said = Pick<Issue, 'reason' | 'message' | 'hint'>;

/** With the line, where what it is about is in the file. */
function issueIn(document: ManifestDocument, path: readonly string[], said: Said): Issue {
  const line = at(document.value, path) === undefined ? 0 : document.lineOf(path);
  return { ...issueOf(document.file, said), line };
}

function issueOf(file: string, said: Said): Issue {
  return { file, line: 0, path: '', ...said };
}
