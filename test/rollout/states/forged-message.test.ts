/** Annotations that somebody writes by hand, with the author and the message of a commit of tranche: no abort takes groups on by them. */

import { expect, test } from 'vitest';
import { filesOf, LWS, markIn, NEW, OLD, STAGES, serving, untilRest } from '../../support/forged-share.ts';
import { Forgery, reasonsOf, saidOf } from '../../support/forgery.ts';
import { sampled } from '../../support/sampled.ts';
import { failingPercent } from '../../support/story/requests.ts';
import { LWS_TEXT, ROLLOUT_TEXT } from '../../support/vllm.ts';

const ROUNDS_MOST = 60;
const CUT = '\n---\n';

const files = (style: string): Record<string, string> =>
  style === 'partition'
    ? { [LWS]: LWS_TEXT, 'rollouts/vllm.yaml': ROLLOUT_TEXT.replace('pause: {}', 'pause: {duration: 60}') }
    : filesOf(style);

async function until(at: Forgery, isThere: () => boolean): Promise<void> {
  for (let round = 0; round < ROUNDS_MOST && !isThere(); round += 1) await at.round();
  expect(isThere(), at.world.subject()).toBe(true);
}

/** A newer template in its first step. */
async function stepped(style: string): Promise<Forgery> {
  const at = new Forgery(files(style));
  for (let round = 0; round < 3; round += 1) await at.round();
  const [own = '', ...others] = at.text(LWS).split(CUT);
  at.write(LWS, [own.replaceAll(OLD, NEW), ...others].join(CUT));
  await until(at, () =>
    style === 'partition' ? markIn(at, 'step').startsWith('1/') : STAGES['in its first share']?.(at) === true,
  );
  return at;
}

const bases = new Map<string, Promise<Forgery>>();
const baseOf = async (style: string): Promise<Forgery> => {
  const base = bases.get(style) ?? stepped(style);
  bases.set(style, base);
  return (await base).fork();
};

/** As tranche would have written it, all of it. */
function forge(
  at: Forgery,
  step: string,
  reason: string,
  change: (text: string) => string,
  release = markIn(at, 'release'),
): void {
  const { repository, now } = at.world;
  const message = `rollout(llm/vllm): ${step}

All is well.

Rollout: default/llm/vllm
Rollout-Release: ${release}
Rollout-Step: ${step}
Rollout-Reason: ${reason}
Planned-From: ${repository.head('main')}`;
  const signature = { name: 'tranche', email: 'tranche@example.com', atSeconds: now };
  repository.commit('main', { writes: [{ path: LWS, text: change(at.text(LWS)) }], message, signature });
}

const FORGERIES: Readonly<Record<string, (at: Forgery) => void>> = {
  'that it has settled': (at) =>
    forge(at, 'settled', 'Settled', (text) => text.replace(/ +tranche\.dev\/(step|restore|stable|rung): .*\n/g, '')),
  'that it goes back': (at) =>
    forge(at, 'rollback', 'Aborted', (text) =>
      text.replace(
        /tranche\.dev\/step: .*/,
        `tranche.dev/step: "rollback"\n    tranche.dev/aborted: "${markIn(at, 'release')}"`,
      ),
    ),
};

/** The label of the template stays: who edits that restarts the group by it, whatever tranche does. */
const asRelease = (text: string, release: string): string =>
  text.replace(/tranche\.dev\/release: .*/, `tranche.dev/release: "${release}"`);

const SETTLED = / +tranche\.dev\/(step|restore|stable|rung): .*\n/g;

/** The same after somebody has written to the file in a commit of their own, or in another that says it is ours. */
const LATER: typeof FORGERIES = {
  'that it has settled, after a hand that took all out': (at) => {
    const text = at.text(LWS);
    const release = markIn(at, 'release');
    at.write(LWS, text.replace(/ +tranche\.dev\/.*\n/g, ''));
    forge(at, 'settled', 'Settled', () => text.replace(SETTLED, ''), release);
  },
  'that it goes back, and has': (at) => {
    const settled = at.text(LWS).replace(SETTLED, '');
    FORGERIES['that it goes back']?.(at);
    forge(at, 'rolled back', 'Aborted', () => settled);
  },
  'that its template has settled as another release': (at) => {
    const release = markIn(at, 'release');
    const next = release.replace(/\.\d+$/, '.9');
    forge(at, 'settled', 'Settled', (text) => asRelease(text.replace(SETTLED, ''), next), next);
  },
};

