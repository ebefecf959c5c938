/** Cuts the text of one document into tokens and composes them, with an end to the work where it is wrong. Calls the YAML library. */

import { Composer, Lexer, Parser, type YAMLError } from 'yaml';
import { MAX_SYNTAX_ISSUES, MAX_TOKENS } from './limits.ts';

type Composed =
  | { readonly kind: 'many-tokens'; readonly tokens: number }
  /** `errors` are the first ones, and behind them the first warnings; `contents` is whole where there is none. */
  | {
      readonly kind: 'composed';
      readonly contents: unknown;
      readonly errors: readonly YAMLError[];
      readonly tokens: number;
    };

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

/**
 * What the library makes of the text. It would go on behind an error, and an error costs as much as hundreds of words: so both its
 * parser and its composer are stopped at the last one that is reported.
 */
export function composeText(text: string): Composed {
  const tokens = tokensOf(text);
  if (tokens > MAX_TOKENS) return { kind: 'many-tokens', tokens };
  const composer = stoppingComposer();
  let wrong = 0;
  let document: ReturnType<typeof composer.compose> extends Generator<infer One> ? One | undefined : never;
  try {
    for (const token of new Parser().parse(text)) {
      for (const made of composer.next(token)) document ??= made;
      if (token.type === 'error') wrong += 1;
      if (wrong >= MAX_SYNTAX_ISSUES) break;
    }
  } catch (error) {
    if (error !== STOP) throw error;
  }
  for (const made of composer.end(true, text.length)) document ??= made;
  const errors = [...(document?.errors ?? []), ...(document?.warnings ?? [])];
  return { kind: 'composed', contents: document?.contents, errors, tokens };
}

/** Cutting costs a tenth of composing, and stops at the limit. */
function tokensOf(text: string): number {
  let count = 0;
  for (const _ of new Lexer().lex(text)) {
    count += 1;
    if (count > MAX_TOKENS) break;
  }
  return count;
}

const STOP = new Error('as many errors as are reported');

/** The library reports a fault through a property of its composer that it does not declare; without it nothing stops early. */
function stoppingComposer(): Composer {
  const composer = new Composer(OPTIONS);
  const report: unknown = Reflect.get(composer, 'onError');
  if (typeof report !== 'function') return composer;
  const counts = { errors: 0, warnings: 0 };
  Reflect.set(composer, 'onError', (source: unknown, code: string, message: string, isWarning?: boolean): void => {
    const kind = isWarning === true ? 'warnings' : 'errors';
    counts[kind] += 1;
    if (counts[kind] <= MAX_SYNTAX_ISSUES) Reflect.apply(report, composer, [source, code, message, isWarning]);
    if (counts.errors >= MAX_SYNTAX_ISSUES) throw STOP;
  });
  return composer;
}
