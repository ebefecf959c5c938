/** A settled blueGreen, and the marks of an undo that nobody has ordered: its rungs ask nobody, so none of them is gone. */

import { expect, test } from 'vitest';
import { filesOf, LWS, markIn, NEW, OLD, ROUTE, SERVICE, untilRest } from '../../support/forged-share.ts';
import { Forgery, reasonsOf } from '../../support/forgery.ts';

const NEWER = 'v0.10.2';
const ROUNDS_MOST = 60;
const CUT = '\n---\n';

/** The template of a version, until it is what serves. */
async function delivered(at: Forgery, from: string, to: string): Promise<void> {
  const [own = '', ...others] = at.text(LWS).split(CUT);
  at.write(LWS, [own.replaceAll(from, to), ...others].join(CUT));
  await at.round();
  await untilRest(at, ROUNDS_MOST, () => at.round());
}

type Past = { readonly at: Forgery; readonly releases: readonly string[] };

/** Three releases have settled one after the other, and the newest serves. */
async function settledThrice(): Promise<Past> {
  const at = new Forgery(filesOf('blueGreen'));
  for (let round = 0; round < 3; round += 1) await at.round();
  const releases = [markIn(at, 'release')];
  for (const [from, to] of [
    [OLD, NEW],
    [NEW, NEWER],
  ] as const) {
    await delivered(at, from, to);
    releases.push(markIn(at, 'release'));
  }
  expect([new Set(releases).size, markIn(at, 'step')]).toEqual([3, '']);
  return { at, releases };
}

let past: Promise<Past> | undefined;
const start = async (): Promise<Past> => {
  past ??= settledThrice();
  const { at, releases } = await past;
  return { at: at.fork(), releases };
};

type Undo = { readonly release: number; readonly undone: number; readonly text: string; readonly rung?: string };

/** What somebody writes by hand, as an undo does: a release comes back, with its text, and another one is undone. */
function forge({ at, releases }: Past, { release, undone, text, rung = 'back' }: Undo): void {
  const [own = '', ...others] = at.text(LWS).split(CUT);
  const routing = { service: 'vllm-svc', routes: [{ kind: 'HTTPRoute', name: 'chat' }] };
  const restore = { style: 'blueGreen', routing, plan: 'e'.repeat(32), undone: releases[undone] };
  const marks = [
    `tranche.dev/release: "${releases[release]}"`,
    `tranche.dev/aborted: "${releases[undone]}"`,
    'tranche.dev/step: "rollback"',
    `tranche.dev/rung: "${rung}"`,
    `tranche.dev/restore: '${JSON.stringify(restore)}'`,
  ];
  // The other colour has the template as well, as it would on a rung that comes after it.
  const idle = others.map((document) => (rung === 'back' ? document : document.replaceAll(NEW, text)));
  const forged = own.replaceAll(NEWER, text).replace(/tranche\.dev\/release: .*/, marks.join('\n    '));
  at.write(LWS, [forged, ...idle].join(CUT));
}

const rolloutFile = Object.entries(filesOf('blueGreen')).find(([, text]) => text.includes('kind: Rollout'))?.[0] ?? '';
const watched = [LWS, ROUTE, SERVICE];
const SERVING = '0:v0.10.2+ 1:v0.10.2+ 2:v0.10.2+ 3:v0.10.2+';

const SKIPPING: Undo = { release: 0, undone: 1, text: OLD };
const ONE_BACK: Undo = { release: 1, undone: 2, text: NEW };
const FORGERIES: readonly (readonly [what: string, undo: Undo, more: (at: Forgery) => void])[] = [
  ['past what serves', SKIPPING, () => undefined],
  ['past what serves, with its groups', { ...SKIPPING, rung: 'template' }, () => undefined],
  ['of what serves', ONE_BACK, () => undefined],
  ['of what serves, two back', { ...SKIPPING, undone: 2 }, () => undefined],
  [
    'past what serves, and its Rollout is disabled',
    SKIPPING,
    (at) => at.edit(rolloutFile, /^spec:\n/m, 'spec:\n  disabled: true\n'),
  ],
  ['past what serves, and its Rollout is gone', SKIPPING, (at) => at.write(rolloutFile, undefined)],
];

test.each(FORGERIES)('forged: an undo %s: nothing goes to the other colour', async (_, undo, more) => {
  const { at, releases } = await start();
  more(at);
  forge({ at, releases }, undo);
  const forged = watched.map((path) => at.text(path));
  const said: string[] = [];
  for (let count = 0; count < 12; count += 1) said.push(reasonsOf(await at.round()).join(' '));
  expect([...watched.map((path) => at.text(path)), at.world.groups()], said.join('\n')).toEqual([...forged, SERVING]);
  expect(said.at(-1)).toContain('AnnotationsGone');
});

test('forged: an undo past what serves: tranche repair puts back the marks of what serves', async () => {
  const { at, releases } = await start();
  forge({ at, releases }, SKIPPING);
  expect(await at.order({ kind: 'undo', to: undefined })).toContain('tranche repair');
  await at.round();
  await at.repair();
  expect([markIn(at, 'release'), markIn(at, 'step'), markIn(at, 'restore')]).toEqual([releases[2], '', '']);
  await at.round();
  expect(at.world.groups()).toBe(SERVING);
});

const BACK: readonly (readonly [what: string, then: (at: Forgery) => void])[] = [
  ['nothing else', () => undefined],
  ['the order is gone', (at) => at.edit(rolloutFile, /^ *tranche\.dev\/undo: .*\n/m, '')],
  ['its record is gone', (at) => at.world.repository.setHead('tranche-status', undefined)],
  ['its Rollout is disabled', (at) => at.edit(rolloutFile, /^spec:\n/m, 'spec:\n  disabled: true\n')],
  ['somebody has edited the file around it', (at) => at.edit(LWS, 'team search', 'team chat')],
];

test.each(BACK)('an undo that was ordered gets to its end: %s', async (_, then) => {
  const { at, releases } = await start();
  await at.order({ kind: 'undo', to: undefined });
  await at.until('rollback');
  expect(markIn(at, 'restore')).toContain(`"undone":"${releases[2]}"`);
  then(at);
  await untilRest(at, ROUNDS_MOST, () => at.round());
  expect([markIn(at, 'release'), markIn(at, 'step')]).toEqual([releases[1], '']);
  expect(at.world.groups()).not.toContain(NEWER);
});