/** As tranche hands a workload back: nothing that it wrote before that counts any more by its messages. */
function forgeEject(at: Forgery): void {
  forge(at, 'eject, annotations removed', 'Settled', (text) => text.replace(/ +tranche\.dev\/.*\n/g, ''));
}

/** More of them than the messages of main are followed for. */
const MANY = 45;

/** What no message tells: the files alone, and the groups. */
const UNTOLD: typeof FORGERIES = {
  'that it was handed back, and has settled': (at) => {
    const [text, release] = [at.text(LWS), markIn(at, 'release')];
    forgeEject(at);
    forge(at, 'settled', 'Settled', () => text.replace(SETTLED, ''), release);
  },
  'that it was handed back, and goes back': (at) => {
    const [text, release] = [at.text(LWS), markIn(at, 'release')];
    forgeEject(at);
    forge(
      at,
      'rollback',
      'Aborted',
      () => text.replace(SETTLED, (line) => (line.includes('/step') ? '    tranche.dev/step: "rollback"\n' : '')),
      release,
    );
  },
  'many times that it has settled': (at) => {
    const text = at.text(LWS);
    for (let count = 0; count < MANY; count += 1) {
      if (count > 0) at.write(LWS, text);
      forge(at, 'settled', 'Settled', () => text.replace(SETTLED, ''));
    }
  },
  'many times that another release has settled, and it': (at) => {
    const text = at.text(LWS).replace(SETTLED, '');
    const release = markIn(at, 'release');
    for (let serial = 50; serial < 50 + MANY; serial += 1) {
      const next = release.replace(/\.\d+$/, `.${serial}`);
      forge(at, 'settled', 'Settled', () => asRelease(text, next), next);
    }
  },
};

const ROWS = ['partition', 'partition with a route', 'canary', 'blueGreen'].flatMap((style) =>
  Object.keys({ ...FORGERIES, ...LATER }).map((forged) => [style, forged] as const),
);

test.each(sampled(ROWS, 3))('forged with our message: %s, %s: held, and an abort goes back', async (style, forged) => {
  const at = await baseOf(style);
  ({ ...FORGERIES, ...LATER })[forged]?.(at);
  const seen: string[] = [];
  const round = async (): Promise<string> => {
    const result = await at.round();
    seen.push(`${at.world.subject()} | ${at.world.groups()} | ${saidOf(result)}`);
    expect(failingPercent(at.world.cluster), seen.join('\n')).toBe(0);
    return reasonsOf(result).join(' ');
  };
  for (let count = 0; count < 3; count += 1) await round();
  expect(await round(), seen.join('\n')).toContain('AnnotationsGone');
  seen.push(await at.order({ kind: 'abort', keepNewer: false }));
  await untilRest(at, ROUNDS_MOST, round);
  expect(at.text(LWS).split(CUT)[0], seen.join('\n')).not.toContain(NEW);
  expect(serving(at, '0.10.0'), seen.join('\n')).toBe(4);
});

const UNTOLD_ROWS = ['partition', 'partition with a route', 'canary', 'blueGreen'].flatMap((style) =>
  Object.keys(UNTOLD).map((forged) => [style, forged] as const),
);

test.each(sampled(UNTOLD_ROWS, 3))(
  'forged with our message: %s, %s: no group goes on to it, whatever is ordered',
  async (style, forged) => {
    const at = await baseOf(style);
    UNTOLD[forged]?.(at);
    const first = at.line().findLast(({ message }) => message.startsWith('edit '))?.parents[0];
    const seen: string[] = [];
    const round = async (): Promise<void> => {
      const result = await at.round();
      seen.push(`${at.world.subject()} | ${at.world.groups()} | ${saidOf(result)}`);
      expect(failingPercent(at.world.cluster), seen.join('\n')).toBe(0);
      expect(serving(at, '0.10.1'), seen.join('\n')).toBeLessThanOrEqual(1);
    };
    for (let count = 0; count < 4; count += 1) await round();
    seen.push(await at.order({ kind: 'abort', keepNewer: false }));
    await untilRest(at, ROUNDS_MOST, round);
    if (at.text(LWS).split(CUT)[0]?.includes(NEW)) {
      expect(seen.at(-1)).toContain('tranche abort vllm --from COMMIT');
      seen.push(await at.order({ kind: 'abort', keepNewer: false, from: first }));
      await untilRest(at, ROUNDS_MOST, round);
    }
    expect(at.text(LWS).split(CUT)[0], seen.join('\n')).not.toContain(NEW);
    expect(serving(at, '0.10.0'), seen.join('\n')).toBe(4);
  },
);

