/** The label of a release, which no digest covers, by a hand: nothing that hands back or goes back restarts groups for it that have never had it. */

import { expect, test } from 'vitest';
import { digestOf } from '../../support/digest-of.ts';
import { filesOf, LWS, markIn, NEW, OLD, untilRest } from '../../support/forged-share.ts';
import { Forgery } from '../../support/forgery.ts';
import { VLLM_FILES } from '../../support/vllm.ts';

const ROUNDS_MOST = 14;
const CUT = '\n---\n';
const LABELS = /(leaderTemplate:\n\s+metadata:\n\s+labels: \{)/;

const filesIn = (style: string): Readonly<Record<string, string>> =>
  style === 'partition' ? VLLM_FILES : filesOf(style);

/** The label into the template of the workload that people use. */
function label(at: Forgery): string {
  const [own = '', ...others] = at.text(LWS).split(CUT);
  const forged = own.replace(LABELS, `$1tranche.dev/version: "${'f'.repeat(32)}.9", `);
  expect(forged).not.toBe(own);
  return at.write(LWS, [forged, ...others].join(CUT));
}

/** The leaders that there are, each by its name as its object. */
function leaders({ world }: Forgery): ReadonlyMap<string, string | undefined> {
  const prefix = 'leaderworkerset.sigs.k8s.io';
  const pods = world.cluster.objects.list('pods', 'llm').filter(({ metadata: { labels } }) => {
    return labels?.[`${prefix}/worker-index`] === '0' && labels[`${prefix}/name`] === 'vllm';
  });
  return new Map(pods.map(({ metadata }) => [metadata.name, metadata.uid]));
}

async function settled(style: string): Promise<Forgery> {
  const at = new Forgery(filesIn(style));
  for (let round = 0; round < 3; round += 1) await at.round();
  return at;
}

/** In the middle of its rollback. */
async function goingBack(style: string): Promise<Forgery> {
  const at = await settled(style);
  at.edit(LWS, OLD, NEW);
  for (let round = 0; round < 5; round += 1) await at.round();
  await at.order({ kind: 'abort', keepNewer: false });
  await at.round();
  expect(markIn(at, 'step')).toBe('rollback');
  return at;
}

const gone = (at: Forgery, style: string): void => {
  const path = Object.entries(filesIn(style)).find(([, text]) => text.includes('kind: Rollout\n'))?.[0] ?? '';
  at.write(path, undefined);
};

test.each([
  ['partition', 'at rest', 'enabled', false],
  ['partition with a route', 'at rest', 'gone', true],
  ['canary', 'at rest', 'enabled', true],
  ['blueGreen', 'at rest', 'gone', false],
  ['canary', 'in its rollback', 'enabled', false],
  ['blueGreen', 'in its rollback', 'gone', true],
])('%s, %s, its Rollout %s: handed back, abort %s, and no group restarts', async (style, stage, rollout, abort) => {
  const at = await (stage === 'at rest' ? settled(style) : goingBack(style));
  if (rollout === 'gone') gone(at, style);
  label(at);
  for (let round = 0; round < 6; round += 1) await at.round();
  const before = leaders(at);
  const answer = await at.eject({ abort });
  for (let round = 0; round < 5; round += 1) await at.round();
  expect(answer).toContain('label tranche.dev/version back');
  expect(at.text(LWS)).not.toContain('tranche.dev/');
  expect(leaders(at), answer).toEqual(before);
});

test.each(['partition', 'partition with a route'])(
  '%s: the stable mark names a commit with the label of a hand: a rollback takes back the groups of its steps alone',
  async (style) => {
    const at = await settled(style);
    const text = at.text(LWS);
    const commit = label(at);
    at.write(LWS, text);
    for (let round = 0; round < 2; round += 1) await at.round();
    const before = leaders(at);
    at.edit(LWS, OLD, NEW);
    for (let round = 0; round < 5; round += 1) await at.round();
    const { size } = before;
    const isStepped = ([name, uid]: [string, string | undefined]): boolean => before.get(name) !== uid;
    const stepped = [...leaders(at)].filter(isStepped).map(([name]) => name);
    expect([size, stepped.length]).toEqual([4, expect.toSatisfy((count: number) => count > 0 && count < 4)]);
    at.mark('stable', `${commit}@${digestOf(text)}`);
    const answer = await at.order({ kind: 'abort', keepNewer: false });
    await untilRest(at, ROUNDS_MOST, () => at.round());
    expect(at.text(LWS), answer).not.toContain('tranche.dev/version');
    const restarted = [...leaders(at)].filter(isStepped).map(([name]) => name);
    expect([markIn(at, 'step'), at.world.subject().includes('rolled back')]).toEqual(['', true]);
    expect(restarted).toEqual(stepped);
    expect(at.world.groups()).toBe('0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+');
  },
);
