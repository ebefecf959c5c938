/** Reads the earlier text that a restore takes from, once for all edits of a file. */

import type { PlacedEdit } from '../../rollout/edits/edit.ts';
import type { KnownTexts } from '../known-texts.ts';
import { type ManifestDocument, type ManifestFile, parseManifestFile } from '../parse-file.ts';
import { pathText } from '../path-text.ts';

/** The document as it was where an edit takes from: undefined where it takes from none, or cannot. */
export type Sources = (document: ManifestDocument, edit: PlacedEdit) => ManifestDocument | undefined;

/**
 * The document of the same kind and namespace (which either may leave out), and of the same name or that of `of`, in the text of another version: of its file, or of itself alone. `open` is
 * read already, and may be what is asked for.
 */
export function newSources(open: ManifestDocument, known: KnownTexts): Sources {
  const files = new Map<string, Pick<ManifestFile, 'documents'>>([[open.text, { documents: [open] }]]);
  return ({ file, object: { kind, name, namespace } }, edit) => {
    if (edit.kind !== 'restore') return undefined;
    const read = files.get(edit.source) ?? parseManifestFile(file, edit.source, [kind], known);
    files.set(edit.source, read);
    const wanted = edit.of ?? name;
    const named = read.documents.filter(({ object }) => object.kind === kind && object.name === wanted);
    const exact = named.filter(({ object }) => object.namespace === namespace);
    // People may write the namespace down, or leave it to a kustomization, with the very text that is to be taken back.
    const either = named.filter(({ object }) => object.namespace === '' || namespace === '');
    const found = exact.length === 0 ? either : exact;
    const [only, another] = found;
    const taken = pathText(edit.path);
    // A key that is there twice would be put back twice.
    return another !== undefined || only?.twice.some(({ path }) => path.startsWith(taken)) === true ? undefined : only;
  };
}
