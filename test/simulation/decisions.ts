/** The program behind `npm run decisions`: the decisions of one delivery and of one rollback, strategy by strategy. */

import { plan } from '../../src/rollout/plan.ts';
import { ladderFiles, ladderRollout } from '../support/ladder.ts';
import { type Found, passed, releaseIn, settledOn, snapshotAt } from '../support/ladder-pass.ts';
import { asked } from '../support/ladder-stands.ts';
import { type World, world } from '../support/snapshot.ts';
import { NEW, OLD } from '../support/vllm.ts';

const STEPS = [
  'replicas: 1, traffic: 5%, pause: {duration: 60}',
  'replicas: 50%, traffic: 50%, pause: {duration: 60}',
  'replicas: 100%, pause: {duration: 60}',
];

/** Of the strategy that steps the user's own workload, without routes: each commit, and what is waited for in between. */
const stepped: readonly World[] = [
  { text: 'B', groups: '0:A+ 1:A+ 2:A+ 3:A+' },
  { text: 'B', marks: 'B.2 1/4 floor=3', p: 3, groups: '0:A+ 1:A+ 2:A+ 3:B-' },
  { text: 'B', marks: 'B.2 1/4 floor=3', p: 3, groups: '0:A+ 1:A+ 2:A+ 3:B+', intents: { approve: '1@B.2' } },
  { text: 'B', marks: 'B.2 2/4 floor=2', p: 2, groups: '0:A+ 1:A+ 2:B+ 3:B+', intents: { approve: '2@B.2' } },
  { text: 'B', marks: 'B.2 4/4 floor=0', p: 0 },
  { text: 'B', marks: 'B.2 4/4 floor=0' },
  {},
  { text: 'B', marks: 'B.2 2/4 floor=2', p: 2, groups: '0:A+ 1:A+ 2:B- 3:B+', intents: { abort: 'B.2' } },
  { marks: 'A.1 back floor=2 aborted=B.2', p: 2, groups: '0:A+ 1:A+ 2:B- 3:A+' },
  { marks: 'A.1 back floor=2 aborted=B.2', p: 2 },
];

/** Of the others: passes until it is settled, then the same to its second share, aborted there. */
function onFiles(style: 'canary' | 'blueGreen' | 'partition'): readonly (() => void)[] {
  const start = asked(passed(settledOn(ladderFiles(ladderRollout(style, STEPS)))).stand, OLD, NEW);
  const made: (() => void)[] = [];
  let stand = start;
  const pass = (found: Found): string => {
    const snapshot = snapshotAt(stand, found);
    made.push(() => plan(snapshot));
    const now = passed(stand, found);
    ({ stand } = now);
    return now.told;
  };
  for (let count = 0; count < 30 && !pass({}).includes('settled'); count += 1);
  stand = start;
  for (let count = 0; count < 30 && !pass({}).includes('→ 50%'); count += 1);
  const abort = { intents: { abort: releaseIn(stand) } };
  for (let count = 0; count < 10 && !pass(abort).includes('rolled back'); count += 1);
  return made;
}

export const decisions: Readonly<Record<string, readonly (() => void)[]>> = {
  partition: stepped.map((of) => {
    const snapshot = world(of);
    return () => plan(snapshot);
  }),
  'partition with routes': onFiles('partition'),
  canary: onFiles('canary'),
  blueGreen: onFiles('blueGreen'),
};
