/** The word of `tranche.dev/restore` on the workload's own fields: what a hand makes of `set`, or leaves out, keeps no field from its rollback. */

import { expect, test } from 'vitest';
import { Forgery } from '../../support/forgery.ts';
import { LWS_FILE, VLLM_FILES } from '../../support/vllm.ts';

const SURGE = 'apiVersion: tranche.dev/v1alpha1\nkind: RolloutPolicy\nmetadata: {name: surge}\nspec: {surge: 1}\n';
const ENTRY = /"replicas":\{"was":4,"set":5\},?/;

let base: Promise<Forgery> | undefined;

/** In its first step, with one group more. */
async function surged(): Promise<Forgery> {
  const make = async () => {
    const at = await new Forgery({ ...VLLM_FILES, 'policies/surge.yaml': SURGE }).stepped();
    for (let round = 0; round < 10 && !at.text().includes('replicas: 5'); round += 1) await at.round();
    expect(at.text()).toMatch(ENTRY);
    return at;
  };
  return (await (base ??= make())).fork();
}

const forgedAs =
  (change: (text: string) => string) =>
  (at: Forgery): unknown =>
    at.write(LWS_FILE, change(at.text()));

const FORGED: Readonly<Record<string, (at: Forgery) => unknown>> = {
  'as it is': () => undefined,
  'another set': forgedAs((text) => text.replace('"set":5', '"set":6')),
  'another set and another value before': forgedAs((text) => text.replace('"was":4,"set":5', '"was":3,"set":6')),
  'no entry, and then another set': (at) => {
    const is = at.text();
    at.write(LWS_FILE, is.replace(ENTRY, '').replace(',}', '}'));
    at.write(LWS_FILE, is.replace('"set":5', '"set":6'));
  },
  'another set, and no step in between': (at) => {
    const other = at.text().replace('"set":5', '"set":6');
    at.write(LWS_FILE, other.replace(/ +tranche\.dev\/step: .*\n/, ''));
    at.write(LWS_FILE, other);
  },
  'all of it gone, and back with another set': (at) => {
    const is = at.text();
    at.write(LWS_FILE, is.replace(/ +tranche\.dev\/(step|restore): .*\n/g, ''));
    at.write(LWS_FILE, is.replace('"set":5', '"set":6'));
  },
  'no entry': forgedAs((text) => text.replace(ENTRY, '').replace(',}', '}')),
};
const CASES = Object.keys(FORGED).flatMap((what) => [0, 2].map((passes) => [what, passes] as const));

test.each(CASES)('%s, %i passes before an abort: the number of groups comes back', async (what, passes) => {
  const at = await surged();
  FORGED[what]?.(at);
  for (let pass = 0; pass < passes; pass += 1) await at.round();
  expect(await at.order({ kind: 'abort', keepNewer: false })).toMatch(/^abort /);
  await at.until('rolled back');
  expect(at.text()).toMatch(/^ {2}replicas: 4\b/m);
});

test.each(Object.keys(FORGED))('%s, handed back with --abort: the number of groups comes back', async (what) => {
  const at = await surged();
  FORGED[what]?.(at);
  expect(await at.eject({ abort: true })).toContain('annotations removed');
  expect(at.text()).toMatch(/^ {2}replicas: 4\b/m);
});

test.each([
  ['raised by a hand', '7'],
  ['lowered by a hand', '3'],
])('%s, it stays', async (_, value) => {
  const at = await surged();
  at.edit(LWS_FILE, 'replicas: 5', `replicas: ${value}`);
  await at.order({ kind: 'abort', keepNewer: false });
  await at.until('rolled back');
  expect(at.text()).toMatch(new RegExp(`^ {2}replicas: ${value}\\b`, 'm'));
});
