/** The laws about the requests that two versions of one workload share, looked at in every moment of the cluster. */

import { parseTrailers } from '../../src/rollout/commits/trailers.ts';
import { type Excuses, excusesOf, graceOf } from './excuses.ts';
import { versionInText } from './files.ts';
import type { LawName, WorldLaws } from './laws.ts';
import { fieldsOf } from './our-commit.ts';
import { routeFile, serviceNames, shareSaid } from './routed-files.ts';
import { liveShare, reachedBy, type Scene } from './scene.ts';
import type { WorkloadSetup } from './setup.ts';
import type { Universe } from './universe.ts';

/** From here on a partition lets nothing go. */
const LOCKED = 1_000_000;

type Wrong = readonly [law: LawName, message: string] | undefined;

export class SharedLaws implements WorldLaws {
  private readonly universe: Universe;
  private readonly workload: WorkloadSetup;
  private readonly excuses: Excuses;
  /** Versions that Git has given a share. */
  private readonly given = new Set<number>();
  /** What main said last. */
  private said: {
    readonly version: number | undefined;
    readonly partition: number;
    /** Of the template: a hand that edits it restarts groups as another version does. */
    readonly label: string | undefined;
    readonly share: number;
    readonly isBack?: boolean;
  };
  /** People have let groups go, by a text or the partition: those restart before any pass has looked. */
  private handed = false;
  private looked = 0;
  /** Re-created, all groups came up on the text of Git: a Service that takes in another version reaches nobody until a pass. */
  private fresh = false;
  /** The scene in which it was made again last: what gateways still follow of before then, nobody could have answered. */
  private again = 0;

  constructor(universe: Universe, workload: WorkloadSetup, from?: SharedLaws) {
    this.universe = universe;
    this.workload = workload;
    this.excuses = excusesOf(universe, workload, from?.excuses);
    this.fresh = from?.fresh ?? false;
    this.again = from?.again ?? 0;
    for (const version of from?.given ?? []) this.given.add(version);
    this.said = from?.said ?? { version: undefined, partition: 0, label: undefined, share: 0 };
    this.handed = from?.handed ?? false;
    this.looked = from === undefined ? 0 : this.scenes.length;
  }

  private get scenes(): readonly Scene[] {
    return this.universe.scenes.get(this.workload.name) ?? [];
  }

  /** The same laws over a copy of the world that has just been made. */
  fork(universe: Universe): SharedLaws {
    return new SharedLaws(universe, this.workload, this);
  }

  /** The same laws, which have looked at the same, over a twin of the world. */
  twin(universe: Universe): SharedLaws {
    const twin = this.fork(universe);
    twin.looked = this.looked;
    return twin;
  }

  /** main has another commit: which version has a share by it. A text that comes while one stands takes it at once. */
  opened(commit: string): void {
    const { universe, workload } = this;
    const version = versionInText(universe.lws(workload.name, commit) ?? '');
    const share = shareSaid(universe.text(commit, routeFile(workload.name)), workload);
    if (version !== undefined && share > 0) this.given.add(version);
    const { partition } = fieldsOf(universe.lws(workload.name, commit) ?? '');
    const [header] = universe.repository.history(commit, undefined, 1);
    const isOurs = parseTrailers(header?.message ?? '') !== undefined;
    const label = labelIn(universe.lws(workload.name, commit) ?? '');
    const isText = version !== this.said.version || label !== this.said.label;
    // A share of a hand may go where the next rung has left nobody.
    const isMoved = isText || partition < this.said.partition || share > this.said.share;
    // Ours is excused for nothing: what it leads to is asked of each part of it.
    // Locked, an edit restarts nothing.
    const isOpen = Math.min(partition, this.said.partition) < LOCKED;
    if (isMoved && isOpen && !isOurs) this.handed = true;
    else if (isOurs && share > this.said.share) this.handed = false;
    const isBack = share > 0 && /tranche\.dev\/rung: "?back/.test(universe.lws(workload.name, commit) ?? '');
    this.said = { version, partition, label, share, isBack };
  }

