/** Every order on a workload is what it is without the files of others: none refuses one, changes one, or takes its place. */

import { describe, expect, test } from 'vitest';
import { NO_OVERRIDES } from '../../src/api/config.ts';
import { factsDigest } from '../../src/reconcile/documents/digests.ts';
import { order } from '../../src/reconcile/order.ts';
import { type Intent, planIntent } from '../../src/rollout/orders/intent.ts';
import { FILES_OF_OTHERS, placed } from '../support/files-of-others.ts';
import { EVIL, Forgery, reasonsOf, saidOf } from '../support/forgery.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, VLLM_FILES } from '../support/vllm.ts';

const BACK_ROUNDS = 6;

/** Somebody types it, with the namespace and with a commit where that is meant. */
async function ordered(at: Forgery, intent: Intent, from?: string): Promise<string> {
  const reads = intent.kind === 'undo' ? ('delivery' as const) : undefined;
  const asked = { target: { name: 'vllm', namespace: 'llm' }, overrides: NO_OVERRIDES, by: 'ana', reads, from };
  const done = await order(at.world.ports(), asked, (scene) => planIntent(intent, { ...scene, digestOf: factsDigest }));
  return done.kind === 'refused' ? `refused: ${done.why}` : done.what;
}

async function aborted(): Promise<Forgery> {
  const at = await new Forgery(VLLM_FILES).stepped();
  await at.order({ kind: 'abort', keepNewer: false });
  await at.until('rolled back');
  at.edit(LWS_FILE, new RegExp(OLD, 'g'), NEW);
  await at.round();
  return at;
}

async function settled(): Promise<Forgery> {
  const at = new Forgery({
    ...VLLM_FILES,
    [ROLLOUT_FILE]: VLLM_FILES[ROLLOUT_FILE].replace('pause: {}', 'pause: {duration: 0}'),
    'policies/undo.yaml':
      'apiVersion: tranche.dev/v1alpha1\nkind: RolloutPolicy\nmetadata: {name: undo}\nspec: {undoWithinSeconds: 86400}\n',
  });
  await at.until('adopt');
  await at.round();
  at.edit(LWS_FILE, new RegExp(OLD, 'g'), NEW);
  await at.until('settled');
  await at.round();
  return at;
}

type Given = (at: Forgery) => Promise<string>;
const firstCommit = (at: Forgery): string => at.line()[0]?.oid ?? '';
const SCENES: readonly (readonly [what: string, start: () => Promise<Forgery>, given: Given, isBack: boolean])[] = [
  ['abort', () => new Forgery().stepped(), (at) => ordered(at, { kind: 'abort', keepNewer: false }), true],
  [
    'abort --from',
    () => new Forgery().stepped(),
    (at) => ordered(at, { kind: 'abort', keepNewer: false, from: firstCommit(at) }, firstCommit(at)),
    true,
  ],
  ['pause', () => new Forgery().stepped(), (at) => ordered(at, { kind: 'pause' }), true],
  ['eject --abort', () => new Forgery().stepped(), (at) => at.eject({ abort: true }), true],
  [
    'repair',
    async () => {
      const at = await new Forgery().stepped();
      at.mark('step', 'nonsense');
      return at;
    },
    (at) => at.repair(),
    false,
  ],
  ['retry', aborted, (at) => ordered(at, { kind: 'retry', release: undefined }), false],
  ['undo', settled, (at) => ordered(at, { kind: 'undo', to: undefined }), true],
  ['eject', settled, (at) => at.eject(), true],
];

/** What became of it: the answer, and the files of its owners after it, and once all that follows is done. */
async function played(at: Forgery, given: Given, isBack: boolean): Promise<readonly string[]> {
  const said = await given(at);
  const after = [at.text(LWS_FILE), at.text(ROLLOUT_FILE)];
  for (let round = 0; round < (isBack ? BACK_ROUNDS : 0); round += 1) await at.round();
  return [said, ...after, at.text(LWS_FILE), at.text(ROLLOUT_FILE), isBack ? at.world.groups() : ''];
}

/** What becomes of the namespace in the middle of a delivery. */
const OWNERS: Readonly<Record<string, string>> = {
  'taken from its folders': 'owners: {llm: [platform]}\n',
  'left to the folder of the workload': 'owners: {"*": [platform], llm: [apps]}\n',
  'left to the folder of the Rollout, in other letters to the other': 'owners: {llm: [Apps, rollouts]}\n',
  'of a pattern that is none': 'owners: {LLM: [apps]}\n',
};

describe.each(SCENES)('%s', async (_, start, given, isBack) => {
  const base = await start();
  const wanted = await played(base.fork(), given, isBack);

  test('is written', () => {
    expect(wanted[0]).not.toMatch(/^refused/);
    expect(wanted.slice(1, 3)).not.toEqual([base.text(LWS_FILE), base.text(ROLLOUT_FILE)]);
  });

  test.each(Object.entries(FILES_OF_OTHERS))('%s', async (__, [path, content]) => {
    const at = base.fork();
    placed(at.world, path, content);
    expect(await played(at, given, isBack)).toEqual(wanted);
  });

  test.each(Object.entries(OWNERS))('owners are edited, the namespace is %s', async (__, text) => {
    const at = base.fork();
    at.write('tranche.yaml', text);
    expect(await played(at, given, isBack)).toEqual(wanted);
  });
});

