/** Turns planned edits of one object into the new text of its file, changing only the planned bytes. */

import type { Issue } from '../../api/issue.ts';
import type { Edit, ObjectEdits } from '../../rollout/edits/edit.ts';
import { type KnownTexts, newKnownTexts } from '../known-texts.ts';
import { MAX_EDITS } from '../limits.ts';
import { type ManifestDocument, type ManifestFile, parseManifestFile } from '../parse-file.ts';
import { type Replacement, replaceIn } from './change.ts';
import { changesFor, placed } from './changes-for.ts';
import { choose, misfit } from './choose.ts';
import { copyDocument } from './copy-document.ts';
import { deleteDocument } from './delete-document.ts';
import { joined, type Separate, separateEdits } from './separate-edits.ts';
import { newSources, type Sources } from './sources.ts';
import { type Edits, type Verified, verify } from './verify.ts';
import type { WholeDocument } from './verify-document.ts';
import { insertDocument, removeDocument } from './whole-document.ts';
import { writtenOut } from './write-out.ts';

export type Spliced =
  | { readonly kind: 'ok'; readonly text: string }
  | { readonly kind: 'refused'; readonly issue: Issue };

type Open = { readonly file: ManifestFile; readonly document: ManifestDocument };
type Aids = { readonly sources: Sources; readonly known: KnownTexts };
type Made = Verified & { readonly kind: 'ok' };

/**
 * What becomes of an alias, a merge key or two equal keys that are in the way of an edit: the edit is refused, and its author
 * asked to write it out; or the object is written out first, which changes no value of it.
 */
export type InTheWay = 'refuse' | 'writeOut';

const WRITTEN_OUT: ReadonlySet<string> = new Set(['AliasInField', 'DuplicateKey', 'UnsupportedEdit']);

type How = { readonly known?: KnownTexts; readonly aliases?: InTheWay };

/** The text with the edits made (see `edited`), what is in the way of them written out where that is asked for. */
export function applyEdits(
  text: string,
  edits: ObjectEdits,
  { known = newKnownTexts(), aliases = 'refuse' }: How = {},
): Spliced {
  const made = edited(text, edits, known);
  if (made.kind === 'ok' || aliases === 'refuse' || !WRITTEN_OUT.has(made.issue.reason)) return made;
  const file = parseManifestFile(edits.file, text, [edits.object.kind], known);
  const plain = writtenOut(file, edits.object, { known });
  return plain === undefined ? made : edited(plain, edits, known);
}

/**
 * The text is that of the edits made in order, each on the text that the one before left. Those that do not touch each
 * other are made at once, and whatever is made is checked by reading the result afresh. The first that is refused
 * refuses all: a step is written whole or not at all. Documents with a text that is `known` are not parsed again.
 */
function edited(text: string, edits: ObjectEdits, known: KnownTexts): Spliced {
  const tooMany = edits.edits.length > MAX_EDITS;
  if (tooMany)
    return misfit(edits.file, edits.object, {
      reason: 'TooManyEdits',
      what: `the step makes ${edits.edits.length} edits of it, wanted at most ${MAX_EDITS}`,
      hint: 'No later pass makes fewer: leave fewer rules or items in this object, as by dividing it in two.',
    });
  const read = (now: string): ManifestFile => parseManifestFile(edits.file, now, [edits.object.kind], known);
  let file = read(text);
  const start = opened(file, edits, known);
  if (start.kind === 'refused') return start;
  if (start.text !== text) file = read(start.text);
  const chosen = choose(file, edits.object);
  if (chosen.kind === 'refused') return chosen;
  const [twice] = chosen.document.twice;
  if (twice !== undefined) return { kind: 'refused', issue: twice };
  const made = applyAll({ file, document: chosen.document }, edits, known);
  return made.kind === 'refused' ? made : closed(made, edits.document, known);
}

/** Those that do not touch each other at once; where that does not read as planned, and the others, one after another. */
function applyAll(start: Open, { edits }: ObjectEdits, known: KnownTexts): Verified {
  const sources = newSources(start.document, known);
  const aids = { sources, known };
  let open: Made = { kind: 'ok', ...start };
  for (let at = 0; at < edits.length; ) {
    const separate = separateEdits({ document: open.document, edits: edits.slice(at), sources });
    const together = appliedTogether(open, separate, aids);
    const until = at + Math.max(1, separate.length);
    if (together !== undefined) open = together;
    for (const edit of together === undefined ? edits.slice(at, until) : []) {
      const made = applyOne(open, edit, aids);
      if (made.kind === 'refused') return made;
      open = made;
    }
    at = until;
  }
  return open;
}

function appliedTogether(open: Open, separate: readonly Separate[], aids: Aids): Made | undefined {
  const [first, ...others] = separate;
  if (first === undefined || others.length === 0) return undefined;
  const edits: Edits = [first.edit, ...others.map(({ edit }) => edit)];
  const made = spliced(open, { edits, replacements: joined(separate), ...aids });
  return made.kind === 'ok' ? made : undefined;
}

/** The first way of making the edit whose result reads as planned; else why the first of them was refused. */
function applyOne(open: Open, edit: Edit, aids: Aids): Verified {
  const { document } = open;
  const located = placed(document, edit);
  if (located.kind === 'refused') return located;
  let refusal: Verified | undefined;
  const changes = changesFor(document, located.edit, aids.sources);
  const [only, second] = changes;
  // Nothing to do. (The same text may still be another value, where an alias in it means something else now.)
  const untouched = only?.kind === 'replace' && only.replacements.length === 0;
  if (untouched && second === undefined) return { ...open, kind: 'ok' };
  for (const change of changes) {
    const { kind } = change;
    const made =
      kind === 'refused'
        ? change
        : spliced(open, { edits: [located.edit], replacements: change.replacements, ...aids });
    if (made.kind === 'ok') return made;
    refusal ??= made;
  }
  return refusal ?? { ...open, kind: 'ok' };
}

type Splicing = Aids & { readonly edits: Edits; readonly replacements: readonly Replacement[] };

function spliced({ file, document }: Open, { edits, replacements, sources, known }: Splicing): Verified {
  const body = replaceIn(document.text, replacements);
  const after = file.text.slice(0, document.start) + body + file.text.slice(document.end);
  return verify({ before: file, document, edits, after, sources, known });
}

/** What is done with the document as a whole before fields are set in it. */
function opened(file: ManifestFile, { object, document: whole }: ObjectEdits, known: KnownTexts): WholeDocument {
  if (whole?.kind === 'insert') return insertDocument(file, { ...whole, object, known });
  return whole?.kind === 'copy' ? copyDocument(file, object, { ...whole, known }) : { kind: 'ok', text: file.text };
}

function closed({ file, document }: Open, whole: ObjectEdits['document'], known: KnownTexts): WholeDocument {
  if (whole?.kind === 'remove') return removeDocument(file, document, { ...whole, known });
  return whole?.kind === 'delete' ? deleteDocument(file, document, known) : { kind: 'ok', text: file.text };
}
