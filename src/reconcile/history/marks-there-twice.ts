/** Which of two equal annotations counts: that which the last commit of tranche wrote, as far as main's own line bears it out. */

import { MARK, MARK_NAMES, printMarks } from '../../api/marks.ts';
import { unifiedDiff } from '../../manifests/diff.ts';
import type { KnownTexts } from '../../manifests/known-texts.ts';
import { MAX_SYNTAX_ISSUES } from '../../manifests/limits.ts';
import { type ManifestDocument, parseManifestFile } from '../../manifests/parse-file.ts';
import { pathText } from '../../manifests/path-text.ts';
import { choose } from '../../manifests/splice/choose.ts';
import { writtenOut } from '../../manifests/splice/write-out.ts';
import type { DesiredRollout } from '../desired/desired-rollout.ts';
import type { TextsAt } from '../texts-at.ts';
import type { GitReader } from './git-reader.ts';
import { marksInHistory } from './marks-in-history.ts';

const ANNOTATIONS = ['metadata', 'annotations'];

/** Annotations of a delivery that stand in the document twice. */
export function marksThereTwice({ twice }: ManifestDocument): readonly string[] {
  const paths = new Set(twice.map(({ path }) => path));
  return MARK_NAMES.map((key) => MARK[key]).filter((name) => paths.has(pathText([...ANNOTATIONS, name])));
}

type Once = {
  /** The workload as it reads with one of each; that it was there twice is among its issues, which hold steps forward. */
  readonly entry: DesiredRollout;
  readonly texts: TextsAt;
  /** That of its file. */
  readonly text: string;
  /** What that changes of its file; to be shown where the file is written. */
  readonly file: string;
  readonly diff: string;
};

/**
 * The Rollout and the texts as if somebody had taken the other of two equal annotations out, so that neither a rollback nor an
 * order waits for that: whatever is written of the file is without it. undefined: none is there twice, or main's own line does
 * not tell which counts; then the last does, as any that was written by hand. Throws PortError where Git fails for now.
 */
export async function withMarksOnce(
  git: GitReader,
  { entry, texts, known }: { readonly entry: DesiredRollout; readonly known: KnownTexts } & Pick<Once, 'texts'>,
): Promise<Once | undefined> {
  const { workload } = entry;
  if (workload === undefined || marksThereTwice(workload).length === 0) return undefined;
  const before = texts.get(workload.file);
  const written = await marksInHistory(git, entry, undefined);
  if (before === undefined || written.kind !== 'known') return undefined;
  const values = printMarks(written.value);
  const kept = new Map(MARK_NAMES.map((key) => [MARK[key], values[key]]));
  const { file, object } = workload;
  const read = (text: string) => parseManifestFile(file, text, [object.kind], known);
  const text = writtenOut(read(before), object, { known, kept: { path: ANNOTATIONS, values: kept } });
  const now = text === undefined ? undefined : choose(read(text), object);
  if (text === undefined || now?.kind !== 'ok') return undefined;
  return {
    entry: {
      ...entry,
      workload: now.document,
      issues: [...entry.issues, ...workload.twice.slice(0, MAX_SYNTAX_ISSUES)],
    },
    texts: { get: (path) => (path === file ? text : texts.get(path)) },
    text,
    file,
    diff: unifiedDiff({ file, before, after: text }),
  };
}