test.each(Object.entries(OWNERS))(
  'the namespace is %s: no step goes forward, and the reason has a name',
  async (_, text) => {
    const at = await new Forgery().stepped();
    const written = at.write('tranche.yaml', text);
    const reasons = new Set<string>();
    for (let round = 0; round < BACK_ROUNDS; round += 1)
      for (const one of reasonsOf(await at.round())) reasons.add(one);
    expect([...reasons].filter((one) => /ForeignFolder|BadPattern/.test(one))).toHaveLength(1);
    expect(at.world.repository.head('main')).toBe(written);
  },
);

const GIVEN = 'owners: {llm: [teams, rollouts]}\n';
const ABORT = { kind: 'abort', keepNewer: false } as const;

/** A delivery whose namespace is handed to another folder, by a copy of its file. */
const HANDED: Readonly<Record<string, (at: Forgery) => unknown>> = {
  'copied, and then given': (at) => {
    at.write('teams/lws.yaml', at.text());
    at.write('tranche.yaml', GIVEN);
  },
  'given, and then copied': (at) => {
    at.write('tranche.yaml', GIVEN);
    at.write('teams/lws.yaml', at.text());
  },
  'copied, and the file goes later': (at) => {
    at.write('teams/lws.yaml', at.text());
    at.write('tranche.yaml', GIVEN);
    at.write(LWS_FILE, undefined);
  },
  'copied into a file of another form': (at) => {
    at.write('teams/lws.yaml', `# moved\n---\n${at.text().replace(/^#.*\n/gm, '')}`);
    at.write('tranche.yaml', GIVEN);
  },
  'copied, with a pass in between': async (at) => {
    at.write('teams/lws.yaml', at.text());
    await at.round();
    at.write('tranche.yaml', GIVEN);
  },
  'copied twice': (at) => {
    at.write('teams/a/lws.yaml', at.text());
    at.write('teams/lws.yaml', at.text());
    at.write('teams/a/lws.yaml', undefined);
    at.write('tranche.yaml', GIVEN);
  },
  'copied, and others had a copy before': (at) => {
    at.write('a/lws.yaml', at.text());
    at.write('teams/lws.yaml', at.text());
    at.write('tranche.yaml', GIVEN);
  },
  'copied, and others had settled another template under its name before': (at) => {
    const theirs = at
      .text()
      .replaceAll(NEW, EVIL)
      .replace(/ {4}tranche\.dev\/(step|stable|restore): .*\n/g, '');
    at.write('a/lws.yaml', theirs);
    at.write('a/lws.yaml', at.text());
    at.write('teams/lws.yaml', at.text());
    at.write('tranche.yaml', GIVEN);
  },
};

test.each(Object.entries(HANDED))(
  'the namespace is given to another folder, %s: an abort goes back',
  async (_, hand) => {
    const at = await new Forgery().stepped();
    await hand(at);
    await ordered(at, ABORT);
    for (let round = 0; round < BACK_ROUNDS; round += 1) await at.round();
    expect(at.text('teams/lws.yaml')).toContain(OLD);
    expect(at.text('teams/lws.yaml')).not.toMatch(new RegExp(`${NEW}|${EVIL}`));
  },
);

test('a copy that is no longer the same has no past: the hold names the order that goes back', async () => {
  const at = await new Forgery().stepped();
  at.write('teams/lws.yaml', at.text().replaceAll(NEW, EVIL));
  at.write('tranche.yaml', GIVEN);
  await ordered(at, ABORT);
  const held = await at.round();
  expect(reasonsOf(held)).toEqual(['StableUnavailable', 'ForeignFolder']);
  const told = /In (\S+) main had it as delivered, in ([0-9a-f]{40}): .*tranche abort vllm --from COMMIT$/m;
  const [, file, from = ''] = told.exec(saidOf(held)) ?? [];
  expect(file).toBe(LWS_FILE);
  await ordered(at, { ...ABORT, from }, from);
  await at.round();
  expect(at.text('teams/lws.yaml')).toContain(OLD);
  expect(at.text('teams/lws.yaml')).not.toContain(EVIL);
});

test('in a clone that ends after a twin came nobody can tell whose the workload is: an order is refused, and no group goes', async () => {
  const at = await new Forgery().stepped();
  await at.round();
  placed(at.world, 'a.yaml', VLLM_FILES[LWS_FILE]);
  at.write('README.md', 'later\n');
  at.lose(
    at
      .line()
      .slice(0, -1)
      .map(({ oid }) => oid),
  );
  const groups = at.world.groups();
  expect(await at.order({ kind: 'abort', keepNewer: false })).toContain('cannot be read from the files');
  for (let round = 0; round < 3; round += 1)
    expect(saidOf(await at.round())).toContain('the same object is also in apps/vllm/lws.yaml');
  expect(at.world.groups()).toBe(groups);
});
