/** Applies a unified diff to files, as `git apply` does: every line that it names must be there. */

export type Files = Readonly<Record<string, string>>;

export function patchedFiles(files: Files, patch: string): Files {
  const path = /^\+\+\+ b\/(.*)$/m.exec(patch)?.[1] ?? '';
  const before = (files[path] ?? '').split('\n');
  const after: string[] = [];
  let at = 0;
  for (const hunk of patch.split(/^(?=@@ )/m).slice(1)) {
    const [head = '', ...lines] = hunk.replace(/\n$/, '').split('\n');
    const start = Number(/^@@ -(\d+)/.exec(head)?.[1]) - 1;
    after.push(...before.slice(at, start));
    at = start;
    for (const line of lines) {
      const [sign, text] = [line[0], line.slice(1)];
      if (sign === '\\') continue;
      if (sign !== '+' && before[at] !== text) throw new Error(`${path}:${at + 1} is not ${JSON.stringify(text)}`);
      if (sign !== '-') after.push(text);
      if (sign !== '+') at += 1;
    }
  }
  return { ...files, [path]: [...after, ...before.slice(at)].join('\n') };
}
