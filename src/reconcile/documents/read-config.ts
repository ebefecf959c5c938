/** Reads `tranche.yaml`: what cannot be read is never taken for the defaults, because it says where limits and branches are. */

import { CONFIG_FILE, type Config, DEFAULT_CONFIG, OTHER_CONFIG_FILE } from '../../api/config.ts';
import type { Issue } from '../../api/issue.ts';
import { isOfSteps, parseConfig } from '../../api/parse-config.ts';
import { privateHalfLine, withoutPrivateHalves } from '../../api/status-keys.ts';
import type { KnownTexts } from '../../manifests/known-texts.ts';
import { type ParsedDocument, parseDocumentText } from '../../manifests/parse-document.ts';
import { splitDocuments } from '../../manifests/split-documents.ts';
import type { Tree, TreeFile } from '../../ports/git.ts';
import { lookalikeIn } from './config-lookalike.ts';

/** The configuration is wrong: nothing is run at all. Exit code 2. */
export class ConfigError extends Error {
  readonly issues: readonly Issue[];
  /** What it says all the same, where all that is wrong is of steps forward alone. */
  readonly besides: Config | undefined;

  constructor(issues: readonly Issue[], besides?: Config) {
    super(issues.map((found) => `${found.file}:${found.line}: ${found.message}. ${found.hint}`).join('\n'));
    this.name = 'ConfigError';
    this.issues = issues;
    this.besides = besides;
  }
}

/** What the tree that was read for it says; the defaults where there is none. A text that is `known` is not parsed again. Throws ConfigError. */
export function configOf({ files, gaps }: Pick<Tree, 'files' | 'gaps'>, known?: KnownTexts): Config {
  const file = files.find(({ path }) => path === CONFIG_FILE);
  if (file !== undefined) return configIn(file.content, known);
  const [other] = files;
  const lookalike = other === undefined ? lookalikeIn(gaps) : undefined;
  if (other === undefined && lookalike === undefined) return DEFAULT_CONFIG;
  if (other !== undefined && other.path !== OTHER_CONFIG_FILE)
    throw wrongName('it is a folder, wanted a file', 'Give the folder another name.');
  const name = lookalike === undefined ? OTHER_CONFIG_FILE : `"${lookalike}"`;
  throw wrongName(`there is ${name}, which is not read`, `Rename it to ${CONFIG_FILE}, or delete it.`, DEFAULT_CONFIG);
}

function wrongName(message: string, hint: string, besides?: Config): ConfigError {
  return new ConfigError([configIssue({ path: '', reason: 'WrongName', message, hint, line: 1 })], besides);
}

function configIn(content: TreeFile['content'], known: KnownTexts | undefined): Config {
  if (content.kind === 'unreadable') {
    const isLink = content.cause === 'link';
    throw new ConfigError([
      configIssue({
        path: '',
        reason: 'UnreadableFile',
        message: content.why,
        hint: isLink ? 'Put the text itself there, as a file.' : 'Make it UTF-8 text within the limit.',
        line: 1,
      }),
    ]);
  }
  const leak = leakIn(content.text);
  try {
    const config = configInText(withoutPrivateHalves(content.text), known);
    if (leak === undefined) return config;
    throw new ConfigError([leak], config);
  } catch (error) {
    if (leak === undefined || !(error instanceof ConfigError)) throw error;
    if (error.issues.some(({ reason }) => reason === leak.reason)) throw error;
    throw new ConfigError([...error.issues, leak], error.besides);
  }
}

/** Anyone who has it signs what every process believes, whatever the entry of its public half says: so also in a comment. */
function leakIn(text: string): Issue | undefined {
  const line = privateHalfLine(text);
  if (line === undefined) return undefined;
  return configIssue({
    path: 'statusKeys',
    reason: 'PrivateKey',
    message: 'the private half of a key stands here: anyone who reads it can sign',
    hint: 'Throw this key away and take it out of the file; make another (tranche status-key --cluster NAME), and write its public half into statusKeys.',
    line,
  });
}

