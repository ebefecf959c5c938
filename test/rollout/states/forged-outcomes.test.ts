/** An end of a delivery that is taken back with other marks in it, and squashes on the way. */

import { expect, test } from 'vitest';
import { LWS, markIn, ROUTE, SERVICE, STYLES, serving, standing, untilRest } from '../../support/forged-share.ts';
import { EVIL, type Forgery, reasonsOf, saidOf } from '../../support/forgery.ts';
import { sampled } from '../../support/sampled.ts';
import { failingPercent } from '../../support/story/requests.ts';

const ROUNDS_MOST = 60;
const bases = new Map<string, Promise<Forgery>>();

/** Settled, with the files as they were before the commit that settled it. */
async function settled(style: string): Promise<Forgery> {
  const base =
    bases.get(style) ??
    standing({ style, stage: style.startsWith('partition') ? 'in its first share' : 'in its promotion' }).then(
      async (at) => {
        await at.until('settled', ROUNDS_MOST);
        return at;
      },
    );
  bases.set(style, base);
  return (await base).fork();
}

/** That commit is reverted, with these changes to the marks that it brings back. */
const EDITED: Readonly<Record<string, (text: string, at: Forgery) => string>> = {
  'as they were': (text) => text,
  'another step': (text) => text.replace(/tranche\.dev\/step: "[^@"]*/, 'tranche.dev/step: "1/2'),
  'a stable template that nobody merged': (text, at) => {
    const commit = at.unmerged(LWS, at.text(LWS).replaceAll(/vllm\/vllm-openai:\S+/g, EVIL));
    return text.replace(/tranche\.dev\/stable: "[^@]*/, `tranche.dev/stable: "${commit}`);
  },
  'no step': (text) => text.replace(/ +tranche\.dev\/(step|rung): .*\n/g, ''),
  'another restore': (text) => text.replace(/tranche\.dev\/restore: .*/, 'tranche.dev/restore: \'{"floor":0}\''),
};

const CASES = Object.keys(STYLES).flatMap((style) => Object.keys(EDITED).map((what) => [style, what] as const));

test.each(sampled(CASES, 3))(
  '%s, the commit that settled it is reverted, %s: nobody is harmed, and an order ends it',
  async (style, what) => {
    const at = await settled(style);
    const [last, before] = at.world.repository.log('main').slice(0, 2);
    expect(last?.message).toContain('settled');
    const was = at.world.repository.files(before?.oid ?? '');
    const restored = EDITED[what]?.(was[LWS] ?? '', at) ?? '';
    for (const path of [ROUTE, SERVICE]) if (was[path] !== at.text(path)) at.write(path, was[path]);
    if (restored !== at.text(LWS)) at.write(LWS, restored, 'Revert "settled"');
    const said: string[] = [];
    const look = async (): Promise<void> => {
      const result = await at.round();
      said.push(`${at.world.subject()} | ${reasonsOf(result).join(' ')} | ${saidOf(result)}`);
      const told = said.join('\n');
      expect(at.text(LWS), told).not.toContain(EVIL);
      expect([serving(at) >= 3, failingPercent(at.world.cluster)], told).toEqual([true, 0]);
    };
    for (let round = 0; round < 8; round += 1) await look();
    const held = said.at(-1);
    await at.order({ kind: 'abort', keepNewer: false });
    await untilRest(at, ROUNDS_MOST, look);
    // What main has settled is no delivery: it has gone, or is held by name with the order that ends it.
    if (markIn(at, 'step') !== '') expect(held).toContain('tranche repair vllm');
    said.push(await at.repair());
    await untilRest(at, ROUNDS_MOST, look);
    const told = [...new Set(said)].join('\n');
    expect([markIn(at, 'step'), at.world.groups()], told).toEqual(['', expect.stringMatching(/^(\S+\+ ?){4,8}$/)]);
  },
);

test.each(['canary', 'blueGreen'])(
  '%s, each pull request of its promotion is squashed, under another message: it settles',
  async (style) => {
    const at = (await standing({ style, stage: 'in its promotion', pulls: true })).fork();
    const said: string[] = [];
    for (let round = 0; round < ROUNDS_MOST && !at.world.subject().includes('settled'); round += 1) {
      const result = await at.round();
      said.push(`${at.world.subject()} | ${reasonsOf(result).join(' ')} | ${saidOf(result)}`);
      expect([serving(at) >= 3, failingPercent(at.world.cluster)], said.join('\n')).toEqual([true, 0]);
      for (const pull of at.forge?.open ?? []) {
        const titled = { ...pull, title: 'chore: merge what the bot says' };
        at.forge?.merge(Object.assign(pull, titled), { login: 'ada', isBot: false }, true);
      }
    }
    expect(at.world.subject(), [...new Set(said)].join('\n')).toContain('settled');
  },
);
