/** The text that a rollback delivers, as far as main's own line bears it out: the mark alone may name any commit there is. */

import type { Issue } from '../../api/issue.ts';
import { type Known, known, unknown } from '../../api/known.ts';
import type { Marks } from '../../api/marks.ts';
import { sameRelease, shortDigest } from '../../api/release.ts';
import { versionIn } from '../../api/version-label.ts';
import type { Oid } from '../../ports/git.ts';
import type { Stable, StableDocument } from '../../rollout/snapshot.ts';
import { isTemplateBack } from '../../rollout/state.ts';
import type { DesiredRollout } from '../desired/desired-rollout.ts';
import { collisionIssue, collisionOf, templateOf } from '../documents/digest-collision.ts';
import type { GitReader } from './git-reader.ts';
import { settledText } from './label-in-history.ts';
import type { Observation } from './observation.ts';
import type { Walked } from './own-line.ts';
import { type ReleaseBefore, releasesBefore } from './releases-before.ts';
import { anotherText, backInFile, stableFromRecord } from './stable-copy.ts';

type Where = Pick<Observation, 'git' | 'entry' | 'stored' | 'proof'>;

type StableSearch = {
  /** Of the delivery that is aborted. */
  readonly marks: Marks;
  /** Where the walk starts, at its parent. Not there: at the head. */
  readonly below?: Oid | undefined;
  /** The commit that somebody has ordered to go back to. Not there: nobody has. */
  readonly from?: Oid | undefined;
  /** Somebody has ordered to go back. Not there: nobody has. */
  readonly isAborted?: boolean;
};

/** What is gone back to, and what is wrong with the mark where main's own line says something else. */
export type BorneOut = {
  readonly stable: Known<Stable>;
  readonly forged?: Forged | undefined;
  /** The commit of the mark has another template of the same digest. */
  readonly collision?: Issue;
};

export type Forged = { readonly seen: string; readonly hint: string };

/**
 * The release before ours in main's own line, which the mark only chooses among several: in the commit that it names, or in
 * any other that has it there. Where main's line is not known so far back, a commit that main descends from, or a copy that
 * is signed. Where nothing of these tells it, what someone has ordered: an order next to them could deliver what no step of
 * a release ever did. At last what a rollback has in the file already. Throws PortError where Git fails for now.
 */
export async function stableBorneOut(of: Where, asked: StableSearch): Promise<BorneOut> {
  const told = await borneByHistory(of, asked);
  if (told.stable.kind === 'known') return told;
  const ordered =
    asked.from === undefined ? undefined : leadingBack(await orderedText(of.git, of.entry, asked.from), asked.marks);
  const back = ordered?.kind === 'known' || asked.below !== undefined ? undefined : await backInFile(of, asked.marks);
  const stable = back ?? ordered;
  return stable === undefined ? told : { stable };
}

async function borneByHistory(of: Where, asked: StableSearch): Promise<BorneOut> {
  const { marks, below } = asked;
  const named = marks.stable === undefined ? undefined : await of.git.textAt(marks.stable.commit, of.entry);
  const there = named?.kind === 'known' ? named.value : undefined;
  const claim = marks.step === undefined ? marks.release.digest : marks.stable?.digest;
  // Nothing starts while the mark leads elsewhere; who gives a request up needs no more than the text that it was before.
  if (marks.step === undefined && !asked.isAborted && there !== undefined && there.release.digest !== claim)
    return { stable: anotherText(there, marks.release) };
  const { releases, walked } = await releasesBefore(of.git.line, of.entry, { marks, below });
  const wanted = claim === undefined ? releases.at(-1) : releases.find(({ digest }) => digest === claim);
  // Whatever the mark says, main's own line tells what was settled before.
  const found = wanted ?? (walked.kind === 'found' ? releases.at(-1) : undefined);
  const fits = there !== undefined && (claim === undefined || there.release.digest === claim);
  if (found !== undefined) {
    const had = await of.git.releaseOf(found, of.entry);
    // Of two templates of one digest that of main's own line counts.
    const twins = fits && had.kind === 'known' ? collisionOf([templateOf(had.value), templateOf(there)]) : undefined;
    const collision = twins === undefined ? {} : { collision: collisionIssue(twins, found.document) };
    const isThere = twins === undefined && fits && there.release.digest === found.digest;
    const stable = await asSettled(of, asked, isThere && (await of.git.isAncestor(there.commit)) ? known(there) : had);
    const forged = wanted === undefined ? { forged: notBefore(marks, { claim, releases, found }) } : {};
    return { stable, ...forged, ...collision };
  }
  if (walked.kind === 'cut' && fits && (await of.git.isAncestor(there.commit))) return { stable: known(there) };
  const why = named?.kind === 'unknown' ? `${named.why}, and ` : '';
  const copied = fits ? await copiedFrom(of, there) : '';
  return { stable: signedCopy(of, claim) ?? unknown(`${why}${unknownBefore(walked)}${copied}`) };
}

