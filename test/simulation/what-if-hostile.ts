/** Two copies of the world, one with anyone who wants harm and one without: nobody gains anything by it, and nothing waits for it. */

import { INTENT } from '../../src/api/intents.ts';
import type { Chance } from './chance.ts';
import { marksIn, type RolloutState, rolloutFile, rolloutText, versionInText } from './files.ts';
import { anyPush, clearFolder, folderStep, pusherStep } from './hostile.ts';
import { settingsStep } from './hostile-settings.ts';
import { CLIMBING, FORWARD } from './our-commit.ts';
import { plainPass } from './rest.ts';
import type { WorkloadSetup } from './setup.ts';
import { LawBroken } from './timeline.ts';
import type { Universe } from './universe.ts';
import { backInARace, wentBack } from './what-if-raced.ts';

const ROUND_SECONDS = 131;
/** Rounds shorter than a pause of a step: a wait that ends early shows; all of them are longer. */
const [FORWARD_ROUNDS, FORWARD_SECONDS] = [8, 37];
/** What a release is taken back for without an order. */
const FAILED = ['Failed'];
/** A rollback of a world in peace that takes longer waits for people. */
const BACK_ROUNDS = 24;
/** One audit, as `tranche.yaml` has it where it says nothing. */
const AUDIT_ROUNDS = Math.ceil(3600 / ROUND_SECONDS);

type Of = { readonly workload: WorkloadSetup; readonly state: RolloutState; readonly chance: Chance };

/** H1 and H2, asked from here: what goes, and how long an abort takes. */
export async function withHostile(universe: Universe, of: Of): Promise<void> {
  await nothingGoes(universe, of);
  await nothingWaits(universe, of);
  if (universe.setup.hostile?.pusher === true) await backInARace(universe, of);
}

async function nothingGoes(universe: Universe, of: Of): Promise<void> {
  const [peace, harm] = [copyOf(universe), copyOf(universe)];
  const harms = harmOf(of);
  for (let round = 0; round < FORWARD_ROUNDS; round++) {
    await roundOf(peace, FORWARD_SECONDS);
    harms(harm, of);
    const before = copyOf(harm);
    await roundOf(harm, FORWARD_SECONDS);
    const may = new Set(oursOf(peace, ONWARD));
    const more = oursOf(harm, ONWARD).filter((subject) => !may.has(subject) && !isOnRelease(before, subject));
    if (more.length > 0 && !isOtherFirst(more, { peace, harm }))
      throw new LawBroken('H1 nothing goes by others', `${more.join(', ')} in round ${round}\n${told(peace, harm)}`);
  }
  const taken = oursOf(harm, FAILED).filter((subject) => !oursOf(peace, FAILED).includes(subject));
  if (taken.length > 0)
    throw new LawBroken('H1 nothing goes by others', `${taken.join(', ')}, taken back\n${told(peace, harm)}`);
}

/**
 * Whoever takes a record away takes with it that its workload was made again, and so that somebody is to accept that. All groups
 * came up on the template of Git by then: a commit that follows updates none of them.
 */
function isOnRelease(fork: Universe, subject: string): boolean {
  const name = fork.setup.workloads.map((one) => one.name).find((one) => subject.includes(`(llm/${one})`)) ?? '';
  const [truth, version] = [fork.truth(name), versionInText(fork.lws(name) ?? '')];
  return truth !== undefined && truth.groups.length > 0 && truth.groups.every((one) => one.leaderVersion === version);
}

/** Of two that share a limit either may begin: records tell the order, and main where they are gone. */
function isOtherFirst(
  more: readonly string[],
  { peace, harm }: { readonly peace: Universe; readonly harm: Universe },
): boolean {
  const isFirst = more.length === 1 && more.every((subject) => subject.includes(FIRST));
  return isFirst && harm.setup.workloads.length > 1 && firstsOf(harm) <= firstsOf(peace);
}

