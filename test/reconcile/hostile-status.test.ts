/** Somebody else pushes to the status branch: whatever stands there, no group goes, no brake waits, and it is said. */

import { beforeAll, describe, expect, test } from 'vitest';
import { asWritten, isJsonObject, type JsonObject } from '../../src/api/json.ts';
import type { RolloutRecord } from '../../src/api/record.ts';
import type { Signatures } from '../../src/ports/signatures.ts';
import { newMemory } from '../../src/reconcile/pass.ts';
import { evidenceText } from '../../src/reconcile/status/evidence-text.ts';
import { overridesText } from '../../src/reconcile/status/overrides-text.ts';
import { printRecord } from '../../src/reconcile/status/status-writes.ts';
import { BareWorld, type Moment, STATUS } from '../support/bare-world.ts';
import { privateHalf, publicHalf, resigned, signaturesOf } from '../support/status-key.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';

const NEXT = 'vllm/vllm-openai:v0.10.2';
const RECORD = 'rollouts/default/llm/vllm.json';
const INDEX = 'index.json';
/** Written where `statusKeys` names another cluster. */
const NUMBERS = 'numbers/default.json';
const own = { signatures: signaturesOf(1) };
const EXPIRED = '2020-01-01T00:00:00Z';
/** The first key signs; the second has expired; the third is of another cluster; the fourth is nobody's. */
const KEYS = `statusKeys:
  - {cluster: default, key: ${publicHalf(1)}}
  - {cluster: default, key: ${publicHalf(2)}, until: "${EXPIRED}"}
  - {cluster: east, key: ${publicHalf(3)}}
`;
/** An hour between its steps. */
const ROLLOUT = ROLLOUT_TEXT.replace('pause: {duration: 0}', 'pause: {duration: 3600}');

type Place = { readonly world: BareWorld; readonly settled: Moment; readonly moving: Moment; readonly old: string };

/** In the pause of its first step. */
async function placeOf(config: string, signatures: Signatures | undefined): Promise<Place> {
  const world = await BareWorld.open({ ...VLLM_FILES, [ROLLOUT_FILE]: ROLLOUT, 'tranche.yaml': config });
  const process = signatures === undefined ? {} : { signatures };
  await world.rounds(3, process);
  const settled = await world.moment();
  const old = (await world.text(STATUS, RECORD)) ?? '';
  await world.edit(LWS_FILE, OLD, NEW);
  await world.rounds(5, process);
  return { world, settled, moving: await world.moment(), old };
}

let signed: Place;
let unsigned: Place;
beforeAll(async () => {
  signed = await placeOf(KEYS, own.signatures);
  unsigned = await placeOf('intervalSeconds: 30\n', undefined);
});

function objectIn(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  const json = asWritten(value);
  return isJsonObject(json) ? json : {};
}

/** The record as if the pause were long over, and the groups had been restarted all the time. */
function forgedRecord(text: string): RolloutRecord {
  const {
    checksum: _sum,
    signature: _signature,
    ...record
  } = objectIn(text) as unknown as RolloutRecord & {
    readonly checksum: string;
    readonly signature?: unknown;
  };
  const { step } = record;
  if (step === undefined) throw new Error('there is a step');
  return {
    ...record,
    step: { ...step, writtenAt: 1, doneSince: 1, restarts: [{ index: 3, uid: 'x', count: 99, since: 1 }] },
  };
}

type Forger = (text: string, old: string) => string | undefined;

/** Signed by the nth key, for this place. */
function signedBy(nth: number, { cluster = 'default', path = RECORD, number = 0 } = {}): Forger {
  return (text) => {
    const record = { ...forgedRecord(text), cluster };
    const { own: signer } = signaturesOf(nth);
    if (signer === undefined) throw new Error('there is such a key');
    const place = { cluster, shard: undefined };
    const now = number === 0 ? Number(/"number": ([0-9]+)/.exec(text)?.[1]) + 1 : number;
    return printRecord(record, { signer, place, path, now, numbers: new Map() });
  };
}

