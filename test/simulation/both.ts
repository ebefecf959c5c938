/** Both sides of a delivery that fills a second workload, as a commit finds and leaves them. */

import { type SecondFields, secondIn, splitOwn } from './files.ts';
import { accepts, CLIMBING, type Fields, FORWARD, missingAt, type OurCommit } from './our-commit.ts';
import { routeFile, secondName, selectedIn, serviceFile, shareSaid } from './routed-files.ts';
import { liveShare, type Scene, servingIn } from './scene.ts';
import { type Truth, wantedGroups } from './truth.ts';

/** What Git says. */
type Said = {
  /** Groups of the side that serves before the delivery. */
  readonly primary: number;
  /** Groups of the side that it fills. */
  readonly canary: number;
  /** Per cent that the route sends to the new version. */
  readonly share: number;
  /** The workload that the user's Service selects; undefined: there is no Service. */
  readonly selects: string | undefined;
};

export type Both = {
  readonly names: { readonly stable: string; readonly canary: string; readonly second: string };
  readonly before: Said;
  readonly after: Said;
  /** The workload that we made, after the commit. */
  readonly second: SecondFields | undefined;
  readonly truth: (scene: Scene, name: string) => Truth | undefined;
  readonly serving: (scene: Scene, name: string | undefined) => number;
  readonly liveShare: (scene: Scene) => number;
  /** Whether the cluster has what Git said before the commit. */
  readonly isLive: (scene: Scene) => boolean;
  /** Whether every group that a workload is to have is on a version and ready, one at least. */
  readonly all: (scene: Scene, name: string, version: number | undefined) => boolean;
  /** How many groups that a workload is to have are on a version and ready. */
  readonly ready: (scene: Scene, name: string, version: number | undefined) => number;
};

export function bothOf(commit: OurCommit): Both {
  const { workload, before, after } = commit;
  const second = secondName(workload) ?? '';
  const green = before.marks?.serves === 'green';
  const names = { stable: green ? second : workload.name, canary: green ? workload.name : second, second };
  const said = (fields: Fields, at: string): Said => saidAt(commit, { fields, at, green });
  const was = said(before, commit.parent);
  const truth = (scene: Scene, name: string): Truth | undefined => (name === second ? scene.second : scene.own);
  // What a hand took out of Git may stay where the agent does not prune. Nothing goes forward past it but by someone's
  // word: a primary that is whole is locked, and a delivery that is over ends.
  const isForward = [...FORWARD, ...CLIMBING].includes(commit.reason) && !accepts(commit, 'CanaryEdited');
  const isLeft = secondIn(before.text) === undefined && !isForward;
  const isLocking = commit.reason === 'RouteRestored' && missingAt(commit, commit.parent).length > 0;
  const hasGroups = (scene: Scene, name: string, groups: number): boolean =>
    (name === second && isLeft) || (truth(scene, name)?.replicas ?? 0) === groups;
  return {
    names,
    before: was,
    after: said(after, commit.oid),
    second: secondIn(after.text),
    truth,
    serving: (scene, name) => (name === undefined ? 0 : servingIn(scene, name, truth(scene, name)).length),
    liveShare: (scene) => liveShare(scene, workload),
    isLive: (scene) =>
      scene.own?.partition === before.partition &&
      scene.own.version === before.version &&
      hasGroups(scene, names.stable, was.primary) &&
      hasGroups(scene, names.canary, was.canary) &&
      (isLocking || Math.abs(liveShare(scene, workload) - was.share) < 0.01),
    all: (scene, name, version) => {
      const found = truth(scene, name);
      const groups = found === undefined ? [] : wantedGroups(found);
      return (
        found !== undefined &&
        groups.length === found.replicas &&
        groups.length > 0 &&
        groups.every((group) => group.version === version && group.ready)
      );
    },
    ready: (scene, name, version) => {
      const found = truth(scene, name);
      const groups = found === undefined ? [] : wantedGroups(found);
      return groups.filter((group) => group.version === version && group.ready).length;
    },
  };
}

function saidAt(
  { universe, workload }: OurCommit,
  { fields, at, green }: { readonly fields: Fields; readonly at: string; readonly green: boolean },
): Said {
  const made = secondIn(fields.text)?.replicas ?? 0;
  const service = universe.text(at, serviceFile(workload.name));
  const route = universe.text(at, routeFile(workload.name));
  return {
    primary: green ? made : fields.replicas,
    canary: green ? fields.replicas : made,
    share: shareSaid(route, workload),
    selects: service === undefined ? undefined : selectedIn(splitOwn(service)[0]),
  };
}
