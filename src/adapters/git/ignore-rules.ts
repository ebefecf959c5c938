/** Reads .gitignore files: which paths someone has told git to leave out. */

import { FOLDERS, matchesPath, ONE, type PathPattern, type Sign, STAR } from '../../api/path-pattern.ts';

/** One pattern, with the folder of the file that it stands in. */
export type IgnoreRule = {
  readonly folder: string;
  readonly pattern: PathPattern;
  readonly negated: boolean;
  readonly foldersOnly: boolean;
};

const MAX_RULES = 5_000;
const MAX_PATTERN_CHARACTERS = 500;

/** The rules of one file; `folder` is where it lies, from the root, empty for the root. */
export function ignoreRules(text: string, folder: string): readonly IgnoreRule[] {
  const rules: IgnoreRule[] = [];
  for (const raw of text.split('\n')) {
    // Before anything is searched in it: blanks in a row are searched from each of them.
    if (raw.length > MAX_PATTERN_CHARACTERS) continue;
    const line = raw.replace(/\r$/, '').replace(/(?<!\\)[ \t]+$/, '');
    if (line === '' || line.startsWith('#')) continue;
    const negated = line.startsWith('!');
    const body = (negated ? line.slice(1) : line).replace(/^\\(?=[#!])/, '');
    const foldersOnly = body.endsWith('/');
    const path = foldersOnly ? body.slice(0, -1) : body;
    const pattern = patternOf(path);
    if (pattern !== undefined) rules.push({ folder, pattern, negated, foldersOnly });
    if (rules.length >= MAX_RULES) break;
  }
  return rules;
}

/** Whether the last rule that means this path leaves it out. Rules of deeper folders come behind those above them. */
export function isIgnored(rules: readonly IgnoreRule[], path: string, kind: 'file' | 'folder'): boolean {
  const rule = rules.findLast(({ folder, pattern, foldersOnly }) => {
    if (foldersOnly && kind === 'file') return false;
    if (folder !== '' && !path.startsWith(`${folder}/`)) return false;
    return matchesPath(pattern, folder === '' ? path : path.slice(folder.length + 1));
  });
  return rule !== undefined && !rule.negated;
}

/** A pattern with a slash in it is held to its folder; one without means that name at any depth. */
function patternOf(path: string): PathPattern | undefined {
  const anchored = path.includes('/');
  const names = (anchored ? path.replace(/^\//, '') : `**/${path}`).split('/');
  if (names.some((name) => name === '')) return undefined;
  try {
    return names.flatMap((name, at): PathPattern => {
      if (name !== '**') return [signsOf(name)];
      return at === names.length - 1 ? [[STAR], FOLDERS] : [FOLDERS];
    });
  } catch {
    // A class that is none, as [z-a].
    return undefined;
  }
}

function signsOf(name: string): readonly Sign[] {
  return (name.match(/\\.|\[!?[^\]/]+\]|\*+|[^]/g) ?? []).map((token) => {
    if (token.startsWith('*')) return STAR;
    if (token === '?') return ONE;
    if (token.length > 1 && token.startsWith('[')) return new RegExp(token.replace('[!', '[^'));
    return token.charAt(token.length - 1);
  });
}
