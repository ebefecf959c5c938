/** Handing a workload back that has a second one next to it: what has to end first, and what we have made goes with us. */

import { LWS_KIND } from '../../api/kinds.ts';
import type { Marks } from '../../api/marks.ts';
import { shortRelease } from '../../api/release.ts';
import { PARTITION_PATH } from '../../api/workload-paths.ts';
import type { Edit } from '../edits/edit.ts';
import { differenceOf } from '../ladders/content-difference.ts';
import { delivering } from '../ladders/delivering.ts';
import { secondServes } from '../ladders/ladder-files.ts';
import { unpatched } from '../ladders/patches.ts';
import { situationOf } from '../situation.ts';
import { isLadder, isRouted } from '../state.ts';
import { command } from '../texts/command-text.ts';
import { groupCount } from '../texts/sentences.ts';
import {
  deleted,
  disabling,
  type EjectScene,
  type EjectWish,
  type MadeDocument,
  madeName,
  UNMADE,
  UNMARKED,
  without,
} from './eject-scene.ts';
import { planIntent } from './intent.ts';
import { type Ordered, type Refused, refused } from './ordered.ts';

/** What is ordered, or refused, while a second workload is filled or serves, or versions share; undefined: nothing is in the way. */
export function planEjectBesides(wish: EjectWish, scene: EjectScene, marks: Marks): Ordered | undefined {
  if (isLadder(marks)) return ended(wish, scene, { marks, under: filling(scene) });
  if (isRouted(marks)) return ended(wish, scene, { marks, under: SHARED });
  const green = marks.serves === undefined ? undefined : servingOf(scene);
  // A colour that there is counts, whatever the strategy is by now; one that there is not, only where it could serve.
  if (green === undefined && secondServes(scene.snapshot, marks))
    return refused('the second LeaderWorkerSet serves, and its document is not in the files: put it back first');
  if (green === undefined)
    return wish.asIs === true
      ? refused('--as-is is for a second LeaderWorkerSet that serves, and here your own does: say it without')
      : inUse(scene, undefined);
  return wish.asIs === true
    ? (inUse(scene, green) ?? restarting(scene, green, marks) ?? asItIs(scene, green))
    : restoreFirst(scene, green);
}

/** What is in progress, and what giving it up does, for people. */
type Under = { readonly what: string; readonly gives: string };

const SHARED: Under = {
  what: 'two versions share its requests',
  gives: 'whose requests go to stable before its groups restart on the stable version',
};

function filling({ made }: EjectScene): Under {
  const filled = made.filter(({ groups }) => groups > 0).map((one) => `${one.object.name}, ${groupCount(one.groups)}`);
  const which = filled.length === 0 ? '' : ` (${filled.join('; ')})`;
  return {
    what: `a second LeaderWorkerSet is being filled${which}, and requests may go to it`,
    gives: 'whose requests go to stable before its groups go',
  };
}

/** A delivery that is in progress is aborted first, as any other is; what is left is ordered once that is over. */
function ended(
  wish: EjectWish,
  { snapshot }: EjectScene,
  { marks, under }: { readonly marks: Marks; readonly under: Under },
): Ordered {
  const again = `once ${command('status', snapshot.key)} says that it is settled: ${command('eject', snapshot.key)}`;
  if (marks.step?.kind === 'rollback') return refused(`it is going back already; ${again}`);
  if (wish.partition !== undefined || wish.asIs === true)
    return refused(`${under.what}: that is ended by --abort alone`);
  if (!wish.abort)
    return refused(
      `${under.what}. It takes two steps: ${command('eject', snapshot.key, '--abort')} gives ${shortRelease(marks.release)} up, ${under.gives}; ${again} removes the annotations, and the documents that tranche has added`,
    );
  const aborted = planIntent({ kind: 'abort', keepNewer: false }, { snapshot, digestOf: () => '' });
  if (aborted.kind === 'refused') return aborted;
  const commits = aborted.commits.map((commit) => ({ ...commit, what: `eject, at first ${commit.what}` }));
  return { kind: 'write', commits, next: `Then, ${again}` };
}

function servingOf({ made, snapshot }: EjectScene): MadeDocument | undefined {
  const own = snapshot.workload?.object.name ?? '';
  return made.find(({ object }) => object.kind === LWS_KIND && object.name === `${own}-green`);
}

