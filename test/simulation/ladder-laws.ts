/** The laws of commits that fill a second workload: which rung follows which, and what was so when it was written. */

import { type Both, bothOf } from './both.ts';
import { CLOCKS, drainOf } from './excuses.ts';
import { hpaText, scalerFile, splitOwn, versionInText } from './files.ts';
import {
  accepts,
  begins,
  GOING_BACK,
  indexOf,
  isRollbackAgain,
  lastWritten,
  missingAt,
  type OurCommit,
  planned,
  SENTINEL,
} from './our-commit.ts';
import {
  kindsOf,
  ownDocuments,
  routedFiles,
  routeFile,
  secondName,
  selectedIn,
  serviceFile,
  shareSaid,
} from './routed-files.ts';
import { RING } from './universe.ts';

/** The rungs at which the partition of a canary's primary may be open. */
const isReleased = (at: string | undefined): boolean => at === 'primary' || at === 'route-restored';

/** Which marks may follow which. */
export function ladderSteps(commit: OurCommit): string | undefined {
  const { before, after, reason, plan } = commit;
  const [from, to] = [before.marks?.step, after.marks?.step];
  const [a, b] = [indexOf(from), indexOf(to)];
  const release = after.marks?.release;
  const sameRelease = before.marks?.release === release;
  const same = from === to && sameRelease;
  const last = plan.steps.length;
  const onward = same || (sameRelease && (b === a + 1 || (to === 'promote' && a === last)));
  // A side that has fewer groups than it takes over from takes its last step again.
  const again = sameRelease && from === 'promote' && b === last;
  // Where all of a primary may be down at once, the whole share goes first, and the text in a second commit.
  const wasShared = before.marks?.at === 'all' && after.marks?.at === 'primary';
  const legal = new Map<string, boolean>([
    ...GOING_BACK.map((name) => [name, to === 'rollback' && (from !== 'rollback' || wasShared)] as const),
    ['Adopted', before.marks === undefined && to === undefined],
    ['StepReady', begins(before, after) ? b === 1 : from !== 'rollback' && (b === a + 1 || same || again)],
    ['RungReady', onward || again],
    ['Promoted', sameRelease && to === 'promote' && (a === last || accepts(commit, 'Recreated'))],
    ['RouteRestored', onward || (same && from === 'rollback')],
    ['CanaryEmptied', onward],
    ['PrimaryCovered', same && (from === 'promote' || from === 'rollback') && isReleased(before.marks?.at)],
    ['ShareAccepted', same && from === 'rollback' && accepts(commit, 'TrafficWithdrawn')],
    // And a share goes with the second workload that a file put back to before the delivery has left out.
    [
      'TrafficWithdrawn',
      same || (sameRelease && from === 'promote' && b === last) || (from === undefined && isOfLast(commit)),
    ],
    ['Jumped', plan.annotations['tranche.dev/jump'] === `${b}@${release}` && (b > a || begins(before, after))],
    ['StepsEdited', sameRelease && b >= 1 && a > 0],
    ['Superseded', b === 1 && !sameRelease],
    ['Settled', from === 'promote' && to === undefined],
    ['NoNewRevision', from === undefined && to === undefined],
    ['Relocked', same && from === undefined],
    // A file put back after the newer release has settled: what settled stands in the annotations again, the text is a request.
    // And where a hand has taken them out and someone gives the release up: its rollback is found by them alone.
    // And a rollback goes on by those that it wrote, whatever a hand has made of them.
    [
      'AnnotationsRestored',
      (from === undefined && !sameRelease && (to === undefined || isAsWritten(commit))) || isRollbackAgain(commit),
    ],
    ['AbortedTemplateRemoved', from === 'rollback' && to === 'rollback'],
    ['BudgetRaised', same && from !== undefined],
    ['BudgetLowered', same && from === 'rollback'],
    ['RollbackWidened', same && from === 'rollback'],
    ['RolledBack', from === 'rollback' && to === undefined],
    [
      'RequestWithdrawn',
      from === undefined && to === undefined && (sameRelease || commit.universe.mixed.has(commit.workload.name)),
    ],
    ['RollStopped', same],
    ['PartitionRestored', same],
    ['Retried', from === undefined && to === undefined],
  ]);
  if (legal.get(reason) === true) return rungLeftOut(commit);
  return `${reason} from ${before.marks?.release} ${from ?? 'settled'} to ${release} ${to ?? 'settled'}`;
}

