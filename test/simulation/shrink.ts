/** Makes a failing schedule smaller: fewer actors, faults and turns, as long as the same law is broken. */

import type { LawName } from './laws.ts';
import type { Outcome } from './schedule.ts';
import { faultKinds, type Setup } from './setup.ts';

type Run = (seed: string, setup: Setup) => Promise<Outcome>;

export type Shrunk = { readonly setup: Setup; readonly outcome: Outcome; readonly tries: number };

/** Schedules that are tried at most. */
const TRIES_MAX = 250;

export async function shrink(run: Run, seed: string, from: Setup): Promise<Shrunk> {
  const outcome = await run(seed, from);
  const shrinking = new Shrinking(run, { setup: from, outcome, tries: 1 });
  await shrinking.each(actors(from));
  await shrinking.each(
    faultKinds.map((kind) => (setup: Setup) => ({ ...setup, rates: { ...setup.rates, [kind]: 0 } })),
  );
  await shrinking.fewerTurns();
  return shrinking.best;
}

type Change = (setup: Setup) => Setup;

function actors({ workloads }: Setup): readonly Change[] {
  return [
    ...workloads.map(({ name }) => (setup: Setup) => {
      const rest = setup.workloads.filter((one) => one.name !== name);
      return rest.some((one) => one.poison === 'none') ? { ...setup, workloads: rest } : setup;
    }),
    (setup) => ({ ...setup, processes: 1 }),
    (setup) => ({ ...setup, processes: Math.min(2, setup.processes) }),
    (setup) => ({ ...setup, trouble: 0 }),
    (setup) => ({ ...setup, mischief: 0 }),
    (setup) => ({ ...setup, questions: 0 }),
  ];
}

class Shrinking {
  best: Shrunk;
  private readonly run: Run;
  private readonly law: LawName | undefined;

  constructor(run: Run, first: Shrunk) {
    this.run = run;
    this.best = first;
    this.law = first.outcome.broken?.law;
  }

  async each(changes: readonly Change[]): Promise<void> {
    for (const change of changes) await this.consider(change(this.best.setup));
  }

  /** The turns after the last that matters, then stretches in between, each half as long as the ones before. */
  async fewerTurns(): Promise<void> {
    for (let step = this.best.setup.turns >> 1; step >= 1; step >>= 1) {
      while (
        this.best.setup.turns > step &&
        (await this.consider({ ...this.best.setup, turns: this.best.setup.turns - step }))
      );
    }
    for (let length = this.best.setup.turns >> 1; length >= 1; length >>= 1) {
      for (let from = 1; from <= this.best.setup.turns; from += length) {
        const { setup } = this.best;
        const stretch = Array.from({ length }, (_, i) => from + i).filter((turn) => turn <= setup.turns);
        const left = new Set([...(setup.left ?? []), ...stretch]);
        if (left.size > (setup.left ?? []).length) await this.consider({ ...setup, left: [...left] });
      }
    }
  }

  /** Takes the setup if the same law is broken; tells whether it did. */
  private async consider(setup: Setup): Promise<boolean> {
    const { best } = this;
    if (best.tries >= TRIES_MAX || JSON.stringify(setup) === JSON.stringify(best.setup)) return false;
    const outcome = await this.run(best.setup.seed, setup);
    const same = outcome.broken !== undefined && outcome.broken.law === this.law;
    this.best = { ...(same ? { setup, outcome } : best), tries: best.tries + 1 };
    return same;
  }
}