/** Both ways, and what each takes. */
function restoreFirst({ snapshot }: EjectScene, { object, groups }: MadeDocument): Refused {
  const own = snapshot.workload?.object.name ?? '';
  return refused(
    `${object.name} serves with ${groupCount(groups)}, and ${own} has none: handed back, ${own} would answer nothing. To restore the requests first, deliver once more by blueGreen, any edit of the template, which starts ${groupCount(groups)} of ${own} next to them, and order this again; or let ${object.name} be the one that serves from here on, with nothing restarted: ${command('eject', snapshot.key, '--as-is')}`,
  );
}

/** What we have made has groups, or gets requests, though no delivery needs it: taken away, it would be missed. */
function inUse({ made }: EjectScene, serves: MadeDocument | undefined): Refused | undefined {
  const others = made.filter((one) => one !== serves);
  // A route or a Service of people's first: what it names may get requests as long as it has groups.
  const named = others.find(({ namedBy }) => namedBy.length > 0);
  if (named !== undefined)
    return refused(
      `${named.file}: ${madeName(named)}, which tranche has added, is named by ${named.namedBy.join(', ')}: handed back, it would be gone. Take it out of there first`,
    );
  const scaled = others.find(({ groups }) => groups > 0);
  return scaled === undefined
    ? undefined
    : refused(
        `${scaled.file}: ${scaled.object.name}, which tranche has added, has replicas ${scaled.groups}: handed back, it would go with its groups. Once no request goes to it, put replicas 0 into it`,
      );
}

/** Its file has another template than its groups run, by a hand or put back: nobody locks them once it is handed back. */
function restarting(scene: EjectScene, green: MadeDocument, marks: Marks): Refused | undefined {
  const { file, object, groups } = green;
  const isElsewhere = scene.snapshot.record?.holds.some(({ reason }) => reason === 'GroupsElsewhere') === true;
  if (!isElsewhere && isDelivered(scene, green, marks)) return undefined;
  return refused(
    `${file} has another template for ${object.name} than its ${groupCount(groups)} run: handed back, they would restart on that. Put the template of the delivered release, ${shortRelease(marks.release)}, back into it, with the labels that it had; then order this again`,
  );
}

/**
 * Whether it has the template of the release that settled, by the files alone, and no label of ours that this has not. Without its Rollout
 * nobody knows what was patched onto its leaders.
 */
function isDelivered({ snapshot }: EjectScene, { template }: MadeDocument, marks: Marks): boolean {
  const { workload, stable } = snapshot;
  const { release } = marks;
  const own = workload?.digest === release.digest ? workload.workload : undefined;
  const settled = stable.kind === 'known' && stable.value.release.digest === release.digest ? stable.value : undefined;
  const wanted = own ?? settled;
  if (workload === undefined || template === undefined || wanted === undefined) return false;
  const { content, version } = template;
  if (version !== undefined && version !== wanted.version) return false;
  const on = delivering(situationOf(snapshot, workload), marks, release);
  return differenceOf(on === undefined ? content : unpatched(content, on.delivery), wanted.content) === undefined;
}

/** The colour that serves is nobody's copy any more; nothing of it restarts, for all its groups are on its template. */
function asItIs(scene: EjectScene, green: MadeDocument): Ordered {
  const { snapshot, made } = scene;
  const { workload } = snapshot;
  if (workload === undefined) return refused('the LeaderWorkerSet cannot be read from the files');
  const free: readonly Edit[] = [{ kind: 'set', path: PARTITION_PATH, value: 0 }];
  const { file, object } = workload;
  const others = made.filter((one) => one !== green);
  return {
    kind: 'write',
    commits: [
      {
        edits: [
          { file, object, edits: UNMARKED },
          { file: green.file, object: green.object, edits: UNMADE },
          ...disabling(snapshot),
        ],
        what: `eject, annotations removed, ${green.object.name} stays`,
      },
      {
        edits: [
          { file, object, edits: free },
          { file: green.file, object: green.object, edits: free },
          ...deleted(others),
        ],
        what: `eject, partition of ${green.object.name} → 0${without(others)}`,
      },
    ],
    next: `The Rollout is about ${object.name}, which has no groups: take it out of its file, or let it name ${green.object.name}`,
  };
}
