/** The laws of commits that share out requests between versions of one workload: what was so when they were written. */

import { CLOCKS, drainOf } from './excuses.ts';
import { splitOwn, templateStart } from './files.ts';
import { askedGroups, GOING_BACK, indexOf, missingAt, type OurCommit, planned } from './our-commit.ts';
import { ownDocuments, routedFiles, routeFile, serviceFile, serviceNames, shareSaid } from './routed-files.ts';
import { liveShare, reachedBy, type Scene } from './scene.ts';

/** What Git says of the requests. */
type Said = {
  /** Per cent that the route sends to the new version. */
  readonly share: number;
  /** The user's Service takes in one version alone; undefined: it is not there. */
  readonly pinned: boolean | undefined;
  /** The same of the Service of the new version. */
  readonly copyPinned: boolean | undefined;
};

type Words = { readonly was: Said; readonly is: Said; readonly stable: string; readonly canary: string };

function wordsOf(commit: OurCommit): Words {
  return { was: saidAt(commit, commit.parent), is: saidAt(commit, commit.oid), ...serviceNames(commit.workload) };
}

function saidAt({ universe, workload }: OurCommit, at: string): Said {
  const service = universe.text(at, serviceFile(workload.name));
  const [own, copy] = splitOwn(service ?? '');
  return {
    share: shareSaid(universe.text(at, routeFile(workload.name)), workload),
    pinned: service === undefined ? undefined : PIN.test(own),
    copyPinned: copy === '' ? undefined : PIN.test(copy),
  };
}

const PIN = /^ +"?(tranche\.dev\/version|leaderworkerset\.sigs\.k8s\.io\/template-revision-hash)"?:/m;

/** Whether the cluster had what Git said of partition, text and requests before the commit. */
export function isLive(commit: OurCommit): (scene: Scene) => boolean {
  const { workload, before } = commit;
  const { was, stable } = wordsOf(commit);
  return (scene) =>
    scene.own?.partition === before.partition &&
    scene.own.version === before.version &&
    Math.abs(liveShare(scene, workload) - was.share) < 0.01 &&
    scene.services.get(stable)?.pinned === (was.pinned ?? false);
}

/** T1: a share is raised only where groups of the release serve, and others where they keep a part. */
export function sharedServing(commit: OurCommit): string | undefined {
  const { reason, scenes, releaseVersion } = commit;
  const { was, is, stable, canary } = wordsOf(commit);
  if (is.share <= was.share) return undefined;
  const served = scenes.some(
    (scene) =>
      reachedBy(scene, canary, { version: releaseVersion }).length > 0 &&
      (is.share === 100 || reachedBy(scene, stable, { not: releaseVersion }).length > 0),
  );
  return served ? undefined : `${reason}: ${was.share} % → ${is.share} %, though not both versions served`;
}

/** T3: the groups of a release that is aborted have answered their last requests when its text goes. */
export function backDrained(commit: OurCommit): string | undefined {
  const { universe, workload, reason, before, after, scenes } = commit;
  if (before.marks?.step === undefined) return undefined;
  const isTakenBack = before.marks.step === 'rollback' && before.marks.at === 'back';
  if (isTakenBack && after.marks?.at === 'back') return batchPaced(commit);
  if (!isTakenBack && (!GOING_BACK.includes(reason) || after.version === before.version)) return undefined;
  // Its groups restart already.
  if (before.marks.step === 'rollback' && before.marks.at !== 'route-restored' && !isTakenBack) return undefined;
  // Its groups are released for update a batch at a time from here on, and none by this commit.
  if (after.marks?.at === 'back' && after.partition >= askedGroups(before)) return undefined;
  // A newer template takes the share away, and lets nothing go.
  if (isTakenBack && (after.marks?.step !== 'rollback' || after.partition >= before.partition)) return undefined;
  const { was, stable, canary } = wordsOf(commit);
  const none = scenes.some((scene) => reachedBy(scene, canary).length === 0 || reachedBy(scene, stable).length === 0);
  // Where the Service takes in all leaders they are asked to the end, as in any roll.
  if (none || !was.pinned || before.marks.floor === 0 || isExcused(commit)) return undefined;
  if (was.share > 0) return `${reason}: the text goes while it has ${was.share} %`;
  const all = universe.scenes.get(workload.name) ?? [];
  const last = all.findLastIndex((scene) => liveShare(scene, workload) > 0);
  const since = last < 0 ? Number.POSITIVE_INFINITY : universe.now - (all[last + 1]?.atSeconds ?? universe.now);
  return since >= drainOf(workload) ? undefined : `${reason}: ${since} s after its last share`;
}

