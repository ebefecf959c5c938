/** Warns of a kustomize folder that builds an open workload without our patch, at the manifest that it is built from. */

import type { Issue } from '../../api/issue.ts';
import { at } from '../../api/json.ts';
import { LWS_KIND } from '../../api/kinds.ts';
import { SENTINEL } from '../../api/workload.ts';
import { PARTITION_PATH } from '../../api/workload-paths.ts';
import { list } from '../../manifests/kustomize-changes.ts';
import { isKustomizationFile, type ManifestDocument, parseManifestFile } from '../../manifests/parse-file.ts';
import { isOwnFile } from '../../manifests/patch-place.ts';
import { folderOf, resolvePath } from '../../manifests/paths.ts';
import type { BuildInput } from '../../ports/builder.ts';
import { nameOf } from '../documents/read-rollout.ts';
import type { LintFacts } from './lint-finding.ts';

/** It would restart all groups at once, should the patch over it ever be lost. */
export function openBase({ document, file, input }: LintFacts): readonly Issue[] {
  const { beneath } = file;
  // What a chart says of it is in no file.
  if (file.carried !== undefined) return [];
  if (beneath === undefined || beneath.isEarlier === true || (beneath.partition ?? 0) >= SENTINEL) return [];
  const folder = beneath.root === '' ? 'the root of the repository' : beneath.root;
  const files = input?.files ?? [];
  const base = baseOf(files, document.object.name);
  const isLocked = base !== undefined && at(base.value, PARTITION_PATH) === SENTINEL;
  const place = isLocked ? writerOf(files, base.file) : base;
  const field = PARTITION_PATH.join('.');
  const rest = 'The patch has the partition of a step, so that nothing changes.';
  return [
    {
      file: place?.file ?? beneath.applied.kustomization.file,
      line: place?.lineOf(PARTITION_PATH) ?? 0,
      path: field,
      reason: 'BaseNotLocked',
      message: `${nameOf(document)}: without the patch of tranche ${folder} builds partition ${beneath.partition ?? '0, as it is not written'}: if the patch is lost, every group restarts at once`,
      hint: isLocked
        ? `${base.file} has ${SENTINEL}: take out what writes another number over it. ${rest}`
        : `Write ${field}: ${SENTINEL} into ${base === undefined ? 'the LeaderWorkerSet that the folder is built from' : `${nameOf(base)} of ${base.file}`}. ${rest}`,
    },
  ];
}

type Files = BuildInput['files'];
type Place = Pick<ManifestDocument, 'file' | 'lineOf'>;

/** The manifest under `resources` that gets this name, with a prefix or a suffix; undefined: none, or nobody knows which. */
function baseOf(files: Files, name: string): ManifestDocument | undefined {
  const listed = new Set(files.filter(({ path }) => isKustomizationFile(path)).flatMap(listedBy));
  const found = files
    .filter(({ path, text }) => listed.has(path) && text.includes(LWS_KIND))
    .flatMap(({ path, text }) => parseManifestFile(path, text, [LWS_KIND]).documents)
    .filter(({ object }) => object.kind === LWS_KIND && name.includes(object.name));
  const longest = Math.max(...found.map(({ object }) => object.name.length));
  const [base, ...others] = found.filter(({ object }) => object.name.length === longest);
  return others.length === 0 ? base : undefined;
}

function listedBy({ path, text }: Files[number]): readonly string[] {
  const [kustomization] = parseManifestFile(path, text, 'everything').documents;
  const entries = ['resources', 'bases'].flatMap((key) => list(kustomization?.value[key]));
  return entries.flatMap((entry) => (typeof entry === 'string' ? [resolvePath(folderOf(path), entry)] : []));
}

/** The one other file of people's own that speaks of a partition. */
function writerOf(files: Files, base: string): Place | undefined {
  const [writer, ...others] = files.filter(
    ({ path, text }) => path !== base && !isOwnFile(path) && PARTITION.test(text),
  );
  if (writer === undefined || others.length > 0) return undefined;
  return { file: writer.path, lineOf: () => writer.text.split('\n').findIndex((line) => PARTITION.test(line)) + 1 };
}

const PARTITION = /\bpartition\b/;