/** An abort finds no annotations, and gets those that our last commit wrote. */
function isAsWritten(commit: OurCommit): boolean {
  const { before, after, plan } = commit;
  const isAbort = plan.annotations['tranche.dev/abort']?.startsWith(after.marks?.release ?? ' ') === true;
  return isAbort && before.marks === undefined && isOfLast(commit) && after.marks?.at === lastOf(commit)?.at;
}

/** The release and the step are those of our last commit. */
function isOfLast(commit: OurCommit): boolean {
  const [{ marks }, last] = [commit.after, lastOf(commit)];
  return marks?.release === last?.release && marks?.step === last?.step;
}

function lastOf({ universe, workload, parent }: OurCommit): OurCommit['after']['marks'] {
  return lastWritten(universe, { name: workload.name, upTo: parent })?.marks;
}

/** A step is left only with its share in Git: unless that was taken back, or is another by an order. */
function rungLeftOut(commit: OurCommit): string | undefined {
  const { before, after, reason, plan, workload } = commit;
  const from = indexOf(before.marks?.step);
  const leaves =
    reason === 'Promoted' || (reason === 'StepReady' && indexOf(after.marks?.step) === from + 1 && from > 0);
  const said = plan.steps[from - 1]?.share ?? 0;
  if (!leaves || begins(before, after) || workload.fills?.routed !== true) return undefined;
  if ((before.marks?.withdrawn ?? 0) > 0 || accepts(commit, 'CanaryEdited') || accepts(commit, 'Recreated'))
    return undefined;
  const { share } = bothOf(commit).before;
  return Math.abs(share - said) < 0.01 ? undefined : `${reason}: step ${from} is left with ${share} %, not ${said} %`;
}

/** T11, and the groups of the side that is filled. */
export function ladderCeiling(commit: OurCommit): string | undefined {
  const { before, after, reason, plan } = commit;
  const both = bothOf(commit);
  const [was, is] = [before.partition, after.partition];
  // A request that is withdrawn after its objects were re-created has no rungs: nothing was filled yet. A hand may raise that.
  const isWithdrawn =
    (GOING_BACK.includes(reason) && before.marks?.step === undefined) ||
    (reason === 'RollbackWidened' && before.marks?.at === undefined) ||
    // What a hand has locked goes on with the commit that takes the aborted template out again.
    (reason === 'AbortedTemplateRemoved' && before.marks?.step === 'rollback' && before.marks.at === undefined);
  const isOfAstray = isWithdrawn && isLowestAstray(is, commit);
  if (is !== was && is !== SENTINEL && is !== 0 && !isOfAstray) return `${reason}: partition ${was} → ${is}`;
  if (is < was && after.marks?.at !== 'primary' && !isWithdrawn && !isReleasedAgain(commit))
    return `${reason}: partition ${was} → ${is} at ${after.marks?.at}`;
  const grown = both.after.canary > both.before.canary;
  if (!grown) return undefined;
  const step = plan.steps[indexOf(after.marks?.step) - 1];
  // What had settled comes back with as many groups as serve, at least one.
  const filled = after.marks?.undone !== undefined ? Math.max(1, both.before.primary) : Number.NaN;
  const wanted = step === undefined ? filled : planned(step.replicas, both.before.primary);
  return both.after.canary === wanted
    ? undefined
    : `${reason}: ${both.before.canary} → ${both.after.canary} groups of ${both.names.canary}, wanted ${wanted}`;
}

