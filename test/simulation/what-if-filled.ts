/** Questions to a copy of a world that fills a second workload: what if it dies, and what if nobody remembers anything. */

import type { PassResult } from '../../src/reconcile/pass.ts';
import { lwsFile, marksIn, rolloutFile } from './files.ts';
import { plainPass } from './rest.ts';
import { routedFiles, routeFile, secondName, serviceFile, serviceNames, shareSaid } from './routed-files.ts';
import { reachedBy, type Scene, sceneOf, servingIn } from './scene.ts';
import type { WorkloadSetup } from './setup.ts';
import { healGroup } from './surroundings.ts';
import { LawBroken } from './timeline.ts';
import { type GroupTruth, NAMESPACE } from './truth.ts';
import type { Universe } from './universe.ts';

/** Passes within which a share of what serves nothing is gone: the first may have something more urgent to write. */
const WITHDRAWN_WITHIN = 2;
/** Longer than any drain, pause or bake lets a commit wait. */
const ROUNDS_MAX = 8;
const ROUND_SECONDS = 131;
/** Enough for the groups to be ready and the share to return. */
const AWAY_ROUNDS = 3;

/** No group of the side that is filled is ready any more, or none of the version that is asked for. */
export function killNew(universe: Universe, workload: WorkloadSetup): void {
  if (workload.shares !== undefined) {
    const truth = universe.truth(workload.name);
    const fresh = truth?.groups.filter(({ leaderVersion }) => leaderVersion === truth.version) ?? [];
    killGroups(universe, workload.name, fresh);
    return;
  }
  const green = marksIn(universe.lws(workload.name) ?? '')?.serves === 'green';
  killAll(universe, green ? workload.name : (secondName(workload) ?? ''));
}

/** The first group of the side that is filled is not ready any more. */
export function killOne(universe: Universe, workload: WorkloadSetup): void {
  const green = marksIn(universe.lws(workload.name) ?? '')?.serves === 'green';
  killGroups(universe, green ? workload.name : (secondName(workload) ?? ''), [{ index: 0 }]);
}

/** Whether the side that was filled has fewer groups than the primary: it cannot carry all requests while that restarts. */
export function isTooSmall(universe: Universe, workload: WorkloadSetup): boolean {
  const second = secondName(workload);
  const [own, filled] = [universe.truth(workload.name), second === undefined ? undefined : universe.truth(second)];
  return own !== undefined && filled !== undefined && filled.replicas < own.replicas;
}

/** No group of a workload is ready any more. */
export function killAll(universe: Universe, name: string): void {
  killGroups(universe, name, universe.truth(name)?.groups ?? []);
}

function killGroups(universe: Universe, name: string, groups: readonly Pick<GroupTruth, 'index'>[]): void {
  for (const { index } of groups) {
    universe.hurt.get(name)?.add(index);
    universe.cluster.setPods({ namespace: NAMESPACE, name, group: index, pods: 'all' }, { kind: 'unready' });
  }
}

/** The route and the Service as they were last, where a hand has taken one out; tells whether one was. */
export function putBack(universe: Universe, workload: WorkloadSetup): boolean {
  const log = universe.repository.log('main');
  const gone = Object.keys(routedFiles(workload)).filter((path) => universe.text('main', path) === undefined);
  for (const path of gone) {
    const last = log.find(({ oid }) => universe.text(oid, path) !== undefined);
    universe.commit(path, universe.text(last?.oid ?? 'main', path), `${path} is back`);
  }
  return gone.length > 0;
}

/** T1: the new version dies with a share, and within a pass it has none. */
export async function withdrawnNow(universe: Universe): Promise<void> {
  if (universe.rewritten > 0) return;
  for (const workload of universe.healthy()) {
    const marks = marksIn(universe.lws(workload.name) ?? '');
    if (marks?.step === undefined || shareOf(universe, workload) === 0) continue;
    const fork = universe.fork();
    fork.cluster.stopControllers([]);
    fork.cluster.setControllerUp(true);
    fork.sync('main');
    fork.tick(ROUND_SECONDS);
    killNew(fork, workload);
    fork.cluster.settle();
    const scene = sceneOf(fork.cluster.objects, workload, fork.now);
    const { stable, canary } = serves(workload, marks.serves === 'green', scene);
    if (stable === 0 || canary > 0) continue;
    let last: PassResult | undefined;
    for (let pass = 1; pass <= WITHDRAWN_WITHIN && shareOf(fork, workload) > 0; pass++) last = await plainPass(fork);
    // Annotations that a hand has mixed so that nobody can read them are for `tranche repair`, as the issue says.
    if (universe.mixed.has(workload.name) && isUnread(last)) continue;
    if (shareOf(fork, workload) > 0)
      throw new LawBroken(
        'T1 serving share',
        `${workload.name} at ${marks.step} ${marks.at}: the new version serves nothing, and keeps ${shareOf(fork, workload)} %`,
      );
    const filled = marks.serves === 'green' ? workload.name : (secondName(workload) ?? workload.name);
    await staysAway(fork, workload, filled);
  }
}

