/** Finds kustomizations that bring objects which no file of the repository holds: a workload in one of those cannot be read. */

import { isJsonObject } from '../api/json.ts';
import { list } from './kustomize-changes.ts';
import { isKustomizationFile, type ManifestDocument, type ManifestFile } from './parse-file.ts';

/** Where one does so. */
export type Elsewhere = {
  readonly file: string;
  readonly line: number;
  /** Completes the sentence that starts with the place. */
  readonly what: string;
  readonly hint: string;
};

/** What kustomize fetches: an address, or a repository by the short forms of kustomize. */
const REMOTE = /:\/\/|^[\w.-]+@[\w.-]+:|^(github\.com|gitlab\.com|bitbucket\.org)[/:]|\?ref=/;
/** Of an address as much as people read; a token in it is left out. */
const SHOWN_MOST = 120;

/** Every place, in the order of the files. */
export function elsewhereIn(files: readonly ManifestFile[]): readonly Elsewhere[] {
  return files.flatMap(({ file, documents: [document] }) =>
    document !== undefined && isKustomizationFile(file) ? [...remotes(document), ...programs(document)] : [],
  );
}

function remotes(document: ManifestDocument): readonly Elsewhere[] {
  return ['resources', 'bases', 'components'].flatMap((key) =>
    list(document.value[key]).flatMap((entry, place): readonly Elsewhere[] => {
      if (typeof entry !== 'string' || !REMOTE.test(entry)) return [];
      const shown = entry.replace(/\/\/[^/@]*@/, '//').slice(0, SHOWN_MOST);
      return [
        {
          file: document.file,
          line: document.lineOf([key, String(place)]),
          what: `lists ${shown}, and what that holds is not in this repository`,
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
