/** What files weigh in what one pass takes in. */

import type { TreeFile } from '../../ports/git.ts';

/** Characters that count as one file more: a long one takes as much to read as many short ones. */
const CHARACTERS_OF_ONE = 640;

/** In files of that length, and at least one. */
export function weightOf({ content }: Pick<TreeFile, 'content'>): number {
  return content.kind === 'text' ? Math.max(1, content.text.length / CHARACTERS_OF_ONE) : 1;
}

/** Of all of them. */
export function weightOfAll(files: readonly TreeFile[]): number {
  return files.reduce((sum, file) => sum + weightOf(file), 0);
}
