/** Finds a secret in the words of a server: as it was sent, percent-encoded or as HTML has it, and in base64 at any place. */

/** Shorter pieces of base64 stand in words that say nothing of the secret. */
const PIECE_LEAST = 8;

/** Spaces, and signs that are percent-encoded however often, escaped as in JSON, or character references of HTML. */
const ESCAPES =
  /\s+|%(?:25)*([2-7][0-9a-f])|\\u00([2-7][0-9a-f])|&#x0{0,6}([2-7][0-9a-f]);|&#0{0,6}(3[2-9]|[4-9][0-9]|1[01][0-9]|12[0-6]);/gi;

const WORD = /[A-Za-z0-9+/=_-]/;

/** Whether one of them stands in the text, in any of these forms and with whatever spaces inside. */
export function holdsSecret(text: string, secrets: readonly string[]): boolean {
  const plain = text.replace(/\s+/g, '');
  const compact = /%|\\u|&#/.test(plain) ? plain.replace(ESCAPES, decoded) : plain;
  return needlesOf(secrets).some((needle) => compact.includes(needle));
}

/** The text with three stars in the place of each. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  if (secrets.length === 0 || !holdsSecret(text, secrets)) return text;
  const { compact, starts } = located(text);
  const isHidden = new Uint8Array(compact.length);
  const isOfWord = (at: number): boolean => WORD.test(compact[at] ?? '');
  for (const needle of needlesOf(secrets))
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
    end = endOf(text, starts[at - 1] ?? 0);
  }
  return left + text.slice(end);
}

/** Where the sign ends that starts here. */
function endOf(text: string, start: number): number {
  const escape = new RegExp(ESCAPES.source, 'iy');
  escape.lastIndex = start;
  return start + (escape.exec(text)?.[0].length ?? 1);
}

/** The text without spaces and escapes, and where each of its signs starts. */
function located(text: string): { readonly compact: string; readonly starts: readonly number[] } {
  const starts: number[] = [];
  let compact = '';
  let end = 0;
  const plain = (to: number): void => {
    for (let at = end; at < to; at += 1) starts.push(at);
    compact += text.slice(end, to);
  };
  for (const found of text.matchAll(ESCAPES)) {
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

function decoded(_all: string, ...[percent, json, hex, decimal]: readonly (string | undefined)[]): string {
  const code = percent ?? json ?? hex;
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
  return decimal === undefined ? '' : String.fromCharCode(Number(decimal));
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
