/** Marks of tranche that a change brings by hand: what main's own line never had is forged, what it had comes back. */

import { CONFIG_FILE, type Config } from '../api/config.ts';
import { INTENT } from '../api/intents.ts';
import type { Issue } from '../api/issue.ts';
import { at } from '../api/json.ts';
import { MADE_FOR, MARK, parseCommit, TEXT } from '../api/marks.ts';
import { OWN_PREFIX } from '../api/release-content.ts';
import { type ManifestDocument, parseManifestFile } from '../manifests/parse-file.ts';
import type { CommitHeader, Git, Oid } from '../ports/git.ts';
import { trailersIn } from '../rollout/commits/trailers.ts';
import { desiredOf } from './desired/desired.ts';
import type { Desired } from './desired/desired-rollout.ts';
import { desiredRequest } from './documents/desired-branch.ts';
import { namespaceOf } from './documents/manifest-index.ts';
import type { ParseCache } from './documents/parse-cache.ts';
import { repairedIn } from './verify-repair.ts';

/** What each mark makes tranche do, for anyone who is about to merge it. */
const DOES: Readonly<Record<string, string>> = {
  [MARK.release]: 'takes the template for that release, delivered or in progress',
  [MARK.step]: 'takes that step for started, or a rollback for ordered',
  [MARK.at]: 'takes that part of a step for done, and goes on behind it',
  [MARK.stable]: 'goes back to the template of that commit',
  [MARK.restore]: 'writes the fields that it names back, in this and in other objects',
  [MARK.aborted]: 'holds these releases as aborted',
  [MARK.serves]: 'takes the second workload for the one that serves',
  [MADE_FOR]: 'takes the object for one that it has made, which it may delete',
  [TEXT]: 'takes the template of this workload for that of the release',
  [INTENT.recreating]: 'writes the document of that commit into that file',
};

/** How many commits of main are asked whether they are of tranche, and this many of those what they hold. */
const COMMITS_MOST = 1000;
const LOOKS_MOST = 60;

type Brought = {
  readonly document: ManifestDocument;
  /** Written in its document or mapped to its path; undefined: neither. */
  readonly namespace: string | undefined;
  readonly key: string;
  readonly value: string;
  /** What the mark of the release says next to it; undefined: there is none. */
  readonly release: string | undefined;
};

export type JudgedMerge = {
  /** Each an error: no commit of tranche has ever written that value there. */
  readonly forged: readonly Issue[];
  /** Each a warning: an older value is put back. */
  readonly returned: readonly Issue[];
};

type Change = {
  readonly before: Desired | undefined;
  readonly after: Desired | undefined;
  /** Who opened its pull request, where that is from a branch of tranche. */
  readonly proposer: string | undefined;
  /** What tranche would write next, by file: to the byte, it is its word, though people bring it in. Not there: nobody has asked. */
  readonly planned?: ReadonlyMap<string, string>;
};

/**
 * Judges what a change adds to or makes of marks: what an object never had in main's own line is no word of tranche, and
 * must not look like one. Marks that go are reported elsewhere. Throws PortError where Git fails.
 */
export async function marksBrought(git: Git, { before, after, proposer, planned }: Change): Promise<JudgedMerge> {
  if (before === undefined || after === undefined) return { forged: [], returned: [] };
  const [was, is] = [await withMarked(git, before), await withMarked(git, after)];
  const isPlanned = ({ document: { file } }: Brought): boolean =>
    planned !== undefined && planned.has(file) && planned.get(file) === is.texts.get(file);
  const brought = broughtBy(was, is).filter((one) => !isPlanned(one));
  if (brought.length === 0) return { forged: [], returned: [] };
  const line = await git.history(before.commit, undefined, COMMITS_MOST);
  const had = await hadOnLine(git, { line, config: before.config }, brought);
  const changed = new Set(brought.map(({ document }) => document.file));
  const repaired = [...(await repairedIn(git, line, { after, changed }))];
  const isRepaired = ({ document, namespace }: Brought): boolean =>
    repaired.some(
      (one) =>
        one.file === document.file &&
        one.object.name === document.object.name &&
        namespaceOf(one, before.config) === namespace,
    );
  const shown = (those: readonly Brought[], tell: (one: Brought) => Issue): readonly Issue[] => those.map(tell);
  return {
    forged: shown(
      brought.filter((one) => !had.has(one)),
      (one) => forgedIssue(one, proposer),
    ),
    returned: shown(
      brought.filter((one) => had.has(one) && !isRepaired(one)),
      returnedIssue,
    ),
  };
}

/**
 * The same of files that nobody has merged yet, against a commit that they are to be merged into. undefined: the repository
 * has no such commit. Throws PortError.
 */
export async function marksSince(
  git: Git,
  base: string,
  { desired, parsed }: { readonly desired: Desired; readonly parsed: ParseCache },
): Promise<JudgedMerge | undefined> {
  const commit = await commitOf(git, base, desired.commit);
  if (commit === undefined) return undefined;
  const { config } = desired;
  const before = desiredOf(await git.readAt(commit, desiredRequest(config.paths)), config, parsed);
  return marksBrought(git, { before, after: desired, proposer: undefined });
}

/** Of a working tree `HEAD` names the files that lie there, and not the commit that is checked out. */
async function commitOf(git: Git, base: string, read: Oid): Promise<Oid | undefined> {
  const named = parseCommit(base) ?? (await git.heads([base]))[0];
  return named === read ? (await git.history(named, undefined, 1))[0]?.oid : named;
}

