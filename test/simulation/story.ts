/** One plain story without chance: a version goes through its steps, and exactly the faults that are asked for happen. */

import { Chance } from './chance.ts';
import { versionInText, withNumber } from './files.ts';
import { finish } from './finish.ts';
import { hands } from './hands.ts';
import { abort, approve, Person, undo } from './people.ts';
import { checkEnd, type Pending, type PortFault, Process } from './process.ts';
import { type Act, type StoryEnd, type StorySetup, type StrictFaults, setupOfStory } from './story-setup.ts';
import { LawBroken } from './timeline.ts';
import { NAMESPACE } from './truth.ts';
import { restIn, templateIn } from './undo-law.ts';
import { Universe } from './universe.ts';
import { Watch } from './watch.ts';
import { abortNow } from './what-if.ts';
import { killNew, killOne, unrecorded, withdrawnNow } from './what-if-filled.ts';
import { forgedNow } from './what-if-forged.ts';

/** Rounds within which the story ends, with some more for what the faults cost. */
const ROUNDS_MAX = 40;
const ROUND_SECONDS = 45;
/** The same where a second workload is filled, so that the last requests of a side take few rounds. */
const FILLED_ROUND_SECONDS = 131;
/** How many rounds an agent that rests applies nothing. */
const AGENT_RESTS_ROUNDS = 2;
/** How many rounds in which nothing moved are the end; each fault may cost one more. */
const QUIET_ROUNDS = 2;
/** Longer than the colour before is kept. */
const FILLED_QUIET_ROUNDS = 6;

/** Runs the story; the faults are by the number of the call, counted over all reconcilers. */
export async function runStory(of: StorySetup, faults: StrictFaults): Promise<StoryEnd> {
  return new Story(of, faults).toTheEnd();
}

/** A story that can be played round by round, and from which others can go on. */
export class Story {
  readonly universe: Universe;
  calls = 0;
  /** The last round that was played. */
  turn = 0;
  /** The number of calls when the new version was asked for. */
  private requestedAt = 0;
  private readonly of: StorySetup;
  private readonly faults: StrictFaults;
  private readonly more: number;
  private readonly acts: NonNullable<StorySetup['acts']>;
  private watch: Watch;
  private processes: readonly Process[];
  private person: Person;
  /** The file when an order to undo was given, and the one that it goes back to. */
  private undone: { readonly from: string; readonly to: string } | undefined;
  /** The agent applies nothing up to this round. */
  private restsUntil = 0;
  /** Rounds in a row in which nothing moved. */
  private quiet = 0;

  /** `more`: rounds in which nothing moves that the faults may cost, those of others that go on from it among them. */
  constructor(
    of: StorySetup,
    faults: StrictFaults,
    { more = faults.size, universe = new Universe(setupOfStory(of)) } = {},
  ) {
    const { setup } = universe;
    this.of = of;
    this.faults = faults;
    this.more = more;
    this.acts = of.acts ?? [];
    this.universe = universe;
    this.watch = new Watch(this.universe);
    this.processes = Array.from({ length: setup.processes }, (_, i) => new Process(this.universe, `process ${i + 1}`));
    this.person = new Person(this.universe, setup.workloads[0]!, new Chance('story'));
  }

  /** Another story that has been the same up to here: what it does and suffers from here on is its own. */
  twin(of: StorySetup, faults: StrictFaults): Story {
    const universe = this.universe.twin();
    const twin = new Story(of, faults, { more: this.more, universe });
    twin.calls = this.calls;
    twin.turn = this.turn;
    twin.requestedAt = this.requestedAt;
    twin.watch = this.watch.twin(universe);
    twin.processes = this.processes.map((process) => process.twin(universe));
    twin.person = this.person.twin(universe);
    twin.undone = this.undone;
    twin.restsUntil = this.restsUntil;
    twin.quiet = this.quiet;
    return twin;
  }

  /** All that is left of it; what breaks is told, and not thrown. */
  async toTheEnd(): Promise<StoryEnd> {
    try {
      while (this.goesOn()) await this.playRound();
      await this.finish();
    } catch (error) {
      return this.end(brokenBy(error));
    }
    return this.end(undefined);
  }

  /** What there is to say of it; `broken`: why it has ended. */
  end(broken: StoryEnd['broken']): StoryEnd {
    const { calls, requestedAt, universe } = this;
    const { timeline } = universe;
    return {
      broken,
      calls,
      requestedAt,
      from: (turn) => timeline.from(turn),
      timeline: () => timeline.print(),
    };
  }

  /** Whether there is another round. */
  goesOn(): boolean {
    const still = this.fills ? FILLED_QUIET_ROUNDS : QUIET_ROUNDS;
    return this.turn < ROUNDS_MAX && this.quiet < still + this.more;
  }

  /** Equal in equal worlds, and mostly in no others. */
  get heads(): string {
    const { repository, cluster } = this.universe;
    return [repository.head('main'), repository.head('tranche-status'), cluster.objects.resourceVersion].join(' ');
  }

  private get fills(): boolean {
    return this.universe.scenes.size > 0;
  }

