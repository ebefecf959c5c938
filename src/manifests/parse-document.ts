/** Parses one document of a file: with compose-text.ts and build-tree.ts the only place that calls the YAML library. Never writes YAML with it. */

import type { YAMLError } from 'yaml';
import type { Issue } from '../api/issue.ts';
import type { Json } from '../api/json.ts';
import { buildTree, type Fault } from './build-tree.ts';
import { composeText } from './compose-text.ts';
import type { KnownTexts, ReadText, WrongText } from './known-texts.ts';
import { DOCUMENT_WORK, MAX_DOCUMENT_CHARACTERS, MAX_SYNTAX_ISSUES, MAX_TOKENS } from './limits.ts';
import { lineIndex, lineStarts } from './lines.ts';
import { resolveTree } from './resolve-tree.ts';
import type { SourceNode } from './source-tree.ts';
import type { DocumentSlice } from './split-documents.ts';
import { TEMPLATED_HINT } from './templated.ts';

export type Ambiguous = { readonly path: string; readonly line: number; readonly source: string };

export type DocumentText = {
  readonly file: string;
  /** The text of the document alone. */
  readonly text: string;
  /** 1-based line of the file on which it starts. */
  readonly firstLine: number;
  readonly doubt: DocumentSlice['doubt'];
};

export type ParsedDocument =
  | {
      readonly kind: 'ok';
      readonly root: SourceNode;
      readonly value: Json;
      readonly ambiguous: readonly Ambiguous[];
      /** A line for each key that stands in one map twice. `value` has the last, as Kubernetes does; not all readers do. */
      readonly twice: readonly Issue[];
      readonly lineAt: (offset: number) => number;
      readonly read: ReadText;
      /** Tokens cut and values visited, the same whether the text was known: what reading it costs, at most. */
      readonly work: number;
    }
  | { readonly kind: 'wrong'; readonly issues: readonly Issue[]; readonly work: number };

/** Next line, line separator and paragraph separator: line breaks in YAML 1.1, as the agents' parsers have it; not in 1.2. */
const OTHER_BREAK = /[\u0085\u2028\u2029]/;

/** A line break for the agents' parsers, where a comment or a value ends; text for ours. JSON has it between values alone. */
const LONE_RETURN = /\r(?!\n)/;

/**
 * The tree and the JSON of one document, or every reason why it cannot be trusted, with lines of the file. A text that
 * is known is not parsed again, wherever it stands now, right or wrong.
 */
export function parseDocumentText({ file, text, firstLine, doubt }: DocumentText, known?: KnownTexts): ParsedDocument {
  const wrong = (issue: Issue): ParsedDocument => ({ kind: 'wrong', issues: [issue], work: DOCUMENT_WORK });
  if (doubt !== undefined) return wrong(doubtIssue(file, doubt));
  if (text.length > MAX_DOCUMENT_CHARACTERS) return wrong(tooLarge(file, firstLine, text.length));
  const unclear = unclearBreak(file, text);
  if (unclear !== -1) {
    const line = firstLine + lineIndex(lineStarts(text), unclear);
    return wrong(breakIssue(file, line, text.charCodeAt(unclear)));
  }
  const remembered = known?.get(text);
  if (remembered !== undefined) return parsedAt(file, firstLine, remembered);
  const read = readText(text);
  known?.set(text, read);
  return parsedAt(file, firstLine, read);
}

function readText(text: string): ReadText | WrongText {
  const starts = lineStarts(text);
  const composed = composeText(text);
  const cut = DOCUMENT_WORK + composed.tokens;
  if (composed.kind === 'many-tokens') return { kind: 'wrong', faults: [TOO_MANY_TOKENS], starts, work: cut };
  // What is to be filled in makes no sense to a parser from there on: one line says it.
  const most = text.includes('{{') ? 1 : MAX_SYNTAX_ISSUES;
  const errors = composed.errors.slice(0, most).map((error) => syntaxFault(text, error));
  if (errors.length > 0) return { kind: 'wrong', faults: errors, starts, work: cut };
  const { root, faults, twice, nodes } = buildTree(text, composed.contents);
  if (faults.length > 0) {
    const first = [...faults, ...twice].sort((left, right) => left.at - right.at).slice(0, MAX_SYNTAX_ISSUES);
    return { kind: 'wrong', faults: first, starts, work: cut + nodes };
  }
  const resolved = resolveTree(root);
  const work = cut + nodes + resolved.nodes;
  if (resolved.fault !== undefined) return { kind: 'wrong', faults: [resolved.fault], starts, work };
  return { kind: 'read', root, value: resolved.value, ambiguous: resolved.ambiguous, twice, starts, work };
}

