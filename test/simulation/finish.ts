/** The end of a schedule: faults are off, the agent and the passes go on, and everything must come to rest. */

import type { Hold, HoldReason } from '../../src/rollout/hold.ts';
import { isBuilt } from './built-files.ts';
import { mendFolder } from './built-people.ts';
import { marksIn, numberIn, secondIn, splitOwn, versionInText } from './files.ts';
import { hands } from './hands.ts';
import { clearFolder } from './hostile.ts';
import { lastWritten } from './our-commit.ts';
import type { Person } from './people.ts';
import { GATES_FILE, saidText } from './policy-said.ts';
import { comeToRest } from './rest.ts';
import { secondName } from './routed-files.ts';
import { deleteOdd, healGroup } from './surroundings.ts';
import { LawBroken } from './timeline.ts';
import { wantedGroups } from './truth.ts';
import type { Universe } from './universe.ts';
import { isBroken } from './versions.ts';
import type { Watch } from './watch.ts';
import { abortNow } from './what-if.ts';
import { undoNow } from './what-if-undo.ts';

/** Longer than from one audit to the next. */
const AUDIT_SECONDS = 3700;

export async function finish(universe: Universe, watch: Watch, people: readonly Person[]): Promise<void> {
  universe.cluster.stopControllers([]);
  universe.cluster.setControllerUp(true);
  universe.say('end', 'faults are off');
  if (universe.setup.policies === true) universe.commit(GATES_FILE, saidText({}), 'a policy that asks for little');
  if (universe.setup.hostile !== undefined) clearFolder(universe);
  for (const workload of universe.healthy()) if (isBuilt(workload)) mendFolder(universe, workload);
  for (const person of people) {
    const { fills, shares } = person.workload;
    if ((fills ?? shares)?.hands === true) hands['the files are back'](person);
    if (universe.setup.back === true) hands['the Rollout names it again'](person);
  }
  for (const workload of universe.healthy())
    for (const name of [workload.name, secondName(workload) ?? ''])
      for (const group of universe.truth(name)?.groups ?? []) healGroup(universe, name, group.index);
  watch.look();
  let result = await comeToRest(universe, watch, 'faults off');
  if (universe.healthy().some(({ name }) => deleteOdd(universe, name)))
    result = await comeToRest(universe, watch, 'groups of another size deleted');
  for (const person of people) {
    const { name } = person.workload;
    const outcome = result.outcomes.find((one) => one.key.name === name);
    if (!result.quiet && outcome?.plan === undefined)
      throw new LawBroken('L4 isolation', `${name}: ${outcome?.error ?? 'was not looked at'}`);
    const holds = outcome?.plan?.holds ?? [];
    universe.say(
      'end',
      `${name} rests: ${person.marks?.release} ${person.marks?.step ?? 'settled'} ${holds.map((hold) => hold.reason).join(' ')}`,
    );
    // Marks that a hand has put back in part are for people to repair: until then the record stays, and orders wait.
    const isMixed = universe.mixed.has(name);
    const isUnreadable = isMixed && (outcome?.plan?.issues ?? []).some(({ reason }) => reason === 'BadAnnotation');
    const forRepair = isUnreadable || isForRepair(holds, { isMixed, isTakenOut: areTakenOut(universe, person) });
    if (!forRepair) watch.checkRecord(name);
    const now = isUnreadable ? undefined : notAtRest(universe, person, holds);
    // What the cluster did to groups while no pass looked is found by the next audit at the latest.
    const unseen = now !== undefined && universe.mixed.has(name);
    const wrong = unseen ? await afterAudit(universe, watch, person) : now;
    if (wrong !== undefined) throw new LawBroken('L1 rest', `${name} at ${person.marks?.step ?? 'settled'}: ${wrong}`);
    if (forRepair) continue;
    await undoNow(universe, {
      workload: person.workload,
      state: person.state,
      releaseVersion: watch.releaseVersion(name),
    });
    await abortNow(universe, {
      workload: person.workload,
      state: person.state,
      releaseVersion: watch.releaseVersion(name),
    });
  }
}

/** Why it may not stand where it stands once an audit is over. */
async function afterAudit(universe: Universe, watch: Watch, person: Person): Promise<string | undefined> {
  universe.tick(AUDIT_SECONDS);
  const { outcomes } = await comeToRest(universe, watch, 'an audit');
  const outcome = outcomes.find((one) => one.key.name === person.workload.name);
  return notAtRest(universe, person, outcome?.plan?.holds ?? []);
}

/** What people, or broken groups, may keep waiting for ever. */
const FOR_PEOPLE: readonly HoldReason[] = [
  'AbortRefused',
  'AbortedTemplateReturned',
  'Disabled',
  'HistoryRewritten',
  'UnexpectedGroups',
  'JumpRefused',
  'NewerRequestWaits',
  'FullStepMissing',
  'Overshoot',
  'PartitionEdited',
  'Paused',
  'PausedForApproval',
  'Recreated',
  'ReleaseAborted',
  'RequestQueued',
  'RetryRefused',
  'ScaledToZero',
  'StepCountChanged',
  'StepScaledAway',
  'SurgeRefused',
  'TooManyRollbacks',
  'UndoRefused',
  'TrafficWithdrawn',
];
const FOR_BROKEN_GROUPS: readonly HoldReason[] = [
  'BlockedByFailedGroup',
  'BlockedByUnreadyGroup',
  'BlockedByStatefulSetGate',
  'GroupCrashLoop',
  'GroupsNotReady',
  'GroupsNotUpdated',
  'MixedRevisions',
  'NotAtRest',
  'GroupsElsewhere',
  'NotServing',
  'RollingBack',
  'StableNotServing',
  'StatefulSetNotFlipped',
];
/** Where groups are on other versions than a delivery gave them, and everything is locked. */
const FOR_MIXED_GROUPS: readonly HoldReason[] = ['NotAtRest', 'GroupsElsewhere', 'MixedRevisions', 'GroupsNotUpdated'];

