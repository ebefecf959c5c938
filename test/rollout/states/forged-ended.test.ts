/** Annotations by which a delivery, or its rollback, is over or has never been: an abort goes back, whatever became of its Rollout. */

import { expect, test } from 'vitest';
import { filesOf, LWS, markIn, NEW, OLD, serving } from '../../support/forged-share.ts';
import { Forgery } from '../../support/forgery.ts';
import { sampled } from '../../support/sampled.ts';
import { VLLM_FILES } from '../../support/vllm.ts';

const ROUNDS = 25;
const STEP_ROUNDS: Readonly<Record<string, number>> = { partition: 3 };

const isRollout = (text: string): boolean => text.includes('kind: Rollout\n');

/** The Rollout may have another name than its workload. */
function filesIn(style: string, isOtherName: boolean): Readonly<Record<string, string>> {
  const files = style === 'partition' ? VLLM_FILES : filesOf(style);
  const named = (text: string): string =>
    isOtherName && isRollout(text) ? text.replace(/^( *)name: vllm$/m, '$1name: chat') : text;
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [path, named(text)]));
}

const rolloutIn = (files: Readonly<Record<string, string>>): string =>
  Object.entries(files).find(([, text]) => isRollout(text))?.[0] ?? '';

/** How a world is made: a key that signs, and a Rollout of another name. */
type How = { readonly style: string; readonly signed: boolean; readonly other: boolean };

/** The delivery of a style where each of its stages has come, and the file before it. */
type Stands = Readonly<Record<string, Forgery>>;

async function standsOf({ style, signed, other }: How): Promise<Stands> {
  const rest = new Forgery(filesIn(style, other), { signed });
  for (let round = 0; round < 4; round += 1) await rest.round();
  const step = rest.fork();
  step.edit(LWS, new RegExp(OLD, style === 'partition' ? 'g' : ''), NEW);
  for (let round = 0; round < (STEP_ROUNDS[style] ?? 6); round += 1) await step.round();
  expect(markIn(step, 'step')).toMatch(/^\d/);
  const rollback = step.fork();
  await rollback.order({ kind: 'abort', keepNewer: false }, other ? 'chat' : 'vllm');
  await rollback.round();
  expect(markIn(rollback, 'step')).toBe('rollback');
  if (style.startsWith('partition')) return { rest, step, rollback };
  const promotion = step.fork();
  for (let round = 0; round < 60 && markIn(promotion, 'step') !== 'promote'; round += 1) await promotion.round();
  expect(markIn(promotion, 'step')).toBe('promote');
  return { rest, step, rollback, promotion };
}

const known = new Map<string, Promise<Stands>>();

function stands(how: How): Promise<Stands> {
  const name = JSON.stringify(how);
  const there = known.get(name) ?? standsOf(how);
  known.set(name, there);
  return there;
}

const MARKS = / {4}tranche\.dev\/.*\n/g;
const locked = (text: string): string => text.replace(/partition: \d+/, 'partition: 1000000');

/** What a hand makes of the annotations. */
const FORGED: Readonly<Record<string, (at: Forgery, rest: string) => void>> = {
  'that all has settled': (at) =>
    at.write(LWS, locked(at.text().replace(/ +tranche\.dev\/(step|restore|rung): .*\n/g, ''))),
  'as they were before it': (at, rest) => {
    const [own = '', ...others] = at.text().split('\n---\n');
    const there = (rest.split('\n---\n')[0] ?? '').match(MARKS) ?? [];
    let isFirst = true;
    const put = own.replace(MARKS, () => {
      const text = isFirst ? there.join('') : '';
      isFirst = false;
      return text;
    });
    at.write(LWS, [locked(put), ...others].join('\n---\n'));
  },
  'without the step': (at) => at.write(LWS, at.text().replace(/ +tranche\.dev\/step: .*\n/, '')),
  'as they are': () => undefined,
};

/** What becomes of its Rollout. */
const ROLLOUT: Readonly<Record<string, (at: Forgery, path: string) => void>> = {
  there: () => undefined,
  disabled: (at, path) => at.edit(path, /\nspec:\n/, '\nspec:\n  disabled: true\n'),
  gone: (at, path) => at.write(path, undefined),
  'gone, and had another name': (at, path) => at.write(path, undefined),
};

