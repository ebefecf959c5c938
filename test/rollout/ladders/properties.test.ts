/** What is true of every ladder: any plan comes to rest, gives every byte back, and is safe under any subset of a commit. */

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { LWS_NAME } from '../../../src/api/lws-labels.ts';
import { MARK, withoutRelease } from '../../../src/api/marks.ts';
import { SENTINEL } from '../../../src/api/workload.ts';
import { type Climbed, climbBack } from '../../../src/reconcile/ladder/climb.ts';
import type { DeliveryParts, Texts } from '../../../src/reconcile/ladder/delivery-parts.ts';
import { render } from '../../../src/reconcile/write/render.ts';
import {
  annotationsOf,
  canarySide,
  partitionIn,
  replicasOf,
  selectorOf,
} from '../../../src/rollout/ladders/delivery.ts';
import { nextCommit } from '../../../src/rollout/ladders/next-commit.ts';
import { isRestored } from '../../../src/rollout/ladders/shares.ts';
import { changesOf, climbed, deliveryAt, ladderFiles, ladderRollout, partsIn, placeOf } from '../../support/ladder.ts';
import { ROUTE_FILE, ROUTE_TEXT, SERVICE_FILE } from '../../support/traffic-files.ts';
import { LWS_FILE } from '../../support/vllm.ts';

const share = fc.constantFrom(
  '',
  ', traffic: 5%',
  ', traffic: 100%',
  ', matches: [{headers: [{name: x, value: "1"}]}]',
);
const plan = fc.record({
  style: fc.constantFrom('canary' as const, 'blueGreen' as const),
  counts: fc.uniqueArray(fc.integer({ min: 1, max: 3 }), { minLength: 0, maxLength: 3 }),
  shares: fc.array(share, { minLength: 4, maxLength: 4 }),
});

type Plan = {
  readonly style: 'canary' | 'blueGreen';
  readonly counts: readonly number[];
  readonly shares: readonly string[];
};

function filesOf({ style, counts, shares }: Plan): Texts {
  const steps = counts
    .toSorted((left, right) => left - right)
    .map((count, at) => `replicas: ${count}${shares[at] ?? ''}`);
  return ladderFiles(ladderRollout(style, [...steps, `replicas: 100%${shares[3] ?? ''}`]));
}

const RUNS = { numRuns: 6, seed: 20 };

/** Where any of these is false, requests may be lost. */
function harm(texts: Texts, parts: DeliveryParts): readonly string[] {
  const delivery = deliveryAt(texts, parts);
  const canary = canarySide(delivery);
  const selected = selectorOf(delivery.service)[LWS_NAME];
  const behind = [delivery.own, delivery.second].find((one) => one !== undefined && one.object.name === selected);
  const stage = withoutRelease(annotationsOf(delivery.own)[MARK.step] ?? '');
  return [
    ...(isRestored(delivery) || (replicasOf(canary) > 0 && delivery.canaryService !== undefined)
      ? []
      : ['share without groups']),
    ...(replicasOf(behind) > 0 ? [] : ['Service without groups']),
    ...(canary === undefined || canary === delivery.own || partitionIn(canary) === SENTINEL
      ? []
      : ['canary not locked']),
    ...(partitionIn(delivery.own) === SENTINEL || annotationsOf(delivery.own)[MARK.at] !== 'pods'
      ? []
      : [`released for update in ${stage}`]),
  ];
}

/** The texts after each subset of a commit's objects. */
function partly({ commit, before }: Climbed, texts: Texts): readonly Texts[] {
  expect(before.own.object.name).toBe('vllm');
  const subsets = Array.from({ length: 2 ** commit.objects.length }, (_, bits) =>
    commit.objects.filter((_object, at) => (bits >> at) % 2 === 1),
  );
  return subsets.map((objects) => {
    const made = render(objects, texts);
    if (made.kind === 'refused') throw new Error(made.issue.message);
    return new Map([...texts, ...made.writes.map(({ path, text }) => [path, text ?? ''] as const)]);
  });
}