/**
 * A hand has let groups of a request go that was never started: the rollback is of those and of those above them, and its
 * partition is that of the lowest one that was seen on another version.
 */
export function isLowestAstray(partition: number, { since, after }: Pick<OurCommit, 'since' | 'after'>): boolean {
  return since.some(({ groups }) => {
    const astray = groups.filter(({ leaderVersion }) => leaderVersion !== after.version);
    return astray.length > 0 && Math.min(...astray.map(({ index }) => index)) === partition;
  });
}

/** The primary was stopped for a template that is gone: all that can be updated is updated to the release. */
export function isReleasedAgain({
  reason,
  after,
  releaseVersion,
}: Pick<OurCommit, 'reason' | 'after' | 'releaseVersion'>): boolean {
  const { step, at } = after.marks ?? {};
  const isLast = step === 'promote' && at === 'route-restored';
  return reason === 'PartitionRestored' && isLast && after.version === releaseVersion;
}

/** T11: until the promotion an edit of the user's own workload restarts nothing. */
export function stableUntilPromoted({ before, after, reason }: OurCommit): string | undefined {
  const step = after.marks?.step;
  const inSteps = step !== undefined && step !== 'promote' && step !== 'rollback';
  // What a hand has written is taken back by the next commit, and stays while other things are more urgent.
  if (!inSteps || after.partition === SENTINEL || after.partition === before.partition) return undefined;
  return `${reason}: partition ${before.partition} → ${after.partition} in step ${step}`;
}

/** T9: the share of the step, or all where a side takes over, or stands in for a primary that is down at once. */
export function approvedShare(commit: OurCommit): string | undefined {
  const { before, after, plan, reason } = commit;
  const both = bothOf(commit);
  const [was, is] = [both.before.share, both.after.share];
  const turned = both.after.selects !== both.before.selects && both.after.selects === both.names.canary;
  if (turned && was < 100 && kindsOf(commit.workload).length > 0)
    return `${reason}: the Service goes to ${both.names.canary}, which has ${was} %`;
  if (Math.abs(was - is) < 0.01 || is === 0) return undefined;
  const { withdrawn = 0, release } = before.marks ?? {};
  if (was === 0 && withdrawn > 0 && release === after.marks?.release && !accepts(commit, 'TrafficWithdrawn'))
    return `${reason}: ${is} % again after ${withdrawn} withdrawals, and nobody has accepted that`;
  const { step, at } = after.marks ?? {};
  const taken = at === 'all' ? 100 : reason === 'PrimaryCovered' ? coveredShare(commit, both) : 0;
  const wanted = step === 'promote' || step === 'rollback' ? taken : plan.steps[indexOf(step) - 1]?.share;
  return wanted !== undefined && Math.abs(wanted - is) < 0.01
    ? undefined
    : `${reason}: share ${was} % → ${is} % at ${step} ${at}, wanted ${wanted} %`;
}

/**
 * A primary whose last groups LWS may take together while they restart: the canary has all requests meanwhile, if as many of its
 * groups serve. The release was approved for all of them when it was promoted, or when someone accepted a primary that had come
 * up on it; in a rollback nothing else answers. Once enough of the primary serves, it has the part of the last step again.
 */
function coveredShare({ before, after, plan, scenes }: OurCommit, both: Both): number | undefined {
  if (both.after.share < both.before.share) return plan.steps.at(-1)?.share;
  const isDown = scenes.some(
    (scene) =>
      !both.all(scene, both.names.stable, after.version) &&
      both.serving(scene, both.names.canary) >= both.before.primary,
  );
  return isDown && both.before.primary <= budgetOf(before) ? 100 : 0;
}

/** U as people have it: what a rollback has raised it to does not count. */
function budgetOf({ marks, maxUnavailable }: OurCommit['before']): number {
  return marks?.setBudget === maxUnavailable ? (marks.peoplesBudget ?? 1) : maxUnavailable;
}