function configInText(text: string, known: KnownTexts | undefined): Config {
  refuseSeveral(text);
  const document = { file: CONFIG_FILE, text: withoutMark(text), firstLine: 1, doubt: undefined };
  const read = parseDocumentText(document, known);
  if (read.kind === 'wrong') throw new ConfigError(read.issues.map(forPeople));
  if (read.twice.length > 0) throw new ConfigError(read.twice);
  const { config, faults } = parseConfig(read.value);
  const issues = [
    ...faults.map(({ at, reason, message, hint }) =>
      configIssue({ path: at.join('.'), reason, message: message.trim(), hint, line: lineOf(text, at) }),
    ),
    ...read.ambiguous.map(({ path, line, source }) =>
      configIssue({
        path,
        line,
        reason: 'AmbiguousValue',
        message: `${path} is written ${source}, which YAML 1.1 and YAML 1.2 read differently`,
        hint: 'Write a plain decimal number, or put text in quotes.',
      }),
    ),
  ];
  if (issues.length > 0) {
    const keys = [
      ...faults.map(({ at }) => at[0] ?? ''),
      ...read.ambiguous.map(({ path }) => path.split(/[.[]/)[0] ?? ''),
    ];
    // Anyone who asked for pull requests in other words has asked for them: those that are open stay.
    const besides = { ...config, promotion: keys.includes('promotion') ? 'pullRequest' : config.promotion } as const;
    const sorted = issues.sort((left, right) => left.line - right.line);
    throw new ConfigError(sorted, keys.every(isOfSteps) ? besides : undefined);
  }
  const of = (key: string): readonly number[] => linesOfEntries(read, key);
  const lines = { paths: of('paths'), policyPaths: of('policyPaths'), namespaces: of('namespaces') };
  return Object.values(lines).every((list) => list.length === 0) ? config : { ...config, lines };
}

/** kubectl knows nothing of this file. */
function forPeople(issue: Issue): Issue {
  if (issue.reason !== 'UnparsableYaml') return issue;
  return {
    ...issue,
    hint: 'Correct the file at that line; tranche lint in a clone says what it is before it is pushed.',
  };
}

/** A parser takes the first document and passes over the others, whatever they ask for. */
function refuseSeveral(text: string): void {
  const [, second, ...more] = splitDocuments(CONFIG_FILE, text);
  if (second === undefined) return;
  throw new ConfigError([
    configIssue({
      path: '',
      reason: 'SeveralDocuments',
      message: `there are ${2 + more.length} documents, wanted one: what the others say would not count`,
      hint: 'Put it all into one, without ---.',
      line: second.firstLine,
    }),
  ]);
}

/** The line of each item of a list at the root, or of each key of a map. */
function linesOfEntries({ root, lineAt }: Extract<ParsedDocument, { readonly kind: 'ok' }>, key: string): number[] {
  const value = root.kind === 'map' ? root.entries.find((one) => one.key === key)?.value : undefined;
  if (value?.kind === 'list') return value.items.map(({ start }) => lineAt(start));
  return value?.kind === 'map' ? value.entries.map(({ keyStart }) => lineAt(keyStart)) : [];
}

/** A byte order mark is no part of the text. */
function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '');
}

/** The line of the innermost key of the fault that is written down; the file is flat enough for this to be right. */
function lineOf(text: string, at: readonly string[]): number {
  const lines = text.split('\n');
  for (const key of [...at].reverse()) {
    const index = lines.findIndex(
      (line) => line.trimStart().startsWith(`${key}:`) || line.trimStart().startsWith(`"${key}":`),
    );
    if (index >= 0) return index + 1;
  }
  return 1;
}

/** What is wrong with the file itself. */
export function configIssue(of: Omit<Issue, 'file'>): Issue {
  return { file: CONFIG_FILE, ...of };
}
