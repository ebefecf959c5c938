/** Finds kustomizations that bring objects which no file of the repository holds: a workload in one of those cannot be read. */

import { isJsonObject } from '../api/json.ts';
import { shellWord } from '../api/shell-word.ts';
import { list } from './kustomize-changes.ts';
import { isAddress, shownEntry } from './kustomize-entries.ts';
import { isKustomizationFile, type ManifestDocument, type ManifestFile } from './parse-file.ts';
import { APPLY_ENTRY, applyFile, applyName, type Patched, patchFile } from './patch-place.ts';

/** Where one does so. */
export type Elsewhere = {
  readonly file: string;
  readonly line: number;
  /** Completes the sentence that starts with the place. */
  readonly what: string;
  readonly hint: string;
};

/** Every place, in the order of the files. */
export function elsewhereIn(files: readonly ManifestFile[]): readonly Elsewhere[] {
  return files.flatMap(({ file, documents: [document] }) =>
    document !== undefined && isKustomizationFile(file) ? [...remotes(document), ...programs(document)] : [],
  );
}

/** Asked of a name: kustomizations by whose prefix or suffix a LeaderWorkerSet of these files gets that very name. The files are gone through once. */
export function renamedTo(files: readonly ManifestFile[]): (of: { readonly name: string }) => readonly Elsewhere[] {
  const there = new Set(
    files.flatMap(({ documents }) => documents.map(({ object }) => `${object.kind} ${object.name}`)),
  );
  const renaming = files.flatMap(({ file, documents: [document] }) => {
    if (document === undefined || !isKustomizationFile(file)) return [];
    const [before, after] = [textAt(document, 'namePrefix'), textAt(document, 'nameSuffix')];
    return before + after === '' ? [] : [{ file, document, before, after }];
  });
  return ({ name }) =>
    renaming.flatMap(({ file, document, before, after }): readonly Elsewhere[] => {
      if (!name.startsWith(before) || !name.slice(before.length).endsWith(after)) return [];
      const own = name.slice(before.length, name.length - after.length);
      if (!there.has(`LeaderWorkerSet ${own}`)) return [];
      const key = before === '' ? 'nameSuffix' : 'namePrefix';
      return [
        {
          file,
          line: document.lineOf([key]),
          what: `makes that name of ${own} by ${key}`,
          hint: 'If it is built there: set TRANCHE_KUSTOMIZE, the path of kustomize, where tranche runs, and it is delivered as the folder builds it. tranche roots shows what comes out.',
        },
      ];
    });
}

function textAt({ value }: ManifestDocument, key: string): string {
  const text = value[key];
  return typeof text === 'string' ? text : '';
}

/**
 * Asked of a workload of a kustomize folder: the patch by which it is delivered, where a file applies it and it is not there, or is
 * no patch any more: without it nothing is built. `paths`: all files of the commit, gone through once; `texts`: of those that were read.
 */
export function lostPatches({
  paths,
  texts,
}: {
  readonly paths: ReadonlyMap<string, unknown>;
  readonly texts: ReadonlyMap<string, string>;
}): (workload: Patched) => readonly Elsewhere[] {
  const suffix = `/${APPLY_ENTRY}`;
  const roots = [...paths.keys()].flatMap((path) =>
    path === APPLY_ENTRY ? [''] : path.endsWith(suffix) ? [path.slice(0, -suffix.length)] : [],
  );
  // One that was not read may apply it.
  const applied = roots.map((root) => {
    const text = texts.get(applyFile(root));
    return { root, lines: text === undefined ? undefined : new Set(text.split('\n')) };
  });
  return (workload) => {
    const line = `  name: ${applyName(workload)}`;
    return applied.flatMap(({ root, lines }) => {
      if (lines?.has(line) === false) return [];
      const file = patchFile(root, workload);
      const isThere = paths.has(file);
      const what = isThere
        ? 'is where its patch belongs, and is no patch of it'
        : `is missing, and ${applyFile(root)} ${lines === undefined ? 'may apply' : 'applies'} it`;
      const hint = `If it is delivered from there: order tranche repair of the Rollout, or put ${file} back as main had it (git log --oneline -- ${shellWord(file)}). Until then kustomize builds nothing, and there is no rollback.`;
      return [{ file, line: isThere ? 1 : 0, what, hint }];
    });
  };
}

function remotes(document: ManifestDocument): readonly Elsewhere[] {
  return ['resources', 'bases', 'components'].flatMap((key) =>
    list(document.value[key]).flatMap((entry, place): readonly Elsewhere[] => {
      if (typeof entry !== 'string' || !isAddress(entry)) return [];
      return [
        {
          file: document.file,
          line: document.lineOf([key, String(place)]),
          what: `lists ${shownEntry(entry)}, and what that holds is not in this repository`,
          hint: 'If the workload comes from there: copy it into the repository (kustomize localize), and list the copy.',
        },
      ];
    }),
  );
}

function programs(document: ManifestDocument): readonly Elsewhere[] {
  return ['helmCharts', 'helmChartInflationGenerator', 'generators'].flatMap((key) => {
    const [first] = list(document.value[key]);
    if (first === undefined) return [];
    const name = isJsonObject(first) && typeof first['name'] === 'string' ? ` ${first['name']}` : '';
    return [
      {
        file: document.file,
        line: document.lineOf([key]),
        what: `builds objects by ${key}${name}`,
        hint: 'If the workload comes from there: commit what it renders, and list that file.',
      },
    ];
  });
}
