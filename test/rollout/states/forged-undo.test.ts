/** A settled blueGreen, and the marks of an undo that nobody has ordered: its rungs ask nobody, so none of them is gone. */

import { expect, test } from 'vitest';
import { filesOf, LWS, markIn, NEW, OLD, ROUTE, SERVICE, untilRest } from '../../support/forged-share.ts';
import { Forgery, reasonsOf, saidOf } from '../../support/forgery.ts';

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
function forge({ at, releases }: Past, { release, undone, text, rung = 'back' }: Undo, message?: string): void {
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
  const { repository, now } = at.world;
  const signature = { name: 'Eve', email: 'eve@example.com', atSeconds: now };
  const writes = [{ path: LWS, text: [forged, ...idle].join(CUT) }];
  repository.commit('main', { writes, message: message ?? 'edit', signature });
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

const POLICY_FILE = 'policies/undo.yaml';
const POLICY = (rules: string) => `apiVersion: tranche.dev/v1alpha1
kind: RolloutPolicy
metadata: {name: undo}
spec: {${rules}}
`;
/** As `tranche` would have written it, by a hand. */
const saying = ({ at, releases }: Past, { release }: Undo): string =>
  [
    'rollout(llm/vllm): undo\n\nIt was ordered.\n',
    `Rollout: default/llm/${at.text(rolloutFile).includes('name: another') ? 'another' : 'vllm'}`,
    `Rollout-Release: ${releases[release]}`,
    'Rollout-Step: rollback',
    'Rollout-Reason: Undone',
    `Planned-From: ${'e'.repeat(40)}\n`,
  ].join('\n');

const renamed = (at: Forgery): void => {
  at.edit(rolloutFile, /^( *)name: vllm$/m, '$1name: another');
};
/** What nobody has settled is no start, whatever the messages of its commits say and whatever the Rollout is called now. */
type Row = readonly [what: string, undo: Undo, first: (past: Past) => unknown, isSaid: boolean];
test.each<Row>([
  ['past what serves, with trailers by hand', SKIPPING, () => undefined, true],
  ['past what serves, in a Rollout of another name', SKIPPING, ({ at }) => renamed(at), false],
  ['past what serves, both', SKIPPING, ({ at }) => renamed(at), true],
  [
    'of what serves, with trailers, and a policy allows none',
    ONE_BACK,
    ({ at }) => at.write(POLICY_FILE, POLICY('undo: 0')),
    true,
  ],
  [
    'of what serves, with trailers, after its time',
    ONE_BACK,
    ({ at }) => {
      at.write(POLICY_FILE, POLICY('undoWithinSeconds: 3600'));
      at.world.tick(3 * 3600);
    },
    true,
  ],
  ['two back, with trailers', { ...SKIPPING, undone: 2 }, () => undefined, true],
])('forged: an undo %s: nothing goes to the other colour', async (_, undo, first, isSaid) => {
  const of = await start();
  await first(of);
  forge(of, undo, isSaid ? saying(of, undo) : undefined);
  const { at } = of;
  const forged = watched.map((path) => at.text(path));
  const said: string[] = [];
  for (let count = 0; count < 12; count += 1) said.push(reasonsOf(await at.round()).join(' '));
  expect([...watched.map((path) => at.text(path)), at.world.groups()], said.join('\n')).toEqual([...forged, SERVING]);
  expect(said.at(-1)).toMatch(/UndoRefused|AnnotationsGone/);
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
  ['its Rollout has another name', renamed],
  ['policies allow none since', (at) => at.write(POLICY_FILE, POLICY('undo: 0'))],
  [
    'its marks were out of the file for a commit',
    (at) => {
      const written = at.text(LWS);
      at.edit(LWS, / *tranche\.dev\/(step|rung|restore): .*\n/g, '');
      at.write(LWS, written);
    },
  ],
];

test.each(BACK)('an undo that was ordered gets to its end: %s', async (_, then) => {
  const { at, releases } = await start();
  await at.order({ kind: 'undo', to: undefined });
  await at.until('rollback');
  expect(markIn(at, 'restore')).toContain(`"undone":"${releases[2]}"`);
  then(at);
  let said = '';
  await untilRest(at, ROUNDS_MOST, async () => (said = saidOf(await at.round())));
  expect([markIn(at, 'release'), markIn(at, 'step')], said).toEqual([releases[1], '']);
  expect(at.world.groups()).not.toContain(NEWER);
});
