/** A repository in the middle of a delivery, once where a key signs the status branch and once where none does. */

import type { Signatures } from '../../src/ports/signatures.ts';
import { BareWorld, type Moment } from './bare-world.ts';
import { publicHalf, signaturesOf } from './status-key.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, VLLM_FILES } from './vllm.ts';

/** What the process has whose key `tranche.yaml` names. */
export const OWN: { readonly signatures: Signatures } = { signatures: signaturesOf(1) };

export type MidDelivery = { readonly world: BareWorld; readonly moving: Moment };

export type MidDeliveries = { readonly signed: MidDelivery; readonly unsigned: MidDelivery };

export async function midDeliveries(): Promise<MidDeliveries> {
  return {
    signed: await midDelivery(`statusKeys: [{cluster: default, key: ${publicHalf(1)}}]\n`, OWN),
    unsigned: await midDelivery('intervalSeconds: 30\n', {}),
  };
}

async function midDelivery(config: string, process: typeof OWN | object): Promise<MidDelivery> {
  const world = await BareWorld.open({ ...VLLM_FILES, 'tranche.yaml': config });
  await world.rounds(3, process);
  await world.edit(LWS_FILE, OLD, NEW);
  await world.rounds(2, process);
  return { world, moving: await world.moment() };
}

/** Someone asks for an abort of what is in progress, by a commit on main. */
export async function abortInFile(world: BareWorld): Promise<void> {
  const text = (await world.text('main', LWS_FILE)) ?? '';
  const release = /tranche\.dev\/release: "?([^"\n]+)"?/.exec(text)?.[1] ?? '';
  const order = `  namespace: llm\n  annotations: {tranche.dev/abort: "${release}"}\nspec`;
  await world.edit(ROLLOUT_FILE, '  namespace: llm\nspec', order);
}
