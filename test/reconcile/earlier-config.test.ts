/** A `tranche.yaml` that cannot be read: what main's own line last said counts for what goes back, and no step goes forward. */

import { describe, expect, test } from 'vitest';
import { NO_OVERRIDES, type PassResult } from '../../src/reconcile/pass.ts';
import { orderLine } from '../../src/reconcile/stop-line.ts';
import { Forgery, reasonsOf } from '../support/forgery.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';

const CONFIG = 'tranche.yaml';
const GOOD = 'cluster: eu\npaths: [apps, rollouts, policies]\nowners:\n  llm: [apps, rollouts]\n';

const started = (): Promise<Forgery> => new Forgery({ ...VLLM_FILES, [CONFIG]: GOOD }).stepped();

type Break = (at: Forgery) => unknown;
const BREAKS: readonly (readonly [what: string, said: string, spoil: Break])[] = [
  ['no YAML', 'tranche.yaml:2 UnparsableYaml', (at) => at.write(CONFIG, 'cluster: [eu\n')],
  ['a field that nobody knows', 'tranche.yaml:2 UnknownField', (at) => at.write(CONFIG, 'cluster: eu\npath: apps\n')],
  ['a cluster that is no name', 'tranche.yaml:1 BadName', (at) => at.write(CONFIG, 'cluster: EU WEST\n')],
  ['nothing of owners', 'tranche.yaml:1 WrongType', (at) => at.write(CONFIG, 'owners: 5\n')],
  [
    'the other name',
    'tranche.yaml:1 WrongName',
    (at) =>
      at.world.repository.commit('main', {
        writes: [
          { path: CONFIG, text: undefined },
          { path: 'tranche.yml', text: GOOD },
        ],
      }),
  ],
  [
    'several that are wrong, one after the other',
    'tranche.yaml:2 UnparsableYaml',
    (at) => {
      for (let edit = 0; edit < 30; edit += 1) {
        at.write(CONFIG, `cluster: [${'x'.repeat(Math.floor(edit / 10))}\n`);
        at.write('notes.md', `${edit}\n`);
      }
    },
  ],
];

const said = ({ issues }: PassResult): string =>
  issues.map(({ file, line, reason, message, hint }) => `${file}:${line} ${reason} ${message}. ${hint}`).join('\n');

test.each(BREAKS)(
  '%s: no step goes forward, and an abort goes by the folders and owners of then',
  async (_, wanted, spoil) => {
    const at = await started();
    const strange = ROLLOUT_TEXT.replaceAll('25%', '100%');
    at.write('policies/mine.yaml', strange);
    spoil(at);
    const before = at.line().length;
    const held = await at.round();
    expect(held.failed).toBe(true);
    expect(said(held)).toContain(wanted);
    expect(said(held)).toMatch(/tranche\.yaml:1 EarlierConfig .*that of [0-9a-f]{8} counts/);
    expect(reasonsOf(held)).toContain('ForeignFolder');
    expect(at.line()).toHaveLength(before);
    expect(await at.order({ kind: 'abort', keepNewer: false })).toContain('abort');
    await at.until('rolled back', 8);
    expect(at.text()).toContain(OLD);
    expect(at.text('policies/mine.yaml')).toBe(strange);
    expect(at.world.repository.log('main')[0]?.message).toContain('eu/llm/vllm');
  },
);

const edits = (at: Forgery, count: number): void => {
  for (let edit = 0; edit < count; edit += 1) at.write('notes.md', `${at.line().length}\n`);
};

test.each([
  // The commits with the same wrong bytes before the version that is right, and after it.
  [2, 2],
  [70, 230],
])('a right version with the same wrong bytes around it counts, and no older one: %i and %i', async (before, after) => {
  const at = await started();
  at.write(CONFIG, 'cluster: [eu\n');
  edits(at, before - 1);
  at.write(CONFIG, `${GOOD}auditSeconds: 90\n`);
  const right = at.line().at(-1)?.oid;
  at.write(CONFIG, 'cluster: [eu\n');
  edits(at, after - 1);
  expect(said(await at.round())).toContain(`that of ${right?.slice(0, 8)} counts`);
});

