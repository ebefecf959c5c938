/** The name of a release: the digest of its content and a serial that is never used twice for one workload. */

/** Hex digits of a digest: 128 bits, so that nobody makes a second template with the digest of a first one. */
export const DIGEST_DIGITS = 32;

/** Hex digits that people are shown of one: enough to tell releases apart, and never what something is decided by. */
const SHORT_DIGITS = 8;

/** A digest as a pattern, for what has one in it. */
export const DIGEST_PATTERN = `[0-9a-f]{${DIGEST_DIGITS}}`;

export type Release = {
  /** First 32 hex digits of the content's sha256. */
  readonly digest: string;
  readonly serial: number;
};

/** The highest serial that is read: who writes it by hand must not make the next one a mark that nobody can read. */
const SERIAL_MOST = 999_999_999;

const DIGEST = new RegExp(`^${DIGEST_PATTERN}$`);
const RELEASE = new RegExp(`^(${DIGEST_PATTERN})\\.([1-9][0-9]{0,8})$`);
const WISH = new RegExp(`^([0-9a-f]{${SHORT_DIGITS},${DIGEST_DIGITS}})\\.([1-9][0-9]{0,8})$`);

/** Whether a text is a digest: 32 hex digits. */
export function isDigest(text: string): boolean {
  return DIGEST.test(text);
}

/** Reads `<32 hex digits>.7`; undefined for anything else. */
export function parseRelease(text: string): Release | undefined {
  const match = RELEASE.exec(text);
  return match?.[1] === undefined ? undefined : { digest: match[1], serial: Number(match[2]) };
}

/** `<32 hex digits>.7`, as `parseRelease` reads it: for files, records and whatever else is read again. */
export function printRelease(release: Release): string {
  return `${release.digest}.${release.serial}`;
}

/** `9c41d2e0.7`, for people: nothing reads it but `releasesMeant`. */
export function shortRelease(release: Release): string {
  return `${shortDigest(release.digest)}.${release.serial}`;
}

/** The first eight hex digits of a digest, for people. */
export function shortDigest(digest: string): string {
  return digest.slice(0, SHORT_DIGITS);
}

/** A text that is a release or a digest as people are shown it; any other one as it is. */
export function inShort(text: string): string {
  const release = parseRelease(text);
  if (release !== undefined) return shortRelease(release);
  return DIGEST.test(text) ? shortDigest(text) : text;
}

/**
 * Those of `known` that somebody means who writes `9c41d2e0.7`, eight digits or more of the digest: one where it is
 * said well, several where it is not. undefined: it is no release at all.
 */
export function releasesMeant(wish: string, known: readonly Release[]): readonly Release[] | undefined {
  const match = WISH.exec(wish);
  const [digits, serial] = [match?.[1], Number(match?.[2])];
  if (digits === undefined) return undefined;
  return known.filter((release) => release.serial === serial && release.digest.startsWith(digits));
}

/** Whether two contents look the same to people and are not: their digests have the same first eight digits. */
export function looksLike(left: string, right: string): boolean {
  return left !== right && shortDigest(left) === shortDigest(right);
}

/** Whether both are there and the same release: digest and serial. */
export function sameRelease(left: Release | undefined, right: Release | undefined): boolean {
  return left !== undefined && right !== undefined && left.digest === right.digest && left.serial === right.serial;
}

/** The serial after another one; at the highest it stays, and the digests alone tell two releases apart. */
export function serialAfter(serial: number): number {
  return Math.min(SERIAL_MOST, serial + 1);
}
