/** Patterns of names in which `*` stands for any text. */

/** Whether the pattern fits. Left to right without trying again: the time does not explode with the number of `*`. */
export function matchesGlob(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, from);
    if (found < 0) return false;
    from = found + part.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
}
