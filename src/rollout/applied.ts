/** Whether what Git says is live: the fields, the template, and LWS's own word that it has seen them. */

import { firstDifference } from '../api/content-match.ts';
import type { Known } from '../api/known.ts';
import type { LiveLws, WrittenField } from '../api/live.ts';
import { MARK, MARK_NAMES, parseMarks, printMarks } from '../api/marks.ts';
import type { Contest, RolloutRecord } from '../api/record.ts';
import { type Instant, printInstant } from '../api/time.ts';
import { DEFAULT_MAX_UNAVAILABLE } from '../api/workload.ts';
import { claimsRefused } from './edits/recreate-change.ts';
import { type Hold, hold } from './hold.ts';
import { buildDiffers } from './observed/build-differs.ts';
import { contestAfter, contestHold, type Difference } from './observed/contest.ts';
import { notRendered } from './observed/rendered.ts';
import { hasCloser, keyHolds } from './observed/revisions.ts';
import { notBeforeRung } from './observed/unsigned.ts';
import type { Snapshot, WorkloadFile } from './snapshot.ts';
import { nameFirst } from './texts/sentences.ts';

/** What helps where Git is not live yet. */
export const WAITING_FOR_AGENT =
  'Waiting for the GitOps agent to apply it; if that takes long, look at its sync errors';

/** After this long an agent that works has had its turn several times over: someone has to look at it. */
export const APPLY_DEADLINE_SECONDS = 600;

/** LWS 0.8 says nothing of what it has observed: two reads at least so far apart must agree. */
const SECOND_READ_SECONDS = 5;

/** What LWS has not observed after this long it cannot apply, or it does not run. */
const OBSERVE_DEADLINE_SECONDS = 60;

/**
 * Why the file is not known to be applied, or undefined where it is: the fields that our commits own are equal,
 * every leaf of the template is equal, nothing that an earlier template had is left over, and LWS has observed it.
 * Annotations only corroborate: another tool may keep them back.
 */
export function waitingOnApply(snapshot: Snapshot, file: WorkloadFile): Hold | undefined {
  const { live } = snapshot;
  if (live.lws.kind === 'absent')
    return hold('WorkloadAbsent', {
      seen: `${file.object.kind} ${file.object.name} is not in the cluster`,
      action: WAITING_FOR_AGENT,
    });
  const { leaderSet, leaders, workerSets, revisions } = live;
  const unread = Object.entries({ leaderSet, leaders, workerSets, revisions }).find(
    ([, read]) => read.kind !== 'known',
  );
  if (live.lws.kind === 'unknown') return hold('ClusterUnreadable', { seen: live.lws.why, waits: 'reading' });
  const lws = live.lws.value;
  if (lws.deleting)
    return hold('WorkloadDeleting', {
      seen: `${nameFirst(file.object.name)} is being deleted in the cluster`,
      waits: 'controllers',
    });
  const field = differingField(snapshot, file, lws);
  if (field !== undefined) return notApplied(snapshot, file, field);
  if (unread !== undefined)
    return hold('ClusterUnreadable', { seen: unreadWhy(unread[0], unread[1]), waits: 'reading' });
  return waitingOnObservation(snapshot, file, lws);
}

function unreadWhy(name: string, read: Known<unknown>): string {
  return read.kind === 'unknown' ? read.why : `${name} of the workload not found`;
}

/** Whether every field and the template are equal live, whatever LWS says of having seen them. */
export function fieldsLive(snapshot: Snapshot, file: WorkloadFile): boolean {
  return snapshot.live.lws.kind === 'known' && differingField(snapshot, file, snapshot.live.lws.value) === undefined;
}

/** Since when this very file has been seen not to be live; undefined: it is, or nothing was read of it. */
export function unappliedSince(snapshot: Snapshot, file: WorkloadFile): Instant | undefined {
  const { record, now, live } = snapshot;
  const same = record?.blobs[file.file] === snapshot.blobs[file.file];
  const before = same ? record?.notAppliedSince : undefined;
  if (live.lws.kind !== 'known') return live.lws.kind === 'unknown' ? before : undefined;
  return fieldsLive(snapshot, file) ? undefined : Math.min(before ?? now, now);
}

