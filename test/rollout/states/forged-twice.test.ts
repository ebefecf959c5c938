/** A key of a Service or a route that somebody writes twice in mid-delivery: no step goes by it, and the way back is not kept waiting. */

import { expect, test } from 'vitest';
import { filesOf, LWS, NEW, ROUTE, SERVICE, STYLES, serving, standing } from '../../support/forged-share.ts';
import { type Forgery, reasonsOf, saidOf } from '../../support/forgery.ts';
import { sampled } from '../../support/sampled.ts';
import { failingPercent } from '../../support/story/requests.ts';

const ROUNDS_MOST = 25;

const TWICE: Readonly<Record<string, readonly [file: string, from: RegExp, to: string]>> = {
  'a label of the route': [ROUTE, /metadata:\n/, 'metadata:\n  labels: {a: b}\n  labels: {a: b}\n'],
  'a weight of the route': [ROUTE, /( +)weight: (\d+)\n/, '$1weight: 100\n$1weight: $2\n'],
  'a label of the Service': [SERVICE, /metadata:\n/, 'metadata:\n  annotations: {}\n  annotations: {}\n'],
  'a field of the Service': [SERVICE, /( +)selector:/, '$1sessionAffinity: None\n$1sessionAffinity: None\n$1selector:'],
};

const STAGES = ['in its first share', 'in its promotion'];
const CASES = Object.keys(STYLES)
  .flatMap((style) => STAGES.map((stage) => [style, stage] as const))
  .filter(([style, stage]) => !style.startsWith('partition') || stage === STAGES[0])
  .flatMap(([style, stage]) => Object.keys(TWICE).map((what) => [style, stage, what] as const));

const bases = new Map<string, Promise<Forgery>>();
const baseOf = (style: string, stage: string): Promise<Forgery> => {
  const name = `${style} ${stage}`;
  const base = bases.get(name) ?? standing({ style, stage });
  bases.set(name, base);
  return base;
};

test.each(sampled(CASES, 2))(
  '%s, %s, %s is there twice: held by that name, and an abort leads back',
  async (style, stage, what) => {
    const at = (await baseOf(style, stage)).fork();
    const [file, from, to] = TWICE[what] ?? [ROUTE, /^/, ''];
    at.edit(file, from, to);
    const said: string[] = [];
    const look = async (): Promise<readonly string[]> => {
      const result = await at.round();
      said.push(`${at.world.subject()} | ${saidOf(result)}`);
      expect([serving(at) >= 3, failingPercent(at.world.cluster)], said.join('\n')).toEqual([true, 0]);
      return reasonsOf(result);
    };
    const reasons = [...(await look()), ...(await look())];
    expect(reasons).toContain('DuplicateKey');
    expect(reasons).not.toContain('RouteMissing');
    expect(reasons).not.toContain('ServiceMissing');
    await at.order({ kind: 'abort', keepNewer: false });
    for (let round = 0; round < ROUNDS_MOST; round += 1) await look();
    const told = [...new Set(said)].join('\n');
    expect(at.world.subject(), told).toContain('rolled back');
    expect(at.text(LWS).split('\n---\n')[0], told).not.toContain(NEW);
    expect(serving(at, '0.10.0'), told).toBe(4);
    if (file === SERVICE) expect(at.text(ROUTE), told).toBe(filesOf(style)[ROUTE]);
    else expect(at.text(ROUTE), told).not.toContain('svc-canary');
  },
);