const forgeries: readonly (readonly [what: string, forger: Forger, why: string])[] = [
  ['forged, with a checksum that fits', (text) => printRecord(forgedRecord(text)), 'it is not signed'],
  [
    'forged, with the signature of before',
    (text) => text.replace('"holds"', '"held"'),
    'its checksum does not fit: it was edited by hand',
  ],
  [
    'signed by a key that nobody has named',
    signedBy(4),
    'it is signed by a key that statusKeys does not name for default',
  ],
  ['signed by a key that has expired', signedBy(2), 'it is signed by a key that has expired'],
  [
    'signed by the key of another cluster',
    signedBy(3),
    'it is signed by a key that statusKeys does not name for default',
  ],
  [
    'signed for another path',
    signedBy(1, { path: 'rollouts/default/llm/other.json' }),
    'its signature is not of this content in this place',
  ],
  ['of another cluster', signedBy(3, { cluster: 'east' }), 'it is the record of east/llm/vllm'],
  ['one of before, put back', (_text, old) => old, 'an older one was put back'],
  ['no JSON', () => '{', 'it is no JSON'],
  ['an empty file', () => '', 'it is no JSON'],
  ['huge', (text) => `${text}${' '.repeat(6_000_000)}`, ''],
  [
    'of a newer tranche, without a signature',
    (text) => text.replace('"version": 1', '"version": 99'),
    'its signature is not of this content in this place',
  ],
];

const NO_NUMBER = 'rollouts/default/llm/vllm.json does not count: nothing that is signed names its number';

/** What says the numbers of records is taken away. */
const unproven: readonly (readonly [what: string, attack: Attack, why: readonly string[]])[] = [
  [
    'no index',
    (world) => world.repository.commit(STATUS, { [INDEX]: undefined }),
    ['index.json does not count: it is gone, and records are there', NO_NUMBER],
  ],
  [
    'the index of a cluster that has no key',
    async (world) =>
      world.repository.commit(STATUS, { [INDEX]: (await forgedIndex(world)).replace('"default"', '"west"') }),
    [NO_NUMBER],
  ],
  [
    'an index that is not signed',
    async (world) => world.repository.commit(STATUS, { [INDEX]: await forgedIndex(world) }),
    ['index.json does not count: it is not signed', NO_NUMBER],
  ],
  [
    'an index that is no JSON',
    (world) => world.repository.commit(STATUS, { [INDEX]: '{' }),
    ['index.json does not count: it is not signed', NO_NUMBER],
  ],
  [
    'an index of before that has no record',
    async (world) => {
      const text = (await world.text(STATUS, INDEX)) ?? '';
      const without = (index: Readonly<Record<string, unknown>>) => ({
        ...index,
        content: { numbers: {}, files: '0' },
      });
      return world.repository.commit(STATUS, { [INDEX]: resigned(text, without) });
    },
    [NO_NUMBER],
  ],
];