/** T1: a share is raised only where groups of the side serve, and the other side keeps its own. */
export function servingShare(commit: OurCommit): string | undefined {
  const { reason, scenes } = commit;
  const both = bothOf(commit);
  if (both.after.share <= both.before.share && both.after.selects === both.before.selects) return undefined;
  const turned = both.after.selects !== both.before.selects;
  const towards = turned ? both.after.selects : both.names.canary;
  const served = scenes.some((scene) => {
    const canary = both.serving(scene, towards);
    return canary > 0 && (turned || both.after.share === 100 || both.serving(scene, both.names.stable) > 0);
  });
  return served
    ? undefined
    : `${reason}: ${both.before.share} % → ${both.after.share} %, though ${towards} did not serve`;
}

/** T4: home only where the other side serves, or nothing of this one does. */
export function rollBackServes(commit: OurCommit): string | undefined {
  const { reason, scenes, before, after } = commit;
  const both = bothOf(commit);
  // In blueGreen it follows N down, and has as many groups as the side that serves all others.
  if (both.after.canary < Math.min(both.before.canary, both.after.primary) && both.before.share > 0)
    return `${reason}: groups of ${both.names.canary} go while it has ${both.before.share} %`;
  const home = both.after.share === 0 && both.before.share > 0;
  if (!home || after.marks?.step === undefined) return undefined;
  // blueGreen has switched its Service: both reach the same side.
  if (both.before.selects === both.names.canary && both.after.selects === both.names.canary) return undefined;
  // A newer template takes over in a step: of what a hand has let go there LWS takes no more than U at once, and nobody waits
  // for groups that were broken before.
  const isOvertaken = reason === 'Superseded' && before.marks?.step !== 'promote';
  const wasLetGo = (before.marks?.floor !== undefined && !isOvertaken) || before.marks?.step === 'promote';
  const isCanary = commit.workload.fills?.style === 'canary';
  const least = wasLetGo && isCanary ? Math.max(1, both.before.primary - budgetOf(before)) : 1;
  // In the rollback what serves is what was released for update to, and not what it was before.
  const isOnItsWay = before.marks?.step === 'rollback';
  const ready = scenes.some(
    (scene) =>
      both.serving(scene, both.names.canary) === 0 ||
      (both.serving(scene, both.names.stable) >= least && (!isOnItsWay || both.isLive(scene))),
  );
  return ready ? undefined : `${reason}: home, though fewer than ${least} groups of ${both.names.stable} served`;
}

/** T5 and T6: what a delivery leaves behind. */
export function leavesBehind(commit: OurCommit): string | undefined {
  const { universe, workload, oid, reason, before, after } = commit;
  if (reason !== 'Settled' && reason !== 'RolledBack') return undefined;
  const both = bothOf(commit);
  const idle = after.marks?.serves === 'green' ? after.replicas : (both.second?.replicas ?? 0);
  if (idle > 0) return `${reason}: ${idle} groups of the side that does not serve stay`;
  const isRaised = before.marks?.setBudget === before.maxUnavailable && after.maxUnavailable === before.maxUnavailable;
  if (after.marks?.setBudget !== undefined || (isRaised && before.marks?.peoplesBudget !== before.maxUnavailable))
    return `${reason}: maxUnavailable stays ${after.maxUnavailable}`;
  const scaler = workload.scaler === 'idle' ? scalerFile(workload.name) : undefined;
  if (scaler !== undefined && universe.text(oid, scaler) !== hpaText(workload))
    return `${reason}: ${scaler} is not as before`;
  const files = routedFiles(workload);
  const [route, service] = [routeFile(workload.name), serviceFile(workload.name)];
  const said = universe.text(oid, route);
  // What a hand has taken out is not ours to put back; we take none out.
  const isOut = said === undefined && missingAt(commit, commit.parent).includes(route);
  const isRestored = said !== undefined && ownDocuments(said) === files[route] && shareSaid(said, workload) === 0;
  if (files[route] !== undefined && !isOut && !isRestored) return `${reason}: ${route} is not as before`;
  const there = universe.text(oid, service);
  // A hand has taken it out.
  if (files[service] !== undefined && there === undefined) return undefined;
  const [own] = splitOwn(there ?? '');
  const serves = after.marks?.serves === 'green' ? both.names.second : workload.name;
  if (files[service] !== undefined && selectedIn(own) !== serves)
    return `${reason}: ${service} selects ${selectedIn(own)}`;
  // The colour that serves is ours to write, with or without quotes.
  const plain = own.replace(/(leaderworkerset\.sigs\.k8s\.io\/name:) .*$/m, `$1 ${workload.name}`);
  return files[service] === undefined || plain === files[service]
    ? undefined
    : `${reason}: ${service} is not as before`;
}