async function nothingWaits(universe: Universe, of: Of): Promise<void> {
  const { workload, state } = of;
  const marks = marksIn(universe.lws(workload.name) ?? '');
  if (marks?.step === undefined || universe.emptied.has(workload.name)) return;
  const [peace, harm] = [copyOf(universe), copyOf(universe)];
  clearFolder(peace);
  const text = rolloutText(workload, { ...state, intents: { [INTENT.abort]: marks.release } });
  for (const fork of [peace, harm])
    fork.repository.commit('main', { writes: [{ path: rolloutFile(workload.name), text }], message: 'abort' });
  const wanted = await roundsBack(peace, workload, BACK_ROUNDS, () => undefined);
  if (wanted === undefined || !wentBack(peace)) return;
  const most = wanted + AUDIT_ROUNDS;
  const harms = harmOf(of);
  // What is in the folder stays there: a rollback that waits for its end waits for ever.
  const isFree = (): boolean => harm.others.size === 0;
  const took = await roundsBack(harm, workload, most, () => harms(harm, of, isFree()));
  if (took === undefined)
    throw new LawBroken(
      'H2 nothing waits by others',
      `${workload.name}: ${wanted} rounds in peace, and not over after ${most}\n${told(peace, harm)}`,
    );
}

/** How many rounds until no step is in progress; undefined: it is not over by then. */
async function roundsBack(
  fork: Universe,
  { name }: WorkloadSetup,
  most: number,
  before: () => void,
): Promise<number | undefined> {
  for (let round = 1; round <= most; round++) {
    before();
    await roundOf(fork);
    const { step, at } = marksIn(fork.lws(name) ?? '') ?? {};
    // Where a newer template waits it is delivered from there, and that is a forward move.
    if (step === undefined || (step !== 'rollback' && at === 'empty')) return round;
  }
  return undefined;
}

/** In peace at its beginning: what others have written before is part of both copies. */
function copyOf(universe: Universe): Universe {
  const fork = universe.fork();
  fork.cluster.stopControllers([]);
  fork.cluster.setControllerUp(true);
  return fork;
}

async function roundOf(fork: Universe, seconds = ROUND_SECONDS): Promise<void> {
  await plainPass(fork);
  fork.sync('main');
  fork.tick(seconds);
}

type Harms = (fork: Universe, of: Of, folder?: boolean) => void;

/** Anything in each round, or the same in all of them; `folder`: whether the folder of others changes for certain, or does not. */
function harmOf({ chance }: Of): Harms {
  const always = chance.flip(0.5) ? anyPush(chance) : undefined;
  return (fork, { workload, state }, isFolder = chance.flip(0.3)) => {
    const { pusher = false, folder = false, config } = fork.setup.hostile ?? {};
    if (pusher) pusherStep(fork, chance, always ?? anyPush(chance));
    if (folder && isFolder) folderStep(fork, chance, { workload, state });
    if (config === true && isFolder && chance.flip(0.5)) settingsStep(fork, chance, { workload });
  };
}

const ONWARD = [...FORWARD, ...CLIMBING];
const FIRST = ' step 1/';

function firstsOf(fork: Universe): number {
  return oursOf(fork, FORWARD).filter((subject) => subject.includes(FIRST)).length;
}

/** Commits of ours for these reasons, by their subject and release. */
function oursOf({ repository }: Universe, reasons: readonly string[]): readonly string[] {
  return repository.log('main').flatMap(({ message }) => {
    const [subject = ''] = message.split('\n');
    const isMeant = reasons.includes(/^Rollout-Reason: (\w+)$/m.exec(message)?.[1] ?? '');
    return isMeant ? [`${subject} ${/^Rollout-Release: (\S+)$/m.exec(message)?.[1] ?? ''}`] : [];
  });
}

function told(...forks: readonly Universe[]): string {
  return forks
    .map(({ repository, timeline }, i) => {
      const subjects = repository
        .log('main')
        .slice(0, 12)
        .map(({ message }) => message.split('\n')[0]);
      return [i === 0 ? 'in peace:' : 'with them:', ...subjects.reverse(), ...(i === 0 ? [] : [timeline.print()])].join(
        '\n',
      );
    })
    .join('\n');
}
