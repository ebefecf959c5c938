/** Finds the documents of a YAML file by their separator lines, without parsing any of them. */

import { MAX_FILE_CHARACTERS } from './limits.ts';
import { lineEnd, nextLine } from './lines.ts';

export type DocumentSlice = {
  /** Place of the document among those of the file that are not blank, from 0. */
  readonly index: number;
  /** Offset of the first character after the separator line. */
  readonly start: number;
  /** Offset of the separator line that ends it, or the length of the file. */
  readonly end: number;
  /** 1-based line of `start`. */
  readonly firstLine: number;
  /** Why its text alone does not say what it means, if so. */
  readonly doubt: SeparatorDoubt | undefined;
};

type SeparatorDoubt = { readonly reason: 'YamlDirective' | 'UnclearSeparator'; readonly line: number };

/** `---` alone on its line, or with a comment. */
const SEPARATOR = /^---[ \t]*(#.*)?\r?$/;

/**
 * A line that starts with `---` can be inside no YAML value, so the lines alone show where documents end. Kubernetes
 * splits at any line starting with `---` and ignores what follows `...`; YAML does neither. Where they differ the
 * document carries a doubt, and is not read. A JSON file is one document.
 */
export function splitDocuments(file: string, text: string): readonly DocumentSlice[] {
  const whole = text.startsWith('\uFEFF') ? 1 : 0;
  const slices: DocumentSlice[] = [];
  let directive = false;
  let doubtAtStart = false;
  let start = whole;
  let line = 1;
  for (const mark of marks(file, text, whole)) {
    const body = text.slice(start, mark.start);
    const doubt = doubtOf({ body, line, directive, unclear: doubtAtStart });
    directive = doubt?.reason === 'YamlDirective' && isBlank(body.replaceAll(/^%[^\n]*/gm, ''));
    if (!directive && !isBlank(body)) {
      slices.push({ index: slices.length, start, end: mark.start, firstLine: line, doubt });
    }
    line += countLines(text, start, mark.end);
    doubtAtStart = mark.unclear;
    start = mark.end;
  }
  return slices;
}

type Mark = { readonly start: number; readonly end: number; readonly unclear: boolean };

/** The separator lines, and the end of the file as the last. */
function* marks(file: string, text: string, from: number): Generator<Mark> {
  if (text.length <= MAX_FILE_CHARACTERS && !file.endsWith('.json')) {
    for (let at = text.startsWith('---', from) ? from : next(text, from); at !== -1; at = next(text, at)) {
      const unclear = !SEPARATOR.test(text.slice(at, lineEnd(text, at)));
      yield { start: at, end: nextLine(text, at), unclear };
    }
  }
  yield { start: text.length, end: text.length, unclear: false };
}

function next(text: string, from: number): number {
  const at = text.indexOf('\n---', from);
  return at === -1 ? -1 : at + 1;
}

type Body = { readonly body: string; readonly line: number; readonly directive: boolean; readonly unclear: boolean };

function doubtOf({ body, line, directive, unclear }: Body): SeparatorDoubt | undefined {
  if (directive || body[contentStart(body)] === '%') return { reason: 'YamlDirective', line };
  if (unclear) return { reason: 'UnclearSeparator', line: Math.max(1, line - 1) };
  const end = /^\.\.\.(?=\s|$)/m.exec(body);
  if (end === null || isBlank(body.slice(end.index + 3))) return undefined;
  return { reason: 'UnclearSeparator', line: line + countLines(body, 0, end.index) };
}

/** Only comments and blanks. By hand, because a regular expression for it takes exponential time on CRLF. */
function isBlank(text: string): boolean {
  return contentStart(text) === text.length;
}

function contentStart(text: string): number {
  let at = 0;
  while (at < text.length) {
    const character = text[at];
    if (character === '#') at = lineEnd(text, at);
    else if (character === ' ' || character === '\t' || character === '\r' || character === '\n') at += 1;
    else return at;
  }
  return at;
}

function countLines(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
