/** The second commit of a recreation: once everything of the workload is gone, its document comes back, byte for byte. */

import { type Marks, stableMark } from '../../api/marks.ts';
import type { Recreating } from '../../api/recreating.ts';
import { sameRelease, shortRelease } from '../../api/release.ts';
import { putAside, withSurge } from '../../api/restore.ts';
import { SENTINEL } from '../../api/workload.ts';
import type { ObjectChange } from '../edits/change.ts';
import { COMES_BACK, keeping, noteOf } from '../edits/out-of-file.ts';
import { workloadContent, workloadEdit } from '../edits/workload-change.ts';
import { type Hold, hold } from '../hold.ts';
import { type Decision, holding, MOVES, moving } from '../move.ts';
import { surgeInGit } from '../observed/surge.ts';
import { remember } from '../orders/aborted-release.ts';
import type { Snapshot, Stable, StableDocument } from '../snapshot.ts';
import { command } from '../texts/command-text.ts';
import { countsOf } from '../texts/sentences.ts';

const PRUNE =
  'the agent does not prune: Argo CD needs syncPolicy.automated.prune and no sync option Prune=false on the object, Flux needs prune: true in the Kustomization and no annotation kustomize.toolkit.fluxcd.io/prune: disabled; or it was the only object there is: Argo CD then needs allowEmpty: true under syncPolicy.automated, or another object in the folder';

/**
 * What to do while the document is out of its file. Only going on brings capacity back, so pauses, policies and a
 * disabled Rollout hold nothing; an abort makes it the stable template that is created.
 */
export function recreate(snapshot: Snapshot, kept: Recreating): Decision {
  const abort = sameRelease(snapshot.rollout?.intents.abort?.release, kept.release) && kept.way === 'forward';
  const waiting = waitingOnRemoval(snapshot, kept);
  // Aborted while the agent has deleted nothing: back at once, and should it delete after all, it creates the stable template.
  if (waiting !== undefined && !(abort && isUnharmed(snapshot))) return holding([waiting], 'StepUpgrade');
  const { recreateText, stable } = snapshot;
  const back = abort || kept.way === 'back';
  if (recreateText.kind !== 'known') return holding([lost(snapshot, kept.text, recreateText)], 'StepUpgrade');
  if (back && stable.kind !== 'known') return holding([lost(snapshot, kept.stable.commit, stable)], 'StepUpgrade');
  const source = recreateText.value;
  const text = back && stable.kind === 'known' ? stable.value : source;
  if (!back && source.release.digest !== kept.release.digest)
    return holding([lost(snapshot, kept.text, { kind: 'unknown', why: 'its template is another one' })], 'StepUpgrade');
  const partition = back ? 0 : SENTINEL;
  const marks = marksOf(snapshot, { kept, source, text, back, abort });
  const { object, workload } = source.manifest;
  const over = backInBuild(source, { marks, partition, text: back ? text : source });
  const replicas = surgeInGit(workload)?.was;
  const own = workloadContent(
    { workload, digest: kept.release.digest },
    { marks, partition, replicas, text: back ? text : undefined },
  );
  const created: ObjectChange = over ?? {
    kind: 'create',
    file: kept.file,
    object,
    document: { kind: 'insert', note: noteOf(object), source: source.text },
    ...own,
  };
  const move = {
    reason: 'RecreateCreated',
    way: MOVES.RecreateCreated.way,
    label: waiting === undefined ? 'recreate, created' : 'recreate, put back',
    marks,
    changes: [created, ...keeping(snapshot.rollout, undefined)],
    why: `${abort ? `Release ${shortRelease(kept.release)} was aborted. ` : ''}${waiting === undefined ? 'Everything of the workload is gone, so its document is back' : 'Nothing of the workload has been deleted yet: its document is back'}${back ? ' with the stable template' : ''}${waiting === undefined ? `: all groups come up on ${shortRelease(marks.release)} at once, whatever the partition.` : '.'}`,
  } as const;
  return moving(move, 'StepUpgrade');
}

