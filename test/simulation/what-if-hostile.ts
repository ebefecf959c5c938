/** Two copies of the world, one with anyone who wants harm and one without: nobody gains anything by it, and nothing waits for it. */

import { INTENT } from '../../src/api/intents.ts';
import type { Chance } from './chance.ts';
import { lwsFile, marksIn, type RolloutState, rolloutFile, rolloutText } from './files.ts';
import { anyPush, folderStep, pusherStep } from './hostile.ts';
import { FORWARD } from './our-commit.ts';
import { plainPass } from './rest.ts';
import type { WorkloadSetup } from './setup.ts';
import { LawBroken } from './timeline.ts';
import type { Universe } from './universe.ts';

const ROUND_SECONDS = 131;
/** Some pauses of steps long. */
const FORWARD_ROUNDS = 6;
/** A rollback of a world in peace that takes longer waits for people. */
const BACK_ROUNDS = 24;
/** One audit, as `tranche.yaml` has it where it says nothing. */
const AUDIT_ROUNDS = Math.ceil(3600 / ROUND_SECONDS);

type Of = { readonly workload: WorkloadSetup; readonly state: RolloutState; readonly chance: Chance };

/** H1 and H2, asked from here: what goes, and how long an abort takes. */
export async function withHostile(universe: Universe, of: Of): Promise<void> {
  await nothingGoes(universe, of);
  await nothingWaits(universe, of);
}

async function nothingGoes(universe: Universe, of: Of): Promise<void> {
  const [peace, harm] = [copyOf(universe), copyOf(universe)];
  const harms = harmOf(of);
  for (let round = 0; round < FORWARD_ROUNDS; round++) {
    await roundOf(peace);
    harms(harm, of);
    await roundOf(harm);
    const may = new Set(forwardOf(peace));
    const more = forwardOf(harm).filter((subject) => !may.has(subject));
    if (more.length > 0)
      throw new LawBroken('H1 nothing goes by others', `${more.join(', ')} in round ${round}\n${told(peace, harm)}`);
  }
}

async function nothingWaits(universe: Universe, of: Of): Promise<void> {
  const { workload, state } = of;
  const marks = marksIn(universe.lws(workload.name) ?? '');
  if (marks?.step === undefined || universe.emptied.has(workload.name)) return;
  const [peace, harm] = [copyOf(universe), copyOf(universe)];
  const text = rolloutText(workload, { ...state, intents: { [INTENT.abort]: marks.release } });
  for (const fork of [peace, harm])
    fork.repository.commit('main', { writes: [{ path: rolloutFile(workload.name), text }], message: 'abort' });
  const wanted = await roundsBack(peace, workload, BACK_ROUNDS, () => undefined);
  if (wanted === undefined) return;
  const most = wanted + AUDIT_ROUNDS;
  const harms = harmOf(of);
  const took = await roundsBack(harm, workload, most, () => harms(harm, of));
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
    if (marksIn(fork.text('main', lwsFile(name)) ?? '')?.step === undefined) return round;
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

async function roundOf(fork: Universe): Promise<void> {
  await plainPass(fork);
  fork.sync('main');
  fork.tick(ROUND_SECONDS);
}

/** Anything in each round, or the same in all of them. */
function harmOf({ chance }: Of): (fork: Universe, of: Of) => void {
  const always = chance.flip(0.5) ? anyPush(chance) : undefined;
  return (fork, of) => harmed(fork, of, always ?? anyPush(chance));
}

function harmed(fork: Universe, { workload, state, chance }: Of, push: ReturnType<typeof anyPush>): void {
  const { pusher = false, folder = false } = fork.setup.hostile ?? {};
  if (pusher) pusherStep(fork, chance, push);
  if (folder && chance.flip(0.3)) folderStep(fork, chance, { workload, state });
}

function forwardOf({ repository }: Universe): readonly string[] {
  return repository.log('main').flatMap(({ message }) => {
    const [subject = ''] = message.split('\n');
    const isForward = FORWARD.includes(/^Rollout-Reason: (\w+)$/m.exec(message)?.[1] ?? '');
    return isForward ? [`${subject} ${/^Rollout-Release: (\S+)$/m.exec(message)?.[1] ?? ''}`] : [];
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
