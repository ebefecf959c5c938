/** A Rollout of another name than its workload, gone: what its commits on main wrote counts all the same, and who orders gets an answer. */

import { beforeAll, expect, test } from 'vitest';
import { filesOf, LWS, markIn, NEW, OLD, serving, untilRest } from '../../support/forged-share.ts';
import { Forgery, reasonsOf } from '../../support/forgery.ts';
import { VLLM_FILES } from '../../support/vllm.ts';

const ROUNDS_MOST = 14;
const STYLES = ['partition', 'canary', 'blueGreen'];
const LABELS = /(leaderTemplate:\n\s+metadata:\n\s+labels: \{)/;

const isRollout = (text: string): boolean => text.includes('kind: Rollout\n');

/** Its Rollout is called chat. */
function filesIn(style: string): Readonly<Record<string, string>> {
  const files = style === 'partition' ? VLLM_FILES : filesOf(style);
  const named = (text: string): string => (isRollout(text) ? text.replace(/^( *)name: vllm$/m, '$1name: chat') : text);
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [path, named(text)]));
}

type Stands = { readonly atRest: Forgery; readonly half: Forgery };

const bases = new Map<string, Stands>();

beforeAll(async () => {
  for (const style of STYLES) {
    const atRest = new Forgery(filesIn(style));
    for (let round = 0; round < 4; round += 1) await atRest.round();
    const half = atRest.fork();
    half.edit(LWS, OLD, NEW);
    for (let round = 0; round < (style === 'partition' ? 3 : 6); round += 1) await half.round();
    expect(markIn(half, 'step')).toMatch(/^\d/);
    bases.set(style, { atRest, half });
  }
});

/** Its Rollout is taken out. */
function gone(style: string, stand: keyof Stands): Forgery {
  const at = bases.get(style)?.[stand].fork();
  const [path] = Object.entries(filesIn(style)).find(([, text]) => isRollout(text)) ?? [];
  if (at === undefined || path === undefined) throw new Error(`${style} is not started`);
  at.write(path, undefined);
  return at;
}

/** The leaders of the workload that people use, as objects. */
function leaders({ world }: Forgery): readonly (string | undefined)[] {
  const prefix = 'leaderworkerset.sigs.k8s.io';
  const pods = world.cluster.objects.list('pods', 'llm').filter(({ metadata: { labels } }) => {
    return labels?.[`${prefix}/worker-index`] === '0' && labels[`${prefix}/name`] === 'vllm';
  });
  return pods.map(({ metadata }) => metadata.uid).sort();
}

test.each(['partition', 'canary', 'blueGreen'])(
  '%s, a rollback by a hand in a delivery: an abort goes back',
  async (style) => {
    const at = gone(style, 'half');
    at.mark('step', 'rollback');
    const head = at.world.repository.head('main');
    let reasons: readonly string[] = [];
    for (let round = 0; round < 2; round += 1) reasons = reasonsOf(await at.round());
    expect([reasons, at.world.repository.head('main')]).toEqual([['AnnotationsGone'], head]);
    const answer = await at.order({ kind: 'abort', keepNewer: false });
    await untilRest(at, ROUNDS_MOST, () => at.round());
    expect([markIn(at, 'step'), at.world.subject()], answer).toEqual(['', expect.stringContaining('rolled back')]);
    expect(serving(at, '0.10.0'), answer).toBe(4);
  },
);

test.each(STYLES)(
  '%s, its step taken out in a delivery: an abort names repair, and goes back after that',
  async (style) => {
    const at = gone(style, 'half');
    at.edit(LWS, / +tranche\.dev\/step: .*\n/, '');
    for (let round = 0; round < 2; round += 1) await at.round();
    expect(await at.order({ kind: 'abort', keepNewer: false })).toContain(
      'tranche repair vllm. Then: tranche abort vllm',
    );
    expect(await at.repair()).toContain('repair');
    const answer = await at.order({ kind: 'abort', keepNewer: false });
    await untilRest(at, ROUNDS_MOST, () => at.round());
    expect([markIn(at, 'step'), serving(at, '0.10.0')], answer).toEqual(['', 4]);
  },
);

test.each(STYLES.flatMap((style) => [[style, 'as it is'] as const, [style, 'with a label by a hand'] as const]))(
  '%s, at rest, %s: it is handed back, and no group restarts',
  async (style, how) => {
    const at = gone(style, 'atRest');
    if (how !== 'as it is') at.edit(LWS, LABELS, `$1tranche.dev/version: "${'f'.repeat(32)}.9", `);
    for (let round = 0; round < 2; round += 1) await at.round();
    const before = leaders(at);
    const answer = await at.eject();
    for (let round = 0; round < 5; round += 1) await at.round();
    expect(answer).toContain('annotations removed');
    expect([before.length, leaders(at)]).toEqual([4, before]);
  },
);
