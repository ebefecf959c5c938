/** What the branch of a pull request holds, and whether a commit that is there holds just that. */

import { INTENT, printApprove } from '../../api/intents.ts';
import type { ProposalForm } from '../../api/proposal-record.ts';
import { shortRelease } from '../../api/release.ts';
import type { CommitHeader, FileWrite, Oid } from '../../ports/git.ts';
import { intentMessage, plannedOn, proposedStep } from '../../rollout/commits/messages.ts';
import { paragraphsOf, parseTrailers } from '../../rollout/commits/trailers.ts';
import { editsOf } from '../../rollout/edits/change-edits.ts';
import type { ObjectEdits } from '../../rollout/edits/edit.ts';
import { isFields } from '../../rollout/proposals/form.ts';
import type { Approval } from '../../rollout/proposals/promotion.ts';
import type { Desired } from '../desired/desired-rollout.ts';
import { onlyChanges } from '../history/only-changes.ts';
import type { Reconciled } from '../outcome.ts';
import { notAllowed } from '../write/allowed.ts';
import type { NewBranch } from '../write/execute-proposal.ts';
import { render } from '../write/render.ts';
import { inForm } from './case.ts';
import type { ProposalRound } from './proposal-pass.ts';

/** What reads a branch: nothing of the forge. */
type Reader = { readonly ports: Pick<ProposalRound['ports'], 'git'> } & Pick<ProposalRound, 'reading'>;

/** What is proposed of a rollout, and how. */
export type Proposed = { readonly one: Reconciled; readonly wanted: Approval; readonly form: ProposalForm };

type At = { readonly base: Oid; readonly texts: ReadonlyMap<string, string> };

/** A branch that was made for this change may be this many commits of main behind, and is known again. */
const BEHIND_MOST = 500;
/** And what it was brought up to date from this many. */
const BEGUN_MOST = 5000;
/** How often it may have been brought up to date: each time is read. */
const UPDATES_MOST = 20;

/** The branch with its one commit on `base`; undefined: a file cannot be edited. Its bytes come from what it changes and from its base, never from the hour. */
export async function branchFrom(of: Proposed, { ports, reading }: Reader, at: At): Promise<NewBranch | undefined> {
  const writes = writesOn(of, at.texts, reading.desired);
  if (writes === undefined || writes.length === 0) return undefined;
  const [on] = await ports.git.history(at.base, undefined, 1);
  const { author } = reading.desired.config;
  return {
    branch: inForm(of.one.key, of.wanted, of.form).branch,
    base: at.base,
    commit: { writes, message: messageOn(of, at.base), signature: { ...author, atSeconds: on?.author.atSeconds ?? 0 } },
  };
}

function messageOn({ one, wanted, form }: Proposed, base: Oid): string {
  const { key, plan } = one;
  if (isFields(form)) return proposedStep(plan?.commit?.message ?? '', base);
  const what = `approve ${plan?.commit?.label ?? ''} of ${shortRelease(wanted.release)}`;
  return intentMessage(what, { key, main: base, by: '' });
}

function writesOn(
  of: Proposed,
  texts: ReadonlyMap<string, string>,
  { customs }: Pick<Desired, 'customs'>,
): readonly FileWrite[] | undefined {
  const edits = editsFor(of);
  const rendered = render(edits, texts);
  if (edits.length === 0 || rendered.kind === 'refused') return undefined;
  return notAllowed(rendered.writes, { before: texts, customs }) === undefined ? rendered.writes : undefined;
}

function editsFor({ one, wanted, form }: Proposed): readonly ObjectEdits[] {
  const rollout = one.snapshot?.rollout;
  if (isFields(form)) return editsOf(one.plan?.commit?.changes ?? []);
  if (rollout === undefined) return [];
  const path = ['metadata', 'annotations', INTENT.approve];
  const edits = [{ kind: 'set', path, value: printApprove(wanted) }] as const;
  return [{ file: rollout.file, object: rollout.object, edits }];
}