describe('with a key', () => {
  test.each(forgeries)(
    'a record that is %s: it is said, it lets nothing go, and it is made again',
    async (_what, forger, why) => {
      const { world, moving, old } = signed;
      await world.back(moving);
      const text = (await world.text(STATUS, RECORD)) ?? '';
      await world.repository.commit(STATUS, { [RECORD]: forger(text, old) });
      const main = await world.repository.git('rev-parse', 'main');
      const pass = await world.pass(own);
      expect(pass.warnings).toContainEqual(
        expect.objectContaining({
          reason: 'StatusTampered',
          file: `${STATUS}:${RECORD}`,
          message: expect.stringContaining(why),
        }),
      );
      expect(pass.outcomes[0]?.plan?.holds.map(({ reason }) => reason)).toContain('PauseDuration');
      expect(await world.repository.git('rev-parse', 'main')).toBe(main);
      const again = await world.pass(own);
      expect(again.warnings.map(({ reason }) => reason)).not.toContain('StatusTampered');
      expect(again.outcomes[0]?.snapshot?.recordProof).toBe('signed');
      expect(again.status).toBeUndefined();
    },
  );

  test('a record that is gone, or the whole branch: it is said, made again, and the pause starts again', async () => {
    const { world, moving } = signed;
    const all = { [RECORD]: undefined, [INDEX]: undefined, [NUMBERS]: undefined };
    for (const [take, said, process] of [
      [() => world.repository.commit(STATUS, { [RECORD]: undefined }), [`${RECORD} does not count: it is gone`], own],
      [
        () => world.repository.commit(STATUS, all),
        ['index.json does not count: it is gone'],
        { ...own, memory: newMemory() },
      ],
      [() => world.repository.git('update-ref', '-d', `refs/heads/${STATUS}`), [], own],
    ] as const) {
      await world.back(moving);
      await world.pass(process);
      await take();
      const pass = await world.pass(process);
      expect(pass.warnings.map(({ message }) => message)).toEqual(said.map((text) => expect.stringContaining(text)));
      expect(pass.outcomes[0]?.plan?.holds.map(({ reason }) => reason)).toContain('PauseDuration');
      expect((await world.pass(own)).outcomes[0]?.snapshot?.recordProof).toBe('signed');
    }
  });

  test.each(unproven)(
    'for a process that has seen nothing: a record of before, and %s: it is said, and the record is made again',
    async (_what, attack, why) => {
      const { world, moving } = signed;
      await world.back(moving);
      await world.pass(own);
      const older = (await world.text(STATUS, RECORD)) ?? '';
      await world.goOn(3700);
      expect((await world.pass(own)).outcomes[0]?.plan?.commit?.subject).toContain('step 2/3');
      await world.goOn();
      await world.pass(own);
      await attack(world, signed);
      await world.repository.commit(STATUS, { [RECORD]: older, [NUMBERS]: undefined });
      const { warnings } = await world.pass(own);
      expect(warnings.map(({ message }) => message)).toEqual(why.map((text) => expect.stringContaining(text)));
      expect(warnings.map(({ reason }) => reason)).toEqual(why.map(() => 'StatusTampered'));
      const again = await world.pass(own);
      expect(again.warnings).toEqual([]);
      expect(again.outcomes[0]?.snapshot?.recordProof).toBe('signed');
    },
  );

  test('files by the thousand that nobody has signed: the first are named, and all are taken out', async () => {
    const { world, moving } = signed;
    await world.back(moving);
    const forged = Array.from({ length: 300 }, (_, at) => [`rollouts/default/llm/v${at}.json`, '{}'] as const);
    await world.repository.commit(STATUS, Object.fromEntries(forged));
    const { warnings } = await world.pass(own);
    expect(warnings).toHaveLength(21);
    expect(warnings.at(-1)).toMatchObject({
      reason: 'StatusTampered',
      file: STATUS,
      message: expect.stringContaining('280'),
    });
    expect(await world.text(STATUS, 'rollouts/default/llm/v0.json')).toBeUndefined();
  });

  test('a lower number than this process has seen is one of before, though all of the branch is put back with it', async () => {
    const { world, moving } = signed;
    await world.back(moving);
    const process = { ...own, memory: newMemory() };
    await world.pass(process);
    const before = await world.moment();
    await world.goOn(3700);
    expect((await world.pass(process)).outcomes[0]?.plan?.commit?.subject).toContain('step 2/3');
    await world.repository.git('update-ref', `refs/heads/${STATUS}`, before.status);
    const { warnings } = await world.pass(process);
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^index.json does not count: an older one was put back: it has number \d+, and \d+ was there$/,
      ),
      expect.stringMatching(/^numbers.default.json does not count: an older one was put back/),
      expect.stringMatching(/^rollouts.*vllm.json does not count: an older one was put back/),
    ]);
    await world.repository.git('update-ref', '-d', `refs/heads/${STATUS}`);
    expect((await world.pass(process)).warnings[0]?.message).toContain('it is gone, and with it all records');
  });

  test('the branch as it was when all was settled, of this main, before a process that has seen a later one: it is not quiet', async () => {
    const { world, settled } = signed;
    await world.back(settled);
    const process = { ...own, memory: newMemory() };
    await world.goOn(3700);
    await world.pass(process);
    const before = await world.repository.git('rev-parse', STATUS);
    expect((await world.pass(process)).quiet).toBe(true);
    await world.repository.commit(STATUS, { [RECORD]: '{' });
    expect((await world.pass(process)).quiet).toBe(false);
    await world.repository.git('update-ref', `refs/heads/${STATUS}`, before);
    const { quiet, warnings } = await world.pass(process);
    expect(quiet).toBe(false);
    expect(warnings[0]?.message).toContain('index.json does not count: an older one was put back');
  });

  test('all of the branch put back, for a process that has seen nothing: it is believed, and lets no step of now go', async () => {
    const { world, moving } = signed;
    await world.back(moving);
    await world.pass(own);
    const before = await world.moment();
    await world.goOn(3700);
    expect((await world.pass(own)).outcomes[0]?.plan?.commit?.subject).toContain('step 2/3');
    await world.goOn();
    await world.repository.git('update-ref', `refs/heads/${STATUS}`, before.status);
    const { warnings, outcomes } = await world.pass(own);
    expect(warnings).toEqual([]);
    expect(outcomes[0]?.snapshot?.recordProof).toBe('signed');
    expect(outcomes[0]?.plan?.commit).toBeUndefined();
    expect(outcomes[0]?.plan?.holds.map(({ reason }) => reason)).toEqual(['PausedForApproval']);
  });

  test('all of the branch put back from the delivery before, for a process that has seen nothing: an abort goes back to what main names', async () => {
    const { world, settled } = signed;
    await world.back(settled);
    await world.edit(ROLLOUT_FILE, 'pause: {duration: 3600}', 'pause: {duration: 0}');
    await world.edit(ROLLOUT_FILE, 'pause: {}', 'pause: {duration: 0}');
    await world.edit(LWS_FILE, OLD, NEW);
    await world.rounds(5, own);
    const before = await world.moment();
    expect(await world.text(STATUS, RECORD)).toContain(OLD);
    await world.rounds(8, own);
    expect(await world.subject()).toBe('rollout(llm/vllm): settled');
    await world.edit(LWS_FILE, NEW, NEXT);
    await world.rounds(3, own);
    const text = (await world.text('main', LWS_FILE)) ?? '';
    const release = /tranche\.dev\/release: "?([^"\n]+)"?/.exec(text)?.[1] ?? '';
    expect(text).toMatch(/step: "[12]\/3@/);
    const annotated = `  namespace: llm\n  annotations: {tranche.dev/abort: "${release}"}\nspec`;
    await world.edit(ROLLOUT_FILE, '  namespace: llm\nspec', annotated);
    await world.repository.git('update-ref', `refs/heads/${STATUS}`, before.status);
    expect((await world.pass(own)).outcomes[0]?.plan?.commit?.reason).toBe('Aborted');
    const back = (await world.text('main', LWS_FILE)) ?? '';
    expect([back.includes(NEW), back.includes(OLD), back.includes(NEXT)]).toEqual([true, false, false]);
  });

  test('all of the branch put back from before a pause, for a process that has seen nothing: it is paused', async () => {
    const { world, moving } = signed;
    await world.back(moving);
    await world.pass(own);
    const before = await world.moment();
    await world.edit(ROLLOUT_FILE, 'strategy:\n', 'strategy:\n    paused: true\n');
    await world.goOn(3700);
    await world.pass(own);
    await world.repository.git('update-ref', `refs/heads/${STATUS}`, before.status);
    const { outcomes } = await world.pass(own);
    expect(outcomes[0]?.plan?.commit).toBeUndefined();
    expect(outcomes[0]?.plan?.holds.map(({ reason }) => reason)).toContain('Paused');
  });

  test.each([INDEX, NUMBERS, RECORD])(
    'a number behind which there is none, which no key has signed, in %s: ours does not follow it',
    async (path) => {
      const { world, moving } = signed;
      await world.back(moving);
      const process = { ...own, memory: newMemory() };
      await world.pass(process);
      const text = (await world.text(STATUS, path)) ?? '';
      const high = text.replace(/"number": \d+/, `"number": ${Number.MAX_SAFE_INTEGER - 1}`);
      await world.repository.commit(STATUS, { [path]: high });
      await world.pass(process);
      const { number } = JSON.parse((await world.text(STATUS, path)) ?? '').signature;
      expect(number).toBeLessThanOrEqual(world.cluster.nowSeconds + 1);
      await world.goOn(3700);
      // The step goes, and both agree on what is there from then on.
      for (const one of [process, own, process, own]) expect((await world.pass(one)).warnings).toEqual([]);
    },
  );

  test('counts of a Rollout that has no record yet, which nobody has signed: they are said, and not kept', async () => {
    const { world, settled } = signed;
    await world.back(settled);
    const counts = { n: 1, x: 1 };
    const metrics = [{ name: 'chat/errors', kind: 'passed', canary: counts, stable: counts, parts: [] }] as const;
    const release = { digest: '9c41d2e09c41d2e09c41d2e09c41d2e0', serial: 7 };
    const path = 'analysis/default/llm/other/7-001.json';
    await world.repository.commit(STATUS, {
      [path]: evidenceText('default/llm/other', { release, step: '1/3', metrics }),
    });
    const workload = ((await world.text('main', LWS_FILE)) ?? '').replaceAll('vllm', 'other');
    const rollout = ROLLOUT.replaceAll('vllm', 'other');
    await world.repository.commit('main', { 'other/workload.yaml': workload, 'other/rollout.yaml': rollout });
    const { warnings } = await world.pass(own);
    expect(warnings.map(({ reason, file }) => `${reason} ${file}`)).toContain(`StatusTampered ${STATUS}:${path}`);
    expect(await world.text(STATUS, 'rollouts/default/llm/other.json')).toBeDefined();
    expect(await world.text(STATUS, path)).toBeUndefined();
  });

  test('a second pass writes nothing, and two processes write the same bytes', async () => {
    const { world, moving } = signed;
    const heads: string[] = [];
    for (let twice = 0; twice < 2; twice += 1) {
      await world.back(moving);
      await world.goOn(3700);
      await world.pass(own);
      heads.push(await world.repository.git('rev-parse', 'main', STATUS));
      // The next one sees what the step has changed.
      await world.pass(own);
      expect((await world.pass(own)).status).toBeUndefined();
    }
    expect(heads[0]).toBe(heads[1]);
  });

  test('another key on main: the records are made again once, and that is said once', async () => {
    const { world, settled } = signed;
    await world.back(settled);
    await world.repository.commit('main', {
      'tranche.yaml': `statusKeys: [{cluster: default, key: ${publicHalf(5)}}]\n`,
    });
    const next = { signatures: signaturesOf(5) };
    expect((await world.pass(next)).warnings.map(({ reason }) => reason)).toEqual([
      'StatusTampered',
      'StatusTampered',
      'StatusTampered',
    ]);
    await world.goOn();
    await world.pass(next);
    expect(await world.pass(next)).toMatchObject({ quiet: true, warnings: [] });
  });
});

