/** Questions that are asked of a copy of the world, so that the schedule goes on as if nobody had asked. */

import { INTENT } from '../../src/api/intents.ts';
import { canonicalJson, type Json } from '../../src/api/json.ts';
import type { PassResult } from '../../src/reconcile/pass.ts';
import { parseTrailers } from '../../src/rollout/commits/trailers.ts';
import { plan } from '../../src/rollout/plan.ts';
import { isBuilt, sizeFile } from './built-files.ts';
import { isPatchLost, mendFolder } from './built-people.ts';
import { peoplesText } from './built-view.ts';
import { lwsFile, marksIn, type RolloutState, rolloutFile, rolloutText, versionInText, withNumber } from './files.ts';
import { fieldsOf, SENTINEL } from './our-commit.ts';
import { comeToRest, plainPass } from './rest.ts';
import type { WorkloadSetup } from './setup.ts';
import { deleteOdd, healGroup } from './surroundings.ts';
import { LawBroken } from './timeline.ts';
import { NAMESPACE, showTruth, wantedGroups } from './truth.ts';
import type { Universe } from './universe.ts';
import { isBroken } from './versions.ts';
import { isTooSmall, isUnread, killNew, putBack } from './what-if-filled.ts';

/** Passes in a row that may write before a world that does not change gives no more reason to. */
const WRITES_MAX = 12;

/** Longer than a group may load before it counts as stuck. */
const PATIENCE_SECONDS = 1000;
const WAITS_MAX = 6;
const NOTHING = { replicas: 0, groups: [] };

/** S8 and S9: two passes from one state write the same bytes; the same snapshot gives the same plan; then all is quiet. */
export async function passAgain(universe: Universe): Promise<void> {
  const [left, right] = [universe.fork(), universe.fork()];
  const result = await plainPass(left);
  await plainPass(right);
  for (const branch of left.repository.branches()) {
    if (left.repository.head(branch) !== right.repository.head(branch))
      throw new LawBroken('S9 deterministic', `${branch}: two passes from one state write different commits`);
  }
  for (const { snapshot, plan: made } of result.outcomes) {
    if (snapshot === undefined || made === undefined || made.issues.some((issue) => issue.reason === 'StepCheckFailed'))
      continue;
    const again = plan(JSON.parse(JSON.stringify(snapshot)) as typeof snapshot);
    if (
      plain(again) !== plain(made) &&
      !made.holds.some(({ reason }) => reason === 'PushRefused' || reason === 'StatusRefused')
    )
      throw new LawBroken('S9 deterministic', `${snapshot.key.name}: the same snapshot gives another plan`);
  }
  for (let pass = 1; pass <= WRITES_MAX; pass++) {
    const before = left.repository
      .branches()
      .map((branch) => left.repository.head(branch))
      .join();
    await plainPass(left);
    if (
      before ===
      left.repository
        .branches()
        .map((branch) => left.repository.head(branch))
        .join()
    )
      return;
  }
  throw new LawBroken('S8 idempotent', `${WRITES_MAX} passes over one world, and the last still wrote`);
}

/** What happened in a fork, for people. */
function story(fork: Universe, name: string, rest: PassResult): string {
  const subjects = fork.repository
    .log('main')
    .slice(0, 8)
    .map((commit) => commit.message.split('\n')[0])
    .reverse();
  const holds = rest.outcomes
    .flatMap((one) => one.plan?.holds ?? [])
    .map(({ reason, message }) => `${reason} (${message})`);
  return [...subjects, showTruth(fork.truth(name)), ...holds].join('\n');
}

function plain(value: unknown): string {
  return canonicalJson(JSON.parse(JSON.stringify(value)) as Json);
}

/**
 * Without its gate the StatefulSet waits for each group above that is on its text and not ready, whatever the budget: the
 * hold names it, and people mend it. False: there is none, or the gate is on.
 */
function healAbove(
  fork: Universe,
  name: string,
  { stable, below }: { readonly stable: number | undefined; readonly below: number },
): boolean {
  if (fork.setup.gate !== 'off') return false;
  const above = wantedGroups(fork.truth(name) ?? NOTHING).filter(
    ({ index, ready, version }) => index > below && !ready && version === stable,
  );
  return above.filter(({ index }) => healGroup(fork, name, index)).length > 0;
}

