/** The laws of measured deliveries, in a few small worlds: what planted bugs must break. */

import { lived } from '../simulation/measured-world.ts';

const SEEDS = [0, 1, 2, 3];
const TURNS = 24;

/** Every law that is broken, world by world; and that nothing moved, where nothing did. */
export async function* wrongAnswers(): AsyncIterable<string> {
  let moves = 0;
  for (const seed of SEEDS) {
    const { broken, moves: made } = await lived([seed], TURNS);
    yield* broken;
    moves += made.length;
  }
  if (moves < SEEDS.length) yield `only ${moves} moves`;
}
