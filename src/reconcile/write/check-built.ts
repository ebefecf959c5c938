/**
 * The last guard of a step that is written into our patch: what kustomize builds before and after differs in the planned
 * fields of one LeaderWorkerSet, and in nothing else. No order of transformers has to be known for that.
 */

import type { Issue } from '../../api/issue.ts';
import { asApplied } from '../../manifests/as-applied.ts';
import { apart } from '../../manifests/build-output.ts';
import { type ManifestDocument, parseManifestFile } from '../../manifests/parse-file.ts';
import { appliedFiles, applyFile } from '../../manifests/patch-place.ts';
import { splitDocuments } from '../../manifests/split-documents.ts';
import type { Build, Builder, BuildInput } from '../../ports/builder.ts';
import type { FileWrite } from '../../ports/git.ts';
import type { ObjectChange } from '../../rollout/edits/change.ts';
import { wholeByPatch } from '../../rollout/edits/out-of-file.ts';
import type { Way } from '../../rollout/move.ts';
import type { BuiltOver } from '../documents/built-over.ts';
import { isCalled } from '../roots/at-patch.ts';
import { patchIn, textWithOwnMarks } from '../roots/own-marks.ts';
import { returning } from '../roots/taken-out.ts';
import type { TextsAt } from '../texts-at.ts';
import { checkStep } from './check-step.ts';

type On = {
  readonly over: BuiltOver;
  /** As earlier commits of the same push leave them. */
  readonly before: TextsAt;
  readonly writes: readonly FileWrite[];
  readonly builder: Builder;
  readonly way: Way;
};

/** Why the commit would not build what is planned; undefined: it does. Throws PortError where the machine fails. */
export async function checkBuilt(changes: readonly ObjectChange[], on: On): Promise<Issue | undefined> {
  const { over, before, writes, builder, way } = on;
  const own = changes.find((change) => change.file === over.file);
  if (own === undefined || over.input === undefined) return undefined;
  const read = withTexts(over.input, before, over.isStandIn === true ? [over.file] : undefined);
  const input = over.isStandIn === true ? read : withApplied(read, over.root, before);
  const built = (one: BuildInput) => builder.build(asApplied(one));
  const after = withWrites(input, writes);
  const [was, is] = await Promise.all([built(input), built(after)]);
  // What cannot be built is no reason to keep a rollback waiting: its bytes are checked in the patch itself.
  const isUnknown = [was, is].some((build) => build.kind === 'refused' && build.cause !== 'fails');
  if (isUnknown && way !== 'forward') return undefined;
  if (was.kind === 'refused') return issueOf(over, was.seen, was.hint);
  if (is.kind === 'refused') return issueOf(over, is.seen, is.hint);
  const whole = wholeByPatch(own);
  if (whole !== undefined) {
    const wrong = await wholeWrong(changes, {
      own,
      whole,
      was: was.text,
      is: is.text,
      over,
      patches: [patchOf(input, own), patchOf(after, own)],
      returned: () => built(returning(input, over.file)),
    });
    return wrong === undefined ? undefined : issueOf(over, wrong, HINT);
  }
  const patches = [patchOf(input, own), patchOf(after, own)] as const;
  const wrong = fieldsWrong(changes, { own, was: was.text, is: is.text, over, patches });
  return wrong === undefined ? undefined : issueOf(over, wrong, HINT);
}

type Patch = ManifestDocument | undefined;
type Outputs = {
  readonly own: ObjectChange;
  readonly was: string;
  readonly is: string;
  readonly over: BuiltOver;
  /** As each of the two was built with. */
  readonly patches: readonly [was: Patch, is: Patch];
};

function patchOf({ files }: BuildInput, { file, object }: ObjectChange): Patch {
  return patchIn(file, files.find(({ path }) => path === file)?.text, object.kind);
}

/** The one workload goes from what is built, or comes into it as planned, and nothing else changes. */
async function wholeWrong(
  changes: readonly ObjectChange[],
  outputs: Outputs & { readonly whole: 'out' | 'back'; readonly returned: () => Promise<Build> },
): Promise<string | undefined> {
  const { own, whole, was, is, over, patches, returned } = outputs;
  const [more, less] = whole === 'out' ? [was, is] : [is, was];
  const differing = apart(more, less, own.object.kind);
  const object = ownIn(over, differing[0], own)?.object;
  if (object === undefined) return `${over.named.name} is not built`;
  const others = changes.filter((change) => change !== own);
  const [before, after] = differing.map((text) => withoutObjects(over.file, text, others));
  const gone: ObjectChange = { kind: 'delete', file: over.file, object, document: { kind: 'delete' } };
  const texts = { before: new Map([[over.file, before ?? '']]), writes: [{ path: over.file, text: after ?? '' }] };
  const issue = checkStep([gone], texts);
  if (issue !== undefined) return issue.message;
  if (whole === 'out') return undefined;
  // Its fields, against what the patch builds as it was before it took the workload out.
  const there = await returned();
  return there.kind === 'refused'
    ? there.seen
    : fieldsWrong(changes, { own: withoutWhole(own), was: there.text, is, over, patches });
}

