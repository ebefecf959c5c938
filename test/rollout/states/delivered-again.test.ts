/** Templates that main had before, delivered again: an abort goes back, and made-up histories take no group on. */

import { expect, test } from 'vitest';
import { filesOf, LWS, markIn, STAGES } from '../../support/forged-share.ts';
import { Forgery, reasonsOf, saidOf } from '../../support/forgery.ts';
import { IS_DEEP } from '../../support/sampled.ts';
import { LWS_TEXT, ROLLOUT_TEXT } from '../../support/vllm.ts';

const CUT = '\n---\n';
const [FIRST, SECOND, THIRD, EVIL] = ['v0.10.0', 'v0.10.1', 'v0.10.2', 'v0.10.7'];
const SETTLED = / +tranche\.dev\/(step|restore|stable|rung): .*\n/g;
const ROUNDS_MOST = 60;
/** More than main's own line is followed for, commit by commit and then version by version. */
const MANY = 545;

/** Not blueGreen, whose second delivery has the other colour: other rows say what moves that. */
const STYLES = ['partition', 'partition with a route', 'canary'];

const files = (style: string): Record<string, string> =>
  style === 'partition'
    ? { [LWS]: LWS_TEXT, 'rollouts/vllm.yaml': ROLLOUT_TEXT.replace('pause: {}', 'pause: {duration: 60}') }
    : filesOf(style);

async function adopted(style: string): Promise<Forgery> {
  const at = new Forgery(files(style));
  for (let round = 0; round < 3; round += 1) await at.round();
  return at;
}

/** The file of the workload with another tag, and another release where that is given. */
function tagged(text: string, [from, to]: readonly [string, string], releases?: readonly [string, string]): string {
  const [own = '', ...others] = text.split(CUT);
  const is = own.replaceAll(from, to);
  return [releases === undefined ? is : is.replaceAll(...releases), ...others].join(CUT);
}

async function until(at: Forgery, isThere: () => boolean): Promise<void> {
  for (let round = 0; round < ROUNDS_MOST && !isThere(); round += 1) await at.round();
  expect(isThere(), at.world.subject()).toBe(true);
}

async function settled(at: Forgery, from: string, to: string): Promise<void> {
  at.write(LWS, tagged(at.text(LWS), [from, to]));
  await until(at, () => markIn(at, 'step') === '' && at.world.subject().includes('settled'));
  for (let round = 0; round < 3; round += 1) await at.round();
}

async function stepped(at: Forgery, style: string, [from, to, step]: readonly [string, string, string]): Promise<void> {
  at.write(LWS, tagged(at.text(LWS), [from, to]));
  await until(
    at,
    () => markIn(at, 'step').startsWith(step) && (style !== 'canary' || STAGES['in its first share']?.(at) === true),
  );
}

/** A commit with our author and message, and of now where it says no other date. */
function forge(at: Forgery, step: string, text: string, release = markIn(at, 'release'), date = at.world.now): void {
  const { repository } = at.world;
  const message = `rollout(llm/vllm): ${step}

All is well.

Rollout: default/llm/vllm
Rollout-Release: ${release}
Rollout-Step: ${step}
Rollout-Reason: Settled
Planned-From: ${repository.head('main')}`;
  const signature = { name: 'tranche', email: 'tranche@example.com', atSeconds: date };
  repository.commit('main', { writes: [{ path: LWS, text }], message, signature });
}

/** What the releases of these tags are called. */
async function releasesOf(at: Forgery, style: string, tags: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const tag of tags) {
    const fork = at.fork();
    await stepped(fork, style, [FIRST, tag, '1/']);
    found.push(markIn(fork, 'release'));
  }
  return found;
}

type Play = { readonly before?: number; readonly afterOrder?: (at: Forgery) => void };

/** Some passes, an abort, and what is there once they are over: nothing is open, and file and groups are on this tag alone. */
async function leadsTo(at: Forgery, tag: string, { before = 4, afterOrder }: Play = {}): Promise<void> {
  const seen: string[] = [];
  const rounds = async (count: number): Promise<void> => {
    for (let round = 0; round < count; round += 1) {
      const result = await at.round();
      seen.push(`${at.world.subject()} | ${at.world.groups()} | ${reasonsOf(result).join(' ')} | ${saidOf(result)}`);
    }
  };
  await rounds(before);
  seen.push(await at.order({ kind: 'abort', keepNewer: false }));
  await rounds(1);
  afterOrder?.(at);
  await rounds(10);
  const [own = ''] = at.text(LWS).split(CUT);
  const tags = [...new Set(at.world.groups().match(/v[\d.]+/g))];
  expect([markIn(at, 'step'), own.includes(tag), tags], seen.join('\n')).toEqual(['', true, [tag]]);
}

