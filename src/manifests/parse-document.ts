/** Parses one document of a file: the only place that calls the YAML library. Never writes YAML with it. */

import { Lexer, parseDocument as parseYaml, type YAMLError } from 'yaml';
import type { Issue } from '../api/issue.ts';
import type { Json } from '../api/json.ts';
import { buildTree, type Fault } from './build-tree.ts';
import type { KnownTexts, ReadText } from './known-texts.ts';
import { MAX_DOCUMENT_CHARACTERS, MAX_SYNTAX_ISSUES, MAX_TOKENS, UNCOUNTED_CHARACTERS } from './limits.ts';
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
      /** Values visited, for tests that bound the work instead of the time. */
      readonly nodes: number;
    }
  | { readonly kind: 'wrong'; readonly issues: readonly Issue[] };

/** The library's own check of unique keys is quadratic (258 KB take seconds): ours is in build-tree.ts. */
const OPTIONS = {
  version: '1.2',
  schema: 'core',
  uniqueKeys: false,
  merge: false,
  resolveKnownTags: false,
  prettyErrors: false,
  logLevel: 'silent',
} as const;

/** Next line, line separator and paragraph separator: line breaks in YAML 1.1, as the agents' parsers have it; not in 1.2. */
const OTHER_BREAK = /[\u0085\u2028\u2029]/;

/** A line break for the agents' parsers, where a comment or a value ends; text for ours. JSON has it between values alone. */
const LONE_RETURN = /\r(?!\n)/;

/**
 * The tree and the JSON of one document, or every reason why it cannot be trusted, with lines of the file. A text that
 * is known is not parsed again, wherever it stands now; what is wrong is not remembered.
 */
export function parseDocumentText({ file, text, firstLine, doubt }: DocumentText, known?: KnownTexts): ParsedDocument {
  if (doubt !== undefined) return { kind: 'wrong', issues: [doubtIssue(file, doubt)] };
  if (text.length > MAX_DOCUMENT_CHARACTERS) return { kind: 'wrong', issues: [tooLarge(file, firstLine, text.length)] };
  const unclear = unclearBreak(file, text);
  const remembered = unclear === -1 ? known?.get(text) : undefined;
  if (remembered !== undefined) return parsedAt(file, firstLine, remembered);
  if (hasTooManyTokens(text)) return { kind: 'wrong', issues: [tooManyTokens(file, firstLine)] };
  const starts = lineStarts(text);
  const lineAt = (offset: number): number => firstLine + lineIndex(starts, offset);
  if (unclear !== -1) return { kind: 'wrong', issues: [breakIssue(file, lineAt(unclear), text.charCodeAt(unclear))] };
  const document = parseYaml(text, OPTIONS);
  // What is to be filled in makes no sense to a parser from there on: one line says it.
  const most = text.includes('{{') ? 1 : MAX_SYNTAX_ISSUES;
  const errors = [...document.errors, ...document.warnings].slice(0, most);
  if (errors.length > 0)
    return { kind: 'wrong', issues: errors.map((error) => syntaxIssue(file, text, lineAt, error)) };
  const built = buildTree(text, document.contents);
  const toIssue = (fault: Fault): Issue => faultIssue(file, lineAt, fault);
  if (built.faults.length > 0) {
    const faults = [...built.faults, ...built.twice].sort((left, right) => left.at - right.at);
    return { kind: 'wrong', issues: faults.slice(0, MAX_SYNTAX_ISSUES).map(toIssue) };
  }
  const resolved = resolveTree(built.root);
  if (resolved.fault !== undefined) return { kind: 'wrong', issues: [toIssue(resolved.fault)] };
  const { value, ambiguous } = resolved;
  const read = { root: built.root, value, ambiguous, twice: built.twice, starts, nodes: built.nodes + resolved.nodes };
  known?.set(text, read);
  return parsedAt(file, firstLine, read);
}

/** The offset of a character that ends a line for some readers alone; -1: there is none. */
function unclearBreak(file: string, text: string): number {
  const lone = text.search(LONE_RETURN);
  return lone !== -1 || file.endsWith('.json') ? lone : text.search(OTHER_BREAK);
}

function parsedAt(file: string, firstLine: number, read: ReadText): ParsedDocument {
  const { root, value, ambiguous, starts, nodes } = read;
  const lineAt = (offset: number): number => firstLine + lineIndex(starts, offset);
  const places = ambiguous.map(({ path, at, source }) => ({ path, line: lineAt(at), source }));
  const twice = read.twice.map((fault) => faultIssue(file, lineAt, fault));
  return { kind: 'ok', root, value, ambiguous: places, twice, lineAt, nodes, read };
}

/** Cutting text into tokens costs a tenth of parsing it, and stops at the limit. */
function hasTooManyTokens(text: string): boolean {
  if (text.length <= UNCOUNTED_CHARACTERS) return false;
  let count = 0;
  for (const _ of new Lexer().lex(text)) {
    count += 1;
    if (count > MAX_TOKENS) return true;
  }
  return false;
}

function syntaxIssue(file: string, text: string, lineAt: (offset: number) => number, error: YAMLError): Issue {
  const line = lineAt(error.pos[0]);
  const at = { file, line, path: '' };
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

function tooManyTokens(file: string, line: number): Issue {
  return {
    file,
    line,
    path: '',
    reason: 'TooManyNodes',
    message: `the document has more than ${MAX_TOKENS} words and signs, the limit`,
    hint: 'Split the document, or keep it out of the configured paths.',
  };
}
