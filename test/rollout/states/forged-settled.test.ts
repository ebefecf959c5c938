/** Histories that somebody makes up in more than one commit so that a delivery reads as settled: no abort takes groups on to it. */

import { expect, test } from 'vitest';
import { filesOf, LWS, markIn, NEW, OLD, STAGES, serving } from '../../support/forged-share.ts';
import { Forgery, saidOf } from '../../support/forgery.ts';
import { sampled } from '../../support/sampled.ts';
import { LWS_TEXT, ROLLOUT_TEXT } from '../../support/vllm.ts';

const CUT = '\n---\n';
const MOVED = LWS.replace('apps/vllm', 'apps/other');
const SETTLED = / +tranche\.dev\/(step|restore|stable|rung): .*\n/g;
const THIRD = `${'f'.repeat(32)}.7`;

const files = (style: string): Record<string, string> =>
  style === 'partition'
    ? { [LWS]: LWS_TEXT, 'rollouts/vllm.yaml': ROLLOUT_TEXT.replace('pause: {}', 'pause: {duration: 60}') }
    : filesOf(style);

async function stepped(style: string): Promise<Forgery> {
  const at = new Forgery(files(style));
  const isThere = (): boolean =>
    style === 'partition' ? markIn(at, 'step').startsWith('1/') : STAGES['in its first share']?.(at) === true;
  for (let round = 0; round < 3; round += 1) await at.round();
  const [own = '', ...others] = at.text(LWS).split(CUT);
  at.write(LWS, [own.replaceAll(OLD, NEW), ...others].join(CUT));
  for (let round = 0; round < 30 && !isThere(); round += 1) await at.round();
  expect(isThere()).toBe(true);
  return at;
}

/** A commit with our author and message. */
function forge(at: Forgery, text: string, [step, reason, release]: readonly [string, string, string]): void {
  const { repository, now } = at.world;
  const message = `rollout(llm/vllm): ${step}

All is well.

Rollout: default/llm/vllm
Rollout-Release: ${release}
Rollout-Step: ${step}
Rollout-Reason: ${reason}
Planned-From: ${repository.head('main')}`;
  const signature = { name: 'tranche', email: 'tranche@example.com', atSeconds: now };
  repository.commit('main', { writes: [{ path: LWS, text }], message, signature });
}

type Made = (at: Forgery, text: string, release: string) => void;

const HISTORIES: Readonly<Record<string, Made>> = {
  'handed back, in its last step, and settled': (at, text, release) => {
    forge(at, text.replace(/ +tranche\.dev\/.*\n/g, ''), ['eject, annotations removed', 'Settled', release]);
    const last = text.replace(/"floor":\d+/, '"floor":0').replace(/(tranche\.dev\/step: ")\d\/(\d)/, '$1$2/$2');
    forge(at, last, ['step 3/3', 'StepReady', release]);
    forge(at, text.replace(SETTLED, ''), ['settled', 'Settled', release]);
  },
  'gone, a third template on its way, and settled': (at, text, release) => {
    at.write(LWS, undefined);
    forge(at, text.replaceAll(release, THIRD).replaceAll(NEW, 'v0.10.9'), ['step 1/3', 'StepReady', THIRD]);
    forge(at, text.replace(SETTLED, ''), ['settled', 'Settled', release]);
  },
  'gone, and settled in another folder': (at, text) => {
    at.write(LWS, undefined);
    at.write(MOVED, text.replace(SETTLED, ''));
  },
};

const ROWS = ['partition', 'canary', 'blueGreen'].flatMap((style) =>
  Object.keys(HISTORIES).map((history) => [style, history] as const),
);

test.each(sampled(ROWS, 2))(
  '%s, %s: no group goes on to it, and an abort goes back or says to what it could',
  async (style, history) => {
    const at = await stepped(style);
    HISTORIES[history]?.(at, at.text(LWS), markIn(at, 'release'));
    const seen: string[] = [];
    const rounds = async (count: number): Promise<void> => {
      for (let round = 0; round < count; round += 1) {
        const result = await at.round();
        seen.push(`${at.world.subject()} | ${at.world.groups()} | ${saidOf(result)}`);
        expect(serving(at, '0.10.1'), seen.join('\n')).toBeLessThanOrEqual(1);
      }
    };
    await rounds(4);
    seen.push(await at.order({ kind: 'abort', keepNewer: false }));
    await rounds(8);
    const from = /main had it as delivered, in ([0-9a-f]{40})/.exec(seen.at(-1) ?? '')?.[1];
    if (from !== undefined) {
      seen.push(await at.order({ kind: 'abort', keepNewer: false, from }));
      await rounds(8);
    }
    expect(serving(at, '0.10.0'), seen.join('\n')).toBe(4);
  },
);
