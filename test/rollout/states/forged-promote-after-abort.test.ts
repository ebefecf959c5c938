/** A forged end of another release, in one commit with its template: a rollback that was ordered or has started before does not wait for it. */

import { expect, test } from 'vitest';
import { digestOf } from '../../support/digest-of.ts';
import { LWS, markIn, serving, standing } from '../../support/forged-share.ts';
import { type Forgery, reasonsOf } from '../../support/forgery.ts';

const ROUNDS = 14;
const RELEASE = /tranche\.dev\/release: "?[0-9a-f]+\.(\d+)"?/;

/** One commit: a template that nobody has stepped; `marks`: as a release that has done its steps. */
function newer(at: Forgery, marks: boolean): void {
  const text = at.text(LWS).replace(/v0\.10\.\d/g, 'v0.10.7');
  const [, serial = ''] = RELEASE.exec(text) ?? [];
  const forged = `tranche.dev/release: "${digestOf(text)}.${Number(serial) + 1}"\n    tranche.dev/step: "promote"`;
  at.write(LWS, marks ? text.replace(/tranche\.dev\/step: .*\n +/, '').replace(RELEASE, forged) : text);
}

const bases = new Map<string, Promise<Forgery>>();
const baseOf = (style: string): Promise<Forgery> => {
  const base = bases.get(style) ?? standing({ style, stage: 'in its first share' });
  bases.set(style, base);
  return base;
};

test.each([
  ['canary', 'ordered', 'its record'],
  ['canary', 'ordered', 'no record'],
  ['canary', 'started', 'its record'],
  ['canary', 'started', 'no record'],
  ['blueGreen', 'ordered', 'its record'],
  ['blueGreen', 'ordered', 'no record'],
  ['blueGreen', 'started', 'its record'],
  ['blueGreen', 'started', 'no record'],
] as const)(
  '%s, a rollback that is %s, then promote of another template, %s: as without the marks',
  async (style, when, record) => {
    const base = await baseOf(style);
    const [plain, forged] = [
      await play(base, { when, record, marks: false }),
      await play(base, { when, record, marks: true }),
    ];
    const told = JSON.stringify({ plain, forged }, undefined, 1);
    expect(forged.reasons, told).not.toContain('AnnotationsGone');
    // Putting the annotations back is one commit, and may take one round.
    expect(forged.commits.length, told).toBeGreaterThanOrEqual(plain.commits.length - 1);
    expect(plain.commits.slice(0, forged.commits.length), told).toEqual(forged.commits);
    expect([forged.commits.length > 0, forged.serving], told).toEqual([true, 4]);
  },
);

type Play = {
  readonly when: 'ordered' | 'started';
  readonly record: 'its record' | 'no record';
  readonly marks: boolean;
};

async function play(base: Forgery, { when, record, marks }: Play) {
  const at = base.fork();
  const commits = new Set<string>();
  let reasons: readonly string[] = [];
  const round = async (): Promise<void> => {
    if (record === 'no record') at.world.repository.setHead('tranche-status', undefined);
    reasons = reasonsOf(await at.round(10));
    const subject = at.world.subject();
    if (subject.startsWith('rollout(') && !subject.includes('annotations restored')) commits.add(subject);
  };
  await at.order({ kind: 'abort', keepNewer: false });
  const most = when === 'started' ? 4 : 0;
  for (let count = 0; count < most && markIn(at, 'step') !== 'rollback'; count += 1) await round();
  newer(at, marks);
  for (let count = 0; count < ROUNDS; count += 1) await round();
  return { commits: [...commits], reasons, serving: serving(at, '0.10.0') };
}
