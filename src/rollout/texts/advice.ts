/** What somebody can do about a hold, as data: command lines and edits, and the words between them. Its text is made of it. */

import { type Called, type CommandVerb, command } from './command-text.ts';

type InFile = { readonly file: string; readonly object: { readonly kind: string; readonly name: string } };

/** One thing that somebody does, as it is meant; what cannot be put so (look, wait, mend) is words alone. */
export type Deed =
  /** What is typed behind `tranche`. */
  | { readonly kind: 'command'; readonly argv: readonly string[] }
  /** Fields of an object of a file of main get values; undefined: the field goes. */
  | (InFile & {
      readonly kind: 'set';
      readonly fields: readonly { readonly path: readonly string[]; readonly value: string | number | undefined }[];
    })
  /** A number of a file is raised; the owner says to which. */
  | (InFile & { readonly kind: 'raise'; readonly path: readonly string[] })
  /** Files are put back as the last commit of tranche left them; documents that are gone, as main last had them. */
  | { readonly kind: 'restore'; readonly files: readonly string[]; readonly documents?: readonly Document[] }
  /** Pods are deleted. */
  | { readonly kind: 'delete'; readonly pods: readonly string[] };

/** A document by its kind and its name. */
type Document = { readonly kind: string; readonly name: string };

/** A deed with the words that stand for it. */
type Shown = { readonly deed: Deed; readonly words: string };

export type Advice = { readonly text: string; readonly deeds: readonly Deed[] };

type Part = string | number | Shown | Advice;

/** A tag of templates: the text as it stands, and the deeds in it, in their order. */
export function advice(words: TemplateStringsArray, ...parts: readonly Part[]): Advice {
  return {
    text: words.reduce((text, word, at) => text + textOf(parts[at - 1] ?? '') + word),
    deeds: parts.flatMap((part) => (typeof part !== 'object' ? [] : 'deed' in part ? [part.deed] : part.deeds)),
  };
}

function textOf(part: Part): string {
  if (typeof part !== 'object') return String(part);
  return 'deed' in part ? part.words : part.text;
}

/** `tranche approve vllm --hold Overshoot`. `rest`: what comes behind the Rollout. */
export function commandLine(verb: CommandVerb, rollout: Called, rest = ''): Shown {
  const words = command(verb, rollout, rest);
  return { deed: { kind: 'command', argv: words.split(' ').slice(1) }, words };
}

/** A field of a file; `words`: how the text puts it. */
export function fieldSet(
  words: string,
  at: InFile,
  field: { readonly path: readonly string[]; readonly value: string | number },
): Shown {
  return fieldsSet(words, at, [field]);
}

/** Several fields of one object. */
export function fieldsSet(
  words: string,
  { file, object: { kind, name } }: InFile,
  fields: Extract<Deed, { kind: 'set' }>['fields'],
): Shown {
  return { deed: { kind: 'set', file, object: { kind, name }, fields }, words };
}

/** The partition of a workload in its file. */
export function partitionSet(words: string | number, at: InFile, value: number): Shown {
  return fieldSet(String(words), at, { path: [...UPDATE, 'partition'], value });
}

/** Its maxUnavailable. */
export function budgetSet(words: string, at: InFile, value: number): Shown {
  return fieldSet(words, at, { path: [...UPDATE, 'maxUnavailable'], value });
}

/** Its groups. */
export function replicasSet(words: string, at: InFile, value: number): Shown {
  return fieldSet(words, at, { path: REPLICAS, value });
}

/** More groups. */
export function replicasRaised(words: string, { file, object: { kind, name } }: InFile): Shown {
  return { deed: { kind: 'raise', file, object: { kind, name }, path: REPLICAS }, words };
}

/** More groups that may be down at a time. */
export function budgetRaised(words: string, { file, object: { kind, name } }: InFile): Shown {
  return { deed: { kind: 'raise', file, object: { kind, name }, path: [...UPDATE, 'maxUnavailable'] }, words };
}

const REPLICAS = ['spec', 'replicas'];
const UPDATE = ['spec', 'rolloutStrategy', 'rollingUpdateConfiguration'];

/** Files as the last commit of tranche left them, all where none is named; `words`: how the text puts it. */
export function lastLeft(words: string, files: readonly string[]): Shown {
  return { deed: { kind: 'restore', files: [...new Set(files)] }, words };
}

/** Documents that are gone, as main last had them: a commit of tranche since then may have lacked them already. */
export function lastThere(words: string, documents: readonly Document[]): Shown {
  const named = documents.map(({ kind, name }) => ({ kind, name }));
  return { deed: { kind: 'restore', files: [], documents: named }, words };
}

/** The leaders of groups. */
export function leadersDeleted(
  words: string,
  { object: { name } }: InFile,
  groups: readonly { readonly index: number }[],
): Shown {
  return podsDeleted(
    groups.map(({ index }) => `${name}-${index}`),
    words,
  );
}

/** `pod vllm-3`, `pod vllm-2, vllm-3`: those that are deleted. `words`: where the text puts it otherwise. */
export function podsDeleted(pods: readonly string[], words = `pod ${pods.join(', ')}`): Shown {
  return { deed: { kind: 'delete', pods }, words };
}
