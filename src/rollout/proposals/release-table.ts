/** What is in a release, who made it, and what it and waiting for it cost: a table and a diff of the body. */

import { gpusOfGroup } from '../../api/gpus.ts';
import { imagesOf } from '../../api/images.ts';
import { at } from '../../api/json.ts';
import { shortDigest } from '../../api/release.ts';
import { isOneWorkload } from '../../api/styles.ts';
import { printDuration, printInstant } from '../../api/time.ts';
import { PARTITION_PATH, REPLICAS_PATH } from '../../api/workload-paths.ts';
import type { PlannedCommit } from '../commits/planned-commit.ts';
import { workloadField } from '../edits/change.ts';
import { mostOf } from '../ladders/groups-to-come.ts';
import { surgeInGit } from '../observed/surge.ts';
import { loadOf } from '../progress/expected.ts';
import type { Snapshot } from '../snapshot.ts';
import { block, code } from './encode.ts';
import { releaseChanges } from './release-changes.ts';

const LINES_MOST = 60;
const CHARS_MOST = 10_000;

/** A commit that is part of the change. */
export type Brought = { readonly oid: string; readonly subject: string; readonly author: string };

export type Released = {
  readonly snapshot: Snapshot;
  readonly commit: PlannedCommit;
  /** The commits that made the text what it is, newest first. */
  readonly brought: readonly Brought[];
  /** Pull requests of the steps before, by their numbers. */
  readonly earlier: readonly number[];
};

/** Rows of a table. */
export function releaseTable({ snapshot, commit, brought, earlier }: Released): string {
  const [before, after] = imagesBoth(snapshot);
  const rows = [
    ['workload', code(`${snapshot.key.namespace}/${workloadName(snapshot)}`)],
    ...inputsRows(snapshot),
    ['image', after.length === 0 ? '–' : after.map((image) => code(image)).join(', ')],
    ['stable', before.length === 0 ? '–' : before.map((image) => code(image)).join(', ')],
    ['groups', code(String(snapshot.workload?.workload.replicas ?? 'autoscaled'))],
    ...gpuRows(snapshot, commit),
    ...shownRows(snapshot),
    // A forge links the id of a commit that stands alone.
    ...brought.map(({ oid, subject, author }) => ['change', `${oid} ${code(subject, 120)} by ${code(author, 80)}`]),
    ...(earlier.length === 0 ? [] : [['steps before', earlier.map((number) => `#${number}`).join(', ')]]),
  ];
  // The first row is the head: an empty one is shown as a bar above the table.
  const [head = '', ...below] = rows.map(([name, value]) => `| ${name} | ${value} |\n`);
  return `${head}| --- | --- |\n${below.join('')}`;
}

/** What the release changes of the stable version; empty: nothing, or that is not known. */
export function releaseDiff({ stable, workload }: Pick<Snapshot, 'stable' | 'workload'>): string {
  if (stable.kind !== 'known' || workload === undefined) return '';
  const { content, rendered } = stable.value;
  const { carried } = workload;
  const inputs =
    carried === undefined || rendered === undefined
      ? []
      : releaseChanges(rendered.inputs, carried.inputs, LINES_MOST).map((line) => line.replace(/^([-+] )/, '$1spec.'));
  const lines = releaseChanges(content, workload.workload.content, LINES_MOST);
  const parts = [
    ['What is in the release', inputs],
    [inputs.length === 0 ? 'What is in the release' : 'What the chart makes of it', lines],
  ] as const;
  return parts
    .filter(([, changed]) => changed.length > 0)
    .map(([title, changed]) => `### ${title}\n\n${block(`${changed.join('\n')}\n`, 'diff', CHARS_MOST)}`)
    .join('\n');
}

/** The name that the LeaderWorkerSet has; the document of one that Flux renders may have another. */
function workloadName({ workload, key }: Pick<Snapshot, 'workload' | 'key'>): string {
  return workload?.carried?.name ?? workload?.object.name ?? key.name;
}

/** What renders it, and from which inputs: those that steps go by are named by their digest. */
function inputsRows({ workload, stable }: Snapshot): readonly (readonly string[])[] {
  if (workload?.carried === undefined) return [];
  const { object, file, digest } = workload;
  const before = stable.kind === 'known' ? `${shortDigest(stable.value.release.digest)} → ` : '';
  return [
    ['rendered by', code(`${object.kind} ${object.name} (${file})`)],
    ['inputs', code(`${before}${shortDigest(digest)}`)],
  ];
}

