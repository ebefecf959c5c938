/** Names of files in commands that people copy from a message. */

/**
 * The path as a shell takes it for one word, and no program for an option: who merges a file names it, as `$(curl …)` or
 * `--output=…`.
 */
export function shellWord(path: string): string {
  const word = path.startsWith('-') ? `./${path}` : path;
  return shellText(word);
}

/** Any text as a shell takes it for one word. */
export function shellText(text: string): string {
  return /^[\w./:@=-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