/** Late is one thing; not at all another: then somebody has to look at the agent, and at who else writes the field. */
function notApplied(snapshot: Snapshot, file: WorkloadFile, { path, text, writers }: Difference): Hold {
  const fought = contestHold(snapshot, contestOf(snapshot, file));
  const since = unappliedSince(snapshot, file) ?? snapshot.now;
  const overdue = snapshot.now - since >= APPLY_DEADLINE_SECONDS;
  const scaled = path === 'spec.replicas' && (overdue || writers.some((writer) => writer.endsWith(' through scale')));
  const by = writers.length === 0 ? '' : `, written by ${writers.join(' and ')}`;
  const named = scaled
    ? [
        `If something scales ${file.object.name}, name it under autoscaled in tranche.yaml and let the agent ignore spec.replicas`,
      ]
    : [];
  if (!overdue && fought !== undefined) return fought;
  if (!overdue)
    return hold('NotApplied', {
      seen: `${text}${scaled ? by : ''}`,
      action: [...named, WAITING_FOR_AGENT].join('. '),
    });
  const lws = snapshot.live.lws.kind === 'known' ? snapshot.live.lws.value : undefined;
  const built = lws && buildDiffers(file, lws, { path, since });
  if (built !== undefined) return built;
  const look = `Look at its sync errors; in Argo CD also at automated sync, sync windows and whether ${path} is under ignoreDifferences; in Flux at suspend, dependsOn and ignored fields of the Kustomization`;
  return hold('AgentNotApplying', {
    seen: `${text}${by}: so since ${printInstant(since)} at the latest, and the GitOps agent has not changed it`,
    action: [look, ...named].join('. '),
  });
}

/** What is to be remembered of others who write the fields of this very file. A pass that read nothing forgets nothing. */
export function contestOf(snapshot: Snapshot, file: WorkloadFile): Contest | undefined {
  const { record, live } = snapshot;
  const same = record !== undefined && record.blobs[file.file] === snapshot.blobs[file.file];
  const before = same ? record.contest : undefined;
  if (live.lws.kind !== 'known') return live.lws.kind === 'unknown' ? before : undefined;
  const seen = { differs: differingField(snapshot, file, live.lws.value), lws: live.lws.value };
  return contestAfter(before, { ...seen, wasLive: same && record.notAppliedSince === undefined, now: snapshot.now });
}

const ROLLING_UPDATE = 'spec.rolloutStrategy.rollingUpdateConfiguration';

/** The first field in which the cluster differs from Git, for people. */
function differingField(snapshot: Snapshot, file: WorkloadFile, lws: LiveLws): Difference | undefined {
  const stale = notRendered(file, lws);
  if (stale !== undefined) return stale;
  const { workload } = file;
  const pairs: readonly (readonly [WrittenField, unknown, unknown])[] = [
    ['partition', workload.partition ?? 0, lws.partition],
    ['maxUnavailable', workload.maxUnavailable ?? DEFAULT_MAX_UNAVAILABLE, lws.maxUnavailable],
    ['maxSurge', workload.maxSurge ?? 0, lws.maxSurge],
    ['replicas', ownedReplicas(snapshot, file) ?? lws.replicas, lws.replicas],
  ];
  const differs = pairs.find(([, wanted, seen]) => String(wanted) !== String(seen));
  if (differs !== undefined) {
    const [field, wanted, seen] = differs;
    return {
      path: field === 'replicas' ? 'spec.replicas' : `${ROLLING_UPDATE}.${field}`,
      text: `${field} is ${String(seen)} in the cluster, Git says ${String(wanted)}`,
      writers: lws.writers?.[field] ?? [],
    };
  }
  const before = snapshot.stable.kind === 'known' ? snapshot.stable.value.content : undefined;
  const path = firstDifference(workload.content, before, lws.content);
  if (path !== undefined)
    return { path: `spec.${path}`, text: `spec.${path} in the cluster differs from Git`, writers: [] };
  const older = olderTemplate(snapshot, file, lws);
  return older === undefined ? undefined : { path: 'spec.leaderWorkerTemplate', text: older, writers: [] };
}

/**
 * The template of Git is all there, and more as well, that LWS does not fill in: another controller's, or what the
 * template that is being left had added. Marks that our commits wrote with each text tell which; without them, whether LWS
 * knows a revision that is closer to Git.
 */
function olderTemplate({ live }: Snapshot, { workload, digest }: WorkloadFile, lws: LiveLws): string | undefined {
  const extra = firstDifference(workload.content, lws.content, lws.content);
  if (extra === undefined) return undefined;
  const marks = workload.marksInFile ?? workload.marks;
  const seen = parseMarks(lws.annotations);
  if (marks !== undefined && marks.release.digest === digest && seen !== undefined && 'release' in seen) {
    const [wanted, there] = [printMarks(marks), printMarks(seen)];
    const other = MARK_NAMES.find((name) => wanted[name] !== there[name]);
    return other === undefined
      ? undefined
      : `spec.${extra} in the cluster is not in Git, and ${MARK[other]} there is ${there[other] ?? 'missing'}, not ${wanted[other] ?? 'missing'}`;
  }
  const { leaderSet, revisions } = live;
  if (leaderSet.kind !== 'known' || revisions.kind !== 'known') return undefined;
  return hasCloser(leaderSet.value.revisionKey, workload.content, revisions.value)
    ? `spec.${extra} in the cluster is not in Git, and LWS knows a revision without it`
    : undefined;
}