/** What the step in Git has shown, and when that was seen: a pull request is written once. */
function shownRows({ record, workload, now }: Snapshot): readonly (readonly string[])[] {
  const { step, groups = [], loads = [] } = record ?? {};
  const asOf = code(printInstant(now));
  if (workload?.workload.marks?.step?.kind !== 'step' || step === undefined) return [['as of', asOf]];
  // Where the release has a side of its own, its groups are there: those of the user's workload may all be stable.
  const side = newSide(record);
  const ready = side === undefined ? groups.filter((one) => one.version === 'release' && one.ready).length : side.ready;
  const restarts = (step.restarts ?? []).reduce((sum, { count }) => sum + count, 0);
  const shown = [
    ready === undefined
      ? 'its groups were not read'
      : `${ready} ${ready === 1 ? 'group' : 'groups'} ready on the release`,
    ...(step.doneSince === undefined ? [] : [`all of step ${step.index} for ${Math.max(0, now - step.doneSince)} s`]),
    `${restarts} ${restarts === 1 ? 'restart' : 'restarts'}`,
    ...(loads.length === 0 ? [] : [`loaded in ${loads.map((seconds) => `${seconds} s`).join(', ')}`]),
  ];
  return [
    ['so far', code(shown.join('; '))],
    ['as of', asOf],
  ];
}

/** What the step takes from the groups that serve, and what is held in addition to for as long as it waits. */
function gpuRows(snapshot: Snapshot, commit: PlannedCommit): readonly (readonly string[])[] {
  const workload = snapshot.workload?.workload;
  const each = workload === undefined ? 0 : gpusOfGroup(workload.content, workload.size);
  if (workload === undefined || each === 0) return [];
  const { replicas } = workload;
  const moved = groupsMoved({ snapshot, commit });
  const [gone, extra] = [moved === undefined ? 0 : moved.after - moved.before, extraGroups(snapshot)];
  const all = replicas === undefined ? `${each} a group` : `${replicas * each} in all, ${each} a group`;
  const restarts = gone > 0 ? `; ${gone * each} of them restart with this step` : '';
  const waiting = extra > 0 ? `${extra * each} GPUs of ${extra} extra ${extra === 1 ? 'group' : 'groups'}` : 'none';
  return [['GPUs', `${all}${restarts}`], ['more GPUs while this waits', waiting], ...mostRows(snapshot, each)];
}

/** What a second workload takes at most, before the delivery is over. */
function mostRows({ rollout, ladder, workload, record }: Snapshot, each: number): readonly (readonly string[])[] {
  const plan = rollout?.rollout;
  const isGreen = workload?.workload.marks?.serves === 'green';
  const primary = isGreen ? at(ladder?.second?.value, REPLICAS_PATH) : workload?.workload.replicas;
  if (plan === undefined || isOneWorkload(plan.style) || typeof primary !== 'number') return [];
  const most = mostOf(plan.steps, primary);
  const load = loadOf(record?.loads ?? []);
  const loads = load === undefined ? '' : `; the last groups took ${printDuration(load.seconds)} to load`;
  return [['more GPUs at most', `${most * each} GPUs of ${most} extra ${most === 1 ? 'group' : 'groups'}${loads}`]];
}

/** Those that a surge has started, or that a second workload has. */
function extraGroups({ workload, record, rollout }: Snapshot): number {
  const surge = workload === undefined ? undefined : surgeInGit(workload.workload);
  // Two versions of one workload share its groups.
  const second = isOneWorkload(rollout?.rollout?.style) ? undefined : newSide(record);
  return (surge === undefined ? 0 : surge.set - surge.was) + (second?.groups ?? 0);
}

function newSide(record: Snapshot['record']) {
  return record?.traffic?.shown?.sides.find(({ side }) => side === 'canary');
}

/** Groups on the release before and after; undefined: the partition stays. */
export function groupsMoved({
  snapshot,
  commit,
}: Pick<Released, 'snapshot' | 'commit'>):
  | { readonly before: number; readonly after: number; readonly of: number }
  | undefined {
  const replicas = snapshot.workload?.workload.replicas;
  const field = workloadField(commit.changes, PARTITION_PATH);
  if (replicas === undefined || typeof field?.to !== 'number') return undefined;
  const from = typeof field.from === 'number' ? field.from : 0;
  const [before = 0, after = 0] = [from, field.to].map((partition) => Math.max(0, replicas - partition));
  return before === after || after === 0 ? undefined : { before, after, of: replicas };
}

/** The images of the stable version, and of the release. */
export function imagesBoth({
  workload,
  stable,
}: Pick<Snapshot, 'workload' | 'stable'>): readonly [readonly string[], readonly string[]] {
  return [stable.kind === 'known' ? imagesOf(stable.value.content) : [], imagesOf(workload?.workload.content)];
}
