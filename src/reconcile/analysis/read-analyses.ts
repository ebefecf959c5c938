/** The Analyses of the files: each with its file, or what is wrong with it. */

import { ANALYSIS_API_VERSION, type Analysis, parseAnalysis } from '../../api/analysis.ts';
import { CONFIG_FILE, type Config, isBelow } from '../../api/config.ts';
import type { Issue } from '../../api/issue.ts';
import { ANALYSIS_KIND } from '../../api/kinds.ts';
import { type ManifestDocument, parseManifestFile } from '../../manifests/parse-file.ts';
import type { Tree } from '../../ports/git.ts';
import { ambiguousFields, fieldIssue, nameOf, versionIssue } from '../documents/read-rollout.ts';

/** With the path of its file, and the lines of its spec and of the provider in it. */
export type AnalysisFile = Analysis & {
  readonly file: string;
  readonly line: number;
  readonly providerLine: number;
};

export type Analyses = {
  /** Those that count. */
  readonly analyses: readonly AnalysisFile[];
  /** Names of those that are there and do not count. */
  readonly wrong: readonly string[];
  readonly issues: readonly Issue[];
};

const VERSION = { what: ANALYSIS_KIND, wanted: ANALYSIS_API_VERSION };
const KIND_LINE = new RegExp(`\\bkind["']?[ \\t]*:[ \\t]*["']?${ANALYSIS_KIND}\\b`);

/** Where `policyPaths` is set, one outside of it does not count; of two with one name that would neither does. */
export function readAnalyses(tree: Pick<Tree, 'files'>, config: Pick<Config, 'policyPaths'>): Analyses {
  const texts = tree.files.flatMap(({ path, content }) =>
    content.kind === 'text' ? [[path, content.text] as const] : [],
  );
  return analysesIn(new Map(texts), config);
}

/** The same of texts by their paths. */
export function analysesIn(texts: ReadonlyMap<string, string>, { policyPaths }: Pick<Config, 'policyPaths'>): Analyses {
  const documents = [...texts].flatMap(([path, text]) =>
    KIND_LINE.test(text) ? parseManifestFile(path, text, [ANALYSIS_KIND]).documents.filter(isAnalysis) : [],
  );
  const read = documents.map((document) => readOne(document, policyPaths));
  // One that does not count takes nothing from one that does: who writes it need not own the other.
  const inside = documents.filter(({ file }) => isInside(file, policyPaths));
  const twins = inside.flatMap((document) => twinIssue(document, inside));
  const isTwin = ({ name }: Analysis): boolean => inside.filter(({ object }) => object.name === name).length > 1;
  const analyses = read.flatMap(({ analysis }) => (analysis === undefined || isTwin(analysis) ? [] : [analysis]));
  return {
    analyses,
    wrong: documents.map(({ object }) => object.name).filter((name) => !analyses.some((one) => one.name === name)),
    issues: [...read.flatMap(({ issues }) => issues), ...twins],
  };
}

/** Kinds of other groups, as AnalysisTemplate's, have such names too. */
function isAnalysis({ object }: ManifestDocument): boolean {
  return object.kind === ANALYSIS_KIND && object.apiVersion.startsWith('tranche.dev/');
}

function isInside(file: string, policyPaths: Config['policyPaths']): boolean {
  return policyPaths === undefined || isBelow(policyPaths, file);
}

function readOne(document: ManifestDocument, policyPaths: Config['policyPaths']) {
  if (document.object.apiVersion !== ANALYSIS_API_VERSION)
    return { analysis: undefined, issues: [versionIssue(document, VERSION)] };
  const { analysis, faults } = parseAnalysis(document.value);
  const outside = isInside(document.file, policyPaths) ? [] : [outsideIssue(document)];
  const issues = [...faults.map((fault) => fieldIssue(document, fault)), ...ambiguousFields(document), ...outside];
  const { file } = document;
  const line = document.lineOf(['spec']);
  const providerLine = document.lineOf(['spec', 'provider']);
  const isWrong = analysis === undefined || issues.length > 0;
  return { analysis: isWrong ? undefined : { ...analysis, file, line, providerLine }, issues };
}

function outsideIssue(document: ManifestDocument): Issue {
  return {
    file: document.file,
    line: document.lineOf(['spec']),
    path: 'spec',
    reason: 'OutsidePolicyPaths',
    message: `${nameOf(document)} does not count here: an Analysis counts from the policyPaths of ${CONFIG_FILE} alone`,
    hint: 'Move it to one of these paths.',
  };
}

function twinIssue(document: ManifestDocument, all: readonly ManifestDocument[]): readonly Issue[] {
  const other = all.find((one) => one !== document && one.object.name === document.object.name);
  if (other === undefined) return [];
  return [
    {
      file: document.file,
      line: document.lineOf(['metadata', 'name']),
      path: 'metadata.name',
      reason: 'DuplicateObject',
      message: `${nameOf(document)}: ${other.file} has one of the same name, and neither counts`,
      hint: 'Keep one of them.',
    },
  ];
}