/** Git's replicas where Git owns them; an autoscaler's value is never compared. */
function ownedReplicas({ live }: Snapshot, file: WorkloadFile): number | undefined {
  const isGits = live.scaler.kind === 'absent' || live.isScalerInFileAlone === true;
  return isGits ? file.workload.replicas : undefined;
}

/** What is looked at to tell whether LWS has observed a workload: the user's own, or the one of a delivery. */
type Observing = Pick<Snapshot, 'blobs' | 'now' | 'live' | 'stable' | 'unsigned'> & {
  readonly record: Pick<RolloutRecord, 'blobs' | 'appliedSince'> | undefined;
};

type Observable = Pick<WorkloadFile, 'file'> & { readonly workload: Pick<WorkloadFile['workload'], 'content'> };

/** A controller that works observes within seconds: after a minute, what keeps it, and what to put back. */
function notObserved({ record, blobs, now, live }: Observing, { file }: Observable, lws: LiveLws): Hold {
  const since = record?.blobs[file] === blobs[file] ? record?.appliedSince : undefined;
  const count = `LWS has observed generation ${lws.observedGeneration} of ${lws.generation} so far`;
  if (since === undefined || now - since < OBSERVE_DEADLINE_SECONDS)
    return hold('NotObserved', { seen: count, waits: 'controllers' }, SECOND_READ_SECONDS);
  const seen = `${count}, and not since ${printInstant(since)}: until it can apply the object, no partition, no scaling and no rollback takes effect`;
  const action = claimsRefused(live)
    ? `The volumeClaimTemplates are not those of the leader StatefulSet, which takes no change of them: put the old ones back into ${file}`
    : `Look whether the LWS controller runs, and for FailedUpdate in the events of the LeaderWorkerSet: they name what it cannot apply, and the old value of that is to be put back into ${file}`;
  return hold('NotObserved', { seen, action }, SECOND_READ_SECONDS);
}

/** Why LWS is not known to have observed what is live; undefined: it has. */
export function waitingOnObservation(snapshot: Observing, file: Observable, lws: LiveLws): Hold | undefined {
  const { leaderSet, revisions } = snapshot.live;
  if (leaderSet.kind !== 'known' || revisions.kind !== 'known')
    return hold('ClusterUnreadable', { seen: 'the leader StatefulSet could not be read', waits: 'reading' });
  if (lws.observedGeneration !== undefined && lws.observedGeneration < lws.generation)
    return notObserved(snapshot, file, lws);
  const before = snapshot.stable.kind === 'known' ? snapshot.stable.value.content : undefined;
  const known = { before, live: lws, revisions: revisions.value };
  if (!keyHolds(leaderSet.value.revisionKey, file.workload.content, known)) {
    return hold(
      'NotObserved',
      { seen: 'LWS has not yet put the template of Git on its leader StatefulSet', waits: 'controllers' },
      SECOND_READ_SECONDS,
    );
  }
  if (lws.observedGeneration !== undefined) return undefined;
  if (!isReadTwice(snapshot, file, lws) && !isLongWritten(snapshot, lws)) {
    return hold(
      'NotObserved',
      {
        seen: `this LWS (before 0.9) does not say what it has observed: reading again after ${SECOND_READ_SECONDS} s`,
        waits: 'time',
      },
      SECOND_READ_SECONDS,
    );
  }
  return undefined;
}

/**
 * Whether an earlier pass has recorded that this very file was live. Where nobody bears the record out, it cannot have been so
 * before the object was last changed; a date ahead of ours proves nothing.
 */
function isReadTwice(snapshot: Observing, { file }: Observable, { writtenAt }: LiveLws): boolean {
  const { record, blobs, now, unsigned } = snapshot;
  const since = record?.blobs[file] === blobs[file] ? record?.appliedSince : undefined;
  if (since === undefined) return false;
  const changed = unsigned === undefined || writtenAt === undefined || writtenAt > now ? since : writtenAt;
  return now - Math.max(notBeforeRung(since, snapshot), changed) >= SECOND_READ_SECONDS;
}

/**
 * Whether the API server dates the last change of the object so far back that a controller that works has observed it. Without
 * it anyone who takes the record away at each pass would keep a rollback from its end. A date ahead of ours proves nothing.
 */
function isLongWritten({ now }: Observing, { writtenAt }: LiveLws): boolean {
  return writtenAt !== undefined && now - writtenAt >= OBSERVE_DEADLINE_SECONDS;
}
