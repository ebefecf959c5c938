/** A forged end of the steps: no step is skipped by it, and an abort goes back. */

import { expect, test } from 'vitest';
import { LWS, markIn, NEW, ROUTE, SERVICE, STYLES, serving, standing, untilRest } from '../../support/forged-share.ts';
import { type Forgery, reasonsOf, saidOf } from '../../support/forgery.ts';
import { sampled } from '../../support/sampled.ts';

const bases = new Map<string, Promise<Forgery>>();
const baseOf = (style: string, pulls: boolean): Promise<Forgery> => {
  const key = `${style} ${pulls}`;
  const base = bases.get(key) ?? standing({ style, stage: 'in its first share', pulls });
  bases.set(key, base);
  return base;
};

const trailersOf = (at: Forgery): string =>
  `rollout(llm/vllm): promote\n\nRollout: llm/vllm\nRollout-Step: promote\nRollout-Release: ${markIn(at, 'release')}\nRollout-Reason: Promoted`;

const FORGERIES: Readonly<Record<string, (at: Forgery) => void>> = {
  alone: (at) => at.mark('step', 'promote'),
  'with the rung of the primary': (at) => {
    at.mark('step', 'promote');
    at.mark('rung', 'primary');
  },
  'with the message of a commit of tranche': (at) => {
    const text = at.text(LWS).replace(/tranche\.dev\/step: .*/, 'tranche.dev/step: "promote"');
    at.write(LWS, text, trailersOf(at));
  },
  'with the marks taken out in between': (at) => {
    const marks = at.text(LWS);
    at.write(LWS, marks.replace(/ +tranche\.dev\/(step|rung|restore): .*\n/g, ''));
    at.write(LWS, marks.replace(/tranche\.dev\/step: .*/, 'tranche.dev/step: "promote"'));
  },
  'with many others in between': (at) => {
    const text = at.text(LWS).replace(/tranche\.dev\/step: .*/, 'tranche.dev/step: "promote"');
    for (let count = 0; count < 45; count += 1) {
      at.write(LWS, text);
      at.write(LWS, text.replace(/ +tranche\.dev\/(step|rung|restore): .*\n/g, ''));
    }
    at.write(LWS, text);
  },
  'with the document taken out in between': (at) => {
    const text = at.text(LWS);
    at.write(LWS, 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: vllm}\n');
    at.write(LWS, text.replace(/tranche\.dev\/step: .*/, 'tranche.dev/step: "promote"'));
  },
};

const CASES = ['canary', 'blueGreen'].flatMap((style) =>
  [false, true].flatMap((pulls) =>
    Object.keys(FORGERIES).map((what) => [style, pulls ? 'by pull requests' : 'by commits', what] as const),
  ),
);

test.each(sampled(CASES, 2))(
  '%s, %s, forged: promote, %s: no step is skipped, and an abort goes back',
  async (style, way, what) => {
    expect(STYLES).toHaveProperty([style]);
    const at = (await baseOf(style, way === 'by pull requests')).fork();
    FORGERIES[what]?.(at);
    const forged = [LWS, ROUTE, SERVICE].map((path) => at.text(path));
    const said: string[] = [];
    for (let count = 0; count < 8; count += 1) {
      const result = await at.round();
      said.push(`${at.world.subject()} | ${reasonsOf(result).join(' ')} | ${saidOf(result)}`);
    }
    expect(
      [LWS, ROUTE, SERVICE].map((path) => at.text(path)),
      said.join('\n'),
    ).toEqual(forged);
    expect(at.forge?.open.map(({ title }) => title).filter((title) => title.includes('promote')) ?? []).toEqual([]);
    expect(said.at(-1)).toContain('AnnotationsGone');
    said.push(await at.order({ kind: 'abort', keepNewer: false }));
    await untilRest(at, 30, async () => {
      const result = await at.round();
      said.push(`${at.world.subject()} | ${reasonsOf(result).join(' ')}`);
    });
    const told = [...new Set(said)].join('\n');
    expect(at.text(LWS).split('\n---\n')[0], told).not.toContain(NEW);
    expect(serving(at, '0.10.0'), told).toBe(4);
  },
);

test.each([
  ['canary', 'canary', false],
  ['blueGreen', 'blueGreen', false],
  ['canary, by pull requests', 'canary', true],
  ['blueGreen, by pull requests', 'blueGreen', true],
])('%s: a forged promote is held, nothing is written, and who puts the step back goes on', async (_, style, pulls) => {
  const at = (await baseOf(style, pulls)).fork();
  const before = markIn(at, 'step');
  at.mark('step', 'promote');
  const forged = at.text(LWS);
  let said = '';
  for (let count = 0; count < 4; count += 1) said = saidOf(await at.round());
  expect(at.text(LWS)).toBe(forged);
  expect(said).toContain(`tranche.dev/step: '${before}'`);
  at.mark('step', before);
  for (let count = 0; count < 40 && !at.world.subject().includes('step 2/2'); count += 1) {
    at.mergeOpen();
    await at.round();
  }
  expect(at.world.subject()).toContain('step 2/2');
});