  look(): Wrong {
    for (; this.looked < this.scenes.length; this.looked++) {
      const scene = this.scenes[this.looked]!;
      this.excuses.forgive(scene, this.scenes[this.looked - 1]);
      this.notice(scene, this.scenes[this.looked - 1]);
      const wrong = this.workers(scene) ?? this.zero(scene) ?? this.share(scene) ?? this.requests(this.looked);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }

  private notice({ own, services }: Scene, before: Scene | undefined): void {
    const was = before?.own;
    if (was !== undefined && (own?.uid !== was.uid || own.setUid !== was.setUid)) {
      this.fresh = true;
      this.again = this.looked;
      // While groups go back a batch at a time, those that had the share are gone with it.
      if (this.said.isBack === true) this.handed = true;
    }
    const reached = services.get(serviceNames(this.workload).stable)?.ready.length ?? 0;
    if (own !== undefined && reached > 0) this.fresh = false;
  }

  private zero({ rules }: Scene): Wrong {
    const none = rules.some((rule) => rule.every(({ weight }) => weight === 0));
    return none ? ['T2 not all zero', `${this.workload.name}: a rule of the route sends nowhere`] : undefined;
  }

  private workers({ services }: Scene): Wrong {
    const [name, reached] = [...services].find(([, one]) => one.workers.length > 0) ?? [];
    if (name === undefined) return undefined;
    return ['T7 leaders only', `Service ${name} reaches workers ${reached?.workers.join(' ')}`];
  }

  private share(scene: Scene): Wrong {
    const { canary } = serviceNames(this.workload);
    // It takes in all leaders: nobody has a share of their own. Which commit may make it so is a law of commits.
    if (scene.services.get(canary)?.pinned === false) return undefined;
    if (liveShare(scene, this.workload) === 0 || this.excuses.rewritten()) return undefined;
    const early = reachedBy(scene, canary).find(
      ({ leaderVersion }) => leaderVersion !== undefined && !this.given.has(leaderVersion),
    );
    if (early === undefined) return undefined;
    return [
      'T9 approved share',
      `group ${early.index} is on version ${early.leaderVersion} and has a share, which no commit gave it`,
    ];
  }

  /** A client asks now; a gateway may still follow what the route said a moment ago. */
  private requests(index: number): Wrong {
    const scene = this.scenes[index]!;
    const from = scene.atSeconds - graceOf(this.workload);
    for (let at = index; at >= 0; at--) {
      const until = this.scenes[at + 1]?.atSeconds ?? Number.POSITIVE_INFINITY;
      if (at < index && (until <= from || at < this.again)) break;
      const asked = this.scenes[at]!.rules.flatMap((rule) => rule.filter(({ weight }) => weight > 0));
      const lost = asked.find(({ service }) => !this.answers(service, scene));
      if (lost !== undefined)
        return [
          at === index ? 'T10 never empty' : 'T3 no request lost',
          `${lost.service} has a share${at === index ? '' : ` by the route of ${scene.atSeconds - this.scenes[at]!.atSeconds} s ago`}, and no ready endpoint`,
        ];
    }
    return undefined;
  }

  private answers(service: string, scene: Scene): boolean {
    if ((scene.services.get(service)?.ready.length ?? 0) > 0) {
      this.excuses.begun.add(service);
      return true;
    }
    // All groups of a workload may be down at once where its budget says so.
    const { own } = scene;
    const mayAllBeDown = own !== undefined && own.replicas <= own.maxUnavailable;
    // People have scaled the groups of the release away: its share goes with the next pass.
    const isScaledAway = own !== undefined && own.partition < LOCKED && own.replicas <= own.partition;
    return mayAllBeDown || isScaledAway || this.handed || this.fresh || this.excuses.isExcused(service, scene);
  }
}

function labelIn(text: string): string | undefined {
  return /tranche\.dev\/version"?: *"?([0-9a-z.-]+)/.exec(text)?.[1];
}