function holdsOf({ outcomes }: PassResult, name: string): readonly string[] {
  const plans = outcomes.flatMap(({ key, plan: made }) => (key.name === name && made !== undefined ? [made] : []));
  return plans.flatMap(({ holds }) => holds.map(({ reason }) => reason));
}

/** Whether it waits for a side to serve. */
function isWaiting(result: PassResult, name: string): boolean {
  return holdsOf(result, name).some((reason) => reason === 'NotServing' || reason === 'PrimaryNotCovered');
}

/** The version that a commit of ours on main settled last, or went back to. */
function settledLast(universe: Universe, name: string): number | undefined {
  const settled = universe.repository.log('main').find(({ message }) => {
    const trailers = parseTrailers(message);
    return (
      trailers?.rollout.split('/').at(-1) === name && ['Settled', 'RolledBack', 'Adopted'].includes(trailers.reason)
    );
  });
  return settled === undefined ? undefined : versionInText(universe.lws(name, settled.oid) ?? '');
}

/** S12: from here an abort brings every group back to the stable version, and everything put aside with it. */
export async function abortNow(
  universe: Universe,
  of: {
    readonly workload: WorkloadSetup;
    readonly state: RolloutState;
    readonly releaseVersion: number | undefined;
    /** T12: nothing of the new version serves any more. */
    readonly dead?: boolean;
  },
): Promise<void> {
  const { workload, state } = of;
  const { name } = workload;
  const marks = marksIn(universe.lws(name) ?? '');
  if (marks?.step === undefined || marks.stable === undefined) return;
  // It goes back to what had settled before, and the version that serves is the one that is left.
  if (marks.undone !== undefined) return;
  // Where people have scaled one of two sides to nothing, the rest is theirs as well.
  if (workload.fills !== undefined && universe.emptied.has(name)) return;
  const fork = universe.fork();
  fork.cluster.stopControllers([]);
  fork.cluster.setControllerUp(true);
  if (of.dead === true) killNew(fork, workload);
  // Without its patch nothing goes back: the issue says so, and people mend it.
  if (isBuilt(workload) && isPatchLost(fork, workload)) mendFolder(fork, workload);
  const stable = versionInText(fork.lws(name, marks.stable) ?? '');
  // Nothing else is wanted any more: a retry would start the release again after the rollback.
  const order = (word: string): Promise<PassResult> => {
    const text = rolloutText(workload, { ...state, intents: { [INTENT.abort]: word } });
    if (text !== fork.text('main', rolloutFile(name)))
      fork.repository.commit('main', { writes: [{ path: rolloutFile(name), text }], message: 'abort' });
    return comeToRest(fork, undefined, `abort ${name}`);
  };
  // Another text than that of the release is a request that stands; the person puts the stable one back.
  let rest = await order(marks.release);
  // An agent applies nothing of a folder that is not built.
  if (isBuilt(workload) && mendFolder(fork, workload))
    rest = await comeToRest(fork, undefined, `abort ${name}, the folder is mended`);
  // All requests would go to fewer groups than they need, or the primary restart under them: which one, someone says.
  if (isWaiting(rest, name) && isTooSmall(fork, workload)) rest = await order(`${marks.release} now`);
  // Main was squashed, and does not say what was delivered before: a commit that has the template is named, where there is one.
  const texts = fork.repository.log('main').map(({ oid }) => ({ oid, text: fork.lws(name, oid) ?? '' }));
  const ofStable = texts.filter(({ text }) => versionInText(text) === stable);
  const isForgotten = !ofStable.some(({ text }) => marksIn(text) !== undefined && marksIn(text)?.step === undefined);
  // A release with the template that settled before, as where a set made again came up on what was given up since: nothing is to go back to.
  const isSame = texts.some(({ text }) => marksIn(text)?.release === marks.release && versionInText(text) === stable);
  if (isSame && holdsOf(rest, name).includes('StableUnavailable')) return;
  if (isForgotten && holdsOf(rest, name).includes('StableUnavailable')) {
    const [there] = ofStable;
    if (there === undefined) return;
    rest = await order(`${marks.release} from ${there.oid}`);
  }
  const fields = fieldsOf(fork.lws(name) ?? '');
  const where = `abort ${marks.release} ${marks.step}`;
  // A newer request in the file stands, and its groups follow it.
  // Beneath a pin of ours too, which goes for it.
  const asked = isBuilt(workload) ? peoplesText(fork.repository, 'main', workload) : universe.lws(name);
  const isNewer = versionInText(asked ?? '') !== of.releaseVersion;
  if (fields.version !== stable && isNewer) return;
  // A revert has put an older mark back: main's own line says what had settled last, and that is gone back to.
  if (fields.version !== stable && fields.version === settledLast(universe, name)) return;
  if (fields.version !== stable)
    throw new LawBroken('S12 rollback', `${where}: the abort was ignored\n${story(fork, name, rest)}`);
  if (fork.truth(name)?.replicas === 0) {
    // Held until somebody scales up: then everything starts on the template of Git.
    fork.cluster.scale({ namespace: NAMESPACE, name }, workload.replicas);
    const path = isBuilt(workload) ? sizeFile(workload) : lwsFile(name);
    const up = withNumber(fork.text('main', path) ?? '', 'replicas', workload.replicas);
    fork.repository.commit('main', { writes: [{ path, text: up }], message: 'scale up' });
    await comeToRest(fork, undefined, `abort ${name}, scaled up`);
  }
  // The stable version itself may not run in groups that were added since.
  const count = fork.truth(name)?.replicas ?? 0;
  if (Array.from({ length: count }, (_, index) => index).some((index) => isBroken(fork.setup.seed, stable ?? 0, index)))
    return;
  const astray = (): readonly number[] =>
    wantedGroups(fork.truth(name) ?? NOTHING).flatMap((group) => (group.version === stable ? [] : [group.index]));
  if (deleteOdd(fork, name)) rest = await comeToRest(fork, undefined, `abort ${name}, odd groups deleted`);
  // A group that does not come back is given its time before the budget rises for the others.
  for (let wait = 0; wait < WAITS_MAX && astray().length > 0; wait++) {
    fork.tick(PATIENCE_SECONDS);
    rest = await comeToRest(fork, undefined, `abort ${name}, waited`);
  }
  if (astray().length > 0 && healAbove(fork, name, { stable, below: Math.max(...astray()) }))
    rest = await comeToRest(fork, undefined, `abort ${name}, those above healed`);
  const truth = fork.truth(name);
  if (truth === undefined || astray().length > 0)
    throw new LawBroken(
      'S12 rollback',
      `${where}: groups ${astray().join(' ')} are not on version ${stable}\n${story(fork, name, rest)}`,
    );
  const hurt = truth.groups.filter((group) => healGroup(fork, name, group.index));
  if (hurt.length > 0) rest = await comeToRest(fork, undefined, `abort ${name}, healed`);
  const holds = rest.outcomes
    .flatMap((one) => one.plan?.holds ?? [])
    .map(({ reason, message }) => `${reason} (${message})`);
  // What a hand has taken out is waited for at the end, and by no group.
  if (putBack(fork, workload)) rest = await comeToRest(fork, undefined, `abort ${name}, the files are back`);
  const after = fieldsOf(fork.lws(name) ?? '');
  // The rollback ends where what was in its way is mended, and beneath a pin the newer one comes.
  if (after.version !== stable && isNewer) return;
  const healed = fork.truth(name);
  if (healed === undefined || wantedGroups(healed).some((group) => !group.ready || group.version !== stable))
    throw new LawBroken('S12 rollback', `${where}: not all groups are ready on version ${stable}`);
  // Annotations that a hand has mixed so that nobody can read them are for `tranche repair`, as the issue says.
  if (universe.mixed.has(name) && isUnread(rest)) return;
  if (after.marks?.step !== undefined || after.partition !== SENTINEL || after.marks?.floor !== undefined)
    throw new LawBroken(
      'S12 rollback',
      `${where}: still ${after.marks?.step} at partition ${after.partition}: ${holds.join(', ')}`,
    );
}
