/**
 * A HelmRelease that kustomize builds, with our patch over it. A list of a kind without a schema is replaced as a whole, so that the
 * patch has people's entries of `spec.postRenderers` as well, as they were when it was written: theirs of now are in the build without it.
 */

import { inputsOf, isLast, RENDERERS_PATH, type Renderers, renderersIn } from '../../api/helm-release.ts';
import type { Issue } from '../../api/issue.ts';
import { at, isJsonObject, type Json, type JsonObject, jsonEqual } from '../../api/json.ts';
import { shellWord } from '../../api/shell-word.ts';
import { type ManifestDocument, parseManifestFile } from '../../manifests/parse-file.ts';
import { pathText } from '../../manifests/path-text.ts';
import type { Beneath } from '../../rollout/edits/beneath.ts';
import type { FieldPath } from '../../rollout/edits/edit.ts';
import { releaseDigest } from '../documents/digests.ts';
import { nameOf } from '../documents/read-rollout.ts';
import { hasPin } from './patch-issues.ts';

type Versions = {
  /** As built, and as built without the patch. */
  readonly built: ManifestDocument;
  readonly base: ManifestDocument;
  /** undefined: there is none yet. */
  readonly patch: ManifestDocument | undefined;
};

/**
 * What is asked for: people's files as they are now, with the entry and the annotations of the patch. Where the patch pins another
 * version, or its entry is not the last one, it is what is built.
 */
export function asAsked({ built, base, patch }: Versions): ManifestDocument {
  const there = renderersIn(built.value);
  const { others } = renderersIn(base.value);
  const [place] = there.places;
  if (patch === undefined || hasPin(patch.value) || !isLast(there) || place === undefined) return built;
  if (jsonEqual(there.others, others)) return built;
  const spec = isJsonObject(built.value['spec']) ? built.value['spec'] : {};
  const own = listAt(built.value)[place];
  const postRenderers = [...others, ...(own === undefined ? [] : [own])];
  // JSON is YAML: nobody gets to see this text.
  const text = `${JSON.stringify({ ...built.value, spec: { ...spec, postRenderers } })}\n`;
  return parseManifestFile(built.file, text, [built.object.kind]).documents[0] ?? built;
}

/** What edits of the patch go by. */
export function releaseBeneath({ base, patch }: Omit<Versions, 'built'>): NonNullable<Beneath['release']> {
  const isListed = at(patch?.value, RENDERERS_PATH) !== undefined;
  return {
    text: base.text,
    renderers: renderersIn(base.value),
    inPatch: patch === undefined || !isListed ? undefined : renderersIn(patch.value),
  };
}

/** What stops steps: entries that no commit of ours has written, and inputs that no patch could bring back. */
export function releaseIssues(
  versions: Versions,
  { root, repair }: { readonly root: string; readonly repair: string },
) {
  return [...othersEdited(versions, repair), ...unpatchable(versions.base, root)];
}

/** The entry names the inputs that people's files have, and next to it are other entries than theirs. */
function othersEdited({ built, base, patch }: Versions, repair: string): readonly Issue[] {
  if (patch === undefined || hasPin(patch.value)) return [];
  const there: Renderers = renderersIn(built.value);
  const isOf = there.entry?.inputs === releaseDigest(inputsOf(base.value));
  if (!isOf || jsonEqual(there.others, renderersIn(base.value).others)) return [];
  const { file, lineOf, object } = patch;
  return [
    {
      file,
      line: lineOf(RENDERERS_PATH),
      path: RENDERERS_PATH.join('.'),
      reason: 'PatchEdited',
      message: `the patch of ${object.name} has other entries of people in spec.postRenderers than their files`,
      hint: `Put yours into your own files: this one is of tranche (git log -p ${shellWord(file)} shows who wrote it). ${repair} writes the patch as it was.`,
    },
  ];
}

/** A pin replaces whole maps, and kustomize drops from them what is null: to Helm that is a default taken out. */
function unpatchable(base: ManifestDocument, root: string): readonly Issue[] {
  const path = lostIn(inputsOf(base.value), ['spec']);
  if (path === undefined) return [];
  const folder = root === '' ? 'the root of the repository' : root;
  const what = path.at(-1)?.startsWith('$') === true ? 'is a word of kustomize in a patch' : 'is null';
  return [
    {
      file: base.file,
      line: 0,
      path: pathText(path),
      reason: 'UnsupportedLayout',
      message: `${nameOf(base)}: as ${folder} builds it, ${pathText(path)} ${what}, and kustomize takes that out of the patch by which a rollback brings it back`,
      hint: 'Write the value that the chart is to take in its place. Where there is none, deliver the HelmRelease as a file that no kustomization changes.',
    },
  ];
}

/** Lists come out as they went in. */
function lostIn(value: Json | undefined, path: FieldPath): FieldPath | undefined {
  if (value === null) return path;
  if (!isJsonObject(value)) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const lost = key.startsWith('$') ? [...path, key] : lostIn(inner, [...path, key]);
    if (lost !== undefined) return lost;
  }
  return undefined;
}

function listAt(value: JsonObject): readonly Json[] {
  const list = at(value, RENDERERS_PATH);
  return Array.isArray(list) ? list : [];
}
