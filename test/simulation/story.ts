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
  const story = new Story(of, faults);
  let broken: StoryEnd['broken'];
  try {
    await story.run();
  } catch (error) {
    if (error instanceof LawBroken) broken = { law: error.law, message: error.message };
    else broken = { law: 'no crash', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  return {
    broken,
    calls: story.calls,
    requestedAt: story.requestedAt,
    timeline: () => story.universe.timeline.print(),
  };
}

class Story {
  readonly universe: Universe;
  calls = 0;
  /** The number of calls when the new version was asked for. */
  requestedAt = 0;
  private readonly faults: StrictFaults;
  private readonly acts: NonNullable<StorySetup['acts']>;
  private readonly watch: Watch;
  private readonly processes: readonly Process[];
  private readonly person: Person;
  private readonly roundSeconds: number | undefined;
  /** The file when an order to undo was given, and the one that it goes back to. */
  private undone: { readonly from: string; readonly to: string } | undefined;
  /** The agent applies nothing up to this round. */
  private restsUntil = 0;

  constructor(of: StorySetup, faults: StrictFaults) {
    const setup = setupOfStory(of);
    this.faults = faults;
    this.acts = of.acts ?? [];
    this.roundSeconds = of.roundSeconds;
    this.universe = new Universe(setup);
    this.watch = new Watch(this.universe);
    this.processes = Array.from({ length: setup.processes }, (_, i) => new Process(this.universe, `process ${i + 1}`));
    this.person = new Person(this.universe, setup.workloads[0]!, new Chance('story'));
  }

  async run(): Promise<void> {
    const { universe, watch, person } = this;
    universe.sync('main');
    universe.tick(200);
    watch.look();
    const fills = universe.scenes.size > 0;
    const [seconds, still] = fills ? [FILLED_ROUND_SECONDS, FILLED_QUIET_ROUNDS] : [ROUND_SECONDS, QUIET_ROUNDS];
    let quiet = 0;
    for (let round = 1; round <= ROUNDS_MAX && quiet < still + this.faults.size; round++) {
      universe.timeline.turn = round;
      const head = universe.repository.head('main');
      await this.round();
      if (person.versions === 0 && person.marks !== undefined) {
        person.request();
        this.requestedAt = this.calls;
      } else if (this.waits()) approve(person);
      for (const [at, act] of this.acts) if (at === round) await this.act(act);
      if (round > this.restsUntil) universe.sync('main');
      universe.tick(this.roundSeconds ?? seconds);
      watch.look();
      quiet = universe.repository.head('main') === head ? quiet + 1 : 0;
    }
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

/** The call has its effect, and the caller hears that it failed. */
function lostReply({ kind }: Pending): PortFault {
  if (kind === 'list') return { port: 'cluster', fault: { kind: 'unknown', why: 'the reply was lost' } };
  return { port: 'git', fault: kind === 'push' ? { kind: 'lostReply' } : { kind: 'fail', retryable: true } };
}
