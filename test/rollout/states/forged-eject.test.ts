/** Handing a workload back whose marks somebody has forged: the order writes at once what no pass looks at any more. */

import { expect, test } from 'vitest';
import { parseManifestFile } from '../../../src/manifests/parse-file.ts';
import { readWorkload } from '../../../src/reconcile/documents/read-workload.ts';
import { LWS, markIn, put, STYLES, standing } from '../../support/forged-share.ts';
import { EVIL, Forgery } from '../../support/forgery.ts';
import { LWS_FILE, NEW, OLD } from '../../support/vllm.ts';

const digestOf = (text: string): string =>
  readWorkload(parseManifestFile(LWS_FILE, text, ['LeaderWorkerSet']).documents[0]!).workload?.digest ?? '';

const evil = (text: string): string => text.replaceAll(NEW, EVIL).replaceAll(OLD, EVIL);

/** The mark names the commit, and the template that it really has. */
const name = (at: Forgery, commit: string): void => void at.mark('stable', `${commit}@${digestOf(evil(at.text()))}`);

const restoring =
  (fields: object) =>
  (at: Forgery): void => {
    const there: unknown = JSON.parse(/tranche\.dev\/restore: '(.*)'/.exec(at.text())?.[1] ?? '{}');
    const is = JSON.stringify(Object.assign({}, there, fields));
    at.edit(LWS_FILE, /tranche\.dev\/restore: .*/, `tranche.dev/restore: '${is}'`);
  };

const FORGERIES: Readonly<Record<string, readonly [forge: (at: Forgery) => void, said: RegExp]>> = {
  'a stable version that nobody has merged': [
    (at) => name(at, at.unmerged(LWS_FILE, evil(at.text()))),
    /lws\.yaml:\d+: .*tranche\.dev\/stable says .* does not count/,
  ],
  'a stable version that was merged and taken back': [
    (at) => {
      const text = at.text();
      const merged = at.write(LWS_FILE, evil(text));
      at.write(LWS_FILE, text);
      name(at, merged);
    },
    /tranche\.dev\/stable says .* does not count/,
  ],
  'a stable version that is the new one': [
    (at) => void at.mark('stable', `${at.world.repository.head('main')}@${digestOf(at.text())}`),
    /tranche\.dev\/stable says .* does not count/,
  ],
  'replicas of one': [
    restoring({ replicas: { was: 1, set: 4 } }),
    /tranche\.dev\/restore says that replicas was 1, .* does not count/,
  ],
  'a budget of all': [restoring({ maxUnavailable: { was: '100%', set: 1 } }), /(?:)/],
  'nothing in progress': [
    (at) => {
      for (const mark of ['step', 'restore']) at.edit(LWS_FILE, new RegExp(` +tranche\\.dev/${mark}: .*\n`), '');
    },
    /(?:)/,
  ],
};

const fieldsOf = (text: string): readonly string[] => text.match(/^ *(replicas|maxUnavailable): \S+/gm) ?? [];

test.each([
  ['a stable version that nobody has merged'],
  ['a stable version that was merged and taken back'],
  ['a stable version that is the new one'],
  ['replicas of one'],
  ['a budget of all'],
  ['nothing in progress'],
])('eject --abort, forged: %s: what main had before comes back', async (what) => {
  const at = await new Forgery().stepped();
  await at.round();
  const fields = fieldsOf(at.text());
  const [forge, said] = FORGERIES[what] ?? [() => undefined, /(?:)/];
  forge(at);
  const answer = await at.eject({ abort: true });
  for (let round = 0; round < 8; round += 1) await at.round();
  expect(answer).toMatch(said);
  expect([at.text().includes(OLD), at.text().includes(EVIL), at.text().includes(NEW)]).toEqual([true, false, false]);
  expect(fieldsOf(at.text()), answer).toEqual(fields);
  expect(at.world.groups()).toBe('0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+');
});

test.each([
  ['replicas of one'],
  ['a budget of all'],
  ['a stable version that nobody has merged'],
  ['a stable version that is the new one'],
  ['nothing in progress'],
])('eject --partition 3, forged: %s: no group goes', async (what) => {
  const at = await new Forgery().stepped();
  await at.round();
  const fields = fieldsOf(at.text());
  FORGERIES[what]?.[0](at);
  const answer = await at.eject({ partition: 3 });
  for (let round = 0; round < 8; round += 1) await at.round();
  expect(fieldsOf(at.text()), answer).toEqual(fields);
  expect(at.world.groups()).toBe('0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.1+');
});

test.each(Object.keys(FORGERIES))('eject, forged: %s: refused in a delivery', async (what) => {
  const at = await new Forgery().stepped();
  FORGERIES[what]?.[0](at);
  const forged = at.text();
  expect(await at.eject()).toContain('a release is in flight');
  expect(at.text()).toBe(forged);
});

test('eject at rest, forged: a second colour that serves, which there is not: handed back, and no group goes', async () => {
  const at = new Forgery();
  await at.until('adopt');
  await at.round();
  at.mark('serves', 'green');
  await at.round();
  expect(await at.eject()).toContain('eject, annotations removed');
  for (let round = 0; round < 3; round += 1) await at.round();
  expect(at.text()).not.toContain('tranche.dev/');
  expect(at.world.groups()).toBe('0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+');
});

const without =
  (...marks: readonly string[]) =>
  (at: Forgery): void => {
    at.edit(LWS, new RegExp(` +tranche\\.dev/(${marks.join('|')}): .*\n`, 'g'), '');
  };

/** In a delivery by shares: each would leave the share, and the groups that have it, to nobody. */
const OF_SHARES: Readonly<Record<string, (at: Forgery) => void>> = {
  nothing: () => undefined,
  'that it has settled': without('step', 'restore', 'stable', 'rung'),
  'that it has settled, and another colour serves': (at) => {
    without('step', 'restore', 'stable', 'rung')(at);
    at.mark('serves', 'green');
  },
  'no step': without('step', 'rung', 'stable'),
  'a step of another strategy': (at) => {
    without('rung', 'restore')(at);
    put(at, 'step', `1/3@${markIn(at, 'release')}`);
  },
  'that it goes back': (at) => {
    at.mark('step', 'rollback');
    at.mark('aborted', markIn(at, 'release'));
  },
};

test.each(Object.keys(STYLES))(
  'eject, %s in its first share, whatever is forged: that ends by an abort alone',
  async (style) => {
    const base = await standing({ style, stage: 'in its first share' });
    for (const [what, forge] of Object.entries(OF_SHARES)) {
      const at = base.fork();
      forge(at);
      const forged = at.world.repository.files('main');
      for (const wish of [{}, { partition: 0 }, { partition: 3 }, { asIs: true }]) {
        const answer = await at.eject(wish);
        expect(at.world.repository.files('main'), `${what}: ${answer}`).toEqual(forged);
      }
      expect(await at.eject({ abort: true }), what).toContain('eject, at first abort');
      const changed = Object.entries(at.world.repository.files('main')).filter(([path, text]) => forged[path] !== text);
      expect(
        changed.map(([path]) => path),
        what,
      ).toEqual(['rollouts/vllm.yaml']);
    }
  },
);