/**
 * T3: of the groups that are aborted no more go together than maxUnavailable, and those that are left are sent no more than
 * suits them, which the cluster has seen before.
 */
function batchPaced(commit: OurCommit): string | undefined {
  const { reason, before, after, scenes } = commit;
  const [to, from] = [after.partition, before.partition];
  if (to >= from || isExcused(commit)) return undefined;
  const { was, is, stable, canary } = wordsOf(commit);
  if (Math.abs(was.share - is.share) > 0.01) return `${reason}: groups go with the commit that lowers their share`;
  const paced = scenes.some((scene) => {
    const given = reachedBy(scene, canary);
    const going = given.filter(({ index }) => index >= to && index < from).length;
    const left = given.filter(({ index }) => index < to).length;
    const others = reachedBy(scene, stable).length;
    const isFair = is.share <= Math.ceil((100 * left) / Math.max(1, left + others));
    return isLive(commit)(scene) && going <= Math.max(1, before.maxUnavailable) && (left === 0 || isFair);
  });
  return paced ? undefined : `${reason}: partition ${from} → ${to} with ${is.share} %, more than is left can take`;
}

/** What is nobody's fault: other hands, other objects, another clock. */
function isExcused({ universe, workload }: OurCommit): boolean {
  const { injected } = universe;
  return universe.rewritten > 0 || universe.mixed.has(workload.name) || CLOCKS.some((kind) => injected[kind] > 0);
}

/** T4: a share is withdrawn only where the other version serves, the Service takes in all, or nothing of this one does. */
export function stableServes(commit: OurCommit): string | undefined {
  const { reason, scenes, after } = commit;
  const { was, is, stable, canary } = wordsOf(commit);
  if (was.share === 0 || is.share > 0 || after.marks?.step === undefined || !is.pinned) return undefined;
  const ready = scenes.some((scene) => reachedBy(scene, stable).length > 0 || reachedBy(scene, canary).length === 0);
  return ready ? undefined : `${reason}: home, though nothing behind ${stable} served`;
}

/** T5: the route and the Service are as before, and a text that is put back is so with its label, or without one. */
export function sharedLeaves(commit: OurCommit): string | undefined {
  const { universe, workload, oid, reason, before, after } = commit;
  if (['Aborted', 'Failed'].includes(reason) && after.version !== before.version) {
    const stable = universe.lws(workload.name, before.marks?.stable ?? '') ?? '';
    const [was, is] = [stable, after.text].map((text) => text.slice(templateStart(text)));
    return was === is || stable === '' ? undefined : `${reason}: another text than at ${before.marks?.stable}`;
  }
  if (reason !== 'Settled' && reason !== 'RolledBack') return undefined;
  const files = routedFiles(workload);
  const [route, service] = [routeFile(workload.name), serviceFile(workload.name)];
  // What a hand has taken out is not ours to put back; we take none out.
  const taken = missingAt(commit, commit.parent);
  const said = universe.text(oid, route);
  // Weights that a revert of an older commit brings back are a hand's, once what was put aside is restored: they send nothing there.
  const isSame = universe.resolved.has(workload.name) || ownDocuments(said ?? '') === files[route];
  const isRestored = said !== undefined && isSame && shareSaid(said, workload) === 0;
  if (!isRestored && !(said === undefined && taken.includes(route))) return `${reason}: ${route} is not as before`;
  const there = universe.text(oid, service);
  const isBefore = there !== undefined && splitOwn(there)[0] === files[service];
  if (!isBefore && !(there === undefined && taken.includes(service))) return `${reason}: ${service} is not as before`;
  // A route that is not in the files may still send where it sent last: to the one who serves.
  return said === undefined && wordsOf(commit).is.copyPinned === true
    ? `${reason}: without ${route} the Service of the new version takes in that one alone`
    : undefined;
}

