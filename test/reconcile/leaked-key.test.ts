/** A key of the status branch that somebody else has: replaced as documented, nothing of what was signed with it is left. */

import { describe, expect, test } from 'vitest';
import { asWritten } from '../../src/api/json.ts';
import { printInstant } from '../../src/api/time.ts';
import { newMemory } from '../../src/reconcile/pass.ts';
import { digestOf, sign } from '../../src/reconcile/status/signed.ts';
import { BareWorld, STATUS } from '../support/bare-world.ts';
import { abortInFile } from '../support/mid-delivery.ts';
import { publicHalf, resigned, resignedRecord, signaturesOf, statusKeysText } from '../support/status-key.ts';
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

/** `tranche.yaml` as main has it when the first key signs nothing any more. */
const ENDED: readonly (readonly [what: string, (now: number) => string])[] = [
  ['was replaced on main', () => statusKeysText(5)],
  ['has expired', (now) => statusKeysText(1).replace('}]', `, until: "${printInstant(now - 60)}"}]`)],
  ['is named for another cluster alone', () => statusKeysText(1, 'other')],
  ['is in a comment', () => `# ${publicHalf(1)}\n${statusKeysText(5)}`],
  ['is named no more, and no other is', () => 'paths: [apps, rollouts]\n'],
];

describe.each(ENDED)('a key that %s, and somebody else has it', (_, config) => {
  test.each([
    ['that has just started', false],
    ['that goes on', true],
  ])('keeps no process quiet that still has it, and none %s lets an abort lie', async (_kind, goesOn) => {
    const world = await BareWorld.open({ ...VLLM_FILES, 'tranche.yaml': statusKeysText(1) });
    const memory = newMemory();
    const process = () => ({ signatures: signaturesOf(1), ...(goesOn ? { memory } : {}) });
    await world.rounds(3, process());
    const settled = await world.moment();
    await world.edit(LWS_FILE, OLD, NEW);
    await world.rounds(2, process());
    expect(await world.subject()).toContain('step 1/3');
    await world.repository.commit('main', { 'tranche.yaml': config(world.cluster.nowSeconds) });
    await abortInFile(world);
    const keepQuiet = async (): Promise<void> => {
      const { main } = await world.moment();
      await world.repository.git('update-ref', `refs/heads/${STATUS}`, settled.status);
      const index = (await world.text(STATUS, INDEX))?.replace(/"number": \d+/, '"number": 4102444800') ?? '';
      const said = { main, settled: true, nextAuditAt: world.cluster.nowSeconds + 60 };
      await world.repository.commit(STATUS, { [INDEX]: resigned(index, (before) => ({ ...before, ...said })) });
    };
    for (let round = 0; round < 6; round += 1) {
      await keepQuiet();
      expect((await world.pass(process())).quiet).toBe(false);
      await world.goOn();
    }
    expect(await world.subject()).toContain('rolled back');
  });
});