/** What a pusher says so that nobody looks: all settled at this very main. */
async function forgedIndex({ repository, cluster }: BareWorld): Promise<string> {
  const main = await repository.git('rev-parse', 'main');
  const overrides = overridesText({ branch: undefined, statusBranch: undefined, cluster: undefined, paths: undefined });
  const audit = { lookedAt: cluster.nowSeconds, nextAuditAt: cluster.nowSeconds + 3000, auditSeconds: 3600 };
  const hints = { paths: [''], traffic: [], folders: [], intervalSeconds: 30, overrides };
  return JSON.stringify({ version: 1, cluster: 'default', main, settled: true, ...audit, ...hints });
}

type Attack = (world: BareWorld, place: Place) => Promise<unknown>;

const silences: readonly (readonly [what: string, attack: Attack])[] = [
  [
    'an index that says that all is settled, and no record',
    async (world) => world.repository.commit(STATUS, { [INDEX]: await forgedIndex(world), [RECORD]: undefined }),
  ],
  [
    'an index without a time for the next audit',
    async (world) =>
      world.repository.commit(STATUS, {
        [INDEX]: (await forgedIndex(world)).replace(/"nextAuditAt":\d+,/, ''),
        [RECORD]: undefined,
      }),
  ],
  [
    'the branch as it was when all was settled, of this main',
    async (world, { settled }) => {
      await world.repository.git('update-ref', `refs/heads/${STATUS}`, settled.status);
      const text = (await world.text(STATUS, INDEX)) ?? '';
      const main = await world.repository.git('rev-parse', 'main');
      return world.repository.commit(STATUS, { [INDEX]: text.replace(settled.main, main) });
    },
  ],
  ['no branch at all', (world) => world.repository.git('update-ref', '-d', `refs/heads/${STATUS}`)],
  ['an index that is no JSON', (world) => world.repository.commit(STATUS, { [INDEX]: 'x'.repeat(2_000_000) })],
  ['an index of a newer tranche', (world) => world.repository.commit(STATUS, { [INDEX]: '{"version": 99}' })],
];