/** The same with the label that groups carry: a mark may name a commit that has another one of the same template. */
async function asSettled(
  of: Where,
  { below }: StableSearch,
  stable: Known<StableDocument>,
): Promise<Known<StableDocument>> {
  if (stable.kind !== 'known') return stable;
  const { version, release } = stable.value;
  const { workload } = of.entry;
  if (version === undefined && (workload === undefined || versionIn(workload.value) === undefined)) return stable;
  const settled = await settledText(of, release.digest, below);
  return settled === undefined || settled.version === version ? stable : known({ ...settled, release });
}

/**
 * A copy in another folder has no past of its own. Where main had the template as delivered under the same name, someone may order
 * to go back to it: not by itself, because the mark alone says that this workload is the one of then.
 */
async function copiedFrom({ git, entry }: Where, { release, commit, manifest }: StableDocument): Promise<string> {
  const { marks } = manifest.workload;
  const isSettled = marks?.step === undefined && (marks === undefined || sameRelease(marks.release, release));
  if (!isSettled || manifest.file === entry.identity?.file || (await git.line.has(commit)) !== true) return '';
  return `. In ${manifest.file} main had it as delivered, in ${commit}: where this is a copy of that, it is the commit to name`;
}

/** What is aborted is nothing to go back to, by no order: every group would be taken on to it. */
function leadingBack(ordered: Known<StableDocument>, marks: Marks): Known<StableDocument> {
  const isGiven = marks.step !== undefined && !isTemplateBack(marks);
  if (ordered.kind !== 'known' || !isGiven || ordered.value.release.digest !== marks.release.digest) return ordered;
  return unknown(`${ordered.value.commit.slice(0, 12)}, which was ordered, has the template that is aborted`);
}

/** The template that somebody orders to go back to: anyone who orders answers for it, and main's own line has to have it. */
export async function orderedText(git: GitReader, entry: DesiredRollout, from: Oid): Promise<Known<StableDocument>> {
  if ((await git.line.has(from)) === true) return git.textAt(from, entry);
  return unknown(`${from.slice(0, 12)}, which was ordered, is not on main's own line`);
}

/** A copy that this process or a key vouches for: of what the mark names, or, where nobody knows that, of what it had. */
function signedCopy(of: Where, claim: string | undefined): Known<Stable> | undefined {
  const isVerified = of.proof === 'signed' || of.proof === 'seen';
  if (of.stored?.kind !== 'read' || !isVerified) return undefined;
  const copy = stableFromRecord(of.stored.record, undefined);
  return copy.kind === 'known' && (claim === undefined || copy.value.release.digest === claim) ? copy : undefined;
}

function notBefore(
  { stable }: Marks,
  {
    claim,
    releases,
    found,
  }: {
    readonly claim: string | undefined;
    readonly releases: readonly ReleaseBefore[];
    readonly found: ReleaseBefore;
  },
): Forged {
  const had = releases.map(({ digest, commit }) => `${shortDigest(digest)} in ${commit.slice(0, 12)}`).join(', ');
  return {
    seen: `says ${stable?.commit.slice(0, 12) ?? 'nothing'} with the template ${shortDigest(claim ?? '')}, and main's own line had ${had} before this delivery`,
    hint: `A rollback puts back ${shortDigest(found.digest)}, as ${found.commit.slice(0, 12)} has it. git log -p of the file shows who changed the mark.`,
  };
}

function unknownBefore(walked: Walked<Oid>): string {
  const why = walked.kind === 'cut' ? walked.why : 'main has no version of it that was settled before';
  return `main's own line does not tell what was delivered before: ${why}`;
}
