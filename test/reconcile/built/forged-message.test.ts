/** Annotations that somebody writes by hand, with the author and the message of a commit of tranche, where no file has the LeaderWorkerSet. */

import { expect, test } from 'vitest';
import { type BuiltLayout, LAYOUTS } from '../../support/built-layouts.ts';
import { OVERLAY } from '../../support/built-world.ts';
import { sampled } from '../../support/sampled.ts';

const ABORT = { kind: 'abort', keepNewer: false, from: undefined } as const;

const OTHER = '0123456789abcdef0123456789abcdef.3';

const textIn = (at: BuiltLayout): string => at.world.repository.text('main', at.marked) ?? '';

/** A commit of somebody's; undefined: the file is gone. */
function write(at: BuiltLayout, text: string | undefined, message = 'by hand'): void {
  const { repository, now } = at.world;
  expect(text).not.toBe(textIn(at));
  const signature = { name: 'tranche', email: 'tranche@example.com', atSeconds: now };
  repository.commit('main', { writes: [{ path: at.marked, text }], message, signature });
}

/** As tranche would have written it, all of it. */
function forge(at: BuiltLayout, text: string, [step, reason, release = at.release]: readonly string[]): void {
  write(
    at,
    text,
    `rollout(llm/vllm): ${step}

All is well.

Rollout: default/llm/vllm
Rollout-Release: ${release}
Rollout-Step: ${step}
Rollout-Reason: ${reason}
Planned-From: ${at.world.repository.head('main')}`,
  );
}

const SETTLED = ['settled', 'Settled'] as const;
const BACK = ['rollback', 'Aborted'] as const;

const settledIn = (text: string): string => text.replace(/ +tranche\.dev\/(step|restore|stable|rung): .*\n/g, '');
const nothingIn = (text: string): string =>
  text.replace(/ +tranche\.dev\/.*\n/g, '').replace(/ {2}annotations:\n(?! {4})/, '');
const unreadable = (text: string): string => text.replace(/tranche\.dev\/step: .*/, 'tranche.dev/step: "nonsense"');
const backIn = ({ release }: BuiltLayout, text: string): string =>
  text.replace(/tranche\.dev\/step: .*/, `tranche.dev/step: "rollback"\n    tranche.dev/aborted: "${release}"`);
const nextOf = ({ release }: BuiltLayout): string => release.replace(/\.\d+$/, '.9');

/** What is written, after what the delivery has there. */
const FORGERIES: Readonly<Record<string, (at: BuiltLayout, text: string) => void>> = {
  'that it has settled': (at, text) => forge(at, settledIn(text), SETTLED),
  'that it goes back': (at, text) => forge(at, backIn(at, text), BACK),
  'that it goes back, and has': (at, text) => {
    forge(at, backIn(at, text), BACK);
    forge(at, settledIn(text), ['rolled back', 'Aborted']);
  },
  'more annotations, after a hand that took its step out': (at, text) => {
    write(at, settledIn(text));
    forge(
      at,
      settledIn(text).replace(/( +)(tranche\.dev\/release: .*\n)/, `$1$2$1tranche.dev/aborted: "${OTHER}"\n`),
      SETTLED,
    );
  },
  'that it has settled, after a hand that took all out': (at, text) => {
    write(at, nothingIn(text));
    forge(at, settledIn(text), SETTLED);
  },
  'that it has settled, after a hand that left what nobody can read': (at, text) => {
    write(at, unreadable(text));
    forge(at, settledIn(text), SETTLED);
  },
  'that it goes back, after a hand that left what nobody can read': (at, text) => {
    write(at, unreadable(text));
    forge(at, backIn(at, text), BACK);
  },
  'that it has settled, after the file was gone': (at, text) => {
    write(at, undefined);
    forge(at, settledIn(text), SETTLED);
  },
  'that it has settled, eleven times': (at, text) => {
    for (let count = 0; count < 11; count += 1) {
      if (count > 0) write(at, text);
      forge(at, settledIn(text), SETTLED);
    }
  },
  'eleven commits that leave what a hand has settled': (at, text) => {
    write(at, settledIn(text));
    for (let count = 0; count < 11; count += 1) forge(at, `${settledIn(text)}# ${count}\n`, SETTLED);
  },
  'that its template has settled as another release': (at, text) =>
    forge(at, settledIn(text.replaceAll(at.release, nextOf(at))), [...SETTLED, nextOf(at)]),
  'another release in its last step, and that this one has settled': (at, text) => {
    forge(at, text.replaceAll(at.release, OTHER).replace(/"floor":\d+/, '"floor":0'), ['step 3/3', 'Stepped', OTHER]);
    forge(at, settledIn(text), SETTLED);
  },
};

/** As tranche hands a workload back. */
const HANDED_BACK = ['eject, annotations removed', 'Settled'] as const;

const RELEASE = /(tranche\.dev\/release: ).*/;
const markedIn = (text: string): string | undefined => /tranche\.dev\/release: "?([0-9a-f]+\.\d+)/.exec(text)?.[1];

/** More commits than messages are followed for. */
const MANY = 45;

/** What no message tells: the files alone, and the groups. */
const UNTOLD: typeof FORGERIES = {
  'that it was handed back, and has settled': (at, text) => {
    forge(at, nothingIn(text), HANDED_BACK);
    forge(at, settledIn(text), SETTLED);
  },
  'many times that it has settled': (at, text) => {
    for (let count = 0; count < MANY; count += 1) {
      if (count > 0) write(at, text);
      forge(at, settledIn(text), SETTLED);
    }
  },
};

const ROWS = Object.keys(LAYOUTS).flatMap((layout) =>
  Object.keys(FORGERIES).map((forged) => [layout, forged] as const),
);

