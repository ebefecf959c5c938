/**
 * Commits of main that a decision hangs on in addition to its head: the one that brought the step, and those that have a text.
 * Ours are named by their messages; who merges may leave nothing of a message, so that the marks of the file decide.
 */

import { absent, type Known, known } from '../../api/known.ts';
import type { Marks } from '../../api/marks.ts';
import type { StepRecord } from '../../api/record.ts';
import { type Release, sameRelease, shortRelease } from '../../api/release.ts';
import type { CommitHeader } from '../../ports/git.ts';
import { policiesIn } from '../../rollout/commits/trailers.ts';
import type { Stable, WorkloadFile } from '../../rollout/snapshot.ts';
import type { Observation } from './observation.ts';

type Where = Pick<Observation, 'git' | 'entry'>;

/** The step in Git with its plan, as the commit has it that brought it; undefined: there is no such commit. */
export async function stepBrought({ git, entry }: Where, marks: Marks): Promise<StepRecord | undefined> {
  const { release, step } = marks;
  if (step?.kind !== 'step') return undefined;
  const same = (there: Marks | undefined): boolean =>
    there?.step?.kind === 'step' && there.step.index === step.index && sameRelease(there.release, release);
  const commit = await commitOf({ git, entry }, { release, step: `${step.index}/${step.of}`, same });
  if (commit === undefined) return undefined;
  const found = await git.stepAt(commit, entry, { release, index: step.index });
  const policies = policiesIn(commit.message);
  return found === undefined || policies === undefined ? found : { ...found, policies };
}

async function commitOf(
  { git, entry }: Where,
  of: {
    readonly release: Release;
    readonly step: string;
    readonly same: (there: Marks | undefined) => boolean;
  },
): Promise<CommitHeader | undefined> {
  const named = await git.stepCommit(
    [entry.key],
    (theirs, step) => step === of.step && sameRelease(theirs, of.release),
  );
  if (named !== undefined && (await wrote({ git, entry }, named, of.same))) return named;
  return (await git.arrival(entry, of.same))?.commit;
}

/** Whether a commit has these marks and changed the workload: who only says so has done nothing to it. */
async function wrote(
  { git, entry }: Where,
  { oid, parents }: CommitHeader,
  same: (marks: Marks | undefined) => boolean,
): Promise<boolean> {
  const there = await git.workloadAt(oid, entry);
  if (there === undefined || !same(there.workload.marks)) return false;
  const [parent] = parents;
  return parent === undefined || (await git.workloadAt(parent, entry))?.text !== there.text;
}

/** A commit of main where the file has the release of its marks: main itself, unless a newer edit waits in it. */
export async function deliveredOf(of: Observation, file: WorkloadFile): Promise<Known<string>> {
  const { git, entry } = of;
  const { marks } = file.workload;
  if (marks?.step === undefined || marks.step.kind === 'rollback') return absent;
  const { release } = marks;
  if (file.digest === release.digest) return known(of.desired.commit);
  const named = await git.stepCommit([entry.key], (theirs) => sameRelease(theirs, release));
  if (named !== undefined && (await hasText(of, named.oid, release)) !== undefined) return known(named.oid);
  const brought = await git.arrival(entry, (there) => sameRelease(there?.release, release));
  if (brought === undefined || (await hasText(of, brought.commit.oid, release)) === undefined) return absent;
  return known(brought.commit.oid);
}

/** The text of a release that a retry names, where the file does not have it any more. */
export async function retryTextOf(of: Observation, file: WorkloadFile): Promise<Known<Stable>> {
  const { git, entry } = of;
  const retry = entry.reading.rollout?.intents.retry?.release;
  const { marks } = file.workload;
  if (retry === undefined || marks === undefined || retry.digest === file.digest) return absent;
  const given = (there: Marks | undefined): boolean =>
    there?.aborted.some((release) => sameRelease(release, retry)) ?? false;
  if (!given(marks)) return absent;
  const named = await git.stepCommit([entry.key], (release) => sameRelease(release, retry));
  const text = named === undefined ? undefined : await hasText(of, named.oid, retry);
  if (text !== undefined) return known(text);
  // Aborted before its first step, it is in no step commit, but in the one before the commit that took it out.
  const before = await git.templateRemoved(entry, ({ digest }) => digest === retry.digest);
  if (before.kind === 'known') return before;
  const found = await abortedText(of, retry, given);
  if (found !== undefined) return known(found);
  return { kind: 'unknown', why: `no commit of main has the template of ${shortRelease(retry)}` };
}

/** Before the commit that gave it up it was delivered; the one that started with it has its text. */
async function abortedText(
  { git, entry }: Where,
  retry: Release,
  given: (marks: Marks | undefined) => boolean,
): Promise<Stable | undefined> {
  const last = (await git.arrival(entry, given))?.parent;
  if (last === undefined) return undefined;
  const begun = await git.arrival(entry, (there) => sameRelease(there?.release, retry), last);
  return begun === undefined ? undefined : hasText({ git, entry }, begun.commit.oid, retry);
}

async function hasText({ git, entry }: Where, commit: string, { digest }: Release): Promise<Stable | undefined> {
  const text = await git.textAt(commit, entry);
  return text.kind === 'known' && text.value.release.digest === digest ? text.value : undefined;
}