/** The first tag is delivered again, and a step has let groups go to it. */
async function again(style: string): Promise<Forgery> {
  const at = await adopted(style);
  await settled(at, FIRST, SECOND);
  await stepped(at, style, [SECOND, FIRST, '2/']);
  await at.round();
  return at;
}

test.each(STYLES)(
  '%s, an older template again: an abort goes back, also where it is scaled in between',
  async (style) => {
    const at = await again(style);
    const scaled = at.fork();
    await leadsTo(at, SECOND, { before: 0 });
    const scale = (): string => scaled.write(LWS, scaled.text(LWS).replace('replicas: 4', 'replicas: 6'));
    await leadsTo(scaled, SECOND, { before: 0, afterOrder: scale });
  },
);

test.each(STYLES)(
  '%s, a template of two releases ago again, and forged as settled: an abort goes to what was right before',
  async (style) => {
    const at = await adopted(style);
    await settled(at, FIRST, SECOND);
    await settled(at, SECOND, THIRD);
    await stepped(at, style, [THIRD, SECOND, '1/']);
    const [text, release] = [at.text(LWS), markIn(at, 'release')];
    forge(at, 'eject, annotations removed', text.replace(/ +tranche\.dev\/.*\n/g, ''), release);
    const other = at.fork();
    forge(at, 'settled', text.replace(SETTLED, ''), release);
    await leadsTo(at, THIRD);
    const fake = `${'f'.repeat(32)}.7`;
    forge(other, 'step 1/3', tagged(text, [SECOND, EVIL], [release, fake]), fake);
    forge(other, 'settled', text.replace(SETTLED, ''), release);
    await leadsTo(other, THIRD);
  },
);

test.each(STYLES)('%s, an older template forged as settled: an abort stays on the newer one', async (style) => {
  const at = await adopted(style);
  const [text, release] = [at.text(LWS), markIn(at, 'release')];
  await settled(at, FIRST, SECOND);
  const next = release.replace(/\.\d+$/, '.9');
  forge(at, 'settled', text.replaceAll(release, next), next);
  await leadsTo(at, SECOND);
});

test.each([...STYLES, 'blueGreen'])(
  '%s, two templates forged as settled one after the other: an abort goes to what groups run',
  async (style) => {
    const at = await adopted(style);
    const [text, release] = [at.text(LWS), markIn(at, 'release')];
    const [evil = '', next = ''] = await releasesOf(at, style, [EVIL, SECOND]);
    forge(at, 'settled', tagged(text, [FIRST, EVIL], [release, evil]), evil);
    forge(at, 'settled', tagged(text, [FIRST, SECOND], [release, next]), next);
    await leadsTo(at, FIRST);
  },
);

// Five hundred commits and more of each of them: a merge plays the style that has the most to put back.
test.each(IS_DEEP ? STYLES : ['partition with a route'])(
  '%s, more versions forged than main is followed for: no group goes on, and an abort says what it needs',
  async (style) => {
    const at = await adopted(style);
    const [text, release] = [at.text(LWS), markIn(at, 'release')];
    const [evil = '', next = ''] = await releasesOf(at, style, [EVIL, SECOND]);
    const as = (tag: string, is: string): string => tagged(text, [FIRST, tag], [release, is]);
    for (let serial = 20; serial < 20 + MANY; serial += 1)
      forge(at, 'settled', as(EVIL, `${'e'.repeat(32)}.${serial}`));
    forge(at, 'settled', as(EVIL, evil));
    forge(at, 'requested', as(SECOND, evil));
    forge(at, 'settled', as(SECOND, next));
    let said = '';
    for (let round = 0; round < 3; round += 1) said = saidOf(await at.round());
    expect(said).toContain('tranche abort vllm --from COMMIT');
    await at.order({ kind: 'abort', keepNewer: false });
    for (let round = 0; round < 3; round += 1) await at.round();
    expect(at.world.groups()).not.toContain(SECOND);
    const from = at.line().find(({ message }) => message.includes('adopt'))?.oid;
    await at.order({ kind: 'abort', keepNewer: false, from });
    for (let round = 0; round < 6; round += 1) await at.round();
    expect([at.text(LWS).split(CUT)[0]?.includes(FIRST), at.world.groups().includes(SECOND)]).toEqual([true, false]);
  },
);

