/** One schedule from its seed: who acts next, what goes wrong, until the turns are over; then everything must come to rest. */

import { personOf } from './built-people.ts';
import { Chance } from './chance.ts';
import type { Assumed } from './cluster-laws.ts';
import { fateOf } from './faults.ts';
import { finish } from './finish.ts';
import { folderStep, pusherStep } from './hostile.ts';
import { numbersForged, settingsStep } from './hostile-settings.ts';
import type { LawName } from './laws.ts';
import type { Person } from './people.ts';
import { policyStep } from './policy-said.ts';
import { checkEnd, type PassEnd, type Pending, Process } from './process.ts';
import { plainPass } from './rest.ts';
import { hasSides } from './routed-files.ts';
import { type FaultKind, NO_FAULTS, type Setup, setupOf } from './setup.ts';
import { agentStep, branchStep, clusterStep, controllersStep, timeStep } from './surroundings.ts';
import { LawBroken } from './timeline.ts';
import { Universe } from './universe.ts';
import { Watch } from './watch.ts';
import { abortNow, passAgain } from './what-if.ts';
import { unrecorded, withdrawnNow } from './what-if-filled.ts';
import { withHostile } from './what-if-hostile.ts';

export type Outcome = {
  readonly seed: string;
  /** undefined: all laws held. */
  readonly broken: { readonly law: LawName; readonly message: string } | undefined;
  readonly hash: string;
  readonly passes: number;
  readonly injected: Readonly<Record<FaultKind, number>>;
  readonly reasons: ReadonlyMap<string, number>;
  /** Laws about the cluster that were judged over the whole schedule, because what they assume held. */
  readonly judged: readonly Assumed[];
  readonly timeline: () => string;
};