/**
 * The same where kustomize builds it: the patch lets it be built again. People's files may have got another template meanwhile:
 * then the patch has that of the release as a whole, as after a rollback. undefined: kustomize does not build it.
 */
function backInBuild(
  { takenOut: file }: StableDocument,
  to: { readonly marks: Marks; readonly partition: number; readonly text: Stable },
): ObjectChange | undefined {
  if (file === undefined) return undefined;
  const { marks, partition, text } = to;
  const isSame = file.digest === text.release.digest && file.beneath?.isEarlier !== true;
  const replicas = surgeInGit(file.workload)?.was;
  return workloadEdit(file, { marks, partition, replicas, text: isSame ? undefined : text, more: [COMES_BACK] });
}

/** The object is there and nobody has started to delete it. */
function isUnharmed({ live: { lws } }: Snapshot): boolean {
  return lws.kind === 'known' && !lws.value.deleting;
}

function marksOf(
  { rollout, stable }: Snapshot,
  at: {
    readonly kept: Recreating;
    readonly source: StableDocument;
    readonly text: Stable;
    readonly back: boolean;
    readonly abort: boolean;
  },
): Marks {
  const { kept, source, text, back, abort } = at;
  const of = Math.max(1, rollout?.rollout.steps.length ?? 1);
  const before = source.manifest.workload.marks;
  const own: Marks = {
    release: kept.release,
    step: undefined,
    stable: kept.stable,
    restore: undefined,
    aborted: kept.aborted,
  };
  return {
    release: back ? text.release : kept.release,
    step: back ? { kind: 'rollback' } : { kind: 'step', index: of, of },
    stable: stable.kind === 'known' ? stableMark(stable.value) : kept.stable,
    restore: withSurge(
      putAside(before?.restore, { floor: 0, maxUnavailable: before?.restore?.maxUnavailable }),
      undefined,
    ),
    aborted: abort ? remember(kept, own) : kept.aborted,
  };
}

/** The object, then its pods and StatefulSets: what has their names would be taken for the new ones. */
function waitingOnRemoval({ live, rollout, key }: Snapshot, kept: Recreating): Hold | undefined {
  const { lws, leaders, workerSets } = live;
  const unread = [lws, leaders, workerSets].find((read) => read.kind === 'unknown');
  if (unread?.kind === 'unknown') return hold('ClusterUnreadable', { seen: unread.why, waits: 'reading' });
  const named = `LeaderWorkerSet ${rollout?.rollout.workload.name ?? key.name}`;
  const then = 'It is re-created once all of it is gone';
  if (lws.kind === 'known') {
    const { deleting } = lws.value;
    return hold(
      'AwaitingRemoval',
      deleting
        ? { seen: `${named} is being deleted`, action: `${then}; if that takes long, look at its finalizers` }
        : {
            seen: `${named} is out of ${kept.file}, and still in the cluster`,
            action: `${then}; if it stays, ${PRUNE}`,
          },
    );
  }
  const pods = leaders.kind === 'known' ? leaders.value.length : 0;
  const sets = workerSets.kind === 'known' ? workerSets.value.length : 0;
  if (pods + sets === 0) return undefined;
  return hold('AwaitingRemoval', {
    seen: `${named} is deleted; of it ${countsOf({ 'leader pod': pods, StatefulSet: sets })} ${pods + sets === 1 ? 'is' : 'are'} still ending`,
    action: `${then}; if that takes long, look for finalizers, or for a node that does not answer`,
  });
}

function lost({ key }: Snapshot, commit: string, read: { readonly kind: string; readonly why?: string }): Hold {
  return hold('StableUnavailable', {
    seen: `the document to be put back was not found: ${commit.slice(0, 12)}: ${read.why ?? 'it is not there'}`,
    action: `Put the LeaderWorkerSet back into its file by hand, with the annotations that it had; where kustomize builds it, ${command('repair', key)} writes the patch as tranche left it`,
  });
}
