/**
 * Takes from what kustomize printed the documents that somebody asks for, before any is parsed: a folder may build megabytes of
 * settings next to one LeaderWorkerSet. Its output has one form: keys in the first column, documents apart by `---` alone.
 */

const SEPARATOR = '---\n';

/** Those of these kinds, as one text. */
export function ofKinds(text: string, kinds: readonly string[]): string {
  return eachOfKinds(text, kinds).join(SEPARATOR);
}

/** Those of these kinds, one by one. */
export function eachOfKinds(text: string, kinds: readonly string[]): readonly string[] {
  return parts(text).filter((part) => kinds.some((kind) => hasLine(part, `kind: ${kind}`)));
}

/** What names an object and says how it is kept, without what is in it: apiVersion, kind and metadata. */
export function headsOf(text: string, kinds: readonly string[]): string {
  return ofKinds(text, kinds).replaceAll(
    /^(?!apiVersion:|kind:|metadata:|---$)[^\s-].*\n?(?:[ -](?!--).*\n?|\n)*/gm,
    '',
  );
}

/** Two outputs without the documents that are the same in both, but for those of a kind. Each stands as often as it does. */
export function apart(before: string, after: string, kind: string): readonly [string, string] {
  const [left, right] = [parts(before), parts(after)];
  const isKept = (part: string, others: ReadonlySet<string>): boolean =>
    hasLine(part, `kind: ${kind}`) || !others.has(part);
  const [all, now] = [new Set(left), new Set(right)];
  // What is there twice on one side alone would be lost here: then nothing is left out.
  if (all.size !== left.length || now.size !== right.length) return [before, after];
  return [
    left.filter((part) => isKept(part, now)).join(SEPARATOR),
    right.filter((part) => isKept(part, all)).join(SEPARATOR),
  ];
}

function parts(text: string): readonly string[] {
  return text.split(/^---\n/m).map((part) => (part === '' || part.endsWith('\n') ? part : `${part}\n`));
}

function hasLine(part: string, line: string): boolean {
  return part.startsWith(`${line}\n`) || part.includes(`\n${line}\n`);
}
