/** Patterns of paths, as CODEOWNERS and .gitignore have them, matched in a time that no pattern can make explode. */

/** Stands for any text within one name, an empty one too. */
export const STAR = { kind: 'star' } as const;

/** Stands for any one letter. */
export const ONE = { kind: 'one' } as const;

/** A letter that stands for itself, or one of a class. */
export type Sign = string | RegExp | typeof STAR | typeof ONE;

/** Stands for any number of names on the way, none too. */
export const FOLDERS = '**' as const;

export type PathPattern = readonly (readonly Sign[] | typeof FOLDERS)[];

/** Whether the pattern fits the whole path. All ways through it are followed at once: names times parts, at most. */
export function matchesPath(pattern: PathPattern, path: string): boolean {
  let at = behindFolders(pattern, [0]);
  for (const name of path.split('/')) {
    const next: number[] = [];
    for (const place of at) {
      const part = pattern[place];
      if (part === undefined) continue;
      if (part === FOLDERS) next.push(place);
      else if (matchesName(part, name)) next.push(place + 1);
    }
    at = behindFolders(pattern, next);
  }
  return at.has(pattern.length);
}

/** With the places that are reached where FOLDERS stands for nothing. */
function behindFolders(pattern: PathPattern, places: readonly number[]): ReadonlySet<number> {
  const reached = new Set<number>();
  for (const first of places) {
    let place = first;
    while (!reached.has(place)) {
      reached.add(place);
      if (pattern[place] !== FOLDERS) break;
      place += 1;
    }
  }
  return reached;
}

/** A star takes as little as it can; only the last one ever has to take more. */
function matchesName(signs: readonly Sign[], name: string): boolean {
  let [at, sign, star, taken] = [0, 0, -1, 0];
  while (at < name.length) {
    if (signs[sign] === STAR) [star, taken, sign] = [sign, at, sign + 1];
    else if (fits(signs[sign], name.charAt(at))) [at, sign] = [at + 1, sign + 1];
    else if (star < 0) return false;
    else [sign, taken, at] = [star + 1, taken + 1, taken + 1];
  }
  while (signs[sign] === STAR) sign += 1;
  return sign === signs.length;
}

function fits(sign: Sign | undefined, letter: string): boolean {
  if (sign === undefined || sign === STAR) return false;
  if (sign === ONE) return true;
  return sign instanceof RegExp ? sign.test(letter) : sign === letter;
}
