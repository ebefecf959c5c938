/** Where main's own line had a field before this delivery put it aside: what the mark says of its value is held against that. */

import type { Marks } from '../../api/marks.ts';
import { printRelease, type Release, sameRelease } from '../../api/release.ts';
import type { Oid } from '../../ports/git.ts';
import type { Observation } from './observation.ts';
import type { Forged } from './stable-in-history.ts';
import { deliveredBy, isBefore, type Version } from './version.ts';

/** One version of the workload in main's own line, of which the field was not put aside. */
type Before = { readonly commit: Oid; readonly version: Version };

/** Whether the marks of a version say that the field is put aside: at all, and with the value of now. */
type Said = {
  readonly isAside: (version: Version) => boolean;
  readonly isSame: (version: Version) => boolean;
  /** Is shown each version of this delivery. */
  readonly notice?: ((version: Version) => void) | undefined;
};

/** What is said of a field where a hand has changed what the mark says that this delivery set it to. */
export function setOtherwise(field: string, said: string, set: string): Forged {
  return {
    seen: `says that this delivery set ${field} to ${said}, and it set ${set}`,
    hint: 'It is put back. git log -p of the file shows who changed the mark.',
  };
}

/**
 * The best first: right before the delivery put it aside, at rest before that, and before the mark had this value. A hand that
 * takes marks out and puts them back has started no other delivery, and a delivery before this one says nothing. None: the clone
 * does not go back so far. Throws PortError.
 */
export async function beforeAside(of: Observation, { isAside, isSame, notice }: Said): Promise<readonly Before[]> {
  const found = await beforeDelivery(of, { isAside, notice });
  let isMet = false;
  const walked = await of.git.line.walk<Before>(of.entry, {
    keyOf: keyBy(isSame),
    visit: ({ version, commit }) => {
      const isThere = isSame(version);
      isMet ||= isThere;
      return isMet && !isThere ? { commit, version } : undefined;
    },
  });
  return walked.kind === 'found' ? [...found, walked.value] : found;
}

async function beforeDelivery(
  of: Observation,
  { isAside, notice }: Pick<Said, 'isAside' | 'notice'>,
): Promise<readonly Before[]> {
  let isMet = false;
  let aside: Release | undefined;
  let before: Before | undefined;
  let rest: readonly Before[] | undefined;
  const walked = await of.git.line.walk<readonly Before[]>(of.entry, {
    keyOf: keyBy(isAside),
    visit: ({ version, commit }) => {
      const marks = marksOf(version);
      if (marks === undefined) return rest;
      const here = { commit, version };
      // A file that was put back to before this delivery, and brought back since, was at rest in the middle of it.
      if (rest !== undefined && !sameRelease(aside, marks.release)) return rest;
      if (isAside(version)) {
        // A release that took this one over has put it aside again.
        const isOther = aside !== undefined && !sameRelease(aside, marks.release);
        if (before !== undefined && isOther) return [before];
        notice?.(version);
        [isMet, aside, before, rest] = [true, deliveredBy(marks), undefined, undefined];
        return undefined;
      }
      if (!isMet) return undefined;
      before ??= here;
      if (rest === undefined && isBefore(version, aside)) {
        rest = [before, here];
        return aside === undefined ? rest : undefined;
      }
      // Right before a rollback is the release that it takes back.
      aside ??= deliveredBy(marks);
      return undefined;
    },
  });
  if (walked.kind === 'found') return walked.value;
  if (rest !== undefined) return rest;
  return walked.kind === 'ended' && before !== undefined ? [before] : [];
}

/** Versions between which nothing of this changes are one: with the release, so that none comes again in another delivery. */
function keyBy(says: (version: Version) => boolean): (version: Version) => string {
  return (version) => {
    const marks = marksOf(version);
    if (marks === undefined) return version.kind;
    return [
      printRelease(marks.release),
      marks.step === undefined && marks.restore === undefined ? '' : 'delivered',
      String(says(version)),
    ].join(' ');
  };
}

function marksOf(version: Version): Marks | undefined {
  return version.kind === 'read' ? version.workload.workload.marks : undefined;
}
