/** A key of the status branch that somebody else has: replaced as documented, nothing of what was signed with it is left. */

import { expect, test } from 'vitest';
import { asWritten } from '../../src/api/json.ts';
import { newMemory } from '../../src/reconcile/pass.ts';
import { digestOf, sign } from '../../src/reconcile/status/signed.ts';
import { BareWorld, STATUS } from '../support/bare-world.ts';
import { publicHalf, resignedRecord, signaturesOf, statusKeysText } from '../support/status-key.ts';
import { LWS_FILE, NEW, OLD, VLLM_FILES } from '../support/vllm.ts';

const RECORD = 'rollouts/default/llm/vllm.json';
const INDEX = 'index.json';

/** The same text, signed under this number by the first key. */
function numbered(text: string, path: string, number: number): string {
  const { own } = signaturesOf(1);
  const { signature: _, ...content } = JSON.parse(text) as { signature: unknown };
  if (own === undefined) throw new Error('there is no such key');
  const digest = digestOf(asWritten(content));
  return JSON.stringify(
    { signature: sign(own, { path, place: { cluster: 'default', shard: undefined }, number, digest }), ...content },
    undefined,
    2,
  );
}

test.each([
  ['the last number there is', Number.MAX_SAFE_INTEGER],
  ['a number of the next century', 4_102_444_800],
])(
  'who had the key has signed %s: after it is replaced all is made again once, also by a process that goes on',
  async (_, number) => {
    const world = await BareWorld.open({ ...VLLM_FILES, 'tranche.yaml': statusKeysText(1) });
    const memory = newMemory();
    await world.rounds(3, { signatures: signaturesOf(1), memory });
    const [index = '', record = ''] = [await world.text(STATUS, INDEX), await world.text(STATUS, RECORD)];
    const forged = resignedRecord(record.replace(/"number": \d+/, `"number": ${number - 1}`), (content) => ({
      ...content,
      message: 'forged',
    }));
    await world.repository.commit(STATUS, { [INDEX]: numbered(index, INDEX, number), [RECORD]: forged });
    await world.edit(LWS_FILE, OLD, NEW);
    await world.pass({ signatures: signaturesOf(1), memory });
    await world.edit('tranche.yaml', publicHalf(1), publicHalf(5));
    const fresh = { signatures: signaturesOf(5), memory };
    const said = (await world.pass(fresh)).warnings.map(({ reason }) => reason);
    expect(new Set(said)).toEqual(new Set(['StatusTampered']));
    await world.goOn();
    for (let round = 0; round < 3; round += 1) {
      const { warnings, outcomes } = await world.pass(fresh);
      expect(warnings, `round ${round}`).toEqual([]);
      expect(outcomes[0]?.snapshot?.recordProof ?? 'signed').toBe('signed');
      await world.goOn();
    }
  },
);
