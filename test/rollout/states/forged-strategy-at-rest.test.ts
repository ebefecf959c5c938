/** At rest one commit of template, release, step and strategy: an abort goes back, also where the Rollout is disabled or gone. */

import { expect, test } from 'vitest';
import { digestOf } from '../../support/digest-of.ts';
import { filesOf, LWS, ROUTE, untilRest } from '../../support/forged-share.ts';
import { Forgery, reasonsOf, saidOf } from '../../support/forgery.ts';
import { VLLM_FILES } from '../../support/vllm.ts';

const ROUNDS_MOST = 20;
const RELEASE = /tranche\.dev\/release: "?[0-9a-f]+\.(\d+)"?/;

type Rollout = 'enabled' | 'disabled' | 'gone';

const filesIn = (style: string): Readonly<Record<string, string>> =>
  style === 'partition' ? VLLM_FILES : filesOf(style);

const bases = new Map<string, Promise<Forgery>>();
const baseOf = (style: string, signed: boolean): Promise<Forgery> => {
  const key = `${style} ${signed}`;
  const base = bases.get(key) ?? settled(style, signed);
  bases.set(key, base);
  return base;
};

async function settled(style: string, signed: boolean): Promise<Forgery> {
  const at = new Forgery(filesIn(style), { signed });
  for (let round = 0; round < 3; round += 1) await at.round();
  return at;
}

function withRollout(at: Forgery, style: string, rollout: Rollout): void {
  const path = Object.entries(filesIn(style)).find(([, text]) => text.includes('kind: Rollout\n'))?.[0] ?? '';
  if (rollout === 'disabled') at.edit(path, /^spec:\n/m, 'spec:\n  disabled: true\n');
  if (rollout === 'gone') at.write(path, undefined);
}

/** `strategy`: what `restore` names; empty: there is none. */
function forge(at: Forgery, step: string, strategy: string): void {
  const text = at.text(LWS).replaceAll('v0.10.0', 'v0.10.7');
  const release = `${digestOf(text)}.${Number(RELEASE.exec(text)?.[1]) + 1}`;
  const restore = strategy === '' ? '' : `\n    tranche.dev/restore: '${JSON.stringify({ style: strategy })}'`;
  const stands = step === 'promote' ? step : `${step}@${release}`;
  at.write(
    LWS,
    text.replace(RELEASE, `tranche.dev/release: "${release}"\n    tranche.dev/step: "${stands}"${restore}`),
  );
}

type Row = readonly [
  style: string,
  rollout: Rollout,
  step: string,
  strategy: string,
  record: 'its record' | 'no record' | 'a signed record',
];

const STYLES = ['partition', 'canary', 'blueGreen'];

test.each<Row>(
  STYLES.flatMap((style): readonly Row[] => [
    [style, 'disabled', 'promote', '', 'its record'],
    [style, 'disabled', 'promote', 'partition', 'its record'],
    [style, 'disabled', 'promote', 'partition', 'no record'],
    [style, 'disabled', 'promote', 'partition', 'a signed record'],
    [style, 'disabled', 'promote', 'canary', 'its record'],
    [style, 'disabled', '1/3', 'blueGreen', 'its record'],
    [style, 'enabled', 'promote', 'canary', 'a signed record'],
    [style, 'gone', 'promote', 'partition', 'its record'],
    [style, 'gone', 'promote', 'canary', 'its record'],
  ]),
)('%s, its Rollout %s, forged at rest: step %s and strategy "%s", %s: an abort goes back', async (...row) => {
  const [style, rollout, step, strategy, record] = row;
  const at = (await baseOf(style, record === 'a signed record')).fork();
  withRollout(at, style, rollout);
  await at.round();
  forge(at, step, strategy);
  const forged = [LWS, ROUTE].map((path) => at.text(path));
  const said: string[] = [];
  const round = async (): Promise<void> => {
    if (record === 'no record') at.world.repository.setHead('tranche-status', undefined);
    const result = await at.round();
    said.push(`${at.world.subject()} | ${at.world.groups()} | ${reasonsOf(result).join(' ')} | ${saidOf(result)}`);
  };
  for (let count = 0; count < 2; count += 1) await round();
  expect([LWS, ROUTE].map((path) => at.text(path))).toEqual(forged);
  said.push(await at.order({ kind: 'abort', keepNewer: false }));
  await untilRest(at, ROUNDS_MOST, round);
  const told = [...new Set(said)].join('\n');
  expect(at.text(LWS), told).not.toMatch(/v0\.10\.7|tranche\.dev\/step/);
  if (style !== 'partition') expect(at.text(ROUTE), told).toBe(filesOf(style)[ROUTE]);
  expect(at.world.groups().match(/v0\.10\.0\+/g), told).toHaveLength(4);
});