/** Marks that hands have put back in part, or taken out, which no pass writes again by itself: its hold says how people do. */
export function isForRepair(
  holds: readonly Pick<Hold, 'reason'>[],
  { isMixed, isTakenOut }: { readonly isMixed: boolean; readonly isTakenOut: boolean },
): boolean {
  return (isMixed || isTakenOut) && holds.some(({ reason }) => reason === 'AnnotationsGone');
}

/** Scaled to none by people, nothing of it can serve until they raise it; its hold says what to do before that. */
export function isScaledAway(reason: HoldReason, text: string): boolean {
  return reason === 'StableNotServing' && numberIn(splitOwn(text)[0], 'replicas') === 0;
}

/** Of the side that serves, by what people have written. */
function mayAllBeDown({ fills }: Person['workload'], text: string): boolean {
  const [own, others] = splitOwn(text);
  const serving = marksIn(own)?.serves === 'green' ? others : own;
  return fills !== undefined && (numberIn(serving, 'replicas') ?? 1) <= (numberIn(own, 'maxUnavailable') ?? 1);
}

/** A hand has taken all marks out of the file: our last commit has left some there. */
function areTakenOut(universe: Universe, { workload: { name }, marks }: Person): boolean {
  return marks === undefined && lastWritten(universe, { name, upTo: 'main' })?.marks !== undefined;
}

/** Why a workload may not stand where it stands; undefined: it is settled on one version, or someone or a broken group is in the way. */
function notAtRest(universe: Universe, person: Person, holds: readonly Hold[]): string | undefined {
  const { workload, marks, text } = person;
  const truth = universe.truth(workload.name);
  const groups = truth === undefined ? [] : wantedGroups(truth);
  const isSick = (group: (typeof groups)[number]): boolean =>
    !group.ready && isBroken(universe.setup.seed, group.leaderVersion ?? 0, group.index);
  const made = universe.truth(secondName(workload) ?? '');
  const broken = [...groups, ...(made === undefined ? [] : wantedGroups(made))].some(isSick);
  const mixed = universe.mixed.has(workload.name);
  const held = holds.some(
    ({ reason, ...told }) =>
      FOR_PEOPLE.includes(reason) ||
      // Groups that are on neither text, with a word that restores them.
      (reason === 'NewerRequestWaits' && 'action' in told) ||
      // main was taken back to before it was taken over, or a hand has put back a part of what it said.
      (reason === 'AnnotationsGone' && (universe.rewritten > 0 || mixed || areTakenOut(universe, person))) ||
      // Or to a main that does not say any more what was delivered before: people name a commit that has it.
      (reason === 'StableUnavailable' && universe.rewritten > 0) ||
      // A hand released all groups for a template in between: no revision in the cluster tells a route who is stable.
      (reason === 'StableUnavailable' && mixed && workload.shares !== undefined) ||
      // Or to before a second workload was made, whose groups nobody has pruned; a hand can do that as well.
      (reason === 'CanaryNotEmpty' && (universe.rewritten > 0 || secondIn(text) === undefined)) ||
      // A hand put the file back, and left the Service with the workload that was in it.
      (reason === 'Stalled' && mixed && workload.fills !== undefined && secondIn(text) === undefined) ||
      // A hand put one of the files back, so that another says what no annotation does any more.
      (reason === 'CanaryEdited' && (universe.putBack.has(workload.name) || universe.rewritten > 0)) ||
      (broken && FOR_BROKEN_GROUPS.includes(reason)) ||
      // A primary that may be down at once, and steps that do not let a canary carry all.
      (reason === 'PrimaryNotCovered' && mayAllBeDown(workload, text)) ||
      isScaledAway(reason, text) ||
      // A base that is locked, and another template before it was taken over: people put one of the two back.
      (reason === 'NotAtRest' && marks === undefined && universe.setup.base === 'locked') ||
      // A settled text was written again without its label, which no release covers.
      (reason === 'RevisionChanged' && workload.shares !== undefined) ||
      (mixed && FOR_MIXED_GROUPS.includes(reason)),
  );
  if (held) return undefined;
  if (holds.length > 0) return holds.map(({ reason, message }) => `${reason} (${message})`).join(', ');
  if (marks === undefined) return 'not taken over, and nothing says why';
  if (marks.step !== undefined) return 'nothing says why it stands still';
  const version = versionInText(text);
  const astray = groups.filter((group) => group.version !== version || !(group.ready || isSick(group)));
  return astray.length === 0
    ? undefined
    : `settled, and groups ${astray.map((group) => group.index).join(' ')} are not on version ${version} and ready`;
}
