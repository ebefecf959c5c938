/** Whether a file has one of some words in it: of a whole tree every file is asked, and nearly none has. */

/** Goes up whenever the same words are to be found in other files: what was said by another search is not believed. */
export const MARKER_SEARCH = 1;

/** True for bytes that hold one of the markers as UTF-8, and for all where none is asked for. */
export function markerSearch(markers: readonly string[]): (bytes: Buffer) => boolean {
  if (markers.length === 0) return () => true;
  // One look for all words: to look for each of them in the bytes takes twice as long. A character is a byte here.
  const words = markers.map((marker) => Buffer.from(marker, 'utf8').toString('latin1'));
  const search = new RegExp(words.map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)).join('|'));
  return (bytes) => search.test(legible(bytes));
}

/**
 * What of these bytes is text, a character for each byte. Of UTF-16, as some editors and shells write it, every other byte
 * is left out: a manifest in it says nothing to us, and must not look like a file that is none.
 */
export function legible(bytes: Buffer): string {
  const text = bytes.toString('latin1');
  // Nearly no file starts so: it is not asked twice.
  return (bytes[0] ?? 0) >= 0xfe && /^(?:\xff\xfe|\xfe\xff)/.test(text) ? text.replaceAll('\0', '') : text;
}
