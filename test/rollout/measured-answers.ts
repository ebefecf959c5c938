/** The laws of measured deliveries, in a few small worlds: what planted bugs must break. */

import { lived } from '../simulation/measured-world.ts';

const SEEDS = [0, 1, 2, 3];
const TURNS = 24;

/** Every law that is broken; and that nothing moved, where nothing did. */
export async function wrongAnswers(): Promise<readonly string[]> {
  const { broken, moves } = await lived(SEEDS, TURNS);
  return moves.length < SEEDS.length ? [...broken, `only ${moves.length} moves`] : broken;
}