/** Whether some annotation of ours was no value that we write. */
export function isUnread(result: PassResult | undefined): boolean {
  return (result?.outcomes ?? []).some(({ plan }) => plan?.issues.some(({ reason }) => reason === 'BadAnnotation'));
}

/** How many groups of each side serve. */
function serves(workload: WorkloadSetup, green: boolean, scene: Scene): Readonly<Record<'stable' | 'canary', number>> {
  const second = secondName(workload);
  const { stable, canary } = serviceNames(workload);
  if (second === undefined) return { stable: reachedBy(scene, stable).length, canary: reachedBy(scene, canary).length };
  const [own, made] = [
    servingIn(scene, workload.name, scene.own).length,
    servingIn(scene, second, scene.second).length,
  ];
  return green ? { stable: made, canary: own } : { stable: own, canary: made };
}

/** What was taken back from a release returns when someone says so. */
async function staysAway(fork: Universe, workload: WorkloadSetup, canary: string): Promise<void> {
  const { release, withdrawn = 0 } = marksIn(fork.lws(workload.name) ?? '') ?? {};
  const rollout = fork.text('main', rolloutFile(workload.name)) ?? '';
  if (withdrawn === 0 || rollout.includes(`TrafficWithdrawn@${release}`)) return;
  for (let round = 1; round <= AWAY_ROUNDS; round++) {
    fork.sync('main');
    for (const { index } of fork.truth(canary)?.groups ?? []) healGroup(fork, canary, index);
    fork.tick(ROUND_SECONDS);
    await plainPass(fork);
    const marks = marksIn(fork.lws(workload.name) ?? '');
    if (marks?.release !== release) return;
    if (shareOf(fork, workload) > 0)
      throw new LawBroken(
        'T9 approved share',
        `${workload.name} at ${marks?.step} ${marks?.at}: the share is back, and nobody has accepted that`,
      );
  }
}

function shareOf(universe: Universe, workload: WorkloadSetup): number {
  return shareSaid(universe.text('main', routeFile(workload.name)), workload);
}

/** T14: what comes next is decided by Git and the Rollout; a record only says since when something has been so. */
export async function unrecorded(universe: Universe): Promise<void> {
  // Of two that wait for one place a record says who has waited for longest.
  if (universe.rewritten > 0 || universe.setup.workloads.length > 1) return;
  const [left, right] = [universe.fork(), universe.fork()];
  right.repository.setHead('tranche-status', undefined);
  const [one, other] = [await next(left), await next(right)];
  for (const workload of universe.healthy()) {
    // What was re-created in a delivery only a record can tell.
    if (universe.mixed.has(workload.name)) continue;
    for (const path of [lwsFile(workload.name), routeFile(workload.name), serviceFile(workload.name)])
      if (one !== undefined && other !== undefined && said(left.text(one, path)) !== said(right.text(other, path)))
        throw new LawBroken(
          'T14 position',
          `${path}: without the record the next commit is another\n${subject(left, one)}\n${subject(right, other)}`,
        );
  }
}

/** How far maxUnavailable rises in a rollback follows which groups only load, by the times that a record has measured. */
function said(text: string | undefined): string {
  return (text ?? '').replaceAll(/maxUnavailable: [^\s#,}]+/g, '').replaceAll(/"maxUnavailable":\{[^}]*\},?/g, '');
}

/** The next commit on main; undefined: nothing comes. */
async function next(universe: Universe): Promise<string | undefined> {
  const head = universe.repository.head('main');
  for (let round = 1; round <= ROUNDS_MAX; round++) {
    await plainPass(universe);
    const line = universe.repository.log('main').map(({ oid }) => oid);
    const at = line.indexOf(head ?? '');
    if (at > 0) return line[at - 1];
    universe.sync('main');
    universe.tick(ROUND_SECONDS);
  }
  return undefined;
}

function subject(universe: Universe, commit: string): string {
  return (
    universe.repository
      .log('main')
      .find(({ oid }) => oid === commit)
      ?.message.split('\n')[0] ?? ''
  );
}
