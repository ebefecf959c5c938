/** At rest a release that is on its way by forged annotations, as no delivery that starts there has them: a way back goes by what tranche had left. */

import { expect, test } from 'vitest';
import { digestOf } from '../../support/digest-of.ts';
import { filesOf, LWS, ROUTE, SERVICE, serving, untilRest } from '../../support/forged-share.ts';
import { Forgery, reasonsOf, saidOf } from '../../support/forgery.ts';
import { VLLM_FILES } from '../../support/vllm.ts';

const ROUNDS_MOST = 14;
const [SETTLED, FORGED, ASKED] = ['v0.10.0', 'v0.10.7', 'v0.10.5'];
const RELEASE = /tranche\.dev\/release: "?(([0-9a-f]+)\.(\d+))"?/;
const ROUTING = { service: 'vllm-svc', routes: [{ kind: 'HTTPRoute', name: 'chat' }] };

type Rollout = 'enabled' | 'disabled' | 'gone';
type Marks = {
  readonly step?: string;
  /** Of the template of the file, of the one that had settled, or that with another serial. */
  readonly release: 'file' | 'own' | 'own again';
  readonly restore?: object;
  readonly rung?: string;
  readonly aborted?: true;
  /** Not there: the template is another one, in the same commit. */
  readonly template?: 'as it was';
};

const filesIn = (style: string): Readonly<Record<string, string>> =>
  style === 'partition' ? VLLM_FILES : filesOf(style);

const bases = new Map<string, Promise<Forgery>>();
const baseOf = (style: string): Promise<Forgery> => {
  const base = bases.get(style) ?? settled(style);
  bases.set(style, base);
  return base;
};

async function settled(style: string): Promise<Forgery> {
  const at = new Forgery(filesIn(style));
  for (let round = 0; round < 3; round += 1) await at.round();
  return at;
}

function withRollout(at: Forgery, style: string, rollout: Rollout): void {
  const path = Object.entries(filesIn(style)).find(([, text]) => text.includes('kind: Rollout\n'))?.[0] ?? '';
  if (rollout === 'disabled') at.edit(path, /^spec:\n/m, 'spec:\n  disabled: true\n');
  if (rollout === 'gone') at.write(path, undefined);
}

function forge(at: Forgery, { step, release, restore, rung, aborted, template }: Marks): void {
  const text = template === undefined ? at.text(LWS).replaceAll(SETTLED, FORGED) : at.text(LWS);
  const [, own = '', digest = '', serial = ''] = RELEASE.exec(text) ?? [];
  const named = {
    file: `${digestOf(text)}.${Number(serial) + 1}`,
    own,
    'own again': `${digest}.${Number(serial) + 7}`,
  }[release];
  const marks = [
    ['release', named],
    ...(step === undefined ? [] : [['step', step.includes('/') ? `${step}@${named}` : step]]),
    ...(restore === undefined ? [] : [['restore', JSON.stringify(restore)]]),
    ...(rung === undefined ? [] : [['rung', rung]]),
    ...(aborted === undefined ? [] : [['aborted', `${'e'.repeat(32)}.9`]]),
  ];
  at.write(LWS, text.replace(RELEASE, marks.map(([name, value]) => `tranche.dev/${name}: '${value}'`).join('\n    ')));
}

type Row = readonly [style: string, rollout: Rollout, marks: Marks, record: 'its record' | 'no record'];

const UNDONE = `${'e'.repeat(32)}.9`;

test.each<Row>([
  [
    'partition',
    'disabled',
    { step: '1/3', release: 'file', restore: { style: 'canary', routing: ROUTING, groups: 4 } },
    'its record',
  ],
  [
    'partition',
    'enabled',
    { step: '1/3', release: 'file', restore: { style: 'blueGreen', routing: ROUTING } },
    'its record',
  ],
  ['partition', 'enabled', { release: 'file', restore: { floor: 2 }, rung: 'empty' }, 'its record'],
  ['partition', 'disabled', { release: 'file', restore: { floor: 2 }, rung: 'empty' }, 'no record'],
  [
    'partition with a route',
    'enabled',
    { step: '3/3', release: 'file', restore: { style: 'blueGreen', undone: UNDONE } },
    'its record',
  ],
  [
    'canary',
    'enabled',
    { step: '1/3', release: 'own', restore: { style: 'blueGreen', routing: ROUTING }, rung: 'all' },
    'its record',
  ],
  ['canary', 'disabled', { step: '1/3', release: 'own', template: 'as it was' }, 'its record'],
  [
    'canary',
    'disabled',
    { step: 'rollback', release: 'file', restore: { floor: 0, style: 'canary' }, aborted: true },
    'its record',
  ],
  [
    'blueGreen',
    'enabled',
    { step: 'promote', release: 'own again', restore: { floor: 0, style: 'canary' } },
    'its record',
  ],
  ['blueGreen', 'disabled', { step: 'promote', release: 'own again', restore: { style: 'blueGreen' } }, 'its record'],
  [
    'blueGreen',
    'disabled',
    { step: '2/2', release: 'own', restore: { style: 'partition', routing: ROUTING } },
    'its record',
  ],
  ['blueGreen', 'enabled', { release: 'file', restore: { style: 'blueGreen' }, rung: 'back' }, 'no record'],
])('%s, its Rollout %s, %j, %s: an abort goes back', async (...row) => {
  const [style, rollout, marks, record] = row;
  const at = (await baseOf(style)).fork();
  withRollout(at, style, rollout);
  await at.round();
  forge(at, marks);
  const [forged, head] = [[LWS, ROUTE].map((path) => at.text(path)), at.world.repository.head('main')];
  const said: string[] = [];
  const round = async (): Promise<void> => {
    if (record === 'no record') at.world.repository.setHead('tranche-status', undefined);
    const result = await at.round();
    said.push(`${at.world.subject()} | ${at.world.groups()} | ${reasonsOf(result).join(' ')} | ${saidOf(result)}`);
  };
  await round();
  expect(said.at(-1)).toContain('AnnotationsGone');
  expect([[LWS, ROUTE].map((path) => at.text(path)), at.world.repository.head('main')]).toEqual([forged, head]);
  if (marks.template !== undefined) at.write(LWS, at.text(LWS).replaceAll(SETTLED, ASKED));
  await round();
  said.push(await at.order({ kind: 'abort', keepNewer: false }));
  await untilRest(at, ROUNDS_MOST, round);
  const told = [...new Set(said)].join('\n');
  expect(at.text(LWS), told).not.toMatch(/v0\.10\.[57]|tranche\.dev\/(step|restore|rung)/);
  if (style !== 'partition')
    expect([at.text(ROUTE), at.text(SERVICE)], told).toEqual([filesOf(style)[ROUTE], filesOf(style)[SERVICE]]);
  expect(serving(at, '0.10.0'), told).toBe(4);
});