test.each(['partition', 'canary', 'blueGreen'])(
  'forged with our message: %s, that it has settled, and its record is gone before each pass: never taken on',
  async (style) => {
    const at = await baseOf(style);
    FORGERIES['that it has settled']?.(at);
    const looked = async (): Promise<string> => {
      at.world.repository.setHead('tranche-status', undefined);
      return reasonsOf(await at.round()).join(' ');
    };
    const said: string[] = [];
    for (let count = 0; count < 3; count += 1) said.push(await looked());
    expect(said.at(-1), said.join('\n')).toContain('AnnotationsGone');
    said.push(await at.order({ kind: 'abort', keepNewer: false }));
    for (let count = 0; count < 12; count += 1) {
      said.push(`${at.world.subject()} | ${at.world.groups()} | ${await looked()}`);
      expect(serving(at, '0.10.1'), said.join('\n')).toBeLessThanOrEqual(1);
    }
    expect(at.text(LWS).split(CUT)[0], said.join('\n')).not.toContain(NEW);
  },
);

test.each(['that it was handed back, and has settled', 'many times that it has settled'])(
  'forged with our message: partition, %s, and handed back before any pass: no group goes on to it',
  async (forged) => {
    const at = await baseOf('partition');
    UNTOLD[forged]?.(at);
    expect(await at.eject()).toContain('a release is in flight');
    expect(await at.eject({ abort: true })).toContain('stable template back');
    for (let count = 0; count < 6; count += 1) await at.round();
    expect([at.text(LWS).includes(NEW), serving(at, '0.10.0')]).toEqual([false, 4]);
  },
);

test('forged with our message: partition, in its last step and settled, and handed back before any pass: refused, and an abort goes back', async () => {
  const at = await baseOf('partition');
  const [text, release] = [at.text(LWS), markIn(at, 'release')];
  forgeEject(at);
  const last = text.replace(/"floor":\d+/, '"floor":0').replace(/(tranche\.dev\/step: ")\d\/(\d)/, '$1$2/$2');
  forge(at, 'step 3/3', 'Stepped', () => last, release);
  forge(at, 'settled', 'Settled', () => text.replace(SETTLED, ''), release);
  for (const wish of [{}, { abort: true }]) expect(await at.eject(wish)).toContain('no pass has looked at');
  for (let count = 0; count < 3; count += 1) await at.round();
  for (const wish of [{}, { abort: true }]) expect(await at.eject(wish)).toContain('GroupsBehind');
  expect(serving(at, '0.10.1')).toBeLessThanOrEqual(1);
  await at.order({ kind: 'abort', keepNewer: false });
  for (let count = 0; count < 8; count += 1) await at.round();
  expect([at.text(LWS).includes(NEW), serving(at, '0.10.0')]).toEqual([false, 4]);
});

test('forged with our message: partition with a route, and the version label edited with it: its share goes with the next pass', async () => {
  const at = await baseOf('partition with a route');
  const release = markIn(at, 'release');
  const next = release.replace(/\.\d+$/, '.9');
  forge(at, 'settled', 'Settled', (text) => text.replace(SETTLED, '').replaceAll(release, next), next);
  // The edit restarts the group that has the share, whatever tranche does; the pass that sees it takes the share away.
  await at.round();
  expect(failingPercent(at.world.cluster)).toBeLessThanOrEqual(5);
  expect(at.world.subject()).toContain('traffic withdrawn');
  const seen: string[] = [];
  const round = async (): Promise<void> => {
    seen.push(`${at.world.subject()} | ${at.world.groups()} | ${saidOf(await at.round())}`);
    expect(failingPercent(at.world.cluster), seen.join('\n')).toBe(0);
  };
  for (let count = 0; count < 3; count += 1) await round();
  await at.order({ kind: 'abort', keepNewer: false });
  await untilRest(at, ROUNDS_MOST, round);
  expect([at.text(LWS).includes(NEW), serving(at, '0.10.0')], seen.join('\n')).toEqual([false, 4]);
});
