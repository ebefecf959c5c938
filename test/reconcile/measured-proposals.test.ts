/** Pull requests of a delivery that policies want measured: what is proposed when, and what a merge past a verdict does. */

import { expect, test } from 'vitest';
import { type Measured, started, until } from '../support/measured.ts';

const ADA = { login: 'ada', isBot: false };

/** Someone merges the one that is open. */
function merge({ forge, world }: Measured): void {
  const [open] = forge.open;
  if (open === undefined) throw new Error('no pull request is open');
  expect(forge.merge(open, ADA, true)).toBe(true);
  world.sync();
}

const PROPOSED = (step: number) => new RegExp(`^step ${step}/3, .*ProposalOpen`);
const badOf = (pod: string): number => (pod === 'vllm-3' ? 80 : 10);

test.each(['guarded', 'open'] as const)(
  '%s branch: each step is proposed once its metrics have passed, to the end',
  async (proposed) => {
    const of = await started('', { proposed });
    const { pass, forge, world } = of;
    merge(of);
    for (const step of [2, 3]) {
      for (let round = 0; round < 4; round += 1) {
        expect(await pass()).not.toMatch(/ProposalOpen/);
        expect(forge.open).toEqual([]);
      }
      await until(of, PROPOSED(step), 3);
      expect(forge.open[0]?.body).toMatch(/chat\/vllm\/errors\s+passed:\s+new\s+[0-9]+\s+of\s+[0-9]+/);
      expect(forge.open[0]?.body).toMatch(
        /\n\| ` chat\/vllm\/errors ` \| passed \| [0-9]+ of [0-9]+ \(1\.00 %\) .*[▁-█]/,
      );
      merge(of);
    }
    expect(await until(of, /^settled/, 6)).toBe('settled');
    expect(forge.pulls.map(({ state }) => state.kind)).toEqual(['merged', 'merged', 'merged']);
    world.sync();
    expect(await pass()).toBe('hold ');
    expect(await pass()).toBe('hold ');
  },
);

test.each(['guarded', 'open'] as const)(
  '%s branch: a step that fails while its next is open goes nowhere, though it is merged',
  async (proposed) => {
    const of = await started('', { proposed });
    merge(of);
    await until(of, PROPOSED(2), 3);
    of.metrics.bad = badOf;
    expect(await until(of, /AnalysisFailed/, 6)).toBe('hold AnalysisFailed');
    expect(of.forge.open).toHaveLength(1);
    const [open] = of.forge.open;
    expect(of.forge.merge(open!, ADA, true)).toBe(true);
    // The agent has not followed yet: what has been merged is put back, and an approval alone starts nothing.
    const { world, pass } = of;
    const partition = () => /partition: (\d+)/.exec(world.repository.text('main', 'apps/vllm/lws.yaml') ?? '')?.[1];
    const first = await of.look();
    expect(partition()).toBe('3');
    if (proposed === 'guarded') expect(first).toMatch(/^step 2\/3, partition 2 → 3/);
    for (let round = 0; round < 3; round += 1) expect(await pass()).toMatch(/^hold .*(AnalysisFailed|LateMerge)/);
    expect(partition()).toBe('3');
  },
);

test.each(['dead', 'missing', 'warns'] as const)(
  'a provider that is %s while a step is open: nothing after it is proposed, and nothing goes back',
  async (mood) => {
    const of = await started('  onAnalysisFailure: rollback\n', { proposed: 'guarded' });
    merge(of);
    await until(of, PROPOSED(2), 3);
    of.metrics.mood = mood;
    merge(of);
    for (let round = 0; round < 4; round += 1) {
      of.world.tick(1800);
      expect(await of.pass()).toMatch(/^hold .*(Analysing|MetricsUnreadable|SeriesMissing)/);
      expect(of.forge.open).toEqual([]);
    }
    of.metrics.mood = 'well';
    await until(of, PROPOSED(3), 4);
  },
);
