/** A template that a hand has said to have settled, and a request after it: an abort of that takes no group on to what no step delivered. */

import { expect, test } from 'vitest';
import { digestOf } from '../../support/digest-of.ts';
import { filesOf, LWS, serving, untilRest } from '../../support/forged-share.ts';
import { Forgery, reasonsOf, saidOf } from '../../support/forgery.ts';
import { VLLM_FILES } from '../../support/vllm.ts';

const ROUNDS_MOST = 14;
const [SETTLED, FORGED, ASKED] = ['v0.10.0', 'v0.10.7', 'v0.10.5'];
const RELEASE = /tranche\.dev\/release: "?[0-9a-f]+\.(\d+)"?/;

const filesIn = (style: string): Readonly<Record<string, string>> =>
  style === 'partition' ? VLLM_FILES : filesOf(style);

async function forgedAtRest(style: string, rollout: string, signed = false): Promise<Forgery> {
  const at = new Forgery(filesIn(style), { signed });
  for (let round = 0; round < 3; round += 1) await at.round();
  const path = Object.entries(filesIn(style)).find(([, text]) => text.includes('kind: Rollout\n'))?.[0] ?? '';
  if (rollout === 'disabled') at.edit(path, /^spec:\n/m, 'spec:\n  disabled: true\n');
  if (rollout === 'gone') at.write(path, undefined);
  const text = at.text(LWS).replaceAll(SETTLED, FORGED);
  const serial = Number(RELEASE.exec(text)?.[1]) + 1;
  at.write(LWS, text.replace(RELEASE, `tranche.dev/release: "${digestOf(text)}.${serial}"`));
  await at.round();
  at.write(LWS, at.text(LWS).replaceAll(FORGED, ASKED));
  return at;
}

test.each([
  ['partition', 'enabled', 'its record'],
  ['partition', 'disabled', 'no record'],
  ['partition with a route', 'enabled', 'no record'],
  ['canary', 'enabled', 'a signed record'],
  ['canary', 'disabled', 'its record'],
  ['blueGreen', 'enabled', 'no record'],
])('%s, Rollout %s, %s: a request is aborted, and no group restarts', async (style, rollout, record) => {
  const at = await forgedAtRest(style, rollout, record === 'a signed record');
  const said: string[] = [];
  const round = async (): Promise<void> => {
    if (record === 'no record') at.world.repository.setHead('tranche-status', undefined);
    const result = await at.round();
    said.push(`${at.world.subject()} | ${at.world.groups()} | ${reasonsOf(result).join(' ')} | ${saidOf(result)}`);
  };
  await round();
  said.push(await at.order({ kind: 'abort', keepNewer: false }));
  await untilRest(at, ROUNDS_MOST, async () => {
    await round();
    expect(serving(at, '0.10.0'), said.join('\n')).toBe(4);
  });
  expect(at.text(LWS), said.join('\n')).not.toMatch(/v0\.10\.[57]|tranche\.dev\/step/);
  expect(said.at(-1)?.split(' | ')[2], said.join('\n')).toBe('');
});

test.each(['enabled', 'disabled', 'gone'])(
  'its Rollout %s: it is not handed back at that template, and the way is named',
  async (rollout) => {
    const at = await forgedAtRest('partition', rollout);
    await at.round();
    expect(await at.eject({ abort: true })).toContain('no commit of tranche on main has left');
    for (let count = 0; count < 3; count += 1) await at.round();
    expect(serving(at, '0.10.0')).toBe(4);
    expect(await at.eject({ partition: 4 })).toContain('eject, annotations removed');
    for (let count = 0; count < 3; count += 1) await at.round();
    expect(serving(at, '0.10.0')).toBe(4);
  },
);
