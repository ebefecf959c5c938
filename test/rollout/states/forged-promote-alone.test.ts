/** A forged end of steps by no strategy that has one, with another template and release in the same commit: a way back goes by what main had. */

import { expect, test } from 'vitest';
import { digestOf } from '../../support/digest-of.ts';
import { filesOf, LWS, ROUTE, standing, untilRest } from '../../support/forged-share.ts';
import { Forgery, reasonsOf, saidOf } from '../../support/forgery.ts';
import { VLLM_FILES } from '../../support/vllm.ts';

const ROUNDS_MOST = 20;
const RELEASE = /tranche\.dev\/release: "?([0-9a-f]+)\.(\d+)"?/;

type Stage = 'at rest' | 'requested' | 'in its first step';

const bases = new Map<string, Promise<Forgery>>();
const baseOf = (style: string, stage: Stage): Promise<Forgery> => {
  const base = bases.get(`${style} ${stage}`) ?? begun(style, stage);
  bases.set(`${style} ${stage}`, base);
  return base;
};

async function begun(style: string, stage: Stage): Promise<Forgery> {
  if (style !== 'partition' && stage === 'in its first step') return standing({ style, stage: 'in its first share' });
  const at = new Forgery(style === 'partition' ? VLLM_FILES : filesOf(style));
  for (let round = 0; round < 3; round += 1) await at.round();
  if (stage !== 'at rest') at.edit(LWS, /v0\.10\.0/g, 'v0.10.1');
  if (stage === 'in its first step') await at.until('step 1/');
  return at;
}

/** Which release the forged annotation names, of the template that is forged with it and of the one before. */
const NAMED = {
  'its release': ([forged]: readonly string[], serial: number) => `${forged}.${serial + 1}`,
  'its template, the serial of before': ([forged]: readonly string[], serial: number) => `${forged}.${serial}`,
  'the template of before, another serial': ([, before]: readonly string[], serial: number) =>
    `${before}.${serial + 7}`,
  'a release of nothing': () => `${'e'.repeat(32)}.9`,
} as const;
type Named = keyof typeof NAMED;

/** One commit that changes all three. */
function forge(at: Forgery, named: Named): void {
  const text = at.text(LWS).replace(/v0\.10\.\d/g, 'v0.10.7');
  const [, before = '', serial = ''] = RELEASE.exec(text) ?? [];
  const release = NAMED[named]([digestOf(text), before], Number(serial));
  const marks = `tranche.dev/release: "${release}"\n    tranche.dev/step: "promote"`;
  at.write(LWS, text.replace(/tranche\.dev\/step: .*\n +/, '').replace(RELEASE, marks));
}

const groupsOn = (at: Forgery, version: string): number =>
  at.world
    .groups()
    .split(' ')
    .filter((group) => group.endsWith(`${version}+`)).length;

type Row = readonly [style: string, stage: Stage, named: Named, record: 'its record' | 'no record'];

test.each<Row>([
  ['partition', 'at rest', 'its release', 'its record'],
  ['partition', 'at rest', 'its release', 'no record'],
  ['partition', 'at rest', 'its template, the serial of before', 'its record'],
  ['partition', 'at rest', 'the template of before, another serial', 'its record'],
  ['partition', 'requested', 'its release', 'its record'],
  ['partition', 'requested', 'a release of nothing', 'no record'],
  ['partition', 'in its first step', 'its release', 'its record'],
  ['partition', 'in its first step', 'its release', 'no record'],
  ['partition', 'in its first step', 'its template, the serial of before', 'its record'],
  ['partition', 'in its first step', 'a release of nothing', 'its record'],
  ['partition with a route', 'at rest', 'its release', 'its record'],
  ['partition with a route', 'at rest', 'a release of nothing', 'no record'],
  ['partition with a route', 'in its first step', 'its release', 'its record'],
  ['canary', 'at rest', 'its release', 'its record'],
  ['canary', 'at rest', 'the template of before, another serial', 'its record'],
  ['canary', 'at rest', 'the template of before, another serial', 'no record'],
  ['blueGreen', 'at rest', 'its release', 'its record'],
  ['blueGreen', 'at rest', 'the template of before, another serial', 'its record'],
])(
  '%s, %s, forged in one commit: promote of another template, %s, %s: an abort goes back',
  async (style, stage, named, record) => {
    const at = (await baseOf(style, stage)).fork();
    forge(at, named);
    const said: string[] = [];
    const round = async (): Promise<void> => {
      if (record === 'no record') at.world.repository.setHead('tranche-status', undefined);
      const result = await at.round();
      said.push(`${at.world.subject()} | ${at.world.groups()} | ${reasonsOf(result).join(' ')} | ${saidOf(result)}`);
    };
    await round();
    expect(said.at(-1)).toContain('AnnotationsGone');
    expect(said.at(-1)).toContain('tranche abort vllm');
    said.push(await at.order({ kind: 'abort', keepNewer: false }));
    await untilRest(at, ROUNDS_MOST, round);
    const told = [...new Set(said)].join('\n');
    expect(at.text(LWS), told).not.toMatch(/v0\.10\.[17]/);
    expect(at.text(LWS), told).not.toContain('tranche.dev/step');
    if (style !== 'partition') expect(at.text(ROUTE), told).toBe(filesOf(style)[ROUTE]);
    expect(groupsOn(at, '0.10.0'), told).toBe(4);
  },
);

test.each([
  ['partition', 'partition'],
  ['canary', 'canary'],
])('%s: an undo next to such a commit is refused, and names what ends it', async (_, style) => {
  const at = (await baseOf(style, 'at rest')).fork();
  const own = at.text(LWS).match(/tranche\.dev\/.*/g);
  forge(at, 'its release');
  await at.round();
  expect(await at.order({ kind: 'undo', to: undefined })).toContain('Write them back first: tranche repair vllm');
  expect(await at.repair()).toContain('repair');
  expect(at.text(LWS).match(/tranche\.dev\/.*/g)).toEqual(own);
  expect(await at.order({ kind: 'abort', keepNewer: false })).toContain('abort');
  await untilRest(at, ROUNDS_MOST, () => at.round());
  expect([at.text(LWS).includes('v0.10.7'), groupsOn(at, '0.10.0')], at.world.subject()).toEqual([false, 4]);
});

test('partition, in its first step, forged so, and its groups fail: an abort goes back', async () => {
  const policy =
    'apiVersion: tranche.dev/v1alpha1\nkind: RolloutPolicy\nmetadata: {name: back}\nspec: {readyDeadlineSeconds: 120, onFailure: rollback}\n';
  const at = new Forgery({ ...VLLM_FILES, 'policies/back.yaml': policy });
  for (let round = 0; round < 3; round += 1) await at.round();
  at.edit(LWS, /v0\.10\.0/g, 'v0.10.1');
  await at.until('step 1/');
  forge(at, 'its release');
  let said = '';
  for (let round = 0; round < 8; round += 1) {
    at.world.cluster.setPods({ namespace: 'llm', name: 'vllm', group: 3, pods: 'leader' }, { kind: 'unready' });
    said = saidOf(await at.round());
  }
  expect([said.includes('tranche abort vllm'), groupsOn(at, '0.10.0')], said).toEqual([true, 3]);
  await at.order({ kind: 'abort', keepNewer: false });
  await at.round();
  expect(at.text(LWS), at.world.subject()).not.toMatch(/v0\.10\.[17]/);
});