/** The side that served is the rollback in an instant, for this long after its last share. */
const BAKE_SECONDS = 600;

/** blueGreen: the colour before keeps its groups until the new one has proved itself. */
export function baked({ universe, workload, reason, before }: OurCommit): string | undefined {
  if (reason !== 'Settled' || workload.fills?.style !== 'blueGreen') return undefined;
  if (universe.rewritten > 0 || CLOCKS.some((kind) => universe.injected[kind] > 0)) return undefined;
  const since = sinceShare({ universe, workload, before });
  return since >= BAKE_SECONDS ? undefined : `${reason}: ${since} s after the last share of the colour before`;
}

/** How long the side that serves before a delivery has had no share. */
function sinceShare({ universe, workload, before }: Pick<OurCommit, 'universe' | 'workload' | 'before'>): number {
  const stable = before.marks?.serves === 'green' ? secondName(workload) : workload.name;
  const scenes = universe.scenes.get(workload.name) ?? [];
  const last = scenes.findLastIndex(({ rules, services }) =>
    rules.some((rule) => rule.some(({ service, weight }) => weight > 0 && services.get(service)?.selects === stable)),
  );
  return universe.now - (scenes[last + 1]?.atSeconds ?? universe.now);
}

/** Where all of a primary may be down at once, it has answered its last requests before it goes. */
export function primaryDrained({ universe, workload, reason, before, after }: OurCommit): string | undefined {
  const mayAllGo = before.replicas <= before.maxUnavailable && workload.fills?.routed === true;
  if (reason !== 'Promoted' || after.marks?.at !== 'primary' || !mayAllGo || universe.rewritten > 0) return undefined;
  if (universe.mixed.has(workload.name) || CLOCKS.some((kind) => universe.injected[kind] > 0)) return undefined;
  const since = sinceShare({ universe, workload, before });
  return since >= drainOf(workload) ? undefined : `${reason}: ${since} s after the last share of the primary`;
}

/** What a rung rests on was so since the commit before it. */
export function ladderEvidence(commit: OurCommit): string | undefined {
  const proof = ladderProof(commit);
  if (proof === undefined) return undefined;
  const both = bothOf(commit);
  const { reason, before } = commit;
  return lately(commit).some((scene) => proof(scene, both))
    ? undefined
    : `${reason} after ${before.marks?.step ?? 'settled'} ${before.marks?.at ?? ''}: never lately was so what it rests on`;
}

/** What a pass may have read: all that has been so since it started, and before that as much as a server may lag. */
function lately({ universe, oid, scenes }: OurCommit): OurCommit['scenes'] {
  const begun = universe.plannedAt(oid);
  const first = scenes.findIndex(({ atSeconds }) => atSeconds >= begun);
  const before = universe.setup.rates['cluster stale'] > 0 ? RING : 1;
  return scenes.slice(Math.max(0, (first < 0 ? scenes.length : first) - before));
}

type Proof = (scene: OurCommit['scenes'][number], both: Both) => boolean;

function stableVersion({ universe, workload, before }: OurCommit): number | undefined {
  return versionInText(universe.lws(workload.name, before.marks?.stable) ?? '');
}

