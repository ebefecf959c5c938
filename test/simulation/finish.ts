/** The end of a schedule: faults are off, the agent and the passes go on, and everything must come to rest. */

import { NO_OVERRIDES, type PassResult } from '../../src/reconcile/pass.ts';
import { runPass } from '../../src/reconcile/run.ts';
import { fakeCluster } from '../support/fake-cluster.ts';
import type { Chance } from './chance.ts';
import type { Person } from './people.ts';
import { checkEnd, freshMemory } from './process.ts';
import { healGroup } from './surroundings.ts';
import { LawBroken } from './timeline.ts';
import type { Universe } from './universe.ts';
import type { Watch } from './watch.ts';

/** Rounds of pass, agent and time within which a world without faults comes to rest. */
const ROUNDS_MAX = 60;
/** So many rounds without a write are rest. */
const QUIET_ROUNDS = 3;

/** A pass of a fresh process without faults. */
export async function plainPass(universe: Universe): Promise<PassResult> {
  const say = (): void => undefined;
  const result = await runPass(
    {
      git: universe.repository.open(),
      cluster: fakeCluster({ model: universe.cluster }),
      clock: { now: () => universe.now, sleep: async () => undefined },
      log: { info: say, warn: say, error: say },
    },
    freshMemory(),
    { overrides: NO_OVERRIDES, write: true, only: [] },
  );
  checkEnd({ kind: 'done', result });
  return result;
}

/** L1 and L2: nothing is written any more after so many rounds; the last result says why it stands where it stands. */
export async function comeToRest(universe: Universe, watch: Watch | undefined, why: string): Promise<PassResult> {
  let quiet = 0;
  for (let round = 1; round <= ROUNDS_MAX; round++) {
    const heads = headsOf(universe);
    const result = await plainPass(universe);
    watch?.look();
    universe.sync('main');
    universe.tick(67);
    watch?.look();
    quiet = heads === headsOf(universe) ? quiet + 1 : 0;
    if (quiet >= QUIET_ROUNDS) return result;
  }
  throw new LawBroken('L2 bounded', `${why}: still writing after ${ROUNDS_MAX} rounds`);
}

function headsOf({ repository }: Universe): string {
  return repository
    .branches()
    .map((branch) => `${branch} ${repository.head(branch)}`)
    .join(' ');
}

export async function finish(
  universe: Universe,
  watch: Watch,
  of: { readonly people: readonly Person[]; readonly chance: Chance },
): Promise<void> {
  universe.cluster.setControllerUp(true);
  universe.say('end', 'faults are off');
  for (const { name } of universe.healthy()) {
    for (const group of universe.truth(name)?.groups ?? []) healGroup(universe, name, group.index);
  }
  watch.look();
  const result = await comeToRest(universe, watch, 'faults off');
  for (const { name } of universe.healthy()) {
    const outcome = result.outcomes.find((one) => one.key.name === name);
    const step = result.quiet ? undefined : outcome?.plan;
    if (!result.quiet && step === undefined)
      throw new LawBroken('L4 isolation', `${name}: ${outcome?.error ?? 'was not looked at'}`);
    const held = step?.holds.map((hold) => hold.reason) ?? [];
    const marks = of.people.find((person) => person.workload.name === name)?.marks;
    universe.say('end', `${name} rests: ${marks?.release} ${marks?.step ?? 'settled'} ${held.join(' ')}`);
    if (marks?.step !== undefined && held.length === 0)
      throw new LawBroken('L1 rest', `${name} stands in ${marks.step} and holds nothing`);
  }
}
