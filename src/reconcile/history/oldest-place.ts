/** The oldest commit of main's own line that has a version of one document, found in few looks. */

import type { CommitHeader, Oid } from '../../ports/git.ts';
import { trailersIn } from '../../rollout/commits/trailers.ts';
import { printKey } from '../../rollout/texts/key-text.ts';
import type { DesiredRollout } from '../desired/desired-rollout.ts';
import type { FirstParents } from './first-parents.ts';
import type { Version } from './version.ts';

type Reading = {
  readonly line: FirstParents;
  readonly versionAt: (commit: Oid, entry: DesiredRollout, file: string) => Promise<Version>;
};

type Run = {
  readonly entry: DesiredRollout;
  readonly file: string;
  readonly place: number;
  readonly version: Version;
  readonly asked: {
    readonly keyOf: (version: Version) => string;
    readonly isNamed?: (version: Version, commit: CommitHeader) => boolean;
  };
};

/** How many commits of ours are looked at that a stretch without annotations may hide. */
const PASSED_MOST = 40;

/**
 * The place of the commit that made the version what it is; undefined: what was before is not known. One that came, went
 * and came again counts from a change that may be the first of them: nobody reads every commit. Only one without annotations,
 * as before a workload was taken over and after a hand has taken them out, ends where a commit of ours says that it wrote them.
 */
export async function oldestOf({ line, versionAt }: Reading, run: Run): Promise<number | undefined> {
  const { entry, file, place, version, asked } = run;
  const key = asked.keyOf(version);
  const holds = async (at: number): Promise<boolean> => {
    const commit = await line.commitAt(at);
    return commit !== undefined && asked.keyOf(await versionAt(commit.oid, entry, file)) === key;
  };
  const named = await namedPlace(line, run);
  if (named !== undefined && (await holds(named)) && !(await holds(named + 1))) return named;
  let [inside, outside] = [place, place + 1];
  // As a rule it came lately: the strides get longer from the newest on.
  for (let stride = 1; await holds(outside); stride *= 2) [inside, outside] = [outside, outside + stride];
  outside = Math.min(outside, line.length());
  const passed = hasMarks(version) ? undefined : await passedOver(line, run, { inside, holds });
  if (passed !== undefined) [inside, outside] = [place, passed];
  while (outside - inside > 1) {
    const middle = Math.floor((inside + outside) / 2);
    if (await holds(middle)) inside = middle;
    else outside = middle;
  }
  const isOldest = (await line.commitAt(inside + 1)) === undefined;
  return isOldest && !line.isWhole() ? undefined : inside;
}

/** The oldest commit of what is known that names the version: what is known by then costs nothing. */
async function namedPlace(line: FirstParents, { place, version, asked }: Run): Promise<number | undefined> {
  if (asked.isNamed === undefined) return undefined;
  let found: number | undefined;
  const known = line.length();
  for (let at = place; at < known; at += 1) {
    const commit = await line.commitAt(at);
    if (commit !== undefined && asked.isNamed(version, commit)) found = at;
  }
  return found;
}

/** The newest commit of ours in between that has another version. What it says of itself is where to look, and never believed. */
async function passedOver(
  line: FirstParents,
  { entry, place }: Run,
  { inside, holds }: { readonly inside: number; readonly holds: (at: number) => Promise<boolean> },
): Promise<number | undefined> {
  const own = printKey(entry.key);
  for (let [at, looks] = [place + 1, 0]; at < inside && looks < PASSED_MOST; at += 1) {
    const message = (await line.commitAt(at))?.message ?? '';
    if (!message.includes(own) || !trailersIn(message).some(({ rollout }) => rollout === own)) continue;
    looks += 1;
    if (!(await holds(at))) return at;
  }
  return undefined;
}

function hasMarks(version: Version): boolean {
  return version.kind === 'read' && version.workload.workload.marks !== undefined;
}
