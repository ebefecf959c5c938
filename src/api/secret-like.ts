/** What looks like a secret that somebody has given in the place of something else: no message says it. */

/** Tokens of forges and chats, signed tokens, and the private half of a status key, wherever they stand. */
const KNOWN =
  /(?:^|[^A-Za-z0-9])(?:gh[a-z]_|github_pat_|gl(?:pat|dt|rt|ptt|cbt|agent|oas|ft|imt|soat|ffct)-|xox[a-z]-|ey[JK]|tranche-private-)[\w.+/=-]{6}/;

/** Keys in PEM, and a kubeconfig in the place of its path. */
const LINES = /-----BEGIN|[\r\n]/;

/** Shorter ones are names as well. */
const LENGTH_LEAST = 20;
const RANDOM = /^(?=.*[0-9])(?=.*[a-z])(?=.*[A-Z])[\w~=-][\w+/=~-]*$/;
const HEX = /^[0-9a-f]{32,}$/i;

/**
 * Whether a value of a setting that is no secret may be one by its looks: a known start, lines, or as openssl, base64 and
 * password managers make them. Paths from the root and with `./` are none, nor is what has a dot or a colon, as hosts do.
 */
export function looksSecret(text: string): boolean {
  const plain = text.trim();
  return isKnownSecret(plain) || HEX.test(plain) || (plain.length >= LENGTH_LEAST && RANDOM.test(plain));
}

/** The same of a setting whose values people make up, as names are: those may look random, and have no such start. */
export function isKnownSecret(text: string): boolean {
  const plain = text.trim();
  return KNOWN.test(plain) || LINES.test(plain);
}