test.each<Row>([
  [
    'partition',
    'gone',
    { step: 'rollback', release: 'file', restore: { floor: 3, stopped: true }, rung: 'all' },
    'its record',
  ],
  [
    'partition',
    'gone',
    { step: 'promote', release: 'file', restore: { style: 'canary', routing: ROUTING } },
    'its record',
  ],
  ['canary', 'gone', { step: '2/2', release: 'own again', restore: { style: 'canary', groups: 4 } }, 'its record'],
  [
    'blueGreen',
    'gone',
    { step: '3/3', release: 'own', restore: { floor: 3, stopped: true }, rung: 'switch' },
    'its record',
  ],
])('%s, its Rollout %s, %j: it is handed back with the template of before', async (...row) => {
  const [style, rollout, marks] = row;
  const at = (await baseOf(style)).fork();
  withRollout(at, style, rollout);
  await at.round();
  forge(at, marks);
  for (let count = 0; count < 2; count += 1) await at.round();
  const said = await at.eject({ abort: true });
  for (let count = 0; count < 3; count += 1) await at.round();
  expect(at.text(LWS), said).not.toMatch(/v0\.10\.[57]|tranche\.dev/);
  expect(serving(at, '0.10.0'), said).toBe(4);
});

/** Delivered once, at rest after that. */
async function delivered(): Promise<Forgery> {
  const at = (await baseOf('canary')).fork();
  at.edit(LWS, new RegExp(SETTLED, 'g'), ASKED);
  for (let count = 0; count < 60 && !at.world.subject().endsWith('settled'); count += 1) await at.round(120);
  for (let count = 0; count < 3; count += 1) await at.round();
  return at;
}

test.each(['abort', 'eject'])(
  'canary, the annotations of a delivery that is over, and a request: %s puts back what serves',
  async (way) => {
    const at = await delivered();
    const [, own] = RELEASE.exec(at.text(LWS)) ?? [];
    const marks = `tranche.dev/release: '${own}'\n    tranche.dev/step: '1/2@${own}'\n    tranche.dev/rung: 'pods'\n    tranche.dev/restore: '${JSON.stringify({ style: 'canary', routing: ROUTING })}'`;
    at.write(LWS, at.text(LWS).replace(RELEASE, marks));
    await at.round();
    at.write(LWS, at.text(LWS).replace(new RegExp(ASKED, 'g'), FORGED));
    for (let count = 0; count < 2; count += 1) await at.round();
    const said = await (way === 'abort' ? at.order({ kind: 'abort', keepNewer: false }) : at.eject({ abort: true }));
    for (let count = 0; count < 6; count += 1) await at.round();
    expect([at.text(LWS).split('---')[0]?.includes(ASKED), serving(at, '0.10.5')], said).toEqual([true, 4]);
  },
);

test('a rollback by a hand: no group goes to its template, and repair ends it', async () => {
  const at = (await baseOf('partition')).fork();
  forge(at, { step: 'rollback', release: 'file', restore: { floor: 3 } });
  const head = at.world.repository.head('main');
  let reasons: readonly string[] = [];
  for (let count = 0; count < 3; count += 1) reasons = reasonsOf(await at.round());
  expect([reasons, serving(at, '0.10.0')]).toEqual([['AnnotationsGone'], 4]);
  expect(at.world.repository.head('main')).toBe(head);
  expect(await at.repair()).toContain('repair');
  expect(await at.order({ kind: 'abort', keepNewer: false })).toContain('abort');
  for (let count = 0; count < 3; count += 1) await at.round();
  expect([at.text(LWS).includes(FORGED), serving(at, '0.10.0')], at.world.subject()).toEqual([false, 4]);
});
