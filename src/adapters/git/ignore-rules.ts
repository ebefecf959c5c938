/** Reads .gitignore files: which paths someone has told git to leave out. */

/** One pattern, with the folder of the file that it stands in. */
export type IgnoreRule = {
  readonly folder: string;
  readonly pattern: RegExp;
  readonly negated: boolean;
  readonly foldersOnly: boolean;
};

const MAX_RULES = 5_000;
const MAX_PATTERN_CHARACTERS = 500;

/** The rules of one file; `folder` is where it lies, from the root, empty for the root. */
export function ignoreRules(text: string, folder: string): readonly IgnoreRule[] {
  const rules: IgnoreRule[] = [];
  for (const raw of text.split('\n')) {
    const line = raw.replace(/\r$/, '').replace(/(?<!\\)[ \t]+$/, '');
    if (line === '' || line.startsWith('#') || line.length > MAX_PATTERN_CHARACTERS) continue;
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
    return pattern.test(folder === '' ? path : path.slice(folder.length + 1));
  });
  return rule !== undefined && !rule.negated;
}

/** A pattern with a slash in it is held to its folder; one without means that name at any depth. */
function patternOf(path: string): RegExp | undefined {
  const anchored = path.includes('/');
  const parts = (anchored ? path.replace(/^\//, '') : `**/${path}`).split('/');
  if (parts.some((part) => part === '')) return undefined;
  const source = parts.map((part, at) => partSource(part, at === parts.length - 1)).join('');
  try {
    return new RegExp(`^${source}$`);
  } catch {
    return undefined;
  }
}

function partSource(part: string, isLast: boolean): string {
  if (part === '**') return isLast ? '.*' : '(?:[^/]+/)*';
  const source = part.replaceAll(/\\.|\[!?[^\]/]+\]|\*+|\?|[.+^${}()|[\]\\]/g, (token) => {
    if (token.startsWith('*')) return '[^/]*';
    if (token === '?') return '[^/]';
    if (token.length > 1 && token.startsWith('[')) return token.replace('[!', '[^');
    return `\\${token.at(-1) ?? ''}`;
  });
  return isLast ? source : `${source}/`;
}