describe.each([
  ['with a key', () => signed, own],
  ['without a key', () => unsigned, {}],
  ['where main names one that this process does not have', () => signed, {}],
] as const)('%s, an abort is carried out', (_who, placeOfIt, process) => {
  test.each(silences)('%s', async (_what, attack) => {
    const place = placeOfIt();
    const { world, moving } = place;
    await world.back(moving);
    const text = (await world.text('main', LWS_FILE)) ?? '';
    const release = /tranche\.dev\/release: "?([^"\n]+)"?/.exec(text)?.[1] ?? '';
    await world.edit(
      ROLLOUT_FILE,
      '  namespace: llm\nspec',
      `  namespace: llm\n  annotations: {tranche.dev/abort: "${release}"}\nspec`,
    );
    await attack(world, place);
    const pass = await world.pass(process);
    expect(pass.quiet).toBe(false);
    expect(pass.outcomes[0]?.plan?.commit?.reason).toBe('Aborted');
    expect(await world.subject()).toBe('rollout(llm/vllm): rollback');
  });
});

describe('where main names a key that this process does not have', () => {
  test('no record and no step forward is written, whatever is wrong with the key; who only looks needs none', async () => {
    const { world, moving } = signed;
    for (const [signatures, why] of [
      [undefined, 'TRANCHE_STATUS_KEY is not set'],
      [signaturesOf(4), 'the one of this process is not among them'],
      [signaturesOf(2), `the one of this process has expired at ${EXPIRED}`],
    ] as const) {
      await world.back(moving);
      await world.goOn(3700);
      const heads = await world.repository.git('rev-parse', 'main', STATUS);
      const pass = await world.pass({ signatures });
      expect(pass).toMatchObject({ failed: true, status: undefined });
      const [held] = pass.outcomes[0]?.plan?.holds ?? [];
      expect(held).toMatchObject({ reason: 'StatusKeyMissing', seen: expect.stringContaining(why) });
      expect(await world.repository.git('rev-parse', 'main', STATUS)).toBe(heads);
    }
    expect(privateHalf(1)).not.toBe(privateHalf(2));
  });
});

test('without a key a pass is quiet by what the same process has seen, and never by what stands on the branch', async () => {
  const { world, settled } = unsigned;
  await world.back(settled);
  await world.goOn();
  expect((await world.pass()).quiet).toBe(false);
  const memory = newMemory();
  expect((await world.pass({ memory })).quiet).toBe(false);
  expect((await world.pass({ memory })).quiet).toBe(true);
  await world.repository.commit(STATUS, { [INDEX]: await forgedIndex(world) });
  expect((await world.pass({ memory })).quiet).toBe(false);
  expect((await world.pass({ memory })).quiet).toBe(true);
  await world.goOn(3600);
  expect((await world.pass({ memory })).quiet).toBe(false);
});
