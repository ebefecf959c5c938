/** What is wrong with the files as a whole: objects that are missing, there twice, without a usable name, or unreadable. */

import type { Issue } from '../../api/issue.ts';
import { MADE_FOR } from '../../api/marks.ts';
import type { Rollout } from '../../api/rollout.ts';
import { shellWord } from '../../api/shell-word.ts';
import { isOneWorkload, STYLES } from '../../api/styles.ts';
import type { Elsewhere } from '../../manifests/built-elsewhere.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import type { TreeFile } from '../../ports/git.ts';
import type { Unbuilt } from './built-over.ts';
import { nameOf } from './read-rollout.ts';

/** A file that is there but could not be read as text. */
export type Unreadable = Omit<Extract<TreeFile['content'], { readonly kind: 'unreadable' }>, 'kind'> & {
  readonly path: string;
};

/** How many unread files are named where something is missing. */
const NAMED_MOST = 5;

function issue(
  document: ManifestDocument,
  path: readonly string[],
  rest: Pick<Issue, 'reason' | 'message' | 'hint'>,
): Issue {
  return {
    file: document.file,
    line: document.lineOf(path),
    path: path.join('.'),
    ...rest,
    message: `${nameOf(document)}: ${rest.message}`,
  };
}

function place(document: ManifestDocument): string {
  const line = document.lineOf([]);
  // What kustomize builds is in no line.
  return line === 0 ? document.file : `${document.file}:${line}`;
}

/** Where documents are: the first of them by file and line, and how many more there are. */
export function placesText(documents: readonly ManifestDocument[]): string {
  return firstOf(documents, documents.length, place);
}

/** `many`: how many there are, of which these are the first. */
function firstOf<T>(them: readonly T[], many: number, textOf: (one: T) => string): string {
  const named = them.slice(0, NAMED_MOST).map(textOf);
  const more = many - named.length;
  const all = more === 0 ? named : [...named, `${more} more`];
  const last = all.at(-1) ?? '';
  return all.length < 2 ? last : `${all.slice(0, -1).join(', ')} and ${last}`;
}

/** Neither the manifest nor tranche.yaml says which namespace it is for. */
export function namespaceIssue(document: ManifestDocument): Issue {
  return issue(document, ['metadata', 'namespace'], {
    reason: 'NamespaceUnknown',
    message: 'no namespace in the manifest, and tranche.yaml maps none to its path',
    hint: `Add metadata.namespace, or a line under namespaces in tranche.yaml for ${document.file}.`,
  });
}

/** A name that Kubernetes would not take, and that we put into paths and trailers. */
export function badNameIssue(document: ManifestDocument, field: 'name' | 'namespace', seen: string): Issue {
  return issue(document, ['metadata', field], {
    reason: 'BadName',
    message: `its ${field} is ${JSON.stringify(seen)}, wanted a name that Kubernetes accepts`,
    hint: 'Use lower-case letters, digits and -.',
  });
}

/** The same object in several places: which one the agent applies is not ours to guess. */
export function twiceIssue(document: ManifestDocument, others: readonly ManifestDocument[]): Issue {
  return twiceAt(document, placesText(others));
}

/** The same for all documents of one name; none where there is one. As many as there are may ask, and each list is as long. */
export function twiceIssues(all: readonly ManifestDocument[]): readonly Issue[] {
  const [first, ...others] = all.slice(0, NAMED_MOST + 1);
  return first === undefined || others.length === 0 ? [] : [twiceAt(first, firstOf(others, all.length - 1, place))];
}

function twiceAt(document: ManifestDocument, places: string): Issue {
  return issue(document, ['metadata', 'name'], {
    reason: 'DuplicateObject',
    message: `the same object is also in ${places}; wanted it once`,
    hint: 'Remove all but one, or narrow paths in tranche.yaml.',
  });
}

/** Rollouts that would step one workload as well: the first of them, and how many there are. */
export type Rivals = { readonly first: readonly ManifestDocument[]; readonly many: number };

/** How many have to be there next to the number of all; of twins these are looked into. Each of them asks for all others. */
export const TWINS_READ_MOST = NAMED_MOST;

/** Where all are at hand. */
export const allRivals = (first: readonly ManifestDocument[]): Rivals => ({ first, many: first.length });

/** Two Rollouts that would step one workload. */
export function rivalIssue(document: ManifestDocument, { first, many }: Rivals, name: string): Issue {
  return issue(document, ['spec', 'workloadRef', 'name'], {
    reason: 'WorkloadClaimedTwice',
    message: `${name} is also named by ${firstOf(first, many, (rival) => `${nameOf(rival)} in ${place(rival)}`)}`,
    hint: 'Keep one Rollout for a workload.',
  });
}

/** A Rollout for what we made next to a workload ourselves: what it has is decided by the delivery of that one. */
export function madeIssue(document: ManifestDocument, made: ManifestDocument, of: string): Issue {
  return issue(document, ['spec', 'workloadRef', 'name'], {
    reason: 'WorkloadNotYours',
    message: `${made.object.name} in ${place(made)} was made by tranche for ${of} (annotation ${MADE_FOR}), wanted a workload of your own`,
    hint: `Name ${of} in workloadRef, or remove this Rollout. If people wrote the workload, remove the annotation from it.`,
  });
}