export async function runSchedule(seed: string, setup: Setup = setupOf(seed)): Promise<Outcome> {
  const schedule = new Schedule(seed, setup);
  let broken: Outcome['broken'];
  try {
    await schedule.run();
  } catch (error) {
    if (error instanceof LawBroken) broken = { law: error.law, message: error.message };
    else broken = { law: 'no crash', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  const { universe, passes, watch } = schedule;
  return {
    seed,
    broken,
    hash: universe.timeline.hash(),
    passes,
    injected: universe.injected,
    reasons: watch.reasons,
    judged: watch.judged(),
    timeline: () => universe.timeline.print(),
  };
}

type Turn = () => Promise<void> | void;

class Schedule {
  readonly universe: Universe;
  readonly watch: Watch;
  passes = 0;
  /** The turn after which somebody hostile is there. */
  private readonly harmedAt: number;
  private readonly chance: Chance;
  private readonly setup: Setup;
  private readonly processes: readonly Process[];
  private readonly people: readonly Person[];
  /** Pushes of dead processes that are still on their way. */
  private late: Pending[] = [];

  constructor(seed: string, from: Setup) {
    // Seeds that are kept do not know of the kinds that came later: they never happen there.
    const setup = { ...from, rates: { ...NO_FAULTS, ...from.rates } };
    this.setup = setup;
    this.chance = new Chance(seed);
    this.universe = new Universe(setup);
    this.processes = Array.from({ length: setup.processes }, (_, i) => new Process(this.universe, `process ${i + 1}`));
    const asked = { versions: 0 };
    this.people = this.universe
      .healthy()
      .map((workload) => personOf(this.universe, workload, this.chance.fork(`people ${workload.name}`), asked));
    this.watch = new Watch(this.universe);
    this.harmedAt = setup.hostile === undefined ? 0 : this.stream('harm').between(1, Math.ceil(setup.turns / 2));
  }

  async run(): Promise<void> {
    const { universe } = this;
    const who = this.chance.fork('scheduler');
    universe.sync('main');
    universe.tick(200);
    this.watch.look();
    await this.begins(who);
    for (let turn = 1; turn <= this.setup.turns; turn++) {
      universe.timeline.turn = turn;
      const act = this.turn(who);
      if (this.setup.left?.includes(turn) !== true) await act();
      this.watch.look();
      if (who.flip(this.setup.questions)) await this.ask();
      if (turn === this.harmedAt) await this.askHarm();
    }
    await this.drain();
    await finish(universe, this.watch, this.people);
  }

  /** Most schedules start with a workload that has been taken over, and with a request. */
  private async begins(who: Chance): Promise<void> {
    const { universe } = this;
    const { begins } = this.setup;
    if (begins === undefined ? who.flip(0.8) : begins !== 'fresh') {
      await plainPass(universe);
      universe.sync('main');
      this.watch.look();
      if (this.setup.base !== undefined) await this.takenOver();
      // And with a request, so that most of the turns are spent on deliveries.
      if (this.setup.busy) for (const person of this.people) if (who.flip(0.7)) person.request();
    }
    if (begins !== 'delivering') return;
    for (let round = 1; round <= (this.setup.rounds ?? 1); round++) {
      universe.sync('main');
      // In one round a release only starts; in several it comes to any of its rungs.
      if (round > 1) universe.tick(who.between(5, 80));
      await plainPass(universe);
      this.watch.look();
      universe.sync('main');
      this.watch.look();
    }
    // Wherever that has led to: one question of what would follow from here.
    if (this.fills) await this.ask();
  }

  /** Where a base is locked, a request before that leaves groups on a template that nothing delivers. */
  private async takenOver(): Promise<void> {
    this.universe.tick(10);
    await plainPass(this.universe);
    this.universe.sync('main');
    this.watch.look();
  }

  private turn(who: Chance): Turn {
    const { universe, setup } = this;
    const agent = this.stream('agent');
    const cluster = this.stream('cluster');
    const idle = this.processes.every((process) => !process.running);
    const turns: (readonly [number, Turn])[] = [
      [
        setup.busy && !universe.agentMisses && universe.agentAt === universe.repository.head('main') ? 0.5 : 3,
        () => agentStep(universe, agent),
      ],
      [idle ? 6 : 2, () => timeStep(universe, this.stream('time'), idle)],
      [this.weightOfPeople(), () => this.personActs()],
      [0.3 + setup.trouble * (this.fills ? 2 : 0.4), () => clusterStep(universe, cluster)],
      [setup.busy ? 0.6 : 0.3, () => branchStep(universe, this.stream('branches'))],
      [this.late.length > 0 ? 1 : 0, () => this.arriveLate()],
    ];
    if (setup.rates['controllers lag'] > 0)
      turns.push([1.5, () => controllersStep(universe, this.stream('controllers'))]);
    if (setup.policies === true) turns.push([1, () => policyStep(universe, this.stream('gates'))]);
    // They start once a copy of the world has been asked what they could do: what they did before would be in both.
    const {
      pusher = false,
      folder = false,
      config,
    } = universe.timeline.turn > this.harmedAt ? (setup.hostile ?? {}) : {};
    if (pusher) turns.push([2, () => pusherStep(universe, this.stream('pusher'))]);
    if (folder)
      turns.push([0.7, () => folderStep(universe, this.stream('folder'), this.stream('folder').pick(this.people))]);
    if (config === true) turns.push([1.5, () => this.settings()]);
    for (const process of this.processes) {
      if (process.pending.length > 0) turns.push([14, () => this.deliver(process)]);
      else if (!process.running) turns.push([2.5, () => this.begin(process)]);
    }
    return who.weighted(turns);
  }

  /** Into the file of settings, a folder, or the numbers of a branch that they push to. */
  private settings(): void {
    const { universe } = this;
    const chance = this.stream('settings');
    if (universe.setup.hostile?.pusher === true && chance.flip(0.3)) pusherStep(universe, chance, numbersForged);
    else settingsStep(universe, chance, chance.pick(this.people));
  }

  /** Where the world follows at once they have more to say. */
  private weightOfPeople(): number {
    const { busy, eager, swift = 0 } = this.setup;
    if (eager === true) return swift > 0 ? 10 : 3;
    return busy ? 1.3 : 0.9;
  }

  /** Two sides have more to go wrong with, and one of them is only there for a while. */
  private get fills(): boolean {
    return this.setup.workloads.some(hasSides);
  }

  private readonly streams = new Map<string, Chance>();

  private stream(name: string): Chance {
    const known = this.streams.get(name) ?? this.chance.fork(name);
    this.streams.set(name, known);
    return known;
  }

  private async begin(process: Process): Promise<void> {
    this.skew(process);
    this.passes += 1;
    this.universe.say(process.name, '· starts');
    this.ended(process, await process.start());
    const { swift = 0 } = this.setup;
    if (swift > 0 && this.stream('swift').flip(swift)) await this.through(process);
  }

  /** Someone does something; mostly a pass looks at it before anybody does the next thing. */
  private async personActs(): Promise<void> {
    const { universe } = this;
    this.stream('persons').pick(this.people).act();
    const { swift = 0 } = this.setup;
    if (swift === 0 || !this.stream('swift').flip(swift)) return;
    await plainPass(universe);
    this.watch.look();
    universe.sync('main');
    universe.tick(this.stream('swift').between(1, 150));
  }

  /** Lets a process come to the end of its pass, without faults. */
  private async through(process: Process): Promise<void> {
    for (let call = process.pending[0]; call !== undefined; call = process.pending[0]) {
      this.countMoved(call);
      this.ended(process, await process.deliver(call, undefined));
      this.watch.look();
    }
  }

  /** The clock of a process is set: forward, back, or to another age. */
  private skew(process: Process): void {
    const { universe } = this;
    const { rates } = this.setup;
    const chance = this.stream('clock');
    if (process.skewedOnce) process.skewSeconds = 0;
    process.skewedOnce = false;
    if (this.skewOnce(process)) return;
    if (chance.flip(rates['clock jump'])) {
      process.skewSeconds = chance.between(-250, 100);
      universe.inject(process.skewSeconds < 0 ? 'clock back' : 'clock jump');
    } else if (rates['clock years off'] > 0 && chance.flip(rates['clock years off'])) {
      process.skewSeconds = chance.pick([-1, 1]) * chance.between(1, 10) * 31_536_000;
      universe.inject('clock years off');
    } else return;
    universe.say(process.name, `its clock is off by ${process.skewSeconds} s`);
  }

  /** For one pass the clock is wrong, by minutes or by years, and then it is right again. */
  private skewOnce(process: Process): boolean {
    const { rates } = this.setup;
    const chance = this.stream('clock once');
    for (const [kind, sign] of [['clock ahead once', 1] as const, ['clock behind once', -1] as const]) {
      if (rates[kind] === 0 || !chance.flip(rates[kind])) continue;
      process.skewSeconds = sign * chance.between(1, 300) * chance.pick([1, 300, 100_000]);
      process.skewedOnce = true;
      this.universe.inject(kind);
      this.universe.say(process.name, `its clock is off by ${process.skewSeconds} s for one pass`);
      return true;
    }
    return false;
  }

  private async deliver(process: Process): Promise<void> {
    const chance = this.stream(process.name);
    const call = chance.pick(process.pending);
    const fate = fateOf(this.universe, chance, call);
    this.countMoved(call);
    this.universe.say(
      process.name,
      `${fate.kind === 'well' && call.kind !== 'push' ? '· ' : ''}${call.what}${fate.kind === 'well' ? '' : `: ${fate.why}`}`,
    );
    if (fate.kind === 'slow') this.universe.tick(fate.seconds);
    if (fate.kind !== 'crash') {
      this.ended(process, await process.deliver(call, fate.kind === 'wrong' ? fate.fault : undefined));
      return;
    }
    process.crash();
    if (fate.when === 'after') call.happen(undefined);
    if (fate.when === 'late') this.late.push(call);
  }

  /** Two writers at once are no fault of ours, but the most interesting thing that there is: counted like one. */
  private countMoved(call: Pending): void {
    if (call.kind === 'push' && call.stale?.() === true) this.universe.inject('main moved under a pass');
  }

  private arriveLate(): void {
    const [call, ...rest] = this.late;
    this.late = rest;
    if (call === undefined) return;
    this.universe.say('late', call.what);
    call.happen(undefined);
  }

  private ended(process: Process, end: PassEnd | undefined): void {
    if (end === undefined) return;
    checkEnd(end);
    this.universe.say(
      process.name,
      `· ends ${end.kind === 'failed' && end.error instanceof Error ? end.error.message : ''}`,
    );
  }

  /** Asks a copy of the world what would follow from here. */
  private async ask(): Promise<void> {
    const chance = this.stream('questions');
    if (this.fills && chance.flip(0.6))
      return chance.flip(0.7) ? withdrawnNow(this.universe) : unrecorded(this.universe);
    if (chance.flip(0.4)) return passAgain(this.universe);
    const person = chance.pick(this.people);
    const dead = this.fills && chance.flip(0.5);
    return abortNow(this.universe, {
      workload: person.workload,
      state: person.state,
      releaseVersion: this.watch.releaseVersion(person.workload.name),
      dead,
    });
  }

  private askHarm(): Promise<void> {
    const chance = this.stream('harm');
    const { workload, state } = chance.pick(this.people);
    return withHostile(this.universe, { workload, state, chance });
  }

  /** Lets what is in progress come to its end, without faults. */
  private async drain(): Promise<void> {
    while (this.late.length > 0) this.arriveLate();
    for (const process of this.processes) {
      await this.through(process);
      process.crash();
    }
  }
}
