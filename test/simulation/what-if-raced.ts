/** A copy of the world in which somebody pushes to the status branch before each push of tranche: an abort goes back all the same. */

import { INTENT } from '../../src/api/intents.ts';
import type { Git } from '../../src/ports/git.ts';
import { PortError } from '../../src/ports/port-error.ts';
import { parseTrailers } from '../../src/rollout/commits/trailers.ts';
import type { Chance } from './chance.ts';
import { marksIn, type RolloutState, rolloutFile, rolloutText } from './files.ts';
import { clearFolder, pusherStep } from './hostile.ts';
import { GOING_BACK } from './our-commit.ts';
import { plainPass } from './rest.ts';
import type { WorkloadSetup } from './setup.ts';
import { LawBroken } from './timeline.ts';
import type { Universe } from './universe.ts';

const STATUS = 'tranche-status';
const ROUND_SECONDS = 131;
/** A rollback of a world in peace that takes longer waits for people. */
const BACK_ROUNDS = 24;
/** One audit, as `tranche.yaml` has it where it says nothing. */
const AUDIT_ROUNDS = Math.ceil(3600 / ROUND_SECONDS);

type Of = { readonly workload: WorkloadSetup; readonly state: RolloutState; readonly chance: Chance };

/** H2, where every push of tranche to the status branch comes too late. */
export async function backInARace(universe: Universe, { workload, state, chance }: Of): Promise<void> {
  const { name } = workload;
  const marks = marksIn(universe.lws(name) ?? '');
  if (marks?.step === undefined || universe.emptied.has(name)) return;
  const [peace, harm] = [universe.fork(), universe.fork()];
  const text = rolloutText(workload, { ...state, intents: { [INTENT.abort]: marks.release } });
  for (const fork of [peace, harm]) {
    fork.cluster.stopControllers([]);
    fork.cluster.setControllerUp(true);
    clearFolder(fork);
    fork.repository.commit('main', { writes: [{ path: rolloutFile(name), text }], message: 'abort' });
  }
  const wanted = await roundsBack(peace, name, BACK_ROUNDS, async () => void (await plainPass(peace)));
  if (wanted === undefined || !wentBack(peace)) return;
  const most = wanted + AUDIT_ROUNDS;
  if ((await roundsBack(harm, name, most, () => racedPass(harm, chance))) === undefined)
    throw new LawBroken(
      'H2 nothing waits by others',
      `${name}: ${wanted} rounds in peace, and not over after ${most} in a race\n${harm.timeline.print()}`,
    );
}

/** Whether the abort led back: where a newer template is in the file, that is delivered in its place, and steps may be kept waiting. */
export function wentBack({ repository }: Universe): boolean {
  const line = repository.log('main').map(({ message }) => message);
  return line
    .slice(0, line.indexOf('abort'))
    .some((message) => [...GOING_BACK, 'RolledBack'].includes(parseTrailers(message)?.reason ?? ''));
}

async function roundsBack(
  fork: Universe,
  name: string,
  most: number,
  pass: () => Promise<void>,
): Promise<number | undefined> {
  for (let round = 1; round <= most; round++) {
    await pass();
    fork.sync('main');
    fork.tick(ROUND_SECONDS);
    const { step, at } = marksIn(fork.lws(name) ?? '') ?? {};
    // Where a newer template waits it is delivered from there, and that is a forward move.
    if (step === undefined || (step !== 'rollback' && at === 'empty')) return round;
  }
  return undefined;
}

/** A pass that loses every race ends with an error that a later run may mend, after it has written what goes back. */
async function racedPass(fork: Universe, chance: Chance): Promise<void> {
  const git = fork.repository.open();
  let raced = 0;
  const push: Git['push'] = (updates) => {
    raced += 1;
    if (chance.flip(0.3)) pusherStep(fork, chance);
    // Whatever that did: the branch has moved.
    fork.repository.commit(STATUS, { writes: [{ path: 'raced.txt', text: `${raced}` }], message: 'mine' });
    return git.push(updates);
  };
  try {
    await plainPass(fork, { ...git, push });
  } catch (error) {
    if (!(error instanceof PortError && error.retryable)) throw error;
  }
}
