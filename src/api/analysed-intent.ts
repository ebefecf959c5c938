/** The Analyses that may lead back by themselves, as an annotation of the Rollout: each as its file was when that was allowed. */

export const ANALYSED_WANTED = '<Analysis>@<12 hex digits of its file>, or several, comma-separated';
const ANALYSED = /^[a-z0-9][a-z0-9.-]{0,62}@[0-9a-f]{12}$/;
const ANALYSED_MOST = 10;

/** `chat@4f1c4f1c4f1c`, several comma-separated; undefined: it is something else. */
export function parseAnalysed(text: string): readonly string[] | undefined {
  const parts = text.split(',').map((part) => part.trim());
  return parts.length <= ANALYSED_MOST && parts.every((part) => ANALYSED.test(part)) ? parts : undefined;
}
