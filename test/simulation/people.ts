/** The people of the repository: they edit templates, approve, abort, scale, and sometimes do what they should not. */

import { printAcknowledge } from '../../src/api/acknowledge-intent.ts';
import { INTENT } from '../../src/api/intents.ts';
import type { RolloutRecord } from '../../src/api/record.ts';
import { releaseContent } from '../../src/api/release-content.ts';
import { parseManifestFile } from '../../src/manifests/parse-file.ts';
import { factsDigest, releaseDigest } from '../../src/reconcile/documents/digests.ts';
import { readStatus, STATUS_REQUEST } from '../../src/reconcile/status/record-store.ts';
import { revertEarlier, revertLast } from './back-in-time.ts';
import type { Chance, Weighted } from './chance.ts';
import {
  type FileMarks,
  lwsFile,
  marksIn,
  numberIn,
  type RolloutState,
  rolloutFile,
  rolloutText,
  splitOwn,
  versionInText,
  withNumber,
  withVersion,
} from './files.ts';
import { hands } from './hands.ts';
import { secondName } from './routed-files.ts';
import { stepsOf, type WorkloadSetup } from './setup.ts';
import { filledSteps } from './setup-filled.ts';
import { sharedSteps } from './setup-shared.ts';
import type { Universe } from './universe.ts';

const VERSIONS_MAX = 6;

type Act = (person: Person) => void;

/** One who looks after one workload. */
export class Person {
  readonly universe: Universe;
  readonly workload: WorkloadSetup;
  readonly chance: Chance;
  state: RolloutState;
  /** How many versions were asked for: where folders share a component, by all of their people together. */
  private readonly asked: { versions: number };
  /** How many rewritings of main this person has looked at. */
  acknowledged = 0;

  constructor(universe: Universe, workload: WorkloadSetup, chance: Chance, asked = { versions: 0 }) {
    this.universe = universe;
    this.workload = workload;
    this.chance = chance;
    this.asked = asked;
    this.state = { steps: workload.steps, paused: false, disabled: false, intents: {} };
  }

  get versions(): number {
    return this.asked.versions;
  }

  set versions(count: number) {
    this.asked.versions = count;
  }

  /** The same person in a twin of the world. */
  twin(universe: Universe): Person {
    const twin = new Person(universe, this.workload, this.chance.twin());
    twin.state = this.state;
    twin.versions = this.versions;
    twin.acknowledged = this.acknowledged;
    return twin;
  }

  /** Does something, if there is anything to do it to. */
  act(): void {
    this.chance.weighted(this.universe.setup.eager === true ? eagerActs(this) : this.acts())(this);
  }

  /** What people do in seeds that are older than `eager`. */
  private acts(): Weighted<Act> {
    const { mischief } = this.universe.setup;
    const scaled = mischief * 10;
    const delivering = this.marks?.step !== undefined;
    return [
      [delivering ? 0.7 : 6, edit],
      [delivering ? 6 : 0, approve],
      [delivering ? 2 : 0, accept],
      [delivering ? 0.7 : 0, abort],
      [delivering ? 0.5 : 0.1, revert],
      [this.state.paused ? 2 : 0.3, togglePause],
      [0.4, scale],
      [0.6, comment],
      [0.3 * scaled, jump],
      [0.2 * scaled, retry],
      [0.3 * scaled, returnAborted],
      [this.state.disabled ? 2 : 0.15 * scaled, toggleDisabled],
      [0.25 * scaled, editSteps],
      [0.2 * scaled, editPartition],
      [0.2 * scaled, editBudget],
      [this.acknowledged < this.universe.rewritten ? 4 : 0, acknowledge],
    ];
  }

  /** Asks for a new version. */
  request(): void {
    edit(this);
  }

  /** Writes that the workload is to be on this version. */
  ask(version: number, what: string): void {
    this.write(withVersion(this.text, version, this.workload), what);
  }

  /** Writes a number of the spec; nothing where it is there. */
  number(key: 'replicas' | 'maxUnavailable' | 'partition', value: number, what: string): void {
    if (numberIn(this.text, key) !== value) this.write(withNumber(this.text, key, value), what);
  }

