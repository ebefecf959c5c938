/** Marks that somebody has changed where each step of a second workload is a pull request: nothing goes without one. */

import { expect, test } from 'vitest';
import { LWS, markIn, NEW, ROUTE, restoring, SERVICE, serving, standing } from '../support/forged-share.ts';
import { type Forgery, reasonsOf, saidOf } from '../support/forgery.ts';
import { sampled } from '../support/sampled.ts';

const bases = new Map<string, Promise<Forgery>>();
const baseOf = (style: string): Promise<Forgery> => {
  const base = bases.get(style) ?? standing({ style, stage: 'in its first share', pulls: true });
  bases.set(style, base);
  return base;
};

/** The same eight as of a workload that is stepped itself. */
const FORGERIES: Readonly<Record<string, (at: Forgery) => void>> = {
  'a step on': (at) => at.mark('step', `2/2@${markIn(at, 'release')}`),
  'the last step and its rung': (at) => {
    at.mark('step', `2/2@${markIn(at, 'release')}`);
    at.mark('rung', 'pods');
  },
  'a step back': (at) => at.mark('step', `0/2@${markIn(at, 'release')}`),
  promote: (at) => at.mark('step', 'promote'),
  'the primary was released for update': restoring(() => ({ floor: 0 })),
  'the release is settled': (at) => void at.edit(LWS, /( +tranche\.dev\/(step|rung|restore): .*\n)+/, ''),
  aborted: (at) => at.mark('aborted', markIn(at, 'release')),
  rollback: (at) => at.mark('step', 'rollback'),
};

const CASES = ['canary', 'blueGreen'].flatMap((style) => Object.keys(FORGERIES).map((what) => [style, what] as const));

const filesNow = (at: Forgery): readonly string[] => [LWS, ROUTE, SERVICE].map((path) => at.text(path));

test.each(sampled(CASES, 2))(
  '%s, forged: %s: nothing goes without its pull request, and an abort goes back',
  async (style, what) => {
    const at = (await baseOf(style)).fork();
    FORGERIES[what]?.(at);
    const forged = filesNow(at);
    const said: string[] = [];
    for (let count = 0; count < 8; count += 1) {
      const result = await at.round();
      said.push(`${at.world.subject()} | ${reasonsOf(result).join(' ')} | ${saidOf(result)}`);
    }
    expect(filesNow(at), said.join('\n')).toEqual(forged);
    said.push(await at.order({ kind: 'abort', keepNewer: false }));
    for (let count = 0; count < 30; count += 1) {
      const result = await at.round();
      said.push(`${at.world.subject()} | ${reasonsOf(result).join(' ')}`);
    }
    const told = [...new Set(said)].join('\n');
    expect(at.text(LWS).split('\n---\n')[0], told).not.toContain(NEW);
    expect(serving(at, '0.10.0'), told).toBe(4);
  },
);
