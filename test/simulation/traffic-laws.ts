/** The laws about two workloads and the requests between them, looked at in every moment of the cluster. */

import { drainOf, type Excuses, excusesOf, graceOf } from './excuses.ts';
import { marksIn, numberIn, secondIn, splitOwn, versionInText } from './files.ts';
import type { LawName, WorldLaws } from './laws.ts';
import { isOurs, planAt, planned } from './our-commit.ts';
import { routeFile, secondName, serviceNames, shareSaid } from './routed-files.ts';
import { liveShare, type Scene } from './scene.ts';
import type { WorkloadSetup } from './setup.ts';
import type { Universe } from './universe.ts';

type Wrong = readonly [law: LawName, message: string] | undefined;

/** The second workload in Git: its version, and how many groups. */
type Filled = { readonly version: number | undefined; readonly groups: number };

/**
 * A hand gives a second workload of no groups another template and groups in one commit, as a revert of several of ours does:
 * LWS starts those on the template that it had (trace T25). That version; undefined: it is no such commit.
 */
export function refilledFrom(before: Filled, after: Filled): number | undefined {
  const isRefill = before.groups === 0 && after.groups > 0 && after.version !== before.version;
  return isRefill ? before.version : undefined;
}

export class TrafficLaws implements WorldLaws {
  private readonly universe: Universe;
  private readonly workload: WorkloadSetup;
  private readonly excuses: Excuses;
  /** Versions that Git has given a share. */
  private readonly given = new Set<number>();
  /** The most groups that a delivery may have in use, since nothing was in progress. */
  private capacity = 0;
  private looked = 0;
  /** The second workload in Git. */
  private filled: Filled = { version: undefined, groups: 0 };
  /** The version on which groups come up that a hand has asked for. */
  private refilled: number | undefined;

  constructor(universe: Universe, workload: WorkloadSetup, from?: TrafficLaws) {
    this.universe = universe;
    this.workload = workload;
    this.excuses = excusesOf(universe, workload, from?.excuses);
    for (const version of from?.given ?? []) this.given.add(version);
    this.capacity = from?.capacity ?? 0;
    this.filled = from?.filled ?? this.filled;
    this.refilled = from?.refilled;
    this.looked = from === undefined ? 0 : this.scenes.length;
  }

  private get scenes(): readonly Scene[] {
    return this.universe.scenes.get(this.workload.name) ?? [];
  }

  /** The same laws over a copy of the world that has just been made. */
  fork(universe: Universe): TrafficLaws {
    return new TrafficLaws(universe, this.workload, this);
  }

  /** The same laws, which have looked at the same, over a twin of the world. */
  twin(universe: Universe): TrafficLaws {
    const twin = this.fork(universe);
    twin.looked = this.looked;
    return twin;
  }

  /** main has another commit: which version has a share by it, and how many groups there may be. */
  opened(commit: string): void {
    const { universe, workload } = this;
    const text = universe.lws(workload.name, commit) ?? '';
    const [own] = splitOwn(text);
    const marks = marksIn(own);
    const second = secondIn(text);
    const [colour, other] = [numberIn(own, 'replicas') ?? 1, second?.replicas ?? 0];
    const filled = { version: second?.version, groups: other };
    if (!isOurs(universe, commit)) this.refilled = refilledFrom(this.filled, filled) ?? this.refilled;
    this.filled = filled;
    const version = marks?.serves === 'green' ? versionInText(own) : second?.version;
    const share = shareSaid(universe.text(commit, routeFile(workload.name)), workload);
    if (version !== undefined && share > 0) this.given.add(version);
    const primary = marks?.serves === 'green' ? other : colour;
    const steps = planAt(universe, workload.name, commit).steps;
    const most = Math.max(0, ...steps.map((step) => planned(step.replicas, primary)));
    // What is there was allowed once; groups that end count until they are gone.
    const last = this.scenes.at(-1);
    const there = (last?.own?.replicas ?? 0) + (last?.second?.replicas ?? 0);
    if (marks?.step === undefined && !this.isFilled()) this.capacity = there;
    this.capacity = Math.max(this.capacity, primary + Math.max(most, marks?.serves === 'green' ? colour : other));
  }

  private isFilled(): boolean {
    const last = this.scenes.at(-1);
    return [last?.own, last?.second].filter((one) => (one?.groups.length ?? 0) > 0).length > 1;
  }