type Texts = Pick<Desired, 'texts' | 'config'>;

/** The files that a pass reads at once, and all others in which an annotation of tranche is: a Service and a route as well. */
async function withMarked(git: Git, { commit, config, texts }: Desired): Promise<Texts> {
  const { files } = await git.readAt(commit, { ...desiredRequest(config.paths), markers: [OWN_PREFIX] });
  const marked = files.flatMap(({ path, content }) => (content.kind === 'text' ? [[path, content.text] as const] : []));
  return { config, texts: new Map([...texts, ...marked]) };
}

function broughtBy(before: Texts, after: Texts): readonly Brought[] {
  const files = [...after.texts].filter(([file, text]) => before.texts.get(file) !== text);
  // A file that was moved is another one: its document is looked for wherever it was.
  const others = [...before.texts].filter(([file, text]) => after.texts.get(file) !== text);
  const was = others.flatMap(([file, text]) => markedIn(file, text, before.config));
  return files.flatMap(([file, text]) =>
    markedIn(file, text, after.config).filter((one) => !was.some((old) => isSameMark(old, one))),
  );
}

function markedIn(file: string, text: string, config: Config): readonly Brought[] {
  // YAML and JSON may write any letter of a key as an escape.
  if (!text.includes(OWN_PREFIX) && !text.includes('\\')) return [];
  return parseManifestFile(file, text, 'everything').documents.flatMap((document) => {
    const release = annotationIn(document, MARK.release);
    return Object.keys(DOES).flatMap((key): readonly Brought[] => {
      const value = annotationIn(document, key);
      return value === undefined ? [] : [{ document, namespace: namespaceOf(document, config), key, value, release }];
    });
  });
}

function annotationIn(document: ManifestDocument, key: string): string | undefined {
  const value = at(document.value, ['metadata', 'annotations', key]);
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Of one object, in whatever file: another of its name in another namespace is another object. */
function isSameMark(left: Brought, right: Brought): boolean {
  const [one, other] = [left.document.object, right.document.object];
  const isSame = one.kind === other.kind && one.name === other.name && left.namespace === right.namespace;
  return isSame && left.key === right.key && left.value === right.value;
}

/**
 * Those that some commit of main's own line had of the same release: `promote` or a rung is a word of every delivery. They are
 * looked for where a message says that tranche has written.
 */
async function hadOnLine(
  git: Git,
  { line, config }: { readonly line: readonly CommitHeader[]; readonly config: Config },
  brought: readonly Brought[],
): Promise<ReadonlySet<Brought>> {
  const found = new Set<Brought>();
  const paths = [...new Set(brought.map(({ document }) => document.file))];
  for (const { oid } of line.filter(isOfTranche).slice(0, LOOKS_MOST)) {
    if (found.size === brought.length) break;
    const { files } = await git.readAt(oid, { paths, suffixes: [], markers: [] });
    const there = files.flatMap(({ path, content }) =>
      content.kind === 'text' ? markedIn(path, content.text, config) : [],
    );
    for (const one of brought)
      if (there.some((old) => isSameMark(old, one) && old.release === one.release)) found.add(one);
  }
  return found;
}

/** What a message says is only where to look. */
function isOfTranche({ message }: CommitHeader): boolean {
  return trailersIn(message).length > 0;
}

/** Who locks or settles by hand, where pushes are refused, has nothing to take out. */
const OWN_COMMIT =
  'If it is what tranche plan shows, because a push was refused: what hangs on the cluster is not known here, so someone whom the rule of this check lets past merges it.';

function forgedIssue({ document, key, value }: Brought, proposer: string | undefined): Issue {
  const slug = /^([a-z0-9-]+)\[bot\]$/.exec(proposer ?? '')?.[1];
  const named = slug === undefined ? '' : ` If ${proposer} is the App of tranche: app: ${slug} in ${CONFIG_FILE}.`;
  return {
    ...placeOf(document, key),
    reason: 'MarkForged',
    message: `${nameOf(document)}: the change writes ${key}: ${shownValue(value)}, which no commit of tranche has ever written there. Merged, tranche ${DOES[key] ?? ''}`,
    hint: `Take it out: tranche writes its annotations itself. For a new workload copy its file without them. ${OWN_COMMIT}${named}`,
  };
}

function returnedIssue({ document, key, value }: Brought): Issue {
  return {
    ...placeOf(document, key),
    reason: 'MarkReturns',
    message: `${nameOf(document)}: the change puts ${key}: ${shownValue(value)} back, as main had it before. Merged, tranche ${DOES[key] ?? ''}`,
    hint: 'To go back to an earlier template, put back the template alone.',
  };
}

const SHOWN_MOST = 80;

function shownValue(value: string): string {
  return JSON.stringify(value.length > SHOWN_MOST ? `${value.slice(0, SHOWN_MOST)}…` : value);
}

function placeOf(document: ManifestDocument, key: string): Pick<Issue, 'file' | 'line' | 'path'> {
  const path = ['metadata', 'annotations', key];
  return { file: document.file, line: document.lineOf(path), path: path.join('.') };
}

function nameOf({ object }: ManifestDocument): string {
  return `${object.kind} ${object.name}`;
}
