/** Whose annotations of tranche count on an object that kustomize builds: those of its patch, and none that people's files bring along. */

import { at, isJsonObject, type JsonObject } from '../../api/json.ts';
import { OWN_PREFIX } from '../../api/release-content.ts';
import { type ManifestDocument, parseManifestFile } from '../../manifests/parse-file.ts';
import { applyEdits } from '../../manifests/splice/apply-edits.ts';
import type { ObjectRef } from '../../rollout/edits/edit.ts';

const ANNOTATIONS = ['metadata', 'annotations'];

/**
 * The object without annotations of tranche that the patch does not have: a base may be delivered itself, and who merges into it
 * says nothing of what is built over it. `patch` undefined: none counts, as in a build without the patch.
 */
export function withOwnMarks(
  built: ManifestDocument,
  patch: Pick<ManifestDocument, 'value'> | undefined,
): ManifestDocument {
  const text = textWithOwnMarks(built.text, { ...built, patch });
  // One alone, at no place of a file.
  return text === built.text ? built : (parseManifestFile(built.file, text, [built.object.kind]).documents[0] ?? built);
}

/** The same of a text that has the object among others. */
export function textWithOwnMarks(
  text: string,
  of: {
    readonly file: string;
    readonly object: ObjectRef;
    readonly value: JsonObject;
    readonly patch: Pick<ManifestDocument, 'value'> | undefined;
  },
): string {
  const [there, own] = [of.value, of.patch?.value].map((value) => at(value, ANNOTATIONS));
  const foreign = Object.keys(isJsonObject(there) ? there : {}).filter(
    (key) => key.startsWith(OWN_PREFIX) && at(own, [key]) === undefined,
  );
  if (foreign.length === 0) return text;
  const edits = foreign.map((key) => ({ kind: 'remove', path: [...ANNOTATIONS, key] }) as const);
  const spliced = applyEdits(text, { file: of.file, object: of.object, edits });
  return spliced.kind === 'ok' ? spliced.text : text;
}

/** The patch in its text, where a build has it. */
export function patchIn(file: string, text: string | undefined, kind: string): ManifestDocument | undefined {
  return text === undefined ? undefined : parseManifestFile(file, text, [kind]).documents[0];
}