  look(): Wrong {
    for (; this.looked < this.scenes.length; this.looked++) {
      const wrong = this.judge(this.looked);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }

  private judge(index: number): Wrong {
    const scene = this.scenes[index]!;
    this.excuses.forgive(scene, this.scenes[index - 1]);
    return (
      this.zero(scene) ??
      this.workers(scene) ??
      this.oneText(scene) ??
      this.share(scene) ??
      this.groups(scene) ??
      this.requests(index) ??
      this.lastRequests(index)
    );
  }

  private zero({ rules }: Scene): Wrong {
    const none = rules.find((rule) => rule.every(({ weight }) => weight === 0));
    return none === undefined
      ? undefined
      : ['T2 not all zero', `${this.workload.name}: a rule of the route sends nowhere`];
  }

  private workers({ services }: Scene): Wrong {
    const [name, reached] = [...services].find(([, one]) => one.workers.length > 0) ?? [];
    if (name === undefined) return undefined;
    return ['T7 leaders only', `Service ${name} reaches workers ${reached?.workers.join(' ')}`];
  }

  /** The workload that we made is given another text at no groups alone. */
  private oneText({ second }: Scene): Wrong {
    const astray = second?.groups.find(
      ({ leaderVersion }) => leaderVersion !== undefined && leaderVersion !== second.version,
    );
    if (astray === undefined && (second?.groups.length ?? 0) > 0) this.refilled = undefined;
    if (astray === undefined || this.excuses.rewritten() || astray.leaderVersion === this.refilled) return undefined;
    return [
      'T9 one text',
      `${secondName(this.workload)} has the text of version ${second?.version}, and group ${astray.index} is on ${astray.leaderVersion}`,
    ];
  }

  private share(scene: Scene): Wrong {
    if (liveShare(scene, this.workload) === 0 || this.excuses.rewritten()) return undefined;
    const selected = scene.services.get(serviceNames(this.workload).canary)?.selects;
    const truth = selected === this.workload.name ? scene.own : scene.second;
    const early = truth?.groups.find(
      ({ leaderVersion }) => leaderVersion !== undefined && !this.given.has(leaderVersion),
    );
    if (early === undefined || selected === undefined) return undefined;
    return [
      'T9 approved share',
      `${selected}: group ${early.index} is on version ${early.leaderVersion} and has a share, which no commit gave it`,
    ];
  }

  private groups({ own, second }: Scene): Wrong {
    const count = (own?.replicas ?? 0) + (second?.replicas ?? 0);
    if (count <= this.capacity || this.capacity === 0) return undefined;
    return ['T8 groups', `${this.workload.name}: ${count} groups are asked for, of at most ${this.capacity}`];
  }

  /** A client asks now; a gateway may still follow what the route said a moment ago. */
  private requests(index: number): Wrong {
    const scene = this.scenes[index]!;
    const from = scene.atSeconds - graceOf(this.workload);
    for (let at = index; at >= 0; at--) {
      const until = this.scenes[at + 1]?.atSeconds ?? Number.POSITIVE_INFINITY;
      if (at < index && until <= from) break;
      const asked = this.scenes[at]!.rules.flatMap((rule) => rule.filter(({ weight }) => weight > 0));
      for (const { service } of asked) {
        const reached = scene.services.get(service);
        if ((reached?.ready.length ?? 0) > 0) this.excuses.begun.add(service);
        else if (!this.excuses.isExcused(service, scene))
          return [
            at === index ? 'T10 never empty' : 'T3 no request lost',
            `${service} has a share${at === index ? '' : ` by the route of ${scene.atSeconds - this.scenes[at]!.atSeconds} s ago`}, and no ready endpoint (it selects ${reached?.selects})`,
          ];
      }
    }
    return undefined;
  }

  /** What a side was asked last is answered: its groups go when no route has sent to it for as long as that may take. */
  private lastRequests(index: number): Wrong {
    const [scene, before] = [this.scenes[index]!, this.scenes[index - 1]];
    if (this.excuses.clocksDiffer() || this.excuses.rewritten()) return undefined;
    for (const side of ['own', 'second'] as const) {
      const [truth, was] = [scene[side], before?.[side]];
      const hadGroups = was?.groups.some((group) => group.ready) === true;
      if (truth?.replicas !== 0 || was?.replicas === 0 || !hadGroups) continue;
      const name = side === 'own' ? this.workload.name : secondName(this.workload)!;
      if (this.universe.emptied.has(name)) continue;
      const left = this.leftAt(index, name);
      if (left === undefined || scene.atSeconds - left >= drainOf(this.workload)) continue;
      return [
        'T3 no request lost',
        `${name} has no groups any more, ${scene.atSeconds - left} s after requests were sent to it: ${drainOf(this.workload)} s are given to the last ones`,
      ];
    }
    return undefined;
  }

  /** Since when no route sends to a workload; undefined: none ever did. */
  private leftAt(index: number, name: string): number | undefined {
    for (let at = index - 1; at >= 0; at--) {
      const { rules, services } = this.scenes[at]!;
      const sent = rules.some((rule) =>
        rule.some(({ service, weight }) => weight > 0 && services.get(service)?.selects === name),
      );
      if (sent) return this.scenes[at + 1]!.atSeconds;
    }
    return undefined;
  }
}