/** The offset of a character that ends a line for some readers alone; -1: there is none. */
function unclearBreak(file: string, text: string): number {
  const lone = text.search(LONE_RETURN);
  return lone !== -1 || file.endsWith('.json') ? lone : text.search(OTHER_BREAK);
}

function parsedAt(file: string, firstLine: number, read: ReadText | WrongText): ParsedDocument {
  const { starts, work } = read;
  const lineAt = (offset: number): number => firstLine + lineIndex(starts, offset);
  const toIssue = (fault: Fault): Issue => faultIssue(file, lineAt, fault);
  if (read.kind === 'wrong') return { kind: 'wrong', issues: read.faults.map(toIssue), work };
  const { root, value } = read;
  const ambiguous = read.ambiguous.map(({ path, at, source }) => ({ path, line: lineAt(at), source }));
  return { kind: 'ok', root, value, ambiguous, twice: read.twice.map(toIssue), lineAt, work, read };
}

function syntaxFault(text: string, error: YAMLError): Fault {
  const at = { at: error.pos[0], path: '' };
  if (text.includes('{{')) {
    return {
      ...at,
      reason: 'TemplatedValue',
      message: `not YAML until its template is filled in: ${error.message}`,
      hint: TEMPLATED_HINT,
    };
  }
  if (error.code === 'RESOURCE_EXHAUSTION') {
    return {
      ...at,
      reason: 'TooDeep',
      message: 'maps and lists lie too deep to be read',
      hint: 'Write the document with fewer levels.',
    };
  }
  if (error.code === 'TAG_RESOLVE_FAILED') {
    return {
      ...at,
      reason: 'UnknownTag',
      message: `a tag that Kubernetes does not know: ${error.message}`,
      hint: 'Remove the tag; only !!str, !!int, !!bool, !!float, !!null, !!map and !!seq are read.',
    };
  }
  return {
    ...at,
    reason: 'UnparsableYaml',
    message: `not YAML: ${error.message}`,
    hint: 'Correct the file; `kubectl apply --dry-run=client -f` shows the same fault.',
  };
}

function faultIssue(file: string, lineAt: (offset: number) => number, fault: Fault): Issue {
  const { at, other, ...rest } = fault;
  const first = other === undefined ? '' : `, first on line ${lineAt(other)}`;
  return { file, line: lineAt(at), ...rest, message: `${rest.message}${first}` };
}

function doubtIssue(file: string, doubt: NonNullable<DocumentSlice['doubt']>): Issue {
  const at = { file, line: doubt.line, path: '', reason: doubt.reason };
  return doubt.reason === 'YamlDirective'
    ? {
        ...at,
        message: 'a %YAML or %TAG line changes how the document is read, and Kubernetes does not follow it',
        hint: 'Remove the line that starts with %.',
      }
    : {
        ...at,
        message: 'YAML and Kubernetes do not agree where this document starts or ends',
        hint: 'Put --- alone on a line between documents, and nothing after a line with ... .',
      };
}

const YAML_READERS = 'for YAML 1.1, which Kubernetes reads, and is text for YAML 1.2';

function breakIssue(file: string, line: number, code: number): Issue {
  const digits = code.toString(16).toUpperCase().padStart(4, '0');
  const isReturn = code === 0x0d;
  const readers = isReturn ? 'for some readers, and is text for others' : YAML_READERS;
  return {
    file,
    line,
    path: '',
    reason: 'UnclearLineBreak',
    message: `the character U+${digits}${isReturn ? ' without a line feed behind it' : ''} ends a line ${readers}: the document would mean two things`,
    hint: isReturn
      ? 'End lines with LF, or all with CRLF.'
      : `Remove it, or write it as "\\u${digits}" in double quotes.`,
  };
}

function tooLarge(file: string, line: number, length: number): Issue {
  return {
    file,
    line,
    path: '',
    reason: 'DocumentTooLarge',
    message: `the document has ${length} characters, more than ${MAX_DOCUMENT_CHARACTERS}, the limit`,
    hint: 'Split it, or keep the file out of the configured paths.',
  };
}

const TOO_MANY_TOKENS: Fault = {
  at: 0,
  path: '',
  reason: 'TooManyNodes',
  message: `the document has more than ${MAX_TOKENS} words and signs, the limit`,
  hint: 'Split the document, or keep it out of the configured paths.',
};