/** Whether this commit is the one that we would have made on the base that it has. */
export async function isOurCommit(of: Proposed, round: Reader, head: Oid): Promise<boolean> {
  const [commit] = await round.ports.git.history(head, undefined, 1);
  const [base, ...others] = commit?.parents ?? [];
  if (commit === undefined || base === undefined || others.length > 0) return false;
  // What lies between would come into main as well.
  if (!(await isOnMain(round, base, BEGUN_MOST))) return false;
  const wish = await branchFrom(of, round, { base, texts: await textsAt(of, round, base) });
  if (wish === undefined || !saysSame(of, wish.commit.message, commit) || !(await holds(wish, of, round, head)))
    return false;
  return changesNothingElse(wish, round, { base, head });
}

/** Anyone who may push there may have made it, with more than our change in it. */
function changesNothingElse(
  { commit }: NewBranch,
  { ports }: Reader,
  of: { readonly base: Oid; readonly head: Oid },
): Promise<boolean> {
  return onlyChanges(ports.git, { ...of, paths: commit.writes.map(({ path }) => path) });
}

/** Which policies govern may change without the step: where the step itself is proposed its message names them. */
function saysSame({ form }: Proposed, message: string, commit: Pick<CommitHeader, 'message'>): boolean {
  if (!isFields(form)) return commit.message.trimEnd() === message.trimEnd();
  const [wish, there] = [parseTrailersOf(message), parseTrailersOf(commit.message)];
  return wish !== '' && wish === there && textOf(message) === textOf(commit.message);
}

/** Its subject and body. */
function textOf(message: string): string {
  return paragraphsOf(message).slice(0, -1).join('\n\n');
}

function parseTrailersOf(message: string): string {
  const trailers = parseTrailers(message);
  return trailers === undefined ? '' : JSON.stringify(trailers);
}

async function holds(wish: NewBranch, of: Proposed, round: Reader, head: Oid): Promise<boolean> {
  const there = await textsAt(of, round, head);
  return wish.commit.writes.every(({ path, text }) => there.get(path) === text);
}

/**
 * Whether this commit brings our change, and nothing else, onto a newer commit of main: as the forge makes one where someone brings the
 * pull request up to date, by a merge or by a rebase. All of its messages come into the log of main with it, and so does what it was
 * merged onto: a rebase has our message, a merge that of git, and its first parent is such a commit as well, `most` times at the most.
 */
export async function isBroughtUpToDate(of: Proposed, round: Reader, head: Oid, most = UPDATES_MOST): Promise<boolean> {
  const { git } = round.ports;
  const [commit] = await git.history(head, undefined, 1);
  const [first, second, ...others] = commit?.parents ?? [];
  const base = second ?? first;
  if (commit === undefined || first === undefined || base === undefined || others.length > 0) return false;
  const isFirst = most === UPDATES_MOST;
  if (!(await isOnMain(round, base, isFirst ? BEHIND_MOST : BEGUN_MOST))) return false;
  const wish = await branchFrom(of, round, { base, texts: await textsAt(of, round, base) });
  if (wish === undefined || !(await holds(wish, of, round, head))) return false;
  if (!(await changesNothingElse(wish, round, { base, head }))) return false;
  if (second === undefined) return saysSame(of, wish.commit.message, { message: plannedOn(commit.message, base) });
  return most > 0 && MERGE_MESSAGE.test(commit.message) && isBroughtUpToDate(of, round, first, most - 1);
}

/** What git says of a merge of main into a branch, in one line. A name of either has no quotes and no spaces. */
const MERGE_MESSAGE = /^Merge (?:remote-tracking )?(?:branch|commit) '[^'\s]+'(?: of [^\s]+)?(?: into [^\s]+)?\n*$/;

async function isOnMain({ ports, reading }: Reader, base: Oid, most: number): Promise<boolean> {
  const line = await ports.git.history(reading.main, base, most);
  return line.at(-1)?.oid === base;
}

/** The files that it edits, as they are at a commit. */
async function textsAt(of: Proposed, { ports }: Reader, commit: Oid): Promise<ReadonlyMap<string, string>> {
  const paths = [...new Set(editsFor(of).map(({ file }) => file))];
  if (paths.length === 0) return new Map();
  const { files } = await ports.git.readAt(commit, { paths, suffixes: [], markers: [] });
  return new Map(
    files.flatMap(({ path, content }) => (content.kind === 'text' ? [[path, content.text] as const] : [])),
  );
}