/** T9: the Service of the new version takes in all leaders only where a hand has taken a document out. */
function copyOpened(commit: OurCommit): string | undefined {
  const { was, is, canary } = wordsOf(commit);
  if (is.copyPinned !== false || was.copyPinned === false) return undefined;
  return missingAt(commit, commit.parent).length > 0
    ? undefined
    : `${commit.reason}: ${canary} takes in all leaders, though no document is missing`;
}

/**
 * T9: the user's Service takes in the release as well once a step has no share of its own, or lets all groups go; on a rollback where nothing else serves, or a hand had let it in. Else requests would find groups that nobody gave any.
 */
function openedEarly(commit: OurCommit): string | undefined {
  const { reason, before, after, plan, scenes, since, releaseVersion, remade } = commit;
  const { was, is, stable } = wordsOf(commit);
  const { step } = after.marks ?? {};
  if (!was.pinned || is.pinned !== false || step === undefined || remade || isExcused(commit)) return undefined;
  // A newer template is in the file: until it starts there may be three versions.
  if (before.version !== releaseVersion) return undefined;
  const [others, own] = [{ not: releaseVersion }, { version: releaseVersion }];
  const isAlone = scenes.some(
    (scene) => reachedBy(scene, stable, others).length === 0 || reachedBy(scene, stable, own).length > 0,
  );
  if (isAlone) return undefined;
  if (step === 'rollback') return `${reason}: the Service takes in the release that is aborted, while others serve`;
  const { share = 0, replicas = '0' } = plan.steps[indexOf(step) - 1] ?? {};
  const counts = [askedGroups(before), ...since.map((truth) => truth.replicas)];
  const isWhole = counts.some((count) => planned(replicas, count) >= count);
  return share === 0 || isWhole
    ? undefined
    : `${reason}: the Service takes in the release in step ${step} of ${share} %`;
}

/** T9: the share of the step; and once every group is released for update nothing is shared out any more. */
export function sharedApproved(commit: OurCommit): string | undefined {
  const early = openedEarly(commit) ?? copyOpened(commit);
  if (early !== undefined) return early;
  const { before, after, plan, reason } = commit;
  const { was, is } = wordsOf(commit);
  const letsAll = after.partition === 0 && before.partition !== 0 && !GOING_BACK.includes(reason);
  if (letsAll && reason !== 'RollbackWidened' && (was.share > 0 || is.share > 0 || was.pinned || is.pinned))
    return `${reason}: every group is released for update with ${was.share} % of the requests${was.pinned ? ', and a Service that takes in one version' : ''}`;
  const isBack = after.marks?.step === 'rollback';
  if (is.share > 0 && after.marks?.release !== before.marks?.release && !isBack)
    return `${reason}: ${after.marks?.release} takes over ${is.share} % of ${before.marks?.release}`;
  if (Math.abs(was.share - is.share) < 0.01 || is.share === 0) return undefined;
  const { withdrawn = 0, release, step } = before.marks ?? {};
  const accepted = (plan.annotations['tranche.dev/accept'] ?? '').includes(`TrafficWithdrawn@${release}#`);
  if (was.share === 0 && withdrawn > 0 && release === after.marks?.release && !accepted)
    return `${reason}: ${is.share} % again after ${withdrawn} withdrawals, and nobody has accepted that`;
  if (isBack && is.share < was.share) return undefined;
  const wanted = plan.steps[indexOf(after.marks?.step) - 1]?.share;
  return wanted !== undefined && Math.abs(wanted - is.share) < 0.01
    ? undefined
    : `${reason}: share ${was.share} % → ${is.share} % after ${step}, wanted ${wanted} %`;
}