const STAGES: Readonly<Record<string, readonly string[]>> = {
  partition: ['step', 'rollback'],
  'partition with a route': ['step', 'rollback'],
  canary: ['step', 'rollback', 'promotion'],
  blueGreen: ['step', 'rollback', 'promotion'],
};

const CASES = Object.entries(STAGES).flatMap(([style, stages]) =>
  stages.flatMap((stage) =>
    Object.keys(FORGED).flatMap((what) =>
      Object.keys(ROLLOUT).flatMap((rollout) =>
        [false, true].flatMap((signed) =>
          [0, 2].map((passes) => [style, stage, what, rollout, signed, passes] as const),
        ),
      ),
    ),
  ),
);

test.each(sampled(CASES, 9))(
  '%s, in the %s its annotations are made %s, the Rollout is %s (signed: %s): after %i passes it goes back',
  async (style, stage, what, rollout, signed, passes) => {
    const other = rollout.includes('another name');
    const { rest, [stage]: from } = await stands({ style, signed, other });
    const at = from?.fork();
    if (at === undefined || rest === undefined) throw new Error(`${style} has no ${stage}`);
    ROLLOUT[rollout]?.(at, rolloutIn(filesIn(style, other)));
    FORGED[what]?.(at, rest.text());
    for (let round = 0; round < passes; round += 1) await at.round();
    let answer = await at.order({ kind: 'abort', keepNewer: false });
    if (answer.includes('tranche repair vllm. Then: tranche abort vllm')) {
      expect(what).toBe('without the step');
      await at.repair();
      answer = await at.order({ kind: 'abort', keepNewer: false });
    }
    // Without its step nothing in the file says that it is under way.
    for (let round = 0; round < ROUNDS; round += 1) await at.round();
    expect([markIn(at, 'step'), serving(at, '0.10.0')], answer).toEqual(['', 4]);
    expect(at.text().split('\n---\n')[0], answer).not.toContain(NEW);
    expect(at.text('apps/vllm/route.yaml')).not.toContain('vllm-svc-canary');
    const last = at.world.repository.head('main');
    await at.round();
    expect(at.world.repository.head('main')).toBe(last);
  },
);

test('a canary that has settled by a hand, its Rollout gone: an abort writes the annotations back, and its groups stay', async () => {
  const { rest, step } = await stands({ style: 'canary', signed: false, other: false });
  const at = step?.fork();
  if (at === undefined || rest === undefined) throw new Error('canary is not started');
  ROLLOUT['gone']?.(at, rolloutIn(filesIn('canary', false)));
  FORGED['that all has settled']?.(at, rest.text());
  expect(await at.order({ kind: 'abort', keepNewer: false })).toMatch(/^abort /);
  const subjects: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = at.world.subject();
    await at.round();
    if (at.world.subject() !== before) subjects.push(at.world.subject());
    // By the rows of one workload all of them went to the release that was aborted.
    expect(serving(at, '0.10.0')).toBe(4);
  }
  expect(subjects).toEqual(
    ['annotations restored', 'rollback, route-restored', 'rolled back'].map((label) => `rollout(llm/vllm): ${label}`),
  );
});

test.each([
  ['partition', 'gone'],
  ['canary', 'gone'],
  ['canary', 'disabled'],
])(
  '%s, a rollback that its owner has ended, its Rollout %s: a template put back by hand later goes no further than its partition',
  async (style, rollout) => {
    const { rollback } = await stands({ style, signed: false, other: false });
    const at = rollback?.fork();
    if (at === undefined) throw new Error(`${style} has no rollback`);
    ROLLOUT[rollout]?.(at, rolloutIn(filesIn(style, false)));
    const ended = at.text().replace(/ +tranche\.dev\/(step|restore|rung): .*\n/g, '');
    const write = (text: string, partition: number): unknown =>
      at.write(LWS, text.replace(/partition: \d+/, `partition: ${partition}`));
    write(ended, 0);
    for (let round = 0; round < 4; round += 1) await at.round();
    const settled = at.text();
    write(settled.replaceAll(OLD, 'v0.10.2'), 0);
    for (let round = 0; round < 5; round += 1) await at.round();
    expect(serving(at, '0.10.2')).toBe(4);
    write(settled, 3);
    for (let round = 0; round < 8; round += 1) await at.round();
    expect([serving(at, '0.10.2'), serving(at, '0.10.0')]).toEqual([3, 1]);
  },
);
