/** The version label that groups of a release carry: no digest covers it, so that any commit of main may have the same template with another. */

import { printRelease } from '../../api/release.ts';
import type { CommitHeader, Oid } from '../../ports/git.ts';
import type { StableDocument } from '../../rollout/snapshot.ts';
import { besideRollout } from '../documents/rollout-names.ts';
import { ofNamespace } from './last-commit.ts';
import type { Observation } from './observation.ts';
import type { Version } from './version.ts';

type Where = Pick<Observation, 'git' | 'entry'>;

/**
 * The template of this digest as the commit of tranche had it that left it as settled, which is how groups run it: what a hand has made
 * of the label since restarts whatever it reaches. `below`: looks at what main had before that commit. undefined: no commit of tranche
 * says that it did, as far as main's own line was followed. Throws PortError where Git fails for now.
 */
export async function settledText(of: Where, digest: string, below?: Oid): Promise<StableDocument | undefined> {
  const { git, entry } = of;
  // Who repeats annotations of long ago may have it stepped over: then each commit is looked at.
  const own = (await settledBy(of, { digest, below })) ?? (await settledBy(of, { digest, below, isEach: true }));
  const text = own === undefined ? undefined : await git.textAt(own.oid, entry);
  return text?.kind === 'known' && text.value.release.digest === digest ? text.value : undefined;
}

type Looked = { readonly digest: string; readonly below: Oid | undefined; readonly isEach?: boolean };

/**
 * The newest commit of tranche that settled the template, which a hand can have look as if it had not been there in between. After a
 * rollback groups that never left have what was before that, whatever a hand has written into the file meanwhile.
 */
async function settledBy(
  { git, entry }: Where,
  { digest, below, isEach = false }: Looked,
): Promise<CommitHeader | undefined> {
  const begun: Oid[] = [];
  let isOpen = false;
  await git.line.walk<never>(entry, {
    below,
    keyOf,
    isEach,
    visit: ({ version, until }) => {
      const isSettled = isSettledOn(version, digest);
      if (isOpen && !isSettled && until !== undefined && !isGoingBack(version)) begun.push(until);
      isOpen = isSettled;
      return undefined;
    },
  });
  if (begun.length === 0) return undefined;
  const { key, identity, rollout } = entry;
  const alone = { ...key, name: identity?.name ?? key.name };
  const named = rollout === undefined ? ofNamespace(key) : [key, besideRollout(alone), alone];
  return git.stepCommit(named, (_, __, commit) => begun.includes(commit));
}

function isSettledOn(version: Version, digest: string): boolean {
  if (version.kind !== 'read' || version.workload.digest !== digest) return false;
  const { marks } = version.workload.workload;
  return marks !== undefined && marks.step === undefined && marks.release.digest === digest;
}

function isGoingBack(version: Version): boolean {
  return version.kind === 'read' && version.workload.workload.marks?.step?.kind === 'rollback';
}

function keyOf(version: Version): string {
  const marks = version.kind === 'read' ? version.workload.workload.marks : undefined;
  if (version.kind !== 'read' || marks === undefined) return version.kind;
  return [printRelease(marks.release), marks.step?.kind ?? '', version.workload.digest].join(' ');
}