test('a release that is taken back in its file rolls back', async () => {
  const at = await started();
  at.write(CONFIG, 'cluster: [eu\n');
  at.edit(LWS_FILE, new RegExp(NEW, 'g'), OLD);
  await at.until('rollback', 3);
});

test('a file that is mended counts from then on', async () => {
  const at = await started();
  at.write(CONFIG, 'cluster: [eu\n');
  await at.round();
  at.write(CONFIG, GOOD);
  expect(await at.round()).toMatchObject({ issues: [], failed: false });
});

test('a file that is wrong from its first version on: a rollback goes by what counted without it', async () => {
  const at = await new Forgery().stepped();
  at.write(CONFIG, 'paths: [apps\n');
  at.edit(LWS_FILE, new RegExp(NEW, 'g'), OLD);
  const result = await at.round();
  expect(said(result)).toContain(
    'EarlierConfig tranche.yaml is wrong as it is now. For rollbacks, orders and drains none counts',
  );
  expect(at.world.subject()).toContain('rollback');
});

test('a fault of steps alone takes nothing from owners, keys and folders of the last file that was right', async () => {
  const at = await started();
  at.write('policies/mine.yaml', ROLLOUT_TEXT.replaceAll('25%', '100%'));
  at.write(CONFIG, 'cluster: eu\npaths: [apps, rollouts, policies]\nowners:\n  LLM: [apps]\n');
  const result = await at.round();
  expect(reasonsOf(result)).toEqual(expect.arrayContaining(['BadPattern', 'EarlierConfig', 'ForeignFolder']));
});

test('tranche stop writes its policy where the last readable file says', async () => {
  const at = await new Forgery({ ...VLLM_FILES, [CONFIG]: `${GOOD}stopFile: policies/line.yaml\n` }).stepped();
  at.write(CONFIG, 'stopFile: 7\npath: apps\n');
  const wish = { kind: 'stop', until: undefined, why: 'outage' } as const;
  const done = await orderLine(at.world.ports(), { wish, overrides: NO_OVERRIDES, by: 'ada' });
  expect(done).toMatchObject({ kind: 'written' });
  expect(at.text('policies/line.yaml')).toContain('kind: RolloutPolicy');
});

describe('no version that can be read is known', () => {
  test('the clone ends before: nothing says which folders are of this cluster, and the pass says what to do', async () => {
    const at = await started();
    at.write(CONFIG, 'cluster: [eu\n');
    const [, ...older] = [...at.line()].reverse();
    at.lose(older.map(({ oid }) => oid));
    await expect(at.round()).rejects.toThrow(
      /nothing says which folders .*: none of the 1 commits .*whole history.*say --cluster and --path/,
    );
  });

  test('more commits with a wrong one than are looked at: no older one is taken, and the pass says what to do', async () => {
    const at = await started();
    at.write(CONFIG, 'cluster: [eu\n');
    for (let edit = 0; edit < 4998; edit += 1) at.write('notes.md', `${edit}\n`);
    expect(said(await at.round())).toContain('EarlierConfig');
    at.write('notes.md', 'one more\n');
    await expect(at.round()).rejects.toThrow(
      /none of the newest 5000 commits has one that can be read, and older ones are not looked at.*say --cluster and --path/,
    );
  });

  test('as many wrong ones as are looked at: by cluster and folders of the command line a rollback goes, without a record', async () => {
    const at = await started();
    for (let edit = 0; edit < 51; edit += 1) at.write(CONFIG, `cluster: [${'x'.repeat(edit)}\n`);
    at.edit(LWS_FILE, new RegExp(NEW, 'g'), OLD);
    const status = at.world.repository.head('tranche-status');
    await expect(at.round()).rejects.toThrow('say --cluster and --path');
    const result = await at.round(60, { ...NO_OVERRIDES, cluster: 'eu', paths: ['apps', 'rollouts'] });
    expect(said(result)).toContain('--cluster and --path count');
    expect(reasonsOf(result)).toContain('StatusKeyMissing');
    expect(at.world.subject()).toContain('rollback');
    expect(at.world.repository.head('tranche-status')).toBe(status);
  });
});