/** Groups that people give the workload that we made, where it serves, are waited for before the other side's start. */
const begun: Proof = (scene, both) =>
  both.isLive(
    scene.second === undefined ? scene : { ...scene, second: { ...scene.second, replicas: both.before.primary } },
  );

const ONWARD = [
  'StepReady',
  'RungReady',
  'Promoted',
  'RouteRestored',
  'CanaryEmptied',
  'Settled',
  'Jumped',
  'StepsEdited',
];

/** The same where a settled release of blueGreen is undone. */
const FILLING_BACK = ['RollbackWidened', 'RouteRestored', 'CanaryEmptied', 'RolledBack'];

/** What a rung waits for, told once more: the edits before it are live, and its groups are there. */
export function ladderProof(commit: OurCommit): Proof | undefined {
  const { reason, before, after } = commit;
  const [from, to] = [before.marks, after.marks];
  const applied: Proof = (scene, both) => both.isLive(scene);
  const isFilled = from?.undone !== undefined;
  if (reason === 'RolledBack' && !isFilled)
    return (scene, both) =>
      both.isLive(scene) &&
      both.liveShare(scene) === 0 &&
      (before.marks?.floor === undefined || both.all(scene, both.names.stable, stableVersion(commit)));
  const isOnward = isFilled ? FILLING_BACK.includes(reason) : from?.step !== 'rollback' && ONWARD.includes(reason);
  if (!isOnward) return undefined;
  if (begins(before, after)) return to?.at === 'template' && to.serves === 'green' ? begun : applied;
  const version = commit.releaseVersion;
  const primary = from?.step === 'promote' && commit.workload.fills?.style === 'canary';
  if (primary && from.at === 'primary')
    return (scene, both) => both.isLive(scene) && both.all(scene, both.names.stable, version);
  if (primary && reason === 'Settled')
    return (scene, both) =>
      both.isLive(scene) &&
      both.serving(scene, both.names.stable) >= Math.max(1, both.before.primary - before.maxUnavailable);
  if (primary || reason === 'CanaryEmptied' || reason === 'RouteRestored') return applied;
  // N rose: the same rung comes again before its groups are seen.
  if (from?.at === to?.at && from?.step === to?.step) return applied;
  const wins = (reason === 'Settled' || reason === 'RolledBack') && commit.workload.fills?.style === 'blueGreen';
  const ready: Proof = (scene, both) => both.isLive(scene) && both.all(scene, both.names.canary, version);
  // A primary that was re-created came up on the release: where someone accepts that, only it is looked at.
  if (reason === 'Promoted' && accepts(commit, 'Recreated')) return applied;
  // Where all of a primary may be down at once, the canary carries all of it meanwhile.
  if (reason === 'Promoted' && to?.at === 'primary' && commit.workload.fills?.routed === true)
    return (scene, both) =>
      ready(scene, both) &&
      (both.before.primary > before.maxUnavailable ||
        (both.liveShare(scene) === 100 && both.serving(scene, both.names.canary) >= both.before.primary));
  // N rose before the Service was switched: the side that takes over grows, and nothing else changes.
  if (from?.at === 'all' && to?.at === 'pods') return applied;
  // A side that takes over has as many groups as the other: N may have fallen, and what it has beyond that holds nothing.
  if (from?.at === 'all')
    return (scene, both) =>
      both.isLive(scene) && both.ready(scene, both.names.canary, version) >= Math.max(1, both.before.primary);
  if (wins || from?.at === 'pods' || from?.at === 'traffic') return ready;
  if (from?.at === 'template' && to?.at === 'pods')
    return (scene, both) => both.isLive(scene) && both.truth(scene, both.names.canary)?.flipped === true;
  if (from?.at === 'empty' && to?.at === 'template')
    return (scene, both) => both.isLive(scene) && both.truth(scene, both.names.canary)?.groups.length === 0;
  return applied;
}
