/** What a pass says of keys and of the status branch: each way out, followed to the letter, ends it, and the delivery goes on. */

import { beforeAll, describe, expect, test } from 'vitest';
import { newMemory, type PassResult } from '../../src/reconcile/pass.ts';
import { BareWorld, type Process, STATUS } from '../support/bare-world.ts';
import { pipeToGit } from '../support/git-server.ts';
import { abortInFile, type MidDeliveries, midDeliveries, OWN } from '../support/mid-delivery.ts';
import { publicHalf, signaturesOf } from '../support/status-key.ts';
import { LWS_FILE, NEW, OLD, VLLM_FILES } from '../support/vllm.ts';

let places: MidDeliveries;
beforeAll(async () => {
  places = await midDeliveries();
});

const reasonsOf = ({ warnings }: PassResult): readonly string[] => [...new Set(warnings.map(({ reason }) => reason))];
const holdsOf = ({ outcomes }: PassResult): readonly string[] =>
  outcomes.flatMap(({ plan }) => plan?.holds.map(({ reason }) => reason) ?? []);

/** Rounds until the newest commit of main starts so; the last pass. */
async function until(world: BareWorld, subject: string, process: Process): Promise<PassResult | undefined> {
  let last: PassResult | undefined;
  for (let round = 0; round < 20 && !(await world.subject()).startsWith(subject); round += 1) {
    await world.goOn();
    last = await world.pass(process);
  }
  expect(await world.subject()).toContain(subject);
  return last;
}

test.each(['default', '1e3'])(
  'StatusKeyUnnamed of cluster %s: the entry that it prints is taken, and all is signed',
  async (cluster) => {
    const config = `cluster: "${cluster}"\n`;
    const world = await BareWorld.open({ ...VLLM_FILES, 'tranche.yaml': config });
    const before = await world.rounds(3, OWN);
    expect(before && reasonsOf(before)).toEqual(['StatusKeyUnnamed']);
    const [, entry = ''] = /^Add (\{.*\}) to statusKeys on main\.$/.exec(before?.warnings[0]?.hint ?? '') ?? [];
    await world.repository.commit('main', { 'tranche.yaml': `${config}statusKeys:\n  - ${entry}\n` });
    const first = await world.rounds(1, OWN);
    expect(first?.issues).toEqual([]);
    expect(first && reasonsOf(first), 'of what nobody has signed, once').toEqual(['StatusTampered']);
    await world.edit(LWS_FILE, OLD, NEW);
    const next = await world.rounds(2, OWN);
    expect(next && reasonsOf(next)).toEqual([]);
    expect(await world.subject()).toContain('step 1/3');
  },
);

describe('StatusKeyMissing in the middle of a delivery', () => {
  test('an abort goes to its end, and the status branch stays as it is', async () => {
    const { world, moving } = places.signed;
    await world.back(moving);
    expect(holdsOf(await world.pass())[0]).toBe('StatusKeyMissing');
    await abortInFile(world);
    const end = await until(world, 'rollout(llm/vllm): rolled back', {});
    expect(end && holdsOf(end)).toContain('StatusKeyMissing');
    expect(await world.text('main', LWS_FILE)).toContain(OLD);
    expect(await world.text('main', LWS_FILE)).not.toContain(NEW);
    expect(await world.repository.git('rev-parse', STATUS)).toBe(moving.status);
    expect(await world.pass(OWN), 'who has the key goes on from there').toMatchObject({ failed: false });
  });

  test('a rollback that has begun goes on to its end', async () => {
    const { world, moving } = places.signed;
    await world.back(moving);
    await abortInFile(world);
    await until(world, 'rollout(llm/vllm): rollback', OWN);
    await until(world, 'rollout(llm/vllm): rolled back', {});
  });

  test('the key is lost: a new public half, as the hold says, and the delivery goes on', async () => {
    const { world, moving } = places.signed;
    await world.back(moving);
    const [held] = (await world.pass()).outcomes[0]?.plan?.holds ?? [];
    expect(held).toMatchObject({
      reason: 'StatusKeyMissing',
      action: expect.stringContaining('tranche status-key --cluster default, and the new public half in statusKeys'),
    });
    await world.edit('tranche.yaml', publicHalf(1), publicHalf(5));
    const fresh = { signatures: signaturesOf(5) };
    expect(reasonsOf((await world.rounds(1, fresh))!)).toEqual(['StatusTampered']);
    const second = await world.rounds(1, fresh);
    expect(second && reasonsOf(second)).toEqual([]);
    expect(second && holdsOf(second)).not.toContain('StatusKeyMissing');
    expect((await world.rounds(10, fresh))?.issues).toEqual([]);
    expect(await world.subject()).not.toContain('step 1/3');
  });
});

describe.each([
  ['with a key', () => places.signed, OWN],
  ['without a key', () => places.unsigned, {}],
] as const)('StatusTampered, a branch that nobody can read, %s', (_who, placeOf, own) => {
  /** One file without a name. */
  async function garbled({ repository }: BareWorld): Promise<void> {
    const bytes = Buffer.concat([Buffer.from('100644 \0'), Buffer.alloc(20, 1)]);
    const args = ['hash-object', '-w', '-t', 'tree', '--literally', '--stdin'];
    const tree = (await pipeToGit(repository.path, args, bytes)).trim();
    const commit = await repository.git('commit-tree', tree, '-p', STATUS, '-m', 'mine');
    await repository.git('update-ref', `refs/heads/${STATUS}`, commit);
  }

  test.each([
    ['it is deleted', ({ repository }: BareWorld) => repository.git('update-ref', '-d', `refs/heads/${STATUS}`)],
    [
      'what is not of tranche is taken out',
      async ({ repository }: BareWorld) => {
        const commit = await repository.git('commit-tree', `${STATUS}^^{tree}`, '-p', STATUS, '-m', 'as before');
        await repository.git('update-ref', `refs/heads/${STATUS}`, commit);
      },
    ],
  ])('%s: it is made again, and the delivery goes on', async (_what, way) => {
    const { world, moving } = placeOf();
    await world.back(moving);
    await garbled(world);
    const process = { ...own, memory: newMemory() };
    const said = await world.pass(process);
    expect(said.warnings).toMatchObject([
      {
        reason: 'StatusTampered',
        hint: expect.stringMatching(/^Delete the branch, .*or take out of it what tranche has not written\./),
      },
    ]);
    await way(world);
    await world.rounds(2, process);
    const after = await world.rounds(1, process);
    expect(after).toMatchObject({ issues: [], warnings: [] });
    expect(await world.text(STATUS, 'rollouts/default/llm/vllm.json')).toContain('"version"');
    await world.rounds(8, process);
    expect(await world.subject()).not.toContain('step 1/3');
  });
});