function withoutWhole(own: ObjectChange): ObjectChange {
  return own.kind === 'edit' ? { ...own, fields: own.fields.filter(({ path }) => path.length > 1) } : own;
}

function ownIn(over: BuiltOver, text: string, { object: { kind } }: ObjectChange): ManifestDocument | undefined {
  return parseManifestFile(over.file, text, [kind]).documents.find((one) => isCalled(one, over.named));
}

/** Annotations of tranche that people's files bring along are none of the plan. */
function ownMarked(on: Pick<Outputs, 'over' | 'own'>, text: string, patch: Patch): string {
  const document = ownIn(on.over, text, on.own);
  return document === undefined ? text : textWithOwnMarks(text, { ...document, patch });
}

function fieldsWrong(changes: readonly ObjectChange[], { own, was, is, over, patches }: Outputs): string | undefined {
  const [before, after] = apart(was, is, own.object.kind);
  const [left, right] = patches;
  const differing = [ownMarked({ over, own }, before, left), ownMarked({ over, own }, after, right)];
  const object = ownIn(over, before, own)?.object;
  if (object === undefined || own.kind === 'delete' || own.kind === 'exact') return `${over.named.name} is not built`;
  const { fields, workload, carried } = own;
  const planned: ObjectChange = { kind: 'edit', file: over.file, object, fields, workload, carried };
  const others = changes.filter((change) => !isSameChange(change, own));
  const texts = differing.map((text) => withoutObjects(over.file, text, others));
  return checkStep([planned], {
    before: new Map([[over.file, texts[0] ?? '']]),
    writes: [{ path: over.file, text: texts[1] ?? '' }],
  })?.message;
}

function isSameChange({ file, object }: ObjectChange, own: ObjectChange): boolean {
  return file === own.file && object.kind === own.object.kind;
}

/** Read in this pass, or written by it; `only` these files, where the others are not main's as they are. */
function withTexts(input: BuildInput, texts: TextsAt, only: readonly string[] | undefined): BuildInput {
  const isOf = (path: string): boolean => only?.includes(path) ?? true;
  const files = input.files.map(({ path, text }) => ({
    path,
    text: (isOf(path) ? texts.get(path) : undefined) ?? text,
  }));
  return { ...input, files };
}

/** With patches that this very pass has adopted, of other workloads of the folder: the kustomization lists what applies them by now. */
function withApplied(input: BuildInput, root: string, texts: TextsAt): BuildInput {
  const applies = applyFile(root);
  const needed = [applies, ...appliedFiles(root, texts.get(applies) ?? '')];
  const fresh = needed.flatMap((path) => {
    const text = input.files.some((file) => file.path === path) ? undefined : texts.get(path);
    return text === undefined ? [] : [{ path, text }];
  });
  return fresh.length === 0 ? input : { ...input, files: [...input.files, ...fresh] };
}

function withWrites(input: BuildInput, writes: readonly FileWrite[]): BuildInput {
  const written = new Map(writes.map(({ path, text }) => [path, text]));
  const files = input.files.flatMap(({ path, text }) => {
    if (!written.has(path)) return [{ path, text }];
    const now = written.get(path);
    written.delete(path);
    return now === undefined ? [] : [{ path, text: now }];
  });
  const fresh = [...written].flatMap(([path, text]) => (text === undefined ? [] : [{ path, text }]));
  return { ...input, files: [...files, ...fresh] };
}

/** A Rollout may be listed next to its workload: what the commit changes of it has been looked at in its file. */
function withoutObjects(file: string, text: string, changes: readonly ObjectChange[]): string {
  const kinds = changes.map(({ object }) => object.kind);
  if (kinds.length === 0) return text;
  const gone = parseManifestFile(file, text, kinds).documents.filter(({ object }) =>
    changes.some((change) => change.object.kind === object.kind && change.object.name === object.name),
  );
  if (gone.length === 0) return text;
  return splitDocuments(file, text)
    .filter((_, index) => !gone.some((document) => document.index === index))
    .map(({ start, end }) => text.slice(start, end))
    .join('---\n');
}

const HINT =
  'Nothing was written. Look in the kustomization for what changes this after the patch of tranche; tranche roots shows what is built.';

function issueOf({ root, file }: BuiltOver, seen: string, hint: string): Issue {
  const folder = root === '' ? 'the root of the repository' : root;
  const message = `${folder} would not build as planned: ${seen}`;
  return { file, line: 0, path: '', reason: 'BuildCheckFailed', message, hint };
}
