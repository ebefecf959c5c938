// Plants a bug into a source by its tokens: spaces, line ends and comments count for nothing, and a name that the source does
// not have any more stands for the one that is in its place now. So neither a rename nor other comments break a planted bug.

import { SyntaxKind } from 'typescript/unstable/ast';
import { createScanner } from 'typescript/unstable/ast/scanner';

/** After these a slash divides; after anything else it begins a regular expression. */
const ENDS_VALUE = new Set([
  SyntaxKind.Identifier,
  SyntaxKind.NumericLiteral,
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateTail,
  SyntaxKind.RegularExpressionLiteral,
  SyntaxKind.CloseParenToken,
  SyntaxKind.CloseBracketToken,
  SyntaxKind.CloseBraceToken,
]);

/** The text with the bug in it. Throws where it fits no place or more than one, or uses a name that is not there. */
export function planted(text, { name, file, from, to }) {
  const source = tokensOfSource(text);
  const wanted = tokensOf(from);
  const known = new Set(source.map(({ text: word }) => word));
  const places = wanted.length === 0 ? [] : source.flatMap((_, at) => matchAt(source, { at, wanted, known }) ?? []);
  if (places.length !== 1)
    throw new Error(`planted bug "${name}": ${file} has its place ${places.length} times, wanted once`);
  const [{ start, end, names }] = places;
  const bug = renamed(to, names);
  const foreign = freeNames(bug).filter((word) => !known.has(word) && !(word in globalThis));
  if (foreign.length > 0) throw new Error(`planted bug "${name}": ${file} does not know ${foreign.join(', ')}`);
  return `${text.slice(0, start)}${bug}${text.slice(end)}`;
}

/** What stands there, and by which name each name goes that the source does not have any more. */
function matchAt(source, { at, wanted, known }) {
  const names = new Map();
  for (const [i, token] of wanted.entries()) {
    const found = source[at + i];
    if (found === undefined) return undefined;
    if (found.text === token.text) continue;
    if (!token.isName || !found.isName || known.has(token.text)) return undefined;
    if ((names.get(token.text) ?? found.text) !== found.text) return undefined;
    names.set(token.text, found.text);
  }
  return [{ start: source[at].start, end: source[at + wanted.length - 1].end, names }];
}

function renamed(text, names) {
  let renamedText = '';
  let end = 0;
  for (const token of tokensOf(text)) {
    const is = names.get(token.text) ?? token.text;
    renamedText += text.slice(end, token.start) + is;
    end = token.end;
  }
  return renamedText + text.slice(end);
}

/** Names that a text takes from around it: no properties, no keys, and nothing that it declares. */
function freeNames(text) {
  const tokens = tokensOf(text);
  const declared = new Set();
  const free = [];
  for (const [i, { kind, text: word }] of tokens.entries()) {
    if (kind !== SyntaxKind.Identifier) continue;
    const [before, after] = [tokens[i - 1]?.text, tokens[i + 1]?.text];
    if (['const', 'let', 'function'].includes(before) || after === '=>' || (before === '(' && arrowAfter(tokens, i)))
      declared.add(word);
    const isKey = after === ':' && (before === '{' || before === ',');
    if (before !== '.' && before !== '?.' && !isKey && !declared.has(word)) free.push(word);
  }
  return free;
}

/** Whether it is the one parameter of an arrow: `(word) =>`. */
function arrowAfter(tokens, at) {
  return tokens[at + 1]?.text === ')' && tokens[at + 2]?.text === '=>';
}

/** Those of the source that was asked for last: most bugs of one file are planted one after the other. */
let remembered = { text: '', tokens: [] };

function tokensOfSource(text) {
  if (remembered.text !== text) remembered = { text, tokens: tokensOf(text) };
  return remembered.tokens;
}

/** Its tokens with their places, without spaces and comments. */
function tokensOf(text) {
  const scanner = createScanner(true);
  scanner.setText(text);
  const tokens = [];
  // For each brace that is open: whether a template goes on behind it.
  const braces = [];
  for (let kind = scanner.scan(); kind !== SyntaxKind.EndOfFile; kind = scanner.scan()) {
    const last = tokens.at(-1)?.kind;
    if (kind === SyntaxKind.SlashToken && !ENDS_VALUE.has(last)) kind = scanner.reScanSlashToken();
    if (kind === SyntaxKind.CloseBraceToken && braces.pop() === true) kind = scanner.reScanTemplateToken(false);
    if (kind === SyntaxKind.OpenBraceToken) braces.push(false);
    if (kind === SyntaxKind.TemplateHead || kind === SyntaxKind.TemplateMiddle) braces.push(true);
    tokens.push({
      kind,
      text: scanner.getTokenText(),
      start: scanner.getTokenStart(),
      end: scanner.getTokenEnd(),
      isName: scanner.isIdentifier(),
    });
  }
  return tokens;
}