/** Where a workload may be that is not among the files that were read: files that were not, and what is built elsewhere. */
export type Unseen = {
  readonly unread: readonly string[];
  /** A patch of ours that somebody has taken away or broken: without it its folder builds nothing. */
  readonly lost: (workload: Sought) => readonly Elsewhere[];
  readonly elsewhere: (workload: Sought) => readonly Elsewhere[];
};

type Sought = { readonly namespace: string; readonly name: string };

/** A Rollout whose workload is not among the files that were read. */
export function missingIssue(
  document: ManifestDocument,
  { name, namespace }: Sought,
  { unread, lost, elsewhere }: Unseen,
): Issue {
  const more = unread.length > NAMED_MOST ? ` and ${unread.length - NAMED_MOST} more` : '';
  const files = unread.length === 0 ? '' : `; not read: ${unread.slice(0, NAMED_MOST).join(', ')}${more}`;
  const [first] = [...lost({ namespace, name }), ...elsewhere({ namespace, name })];
  const built = first === undefined ? '' : `; ${first.file}${first.line === 0 ? '' : `:${first.line}`} ${first.what}`;
  const check = 'Check the name, the namespace (also namespaces in tranche.yaml), and paths in tranche.yaml.';
  return issue(document, ['spec', 'workloadRef', 'name'], {
    reason: 'WorkloadMissing',
    message: `no LeaderWorkerSet ${namespace}/${name} in the files that were read${files}${built}`,
    hint: first === undefined ? check : `${check} ${first.hint}`,
  });
}

/** The same where folders may build it and are not built: no other place is looked for before those are, but that of a lost patch. */
export function mayBe(unseen: Unseen, folders: readonly Unbuilt[]): Unseen {
  if (folders.length === 0) return unseen;
  const hint = 'Mend the folder first: what it builds decides whether the workload is there.';
  const found = folders.map(({ root }) => ({ file: root, line: 0, what: 'may build it, and is not built', hint }));
  return { ...unseen, elsewhere: () => found };
}

/** JSON is mostly data, as the tokenizer of a model: a large one is no manifest, and nobody's fault. */
export function isData({ path, cause }: Unreadable): boolean {
  return cause === 'large' && path.endsWith('.json');
}

/** What is passed over, for those who meant it to be read. */
export function dataWarning(file: Unreadable): Issue {
  return {
    file: file.path,
    line: 0,
    path: '',
    reason: 'LargeJson',
    message: `${file.why}: taken for data and passed over`,
    hint: 'If it holds manifests, put them into files within the limit: none of them counts. Else nothing is wrong; to have it not fetched either, name the folders and files with manifests and policies under paths in tranche.yaml.',
  };
}

/** A file that is there and cannot be read as text. */
export function unreadableIssue(file: Unreadable): Issue {
  return {
    file: file.path,
    line: 0,
    path: '',
    reason: 'UnreadableFile',
    message: file.why,
    hint: WAYS[file.cause],
  };
}

/** What can be done about each. */
const WAYS: Readonly<Record<Unreadable['cause'], string>> = {
  link: 'Name what it leads to in its place under paths in tranche.yaml, or put the files there themselves.',
  folder: 'Take files out of this folder, or move it nearer to the root; or leave it out of paths in tranche.yaml.',
  name: 'Give it another name, or leave it out of paths in tranche.yaml.',
  large: 'Make it UTF-8 text within the limit, or leave it out of paths in tranche.yaml.',
  garbled: 'Make it UTF-8 text within the limit, or leave it out of paths in tranche.yaml.',
};

/** One syntax fault a file: the ones after it are nearly always its echoes. */
export function withoutEchoes(issues: readonly Issue[]): readonly Issue[] {
  const first = issues.findIndex((found) => found.reason === 'UnparsableYaml');
  return issues.filter((found, index) => found.reason !== 'UnparsableYaml' || index === first);
}

/** A second workload needs a place in the kustomization that a patch does not have; so do routes, which are lists. */
export function notOverBuilds(
  document: ManifestDocument,
  { rollout, root }: { readonly rollout: Rollout | undefined; readonly root: string },
): readonly Issue[] {
  const plain = `commit what kustomize builds as a plain manifest, and let the agent apply its folder (kustomize build ${shellWord(root === '' ? '.' : root)} > rendered/all.yaml)`;
  return notSteppedAlone(document, rollout, { made: 'that kustomize builds', plain });
}

/** The same of whatever makes the workload. `plain` is the other way out. */
export function notSteppedAlone(
  document: ManifestDocument,
  rollout: Rollout | undefined,
  { made, plain }: { readonly made: string; readonly plain: string },
): readonly Issue[] {
  if (rollout === undefined || (isOneWorkload(rollout.style) && rollout.routing === undefined)) return [];
  const what = isOneWorkload(rollout.style) ? 'traffic by routes' : `the strategy ${rollout.style}`;
  const rest = {
    reason: 'NotSupportedYet',
    message: `${what} is not built for a LeaderWorkerSet ${made}`,
    hint: `Deliver it in steps of one workload (canary without trafficRoutings and without enableExtraWorkloadForCanary), or ${plain}.`,
  };
  return [issue(document, ['spec', 'strategy', STYLES[rollout.style].key], rest)];
}