  /** Writes what changes no workload. The pattern ends before a carriage return too, which stays. */
  note(text: string): void {
    this.write(this.text.replace(/^# .*$/m, `# The model server, ${text}.`), 'a comment');
  }

  get text(): string {
    return this.universe.lws(this.workload.name) ?? '';
  }

  get marks(): FileMarks | undefined {
    return marksIn(this.text);
  }

  write(text: string, what: string): void {
    this.universe.commit(lwsFile(this.workload.name), text, `${this.workload.name}: ${what}`);
  }

  /** Writes the Rollout again. */
  say(state: Partial<RolloutState>, what: string): void {
    this.state = { ...this.state, ...state };
    const text = rolloutText(this.workload, this.state);
    this.universe.commit(rolloutFile(this.workload.name), text, `${this.workload.name}: ${what}`);
  }

  intend(key: string, value: string): void {
    this.say({ intents: { ...this.state.intents, [key]: value } }, `${key.replace('tranche.dev/', '')} ${value}`);
  }
}

/** Weighed so that every kind of move is made often: what people do most of the time is the least of it. */
export function eagerActs(person: Person): Weighted<Act> {
  const { marks, state, acknowledged, universe, workload } = person;
  const step = marks?.step;
  const back = step === 'rollback' ? 1 : 0;
  const delivering = step === undefined ? 0 : 1 - back;
  const rest = 1 - delivering - back;
  const given = rest === 1 && (marks?.aborted.length ?? 0) > 0 ? 1 : 0;
  return [
    [4 * rest + 1 * delivering + 0.4 * back, edit],
    [6 * delivering, approve],
    [2.5 * delivering, accept],
    [1.3 * delivering + 0.5 * rest, abort],
    [0.7 * delivering + 0.1 * rest, revert],
    [state.paused ? 3 : 0.3, togglePause],
    [workload.autoscaled ? 0 : 0.5, scale],
    [0.3, comment],
    [7 * delivering, jump],
    [4 * given, retry],
    [0.5 * rest + 2 * back, returnAborted],
    [state.disabled ? 3 : 0.1, toggleDisabled],
    [6 * delivering + 0.2 * rest, editSteps],
    [3 * delivering + 0.4 * rest + 2 * back, editPartition],
    [0.3 + 2 * back, editBudget],
    [workload.shares === undefined ? 0 : 0.6 * delivering, editLabel],
    [acknowledged < universe.rewritten ? 4 : 0, acknowledge],
    ...handActs(person, delivering + back),
    ...backActs(person, { rest, delivering, back }),
  ];
}

/** Where they go back in time. */
function backActs(
  { universe, versions }: Person,
  { rest, delivering, back }: Readonly<Record<'rest' | 'delivering' | 'back', number>>,
): Weighted<Act> {
  if (universe.setup.back !== true || versions === 0) return [];
  return [
    [3 * rest, undoSettled],
    [1.2 * (delivering + back) + 0.5 * rest, revertOurs],
    [0.5 * delivering, hands['its file as before']],
    [0.5 * delivering, hands['its template as before']],
    [0.4 * (delivering + back), hands['two Rollouts are exchanged']],
    [0.3 * (delivering + back), hands['the Rollout names another']],
    [2, hands['the Rollout names it again']],
    // Seeds that are kept do not know of it.
    ...(universe.setup.conflicts === true ? ([[0.8 * (delivering + back) + 0.3 * rest, revertOlder]] as const) : []),
  ];
}

/** `git revert` of the newest commits of ours. */
export function revertOurs(person: Person): void {
  revertLast(person, person.chance.between(1, 5));
}

/** The same of one older commit, over what was written since. */
function revertOlder(person: Person): void {
  const { chance } = person;
  revertEarlier(person, { back: chance.between(2, 4), taken: chance.flip(0.5) ? 'ours' : 'theirs' });
}

/** Documents that a delivery hangs on are taken out, and put back. */
function handActs(person: Person, underWay: number): Weighted<Act> {
  const { fills, shares } = person.workload;
  if ((fills ?? shares)?.hands !== true) return [];
  return [
    [2 * underWay, hands['the route is taken out']],
    [2 * underWay, hands['the Service is taken out']],
    [1 * underWay, hands['the Rollout is taken out']],
    [4, hands['the files are back']],
  ];
}

function edit(person: Person): void {
  if (person.versions >= VERSIONS_MAX) return;
  person.versions += 1;
  person.ask(person.versions, `version ${person.versions}`);
}

/** Approves the step that Git names: that ends its pause, and nothing else. */
export function approve(person: Person): void {
  const { marks } = person;
  const index = stepIndex(marks);
  if (marks !== undefined && index !== undefined)
    person.intend(INTENT.approve, `${Math.max(1, index)}@${marks.release}`);
}

/** What the status branch has of the workload; undefined: nothing that can be read. */
function recordOf({ universe, workload }: Person): RolloutRecord | undefined {
  const head = universe.repository.head('tranche-status');
  if (head === undefined) return undefined;
  const stored = readStatus(universe.repository.readAt(head, STATUS_REQUEST)).records;
  const found = [...stored.values()].find((one) => one.kind === 'read' && one.record.name === workload.name);
  return found?.kind === 'read' ? found.record : undefined;
}

/** Accepts one of the holds that the status branch shows, as far as someone may: for what the last pass has seen. */
function accept(person: Person): void {
  const { marks, chance } = person;
  if (marks === undefined || stepIndex(marks) === undefined) return;
  const holds = (recordOf(person)?.holds ?? []).filter(({ facts }) => facts !== undefined);
  if (holds.length === 0) return;
  const { reason, facts = {} } = chance.pick(holds);
  const given = `${reason}@${marks.release}#${factsDigest(facts)}`;
  const others = (person.state.intents[INTENT.accept] ?? '').split(',').filter((one) => {
    const [name = '', release = ''] = one.split(/[@#]/);
    return release === marks.release && name !== reason;
  });
  person.intend(INTENT.accept, [...others, given].join(','));
}

/** Aborts the release that is being delivered, or the one that is asked for. */
export function abort(person: Person): void {
  const { marks, universe } = person;
  if (marks === undefined) return;
  if (marks.step !== undefined) return person.intend(INTENT.abort, marks.release);
  const digest = universe.setup.eager === true ? digestIn(person.text) : undefined;
  if (digest === undefined || marks.release.startsWith(`${digest}.`)) return;
  person.intend(INTENT.abort, `${digest}.${serialIn(marks) + 1}`);
}

/** The same to any release that main has had; nothing where none has settled, or there was no other. */
function undoSettled(person: Person): void {
  const { marks, universe, workload, chance } = person;
  if (marks === undefined || marks.step !== undefined) return;
  const texts = universe.repository.log('main').map(({ oid }) => universe.lws(workload.name, oid) ?? '');
  const releases = new Set(texts.flatMap((text) => marksIn(text)?.release ?? []));
  // What has the template that is delivered is nothing to go back to: the order is refused as it is typed.
  const others = [...releases].filter((release) => release.split('.')[0] !== marks.release.split('.')[0]);
  if (others.length === 0) return;
  person.intend(INTENT.undo, `${marks.release} ${serialIn(marks)} to ${chance.pick(others)}`);
}

/** Orders to go back from the release that has settled to the one that was taken over first; answers with the file of that. */
export function undo(person: Person): string {
  const { marks, universe, workload } = person;
  if (marks === undefined || marks.step !== undefined) throw new Error(`nothing has settled: ${marks?.step}`);
  const texts = universe.repository.log('main').map(({ oid }) => universe.lws(workload.name, oid) ?? '');
  const first = texts.findLast((text) => marksIn(text) !== undefined) ?? '';
  person.intend(INTENT.undo, `${marks.release} ${serialIn(marks)} to ${marksIn(first)?.release}`);
  return first;
}

/** The digest of the template in a file that can be read. */
export function digestIn(text: string): string | undefined {
  const [document] = parseManifestFile('lws.yaml', text, ['LeaderWorkerSet']).documents;
  return document === undefined ? undefined : releaseDigest(releaseContent(document.value));
}

/** The highest serial that was ever given. */
function serialIn(marks: FileMarks): number {
  return Math.max(...[marks.release, ...marks.aborted].map((release) => Number(release.split('.')[1])));
}

function jump(person: Person): void {
  const { marks } = person;
  if (marks !== undefined) {
    const { steps } = person.state;
    const here = stepIndex(marks) ?? 0;
    const first = person.universe.setup.eager === true && here > 0 && here < steps.length ? here + 1 : 1;
    const index = person.chance.between(first, Math.max(1, steps.length));
    person.intend(INTENT.jump, `${index}@${marks.release}`);
  }
}

function retry(person: Person): void {
  const { marks } = person;
  const given = marks?.aborted[0];
  if (marks === undefined || given === undefined) return;
  person.intend(INTENT.retry, person.universe.setup.eager === true ? `${given} ${serialIn(marks)}` : given);
}

/** Puts the text of the stable version back by hand. */
function revert(person: Person): void {
  const { marks, universe, workload } = person;
  if (marks?.stable === undefined) return;
  const version = versionInText(universe.lws(workload.name, marks.stable) ?? '');
  if (version !== undefined) person.ask(version, `back to version ${version}`);
}

/** A bot that writes an old version again, aborted or not. */
function returnAborted(person: Person): void {
  if (person.versions === 0) return;
  const version = person.chance.between(0, person.versions);
  person.ask(version, `version ${version} again`);
}

function togglePause(person: Person): void {
  const paused = !person.state.paused;
  person.say({ paused }, paused ? 'pause' : 'resume');
}

function toggleDisabled(person: Person): void {
  const disabled = !person.state.disabled;
  person.say({ disabled }, disabled ? 'disable' : 'enable');
}

function editSteps(person: Person): void {
  const { chance, state, workload } = person;
  const count = chance.flip(0.8) ? state.steps.length : chance.between(1, 4);
  const steps = stepsFor(chance, workload, count);
  if (steps.length === state.steps.length || chance.flip(0.2))
    person.say({ steps }, `steps ${steps.map((step) => step.replicas).join(' ')}`);
}

function stepsFor(chance: Chance, workload: WorkloadSetup, count: number): ReturnType<typeof stepsOf> {
  const { fills, shares, replicas } = workload;
  if (fills !== undefined) return filledSteps(chance, { ...workload, fills }, count);
  return shares === undefined ? stepsOf(chance, replicas, count) : sharedSteps(chance, workload, count);
}

/** Somebody takes the label for something else, or tidies it away. */
function editLabel(person: Person): void {
  const label = /(tranche\.dev\/version"?: )"?[0-9a-z.-]+"?/;
  const text = person.text.replace(
    label,
    person.chance.flip(0.5) ? '$1"by-hand"' : '$1"00000000000000000000000000000000.1"',
  );
  if (text !== person.text) person.write(text, 'the label by hand');
}

/** Has looked at a main that somebody rewrote. */
export function acknowledge(person: Person): void {
  const { universe } = person;
  const recorded = recordOf(person)?.main;
  // Without a record nothing says what main has lost, and the next pass writes one that stands on main as it is.
  if (recorded === undefined) return;
  person.acknowledged = universe.rewritten;
  person.intend(INTENT.acknowledge, printAcknowledge({ recorded, main: universe.repository.head('main') ?? '' }));
}

function scale(person: Person): void {
  if (person.workload.autoscaled) return;
  const least = person.chance.flip(0.1) ? 0 : 1;
  const replicas = person.chance.between(least, 6);
  const isGreen = person.marks?.serves === 'green';
  const [own, others] = splitOwn(person.text);
  if (replicas === 0) person.universe.emptied.add(person.workload.name);
  // The colour that serves is the one whose groups go.
  if (replicas === 0 && isGreen) person.universe.emptied.add(secondName(person.workload) ?? '');
  if (isGreen) person.write(`${own}${withNumber(others, 'replicas', replicas)}`, `${replicas} replicas`);
  else person.number('replicas', replicas, `${replicas} replicas`);
}

function editBudget(person: Person): void {
  const budget = person.chance.between(1, 3);
  person.number('maxUnavailable', budget, `maxUnavailable ${budget}`);
}

function editPartition(person: Person): void {
  const partition = person.chance.flip(0.2) ? 1_000_000 : person.chance.between(0, person.workload.replicas);
  person.universe.mixed.add(person.workload.name);
  person.number('partition', partition, `partition ${partition} by hand`);
}

function comment(person: Person): void {
  const { universe, chance } = person;
  if (chance.flip(0.5)) {
    universe.commit('README.md', `# Models\n${chance.between(0, 1_000_000)}\n`, 'README');
    return;
  }
  person.note(`note ${chance.between(0, 999)}`);
}

export function stepIndex(marks: FileMarks | undefined): number | undefined {
  const found = /^(\d+)\//.exec(marks?.step ?? '')?.[1];
  return found === undefined ? undefined : Number(found);
}