  async playRound(): Promise<void> {
    const { universe, watch, person } = this;
    if (this.turn === 0) {
      universe.sync('main');
      universe.tick(200);
      watch.look();
    }
    this.turn += 1;
    universe.timeline.turn = this.turn;
    const head = universe.repository.head('main');
    await this.round();
    if (person.versions === 0 && person.marks !== undefined) {
      person.request();
      this.requestedAt = this.calls;
    } else if (this.waits()) approve(person);
    for (const [at, act] of this.acts) if (at === this.turn) await this.act(act);
    if (this.turn > this.restsUntil) universe.sync('main');
    universe.tick(this.of.roundSeconds ?? (this.fills ? FILLED_ROUND_SECONDS : ROUND_SECONDS));
    watch.look();
    this.quiet = universe.repository.head('main') === head ? this.quiet + 1 : 0;
  }

  /** Everything comes to rest where the story wants to be. */
  private async finish(): Promise<void> {
    const { universe, watch, person } = this;
    await finish(universe, watch, [person]);
    const { marks, text } = person;
    this.undoneWhole();
    if (this.acts.length > 0) return;
    if (marks?.step !== undefined || versionInText(text) !== 1)
      throw new LawBroken(
        'L1 rest',
        `the story ends at ${marks?.release} ${marks?.step ?? 'settled'}, not on version 1`,
      );
  }

  /** An undo brings back every byte of the earlier template and nothing else: what is ours apart, the file is as it was. */
  private undoneWhole(): void {
    const { undone, person } = this;
    if (undone === undefined) return;
    const { marks, text } = person;
    const { workload } = person;
    const isBack = templateIn(text, workload) === templateIn(undone.to, workload);
    if (marks?.step !== undefined || !isBack || restIn(text, workload) !== restIn(undone.from, workload))
      throw new LawBroken('S13 undo', `undone, ${marks?.step ?? 'settled'}, and not as before:\n${text}`);
  }

  /** Something happens; before it a copy of the world is asked what would follow from here. */
  private async act(act: Act): Promise<void> {
    const { person, universe } = this;
    const { workload, state } = person;
    if (act === 'abort') {
      await abortNow(universe, {
        workload,
        state,
        releaseVersion: this.watch.releaseVersion(workload.name),
        dead: true,
      });
      abort(person);
    } else if (act === 'undo') {
      this.undone = { from: person.text, to: undo(person) };
    } else if (act === 'a newer template') {
      // What an undo has brought back gives way to it.
      this.undone = undefined;
      await unrecorded(universe);
      person.request();
    } else if (act === 'the new version dies') {
      await withdrawnNow(universe);
      killNew(universe, workload);
    } else if (act === 'one group of it dies') {
      killOne(universe, workload);
    } else if (act === 're-created') {
      universe.mixed.add(workload.name);
      universe.cluster.deleteLws({ namespace: NAMESPACE, name: workload.name });
      universe.agentMisses = true;
    } else if (act === 'another share') {
      person.say({ steps: state.steps.map((step) => ({ ...step, traffic: (step.traffic ?? 0) + 10 })) }, act);
    } else if (act === 'its annotations are forged') {
      await forgedNow(universe, workload);
    } else if (act === 'the agent rests') {
      this.restsUntil = universe.timeline.turn + AGENT_RESTS_ROUNDS;
    } else if (act !== 'the partition by hand') {
      hands[act](person);
    } else {
      universe.mixed.add(workload.name);
      person.write(withNumber(person.text, 'partition', 1), 'partition 1 by hand');
    }
    universe.cluster.settle();
    this.watch.look();
  }

  /** Every reconciler starts a pass; their calls happen in turn. */
  private async round(): Promise<void> {
    for (const process of this.processes) checkEnd(await process.start());
    for (let any = true; any; ) {
      any = false;
      for (const process of this.processes) {
        const [call] = process.pending;
        if (call === undefined) continue;
        any = true;
        await this.deliver(process, call);
        this.watch.look();
      }
    }
  }

  private async deliver(process: Process, call: Pending): Promise<void> {
    const fault = this.faults.get(this.calls);
    this.calls += 1;
    this.universe.say(
      process.name,
      `${fault === undefined && call.kind !== 'push' ? '· ' : ''}${call.what}${fault === undefined ? '' : `: ${fault}`}`,
    );
    if (fault === 'crash before' || fault === 'crash after') {
      process.crash();
      // What the dead one still does in calls beside this one nobody answers.
      this.processes = this.processes.map((one) => (one === process ? new Process(this.universe, one.name) : one));
      if (fault === 'crash after') call.happen(undefined);
      return;
    }
    checkEnd(await process.deliver(call, fault === undefined ? undefined : lostReply(call)));
  }

  /** Whether the step in Git waits for someone. */
  private waits(): boolean {
    const { marks, state } = this.person;
    const index = Number(/^(\d+)\//.exec(marks?.step ?? '')?.[1] ?? 0);
    return state.steps[index - 1]?.pause === 'manual';
  }
}

/** A law, or anything else that a story may not throw. */
export function brokenBy(error: unknown): NonNullable<StoryEnd['broken']> {
  if (error instanceof LawBroken) return { law: error.law, message: error.message };
  return { law: 'no crash', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

/** The call has its effect, and the caller hears that it failed. */
function lostReply({ kind }: Pending): PortFault {
  if (kind === 'list') return { port: 'cluster', fault: { kind: 'unknown', why: 'the reply was lost' } };
  return { port: 'git', fault: kind === 'push' ? { kind: 'lostReply' } : { kind: 'fail', retryable: true } };
}