/** Held, then aborted and back: no group more goes to the release that is aborted. */
async function playsBack(at: BuiltLayout, forget: () => void = () => {}, held = /AnnotationsGone/): Promise<void> {
  const seen: string[] = [];
  const round = async (): Promise<string> => {
    forget();
    const said = await at.world.step();
    seen.push(`${at.groups()} | ${said}`);
    return said;
  };
  for (let count = 0; count < 3; count += 1) await round();
  expect(await round(), seen.join('\n')).toMatch(held);
  seen.push(await at.world.order(ABORT));
  for (let count = 0; count < 12; count += 1) {
    await round();
    expect(at.groups().match(/v0\.10\.1/g)?.length ?? 0, seen.join('\n')).toBeLessThanOrEqual(1);
  }
  expect(at.groups(), seen.join('\n')).toBe(at.old);
}

test.each(sampled(ROWS, 3))('%s, forged with our message %s: held, and an abort goes back', async (layout, forged) => {
  const at = await LAYOUTS[layout]!();
  FORGERIES[forged]?.(at, textIn(at));
  await playsBack(at);
});

const UNTOLD_ROWS = Object.keys(LAYOUTS).flatMap((layout) =>
  Object.keys(UNTOLD).map((forged) => [layout, forged] as const),
);

test.each(sampled(UNTOLD_ROWS, 3))(
  '%s, forged with our message %s, which no message tells: held, and an abort goes back',
  async (layout, forged) => {
    const at = await LAYOUTS[layout]!();
    UNTOLD[forged]?.(at, textIn(at));
    await playsBack(at, undefined, /AnnotationsGone|GroupsBehind/);
  },
);

test.each(['a HelmRelease', 'a HelmRelease of an overlay'])(
  '%s, forged that another release was on its way and was taken back: held, and an abort goes back',
  async (layout) => {
    const at = await LAYOUTS[layout]!();
    const text = textIn(at);
    forge(at, nothingIn(text), HANDED_BACK);
    forge(at, text.replaceAll(at.release, OTHER), ['step 1/3', 'Stepped', OTHER]);
    write(at, settledIn(text));
    await playsBack(at, undefined, /GroupsBehind/);
  },
);

test('a HelmRelease, the same, and handed back: refused, without a partition that its entry cannot leave', async () => {
  const at = await LAYOUTS['a HelmRelease']!();
  const text = textIn(at);
  forge(at, nothingIn(text), HANDED_BACK);
  forge(at, text.replaceAll(at.release, OTHER), ['step 1/3', 'Stepped', OTHER]);
  write(at, settledIn(text));
  const wish = { abort: false, partition: undefined };
  const before = await at.world.order(wish);
  expect(before).toContain('no pass has looked at the annotations');
  for (let count = 0; count < 4; count += 1) await at.world.step();
  const after = await at.world.order(wish);
  expect(after).toContain('(GroupsBehind)');
  expect(`${before}${after}`).not.toContain('--partition');
  expect(at.groups().match(/v0\.10\.1/g)).toHaveLength(1);
});

test.each(['before', 'after'])(
  'a HelmRelease, a rollback that is made up, and an abort that was ordered %s: it goes back',
  async (ordered) => {
    const at = await LAYOUTS['a HelmRelease']!();
    const { repository } = at.world;
    const adopted = repository.log('main').findLast(({ message }) => message.includes('adopt'))?.oid ?? '';
    const [text, old] = [textIn(at), repository.text(adopted, at.marked) ?? ''];
    const again = (markedIn(old) ?? '').replace(/\.\d+$/, '.8');
    if (ordered === 'before') await at.world.order(ABORT);
    const last = text.replace(/"floor":\d+/, '"floor":0').replace(/(tranche\.dev\/step: "?)\d\/(\d)/, '$1$2/$2');
    forge(at, last, ['step 3/3', 'StepReady']);
    forge(at, old.replace(RELEASE, `$1"${again}"\n    tranche.dev/step: "1/3@${again}"`), [
      'step 1/3',
      'StepReady',
      again,
    ]);
    const back = `$1"${at.release}"\n    tranche.dev/step: "rollback"\n    tranche.dev/aborted: "${again}"`;
    forge(at, settledIn(text).replace(RELEASE, back), BACK);
    await playsBack(at, undefined, ordered === 'before' ? /^$/ : /GroupsBehind/);
  },
);

test.each(['a kustomize folder', 'a HelmRelease of an overlay'])(
  '%s, forged with our message that it goes back, by a pin that is gone once the folder is built again',
  async (layout) => {
    const at = await LAYOUTS[layout]!();
    const text = textIn(at);
    const overlay = at.world.repository.text('main', OVERLAY) ?? '';
    const pin = text.includes('HelmRelease') ? '  values: {a: 1}\n' : '  leaderWorkerTemplate: {size: 2}\n';
    at.world.repository.commit('main', { writes: [{ path: OVERLAY, text: `${overlay}a: [\n` }], message: 'break it' });
    forge(at, backIn(at, text.replace('spec:\n', `spec:\n${pin}`)), BACK);
    write(at, backIn(at, text));
    at.world.repository.commit('main', { writes: [{ path: OVERLAY, text: overlay }], message: 'mend it' });
    await playsBack(at);
  },
);

test.each(Object.keys(LAYOUTS))(
  '%s, forged with our message that it has settled, and its record is gone before each pass: never taken on',
  async (layout) => {
    const at = await LAYOUTS[layout]!();
    FORGERIES['that it has settled']?.(at, textIn(at));
    await playsBack(at, () => at.world.repository.setHead('tranche-status', undefined));
  },
);