test('every plan comes to rest with every byte that was not decided as it was, forward and back', () => {
  fc.assert(
    fc.property(plan, (one) => {
      const texts = filesOf(one);
      const parts = partsIn(texts);
      const commits = climbed(texts, parts);
      expect(placeOf(commits.at(-1)?.commit ?? { stage: { kind: 'promote' }, at: 'pods' })).toBe('promote settled');
      const last = commits.at(-1)?.texts;
      expect(last?.get(ROUTE_FILE)).toBe(ROUTE_TEXT);
      if (one.style === 'canary') restored(texts, last);
      for (const at of [commits.length >> 1, commits.length - 2]) {
        const from = commits[at];
        if (from === undefined) continue;
        const back = climbBack(from, parts);
        expect(back.obstacle).toBeUndefined();
        expect(back.commits.at(-1)?.commit.at).toBe('settled');
        restored(texts, back.commits.at(-1)?.texts);
      }
    }),
    RUNS,
  );
});

/** Both files are what they were, and behind that stands what was made. */
function restored(before: Texts, after: Texts | undefined): void {
  expect(after?.get(ROUTE_FILE)).toBe(before.get(ROUTE_FILE));
  for (const file of [LWS_FILE, SERVICE_FILE]) {
    const [own, ...made] = (after?.get(file) ?? '').split('---\n');
    expect(plain(own)).toBe(before.get(file));
    expect(made).toHaveLength(1);
    expect(made[0]).toContain('tranche.dev/made-for: "vllm"');
  }
}

/** The selector is among what was decided: its name is written in quotes from the first time on. */
function plain(text: string | undefined): string | undefined {
  return text?.replace('name: "vllm"', 'name: vllm');
}

test('no subset of a commit sends requests to nobody, or lets the primary go early', () => {
  fc.assert(
    fc.property(plan, (one) => {
      let texts = filesOf(one);
      const parts = partsIn(texts);
      for (const commit of climbed(texts, parts)) {
        for (const some of partly(commit, texts)) expect(harm(some, parts), placeOf(commit.commit)).toEqual([]);
        texts = commit.texts;
      }
    }),
    RUNS,
  );
});

test('the place is a function of Git and the Rollout alone', () => {
  fc.assert(
    fc.property(plan, (one) => {
      let texts = filesOf(one);
      const parts = partsIn(texts);
      for (const { commit, texts: after } of climbed(texts, parts)) {
        // Nothing is known of what was put aside, nor of any commit before.
        const again = nextCommit(deliveryAt(new Map(texts), parts));
        if (again.kind === 'unwritable') throw new Error('unwritable');
        expect(placeOf(again)).toBe(placeOf(commit));
        expect(changesOf(again).map(objectOf)).toEqual(changesOf(commit).map(objectOf));
        texts = after;
      }
    }),
    RUNS,
  );
});

function objectOf(line: string): string {
  return line.split(':')[0] ?? '';
}

test('the colours alternate: after a second release the first serves, and nothing else is left of either', () => {
  const texts = ladderFiles(ladderRollout('blueGreen', ['replicas: 1, traffic: 5%', 'replicas: 100%, traffic: 50%']));
  const parts = partsIn(texts);
  const green = climbed(texts, parts).at(-1)?.texts ?? texts;
  const second = { ...parts, release: { ...parts.release, serial: parts.release.serial + 1 } };
  const commits = climbed(green, second);
  expect(commits.map(({ commit }) => placeOf(commit)).slice(0, 3)).toEqual(['1/2 template', '1/2 pods', '1/2 traffic']);
  const blue = commits.at(-1)?.texts;
  expect(blue?.get(ROUTE_FILE)).toBe(ROUTE_TEXT);
  const own = (blue?.get(LWS_FILE) ?? '').split('---\n')[0] ?? '';
  expect(own.replace(/ {2}annotations:\n {4}tranche.dev\/template: .*\n/, '')).toBe(texts.get(LWS_FILE));
  expect(plain((blue?.get(SERVICE_FILE) ?? '').split('---\n')[0])).toBe(texts.get(SERVICE_FILE));
});
