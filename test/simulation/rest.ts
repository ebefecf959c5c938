/** Passes without faults, until the world comes to rest. */

import type { Git } from '../../src/ports/git.ts';
import { NO_OVERRIDES, type PassResult } from '../../src/reconcile/pass.ts';
import { runPass } from '../../src/reconcile/run.ts';
import { datedCluster } from '../support/dated-cluster.ts';
import { fakeCluster } from '../support/fake-cluster.ts';
import { checkEnd, freshMemory, surroundingsOf } from './process.ts';
import { hasSides } from './routed-files.ts';
import { isSecret, withTokens } from './secret.ts';
import { LawBroken } from './timeline.ts';
import type { Universe } from './universe.ts';
import type { Watch } from './watch.ts';

/** Rounds of pass, agent and time within which a world without faults comes to rest. */
const ROUNDS_MAX = 60;
/** The same where a second workload is filled: its rungs are commits of their own. */
const FILLED_ROUNDS_MAX = 160;
/** How many rounds without a write are rest. */
const QUIET_ROUNDS = 2;
/** Longer than any pause of a step. */
const ROUND_SECONDS = 131;
/** Where a second workload is filled, nobody looks for so long before the last of these rounds: with those before longer than last requests are given. */
const FILLED_WAIT_SECONDS = 4 * ROUND_SECONDS;

/** A pass of a fresh process without faults, over a Git that may be raced. */
export async function plainPass(universe: Universe, git: Git = universe.repository.open()): Promise<PassResult> {
  const say = (text: string): void => {
    if (isSecret(text)) universe.wrong ??= new LawBroken('H3 no secret leaves', 'a pass logs it');
  };
  const plain = fakeCluster({ model: universe.cluster });
  const { dates, now } = universe;
  const result = await runPass(
    {
      git,
      cluster: universe.setup.hostile === undefined ? plain : withTokens(datedCluster(plain, { dates, now })),
      clock: { now: () => universe.now, sleep: async () => undefined },
      log: { info: say, warn: say, error: say },
      ...surroundingsOf(universe),
    },
    freshMemory(),
    { overrides: NO_OVERRIDES, write: true, only: [] },
  );
  if (universe.wrong !== undefined) throw universe.wrong;
  checkEnd({ kind: 'done', result });
  return result;
}

/** L1 and L2: nothing is written any more after this many rounds; the last result says why it stands where it stands. */
export async function comeToRest(universe: Universe, watch: Watch | undefined, why: string): Promise<PassResult> {
  const fills = universe.setup.workloads.some(hasSides);
  const [most, still] = fills ? [FILLED_ROUNDS_MAX, QUIET_ROUNDS + 1] : [ROUNDS_MAX, QUIET_ROUNDS];
  let quiet = 0;
  for (let round = 1; round <= most; round++) {
    const heads = headsOf(universe);
    const result = await plainPass(universe);
    watch?.look();
    universe.sync('main');
    universe.tick(ROUND_SECONDS);
    watch?.look();
    quiet = heads === headsOf(universe) ? quiet + 1 : 0;
    if (quiet === still) return result;
    if (quiet < QUIET_ROUNDS) continue;
    universe.tick(FILLED_WAIT_SECONDS);
    watch?.look();
  }
  throw new LawBroken('L2 bounded', `${why}: still writing after ${most} rounds`);
}

function headsOf({ repository }: Universe): string {
  return repository
    .branches()
    .map((branch) => `${branch} ${repository.head(branch)}`)
    .join(' ');
}