const ABORT = { kind: 'abort', keepNewer: false } as const;

/** By three commits: the newer template in its last step, the older one on its way once more, and that taken back. */
function takenBack(at: Forgery, { old, was }: { readonly old: string; readonly was: string }, date?: number): void {
  const [text, release] = [at.text(LWS), markIn(at, 'release')];
  const once = was.replace(/\.\d+$/, '.8');
  const last = text.replace(/"floor":\d+/, '"floor":0').replace(/(tranche\.dev\/step: ")\d\/(\d)/, '$1$2/$2');
  forge(at, 'step 3/3', last, release, date);
  const marks = (is: string, more: readonly string[]): string =>
    [`release: "${is}"`, ...more].map((mark) => `$1tranche.dev/${mark}`).join('\n');
  const RELEASE = /( +)tranche\.dev\/release: .*/;
  forge(at, 'step 1/3', old.replace(RELEASE, marks(once, [`step: "1/3@${once}"`])), once, date);
  const back = marks(release, ['step: "rollback"', `aborted: "${once}"`]);
  forge(at, 'rollback', text.replace(SETTLED, '').replace(RELEASE, back), release, date);
}

test.each(
  ['partition', 'partition with a route'].flatMap((style) => [
    { style, ordered: 'before', date: undefined },
    { style, ordered: 'after', date: undefined },
    { style, ordered: 'after', date: 1 },
    { style, ordered: 'after', date: 4_000_000_000 },
  ]),
)('$style, a rollback that is made up of date $date, and an abort ordered $ordered it: it goes back', async (row) => {
  const { style, ordered, date } = row;
  const at = await adopted(style);
  const before = { old: at.text(LWS), was: markIn(at, 'release') };
  await stepped(at, style, [FIRST, SECOND, '1/']);
  await at.round();
  if (ordered === 'before') expect(await at.order(ABORT)).toContain('abort');
  takenBack(at, before, date);
  const seen: string[] = [];
  for (let round = 0; round < 4; round += 1) {
    seen.push(`${at.world.subject()} | ${at.world.groups()} | ${saidOf(await at.round())}`);
    expect(at.world.groups().match(/v0\.10\.1/g)?.length ?? 0, seen.join('\n')).toBeLessThanOrEqual(1);
  }
  await leadsTo(at, FIRST, { before: 0 });
});

/** Of the commit that says it delivers, by a forged message, and of those that take it back. */
test.each([1, 4_000_000_000, undefined])(
  'a delivery that is made up as well, of date %s, and a rollback to it: no group that was made again before it goes on',
  async (date) => {
    const at = await adopted('partition');
    const before = { old: at.text(LWS), was: markIn(at, 'release') };
    const [next = ''] = await releasesOf(at, 'partition', [SECOND]);
    const model = at.fork();
    await stepped(model, 'partition', [FIRST, SECOND, '1/']);
    for (const group of [0, 1, 2, 3]) at.world.cluster.kill({ namespace: 'llm', name: 'vllm', group, pods: 'all' });
    at.world.tick(120);
    await at.round();
    const signature = { name: 'Ada', email: 'ada@example.com', atSeconds: at.world.now };
    at.world.repository.commit('main', { writes: [{ path: 'README.md', text: 'a' }], message: 'a', signature });
    at.world.tick(60);
    const begun = model.text(LWS).replace(/partition: \d+/, 'partition: 1000000');
    forge(at, 'step 1/3', begun, next, date);
    takenBack(at, before, date);
    const seen: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      seen.push(`${at.world.subject()} | ${at.world.groups()} | ${saidOf(await at.round())}`);
      expect(at.world.groups(), seen.join('\n')).not.toContain(SECOND);
    }
  },
);

test('an undo whose partition a hand raises goes on', async () => {
  const at = await adopted('partition');
  await settled(at, FIRST, SECOND);
  expect(await at.order({ kind: 'undo', to: undefined })).toContain('undo');
  await at.round();
  at.edit(LWS, /partition: 0/, 'partition: 4');
  const seen: string[] = [];
  for (let round = 0; round < 8; round += 1) seen.push(`${at.world.groups()} | ${saidOf(await at.round())}`);
  expect([markIn(at, 'step'), [...new Set(at.world.groups().match(/v[\d.]+/g))]], seen.join('\n')).toEqual([
    '',
    [FIRST],
  ]);
});

/** Ten years, in seconds. */
const AHEAD = 10 * 365 * 86_400;

test('an undo whose partition a hand raises goes on, also where somebody has dated the request of what comes back ahead', async () => {
  const at = await adopted('partition');
  const signature = { name: 'Eve', email: 'eve@example.com', atSeconds: at.world.now + AHEAD };
  const text = tagged(at.text(LWS), [FIRST, SECOND]);
  at.world.repository.commit('main', { writes: [{ path: LWS, text }], message: 'ask for it', signature });
  await until(at, () => markIn(at, 'step') === '' && at.world.subject().includes('settled'));
  await settled(at, SECOND, THIRD);
  expect(await at.order({ kind: 'undo', to: undefined })).toContain('undo');
  await at.round();
  at.edit(LWS, /partition: 0/, 'partition: 4');
  const seen: string[] = [];
  for (let round = 0; round < 8; round += 1) seen.push(`${at.world.groups()} | ${saidOf(await at.round())}`);
  const tags = [...new Set(at.world.groups().match(/v[\d.]+/g))];
  expect([markIn(at, 'step'), tags], seen.join('\n')).toEqual(['', [SECOND]]);
});

test('a template that was forged as settled long before hides nothing of what came in between', async () => {
  const model = await adopted('partition');
  const [evil = '', next = ''] = await releasesOf(model, 'partition', [EVIL, SECOND]);
  const { 'rollouts/vllm.yaml': rollout = '', ...rest } = files('partition');
  const [head = '', tail = ''] = LWS_TEXT.replaceAll(FIRST, SECOND).split('spec:\n  replicas');
  const forged = `${head}  annotations:\n    tranche.dev/release: "${next}"\nspec:\n  replicas${tail}`;
  const at = new Forgery({ ...rest, [LWS]: forged });
  const others = (count: number, word: string): void => {
    for (let one = 0; one < count; one += 1) at.write('README.md', `${word} ${one}\n`);
  };
  others(14, 'before');
  at.write(LWS, LWS_TEXT);
  at.world.sync();
  at.world.tick(200);
  at.write('rollouts/vllm.yaml', rollout);
  for (let round = 0; round < 3; round += 1) await at.round();
  await stepped(at, 'partition', [FIRST, SECOND, '1/']);
  await at.round();
  const [text, release] = [at.text(LWS), markIn(at, 'release')];
  forge(at, 'eject, annotations removed', text.replace(/ +tranche\.dev\/.*\n/g, ''), release);
  forge(at, 'settled', text.replace(SETTLED, ''), release);
  others(16, 'after');
  forge(at, 'step 1/3', tagged(text, [SECOND, EVIL], [release, evil]), evil);
  forge(at, 'settled', text.replace(SETTLED, ''), release);
  await leadsTo(at, FIRST);
});

test('two templates forged as settled over one on its way: nobody can tell', async () => {
  const at = await adopted('partition');
  const first = at.world.repository.head('main');
  const [evil = ''] = await releasesOf(at, 'partition', [EVIL]);
  await stepped(at, 'partition', [FIRST, SECOND, '1/']);
  await at.round();
  const release = markIn(at, 'release');
  const done = at
    .text(LWS)
    .replace(SETTLED, '')
    .replace(/partition: \d+/, 'partition: 1000000');
  forge(at, 'settled', done, release);
  forge(at, 'settled', tagged(done, [SECOND, EVIL], [release, evil]), evil);
  const groups = at.world.groups();
  let said = '';
  for (let round = 0; round < 3; round += 1) said = saidOf(await at.round());
  expect(said).toMatch(/groups run \S+\.2 and \S+\.1, and main had both before it.*tranche abort vllm --from COMMIT/);
  await at.order(ABORT);
  for (let round = 0; round < 3; round += 1) await at.round();
  expect(at.world.groups()).toBe(groups);
  expect(await at.order({ ...ABORT, from: first })).toContain('back to the template');
  for (let round = 0; round < 8; round += 1) await at.round();
  expect([at.text(LWS).includes(FIRST), [...new Set(at.world.groups().match(/v[\d.]+/g))]]).toEqual([true, [FIRST]]);
});

test('a squash left nothing but a delivery on its way, and that as settled: an abort waits, and one with a commit goes back', async () => {
  const at = await adopted('partition');
  const before = at.text(LWS);
  await stepped(at, 'partition', [FIRST, SECOND, '1/']);
  await at.round();
  const now = at.world.repository.files('main');
  const settledNow = { ...now, [LWS]: at.text(LWS).replace(SETTLED, '') };
  at.world.repository.setHead('tranche-status', undefined);
  at.rewrite([now, settledNow], 'squash');
  for (let round = 0; round < 3; round += 1) await at.round();
  await at.order(ABORT);
  let said = '';
  for (let round = 0; round < 3; round += 1) said = saidOf(await at.round());
  expect(said).toContain('tranche abort vllm --from COMMIT');
  const text = at.text(LWS);
  const from = at.write(LWS, before);
  at.write(LWS, text);
  expect(await at.order({ ...ABORT, from })).toContain('back to the template');
  for (let round = 0; round < 8; round += 1) await at.round();
  expect([markIn(at, 'step'), [...new Set(at.world.groups().match(/v[\d.]+/g))]]).toEqual(['', [FIRST]]);
});

test('a squash left nothing but a rollback, and a hand raises its partition: it goes on', async () => {
  const at = await adopted('partition');
  await stepped(at, 'partition', [FIRST, SECOND, '2/']);
  await at.round();
  await at.order(ABORT);
  await at.until('rollback');
  const now = at.world.repository.files('main');
  at.world.repository.setHead('tranche-status', undefined);
  at.rewrite([{ ...now, [LWS]: at.text(LWS).replace(/partition: \d+/, 'partition: 4') }], 'squash');
  const seen: string[] = [];
  for (let round = 0; round < 8; round += 1) seen.push(`${at.world.groups()} | ${saidOf(await at.round())}`);
  const tags = [...new Set(at.world.groups().match(/v[\d.]+/g))];
  expect([markIn(at, 'step'), tags], seen.join('\n')).toEqual(['', [FIRST]]);
});

test('what was asked for again, which a hand let a group go to, is taken back', async () => {
  const at = await adopted('partition');
  await settled(at, FIRST, SECOND);
  expect(await at.order({ kind: 'pause' })).toContain('pause');
  at.write(LWS, tagged(at.text(LWS), [SECOND, FIRST]));
  await at.round();
  at.edit(LWS, /partition: \d+/, 'partition: 3');
  at.world.sync();
  at.world.tick(120);
  expect(at.world.groups()).toContain(FIRST);
  const release = /--release (\S+)/.exec(await at.order(ABORT))?.[1];
  expect(await at.order({ ...ABORT, release })).toContain('abort');
  await at.round();
  at.edit(LWS, /partition: \d+/, 'partition: 4');
  const seen: string[] = [];
  for (let round = 0; round < 8; round += 1)
    seen.push(`${at.world.subject()} | ${at.world.groups()} | ${saidOf(await at.round())}`);
  const tags = [...new Set(at.world.groups().match(/v[\d.]+/g))];
  expect([markIn(at, 'step'), tags], seen.join('\n')).toEqual(['', [SECOND]]);
});

/** A template that nobody delivered as settled, the older one asked for after it, and that taken back by a rollback. */
test.each(['partition', 'partition with a route'])(
  '%s, a request and its rollback that are made up: no group goes on to what was forged as settled',
  async (style) => {
    const at = await adopted(style);
    const [text, release] = [at.text(LWS), markIn(at, 'release')];
    const [next = ''] = await releasesOf(at, style, [SECOND]);
    const once = release.replace(/\.\d+$/, '.9');
    forge(at, 'settled', tagged(text, [FIRST, SECOND], [release, next]), next);
    forge(at, 'requested', text.replace(release, next), next);
    const back = `$1tranche.dev/release: "${next}"\n$1tranche.dev/step: "rollback"\n$1tranche.dev/aborted: "${once}"`;
    forge(at, 'rollback', tagged(text, [FIRST, SECOND]).replace(/( +)tranche\.dev\/release: .*/, back), next);
    const seen: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      seen.push(`${at.world.subject()} | ${at.world.groups()} | ${saidOf(await at.round())}`);
      expect(at.world.groups(), seen.join('\n')).not.toContain(SECOND);
    }
    await leadsTo(at, FIRST, { before: 0 });
  },
);
