/** Finds a secret in the words of a server: as it was sent, percent-encoded or as HTML has it, and in base64 at any place. */

/** Shorter pieces of base64 stand in words that say nothing of the secret. */
const PIECE_LEAST = 8;

/** The signs of ASCII that HTML has a name for (https://html.spec.whatwg.org/multipage/named-characters.html). */
const NAMED = new Map(
  '!excl "quot #num $dollar %percnt &amp \'apos (lpar )rpar *ast *midast +plus ,comma .period /sol :colon ;semi <lt =equals >gt ?quest @commat [lsqb [lbrack \\bsol ]rsqb ]rbrack ^hat _lowbar _underbar `grave `diacriticalgrave {lcub {lbrace |verbar |vert |verticalline }rcub }rbrace'
    .split(' ')
    .map((both) => [both.slice(1), both.slice(0, 1)]),
);

/** Spaces, and signs that are percent-encoded however often, escaped as in JSON, or character references of HTML. */
const ESCAPES = new RegExp(
  String.raw`\s+|%(?:25)*([2-7][0-9a-f])|\\u00([2-7][0-9a-f])|&#x0*([2-7][0-9a-f]);?|&#0*(3[2-9]|[4-9][0-9]|1[01][0-9]|12[0-6]);?|&(${[...NAMED.keys()].join('|')});`,
  'gi',
);
const SPACES = /\s+/g;

const WORD = /[A-Za-z0-9+/=_-]/;

/** Whether one of them stands in the text, in any of these forms and with whatever spaces inside. */
export function holdsSecret(text: string, secrets: readonly string[]): boolean {
  const plain = text.replace(/\s+/g, '');
  const compact = /%|\\u|&/.test(plain) ? plain.replace(ESCAPES, decoded) : plain;
  // In both: an escape that starts in front of a secret takes its first sign with it, as `%2` does with an `e`.
  return needlesOf(secrets).some((needle) => plain.includes(needle) || compact.includes(needle));
}

/** The text with three stars in the place of each. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  if (secrets.length === 0 || !holdsSecret(text, secrets)) return text;
  const needles = needlesOf(secrets);
  const left = [ESCAPES, SPACES].reduce((rest, escapes) => withoutNeedles(rest, needles, escapes), text);
  // As with a space inside of an escape.
  return holdsSecret(left, secrets) ? '***' : left;
}

function withoutNeedles(text: string, needles: readonly string[], escapes: RegExp): string {
  const { compact, starts } = located(text, escapes);
  const isHidden = new Uint8Array(compact.length);
  const isOfWord = (at: number): boolean => WORD.test(compact[at] ?? '');
  for (const needle of needles)
    for (let from = compact.indexOf(needle); from >= 0; from = compact.indexOf(needle, from + 1)) {
      let to = from + needle.length;
      // The signs next to a piece of base64 hold the rest of the secret.
      for (; isOfWord(to) && starts[to] === (starts[to - 1] ?? 0) + 1; to += 1);
      let start = from;
      for (; isOfWord(start - 1) && starts[start] === (starts[start - 1] ?? 0) + 1; start -= 1);
      isHidden.fill(1, start, to);
      // One that ends in there hides nothing more, and a server may say it as often as it likes.
      from = Math.max(from, to - needle.length);
    }
  let left = '';
  let end = 0;
  for (let at = isHidden.indexOf(1); at >= 0; at = isHidden.indexOf(1, at)) {
    left += `${text.slice(end, starts[at])}***`;
    const after = isHidden.indexOf(0, at);
    at = after < 0 ? compact.length : after;
    end = endOf(text, { start: starts[at - 1] ?? 0, escapes });
  }
  return left + text.slice(end);
}

/** Where the sign ends that starts here. */
function endOf(text: string, { start, escapes }: { readonly start: number; readonly escapes: RegExp }): number {
  const escape = new RegExp(escapes.source, 'iy');
  escape.lastIndex = start;
  return start + (escape.exec(text)?.[0].length ?? 1);
}

/** The text without these, and where each of its signs starts. */
function located(text: string, escapes: RegExp): { readonly compact: string; readonly starts: readonly number[] } {
  const starts: number[] = [];
  let compact = '';
  let end = 0;
  const plain = (to: number): void => {
    for (let at = end; at < to; at += 1) starts.push(at);
    compact += text.slice(end, to);
  };
  for (const found of text.matchAll(escapes)) {
    plain(found.index);
    const [all, ...codes] = found;
    const sign = decoded(all, ...codes);
    if (sign !== '') starts.push(found.index);
    compact += sign;
    end = found.index + all.length;
  }
  plain(text.length);
  return { compact, starts };
}

function decoded(_all: string, ...[percent, json, hex, decimal, name]: readonly (string | undefined)[]): string {
  const code = percent ?? json ?? hex;
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
  if (decimal !== undefined) return String.fromCharCode(Number(decimal));
  return name === undefined ? '' : (NAMED.get(name.toLowerCase()) ?? '');
}

function needlesOf(secrets: readonly string[]): readonly string[] {
  const needles = secrets.flatMap((secret) => {
    const bare = secret.replace(/\s+/g, '');
    const pieces = [0, 1, 2].map((before) => encodedPiece(bare, before)).filter(({ length }) => length >= PIECE_LEAST);
    // One that looks as if it were encoded is looked for in what is left of it by then.
    return [
      bare,
      bare.replace(ESCAPES, decoded),
      ...pieces.flatMap((piece) => [piece, piece.replaceAll('+', '-').replaceAll('/', '_')]),
    ];
  });
  return [...new Set(needles)].filter((needle) => needle !== '');
}

/** The signs of base64 that hang on nothing but the secret, where this many bytes stand before it in its group of three. */
function encodedPiece(secret: string, before: number): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
  const whole = Math.floor((bytes.length * 8) / 6);
  return bytes.toString('base64').slice(Math.ceil((before * 8) / 6), whole);
}
