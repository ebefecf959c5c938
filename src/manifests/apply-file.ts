/** The file that applies our patches over a kustomize folder: what of it is not as we write it, and its text as we would. */

import { applyName, applyText, type Patched } from './patch-place.ts';

type Part = {
  readonly text: string;
  /** 1-based, of its first line. */
  readonly line: number;
};

/** By lines alone: a file that is no YAML has them too. Blank parts are none. */
function partsOf(text: string): readonly Part[] {
  const parts: Part[] = [];
  let from = 0;
  const lines = text.split('\n');
  const end = (to: number): void => {
    const body = lines.slice(from, to).join('\n');
    const isCut = to < lines.length;
    if (body.trim() !== '') parts.push({ text: isCut ? `${body}\n` : body, line: from + 1 });
    from = to + 1;
  };
  lines.forEach((line, place) => {
    if (/^---\s*$/.test(line)) end(place);
  });
  end(lines.length);
  return parts;
}

/** What a document of ours says, whatever is remarked next to it; its name and its file have one and the same ending. */
const OURS =
  /^apiVersion: builtin\nkind: PatchTransformer\nmetadata:\n {2}name: tranche-(\S+)\npath: tranche\/\1\.yaml\n$/;

function ownIn({ text }: Part): string | undefined {
  const said = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  return OURS.exec(`${said.map((line) => line.trimEnd()).join('\n')}\n`)?.[1];
}

/** The line of the first thing in the file that no commit of ours writes; undefined: there is none. */
export function foreignInApply(text: string): number | undefined {
  const parts = partsOf(text);
  const seen = new Set<string>();
  for (const part of parts) {
    const own = ownIn(part);
    if (own === undefined || seen.has(own)) return oddLine(part);
    seen.add(own);
  }
  return parts.length === 0 ? 1 : undefined;
}

const LINE =
  /^(#|\s*$|apiVersion: builtin\s*$|kind: PatchTransformer\s*$|metadata:\s*$| {2}name: tranche-|path: tranche\/)/;

function oddLine({ text, line }: Part): number {
  const odd = text.split('\n').findIndex((one) => !LINE.test(one));
  return odd < 0 ? line : line + odd;
}

/** Of the name that a part has, ours or edited. */
function nameIn({ text }: Part): string | undefined {
  return /^ {2}name: (tranche-\S+)$/m.exec(text)?.[1];
}

/**
 * The text as commits of ours have made it: each document once, in the order of `earlier`, a text of the past, and of what is there now.
 * `workloads` have one in any case; of others theirs is kept where it is as we write it, and its patch is there.
 */
export function applyAgain(of: {
  readonly earlier: string;
  readonly now: string;
  readonly workloads: readonly Patched[];
  /** Of a file that a document names, below the folder. */
  readonly isThere: (path: string) => boolean;
}): string {
  const { earlier, now, workloads, isThere } = of;
  const known = new Map(workloads.map((one) => [applyName(one), applyText(one)]));
  const texts = new Map<string, string>();
  for (const part of [...partsOf(earlier), ...partsOf(now)]) {
    const name = nameIn(part);
    if (name === undefined || texts.has(name)) continue;
    const own = ownIn(part);
    const text = known.get(name) ?? (own !== undefined && isThere(`tranche/${own}.yaml`) ? part.text : undefined);
    if (text !== undefined) texts.set(name, text);
  }
  for (const [name, text] of known) if (!texts.has(name)) texts.set(name, text);
  return [...texts.values()].map((text) => (text.endsWith('\n') ? text : `${text}\n`)).join('---\n');
}
