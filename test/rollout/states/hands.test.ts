/** What hands change next to a delivery, and orders about what stands: each has an answer that names it. */

import { expect, test } from 'vitest';
import { factsDigest } from '../../../src/reconcile/documents/digests.ts';
import { ladderFiles, ladderRollout } from '../../support/ladder.ts';
import { type Found, passed, passes, releaseIn, type Stand, settledOn } from '../../support/ladder-pass.ts';
import { ROUTE_FILE, SERVICE_FILE } from '../../support/traffic-files.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE } from '../../support/vllm.ts';

type Style = 'canary' | 'blueGreen' | 'partition';

const PLANS = {
  canary: ['replicas: 1, traffic: 5%, pause: {duration: 60}', 'replicas: 50%, traffic: 50%, pause: {duration: 60}'],
  blueGreen: ['replicas: 1, traffic: 5%, pause: {duration: 60}', 'replicas: 100%, traffic: 50%, pause: {duration: 60}'],
  partition: [
    'replicas: 1, traffic: 5%, pause: {duration: 60}',
    'replicas: 50%, traffic: 50%, pause: {duration: 60}',
    'replicas: 100%',
  ],
} as const;

function edited(stand: Stand, file: string, from: string | RegExp, to: string): Stand {
  const before = stand.texts.get(file) ?? '';
  const after = before.replace(from, to);
  if (after === before) throw new Error(`${file} has no ${from}`);
  return { ...stand, texts: new Map([...stand.texts, [file, after]]) };
}

const asked = (stand: Stand): Stand => edited(stand, LWS_FILE, new RegExp(OLD, 'g'), NEW);

function requested(style: Style, replaced: Parameters<typeof ladderFiles>[1] = []): Stand {
  return asked(passed(settledOn(ladderFiles(ladderRollout(style, PLANS[style]), replaced))).stand);
}

function until(start: Stand, label: string, found: Found = {}): Stand {
  let stand = start;
  for (let count = 0; count < 40; count += 1) {
    const now = passed(stand, found);
    stand = now.stand;
    if (now.plan.commit?.subject.endsWith(`): ${label}`) === true) return stand;
  }
  throw new Error(`no commit ${label}`);
}

const seenBy = (stand: Stand, found: Found = {}): string =>
  passed(stand, found)
    .plan.holds.map(({ message }) => message)
    .join('\n');

const styles: readonly Style[] = ['canary', 'blueGreen', 'partition'];
test('a weight of the user that is the one of a step', () => {
  for (const style of styles)
    for (const weight of [95, 50, 0, 100]) {
      const start = requested(style, [[/^ {10}port: 80$/m, `          port: 80\n          weight: ${weight}`]]);
      const { told, stand } = passes(start);
      const label = style === 'partition' ? 'step 1/3, traffic: – → 5%' : 'step 1/2, traffic: – → 5%';
      expect(told).toContain(`RungReady: ${label}`);
      expect(told.slice(-2)).toEqual(['Settled: settled', 'hold ']);
      expect(stand.texts.get(ROUTE_FILE)).toBe(start.texts.get(ROUTE_FILE));
      const shared = until(start, label);
      const back = passes(shared, { found: (at) => ({ intents: { abort: releaseIn(at) } }) });
      expect(back.told.some((line) => line.startsWith('RolledBack'))).toBe(true);
      expect(back.stand.texts.get(ROUTE_FILE)).toBe(start.texts.get(ROUTE_FILE));
    }
});

const toSwitch = requested('blueGreen');
const NAME = /( +leaderworkerset.sigs.k8s.io\/name: )"?vllm-green"?/;
test('the selector of blueGreen is put back by hand, from the switch on', () => {
  for (const label of ['promote, switch: vllm-svc → vllm-green', 'promote, route-restored']) {
    const stand = until(toSwitch, label);
    const back = edited(stand, SERVICE_FILE, NAME, '$1vllm');
    expect(passed(back).told).toBe('hold CanaryEdited');
    expect(seenBy(back)).toContain('spec.selector.leaderworkerset.sigs.k8s.io/name is vllm in Service vllm-svc');
    const put = edited(back, SERVICE_FILE, /(name: )vllm$/m, '$1vllm-green');
    expect(passes(put).told.slice(-2)).toEqual(['Settled: settled', 'hold ']);
    const given = passes(back, { found: (at) => ({ intents: { abort: releaseIn(at) } }) });
    expect(given.told.at(-2)).toBe('RolledBack: rolled back');
  }
});
test('the selector of blueGreen selects nobody since the switch', () => {
  const typo = edited(until(toSwitch, 'promote, route-restored'), SERVICE_FILE, NAME, '$1vllm-grene');
  expect(seenBy(typo)).toContain('is vllm-grene in Service vllm-svc');
});

test('the selector of blueGreen is another in a step, also in a pause', () => {
  for (const label of ['step 1/2, pods: vllm-green 0 → 1', 'step 1/2, traffic: – → 5%', 'step 2/2, traffic: 5% → 50%'])
    for (const other of ['vllm-green', 'vlm']) {
      const back = edited(until(toSwitch, label), SERVICE_FILE, /(name: )vllm$/m, `$1${other}`);
      const { told, plan } = passed(back);
      expect(told, label).toBe('hold CanaryEdited');
      expect(plan.holds[0]?.message).toContain(
        `is ${other} in Service vllm-svc, but until the promotion it has to select vllm.`,
      );
      expect(plan.holds[0]?.message).toContain('Put leaderworkerset.sigs.k8s.io/name: vllm back into it');
      expect(plan.holds[0]?.facts, 'what somebody could accept').toBeUndefined();
      const put = edited(back, SERVICE_FILE, new RegExp(`(name: )${other}$`, 'm'), '$1vllm');
      expect(passes(put).told.slice(-2)).toEqual(['Settled: settled', 'hold ']);
      const given = passes(back, { found: (at) => ({ intents: { abort: releaseIn(at) } }) });
      expect(given.told.at(-2)).toBe('RolledBack: rolled back');
      expect(given.stand.texts.get(SERVICE_FILE)).toMatch(/name: "?vllm"?$/m);
    }
});
test('the selector of blueGreen is another in a step while green serves', () => {
  const settled = passes(toSwitch).stand;
  const next = until(edited(settled, LWS_FILE, NEW, 'v0.11.0'), 'step 1/2, traffic: – → 5%');
  const back = edited(next, SERVICE_FILE, NAME, '$1vllm');
  expect(passed(back).told).toBe('hold CanaryEdited');
  expect(seenBy(back)).toContain('is vllm in Service vllm-svc, but until the promotion it has to select vllm-green');
});

const toFill = requested('canary');
const filled = until(toFill, 'step 1/2, pods: canary 0 → 1');
const one: Found = { view: { own: '0:O+ 1:O+ 2:O+ 3:G+' } };
const two: Found = { view: { own: '0:O+ 1:O+ 2:G+ 3:G+' } };
const accept = (stand: Stand, groups: readonly number[]): Found['intents'] => ({
  accept: `UnexpectedGroups@${releaseIn(stand)}#${factsDigest({ groups: [...groups] })}`,
});
test('single groups that a hand released for update are named, and accepted they alone stand', () => {
  expect(passed(filled, one).told).toBe('hold UnexpectedGroups');
  expect(seenBy(filled, one)).toContain('Group 3 of vllm is on the release');
  const intents = accept(filled, [3])!;
  expect(passed(filled, { ...one, intents }).told).toBe('RungReady: step 1/2, traffic: – → 5%');
  expect(passed(filled, { ...two, intents }).told).toBe('hold UnexpectedGroups');
  const shared = passed(filled, { ...one, intents }).stand;
  expect(passes(shared, { found: () => ({ ...one, intents }), most: 4 }).told).toEqual([
    'hold GracePeriod',
    'hold PauseDuration',
    'StepReady: step 2/2, pods: canary 1 → 2',
    'RungReady: step 2/2, traffic: 5% → 50%',
  ]);
});
test('single groups are named after a partition that was lowered by hand', () => {
  const lowered = edited(filled, LWS_FILE, 'partition: 1000000', 'partition: 3');
  const put = passed(lowered, one);
  expect(put.told).toContain('PartitionRestored');
  expect(passed(put.stand, one).told).toBe('hold UnexpectedGroups');
});
test('single groups that a hand released for update come back by an abort', () => {
  const told = passed(filled, { ...one, intents: { abort: releaseIn(filled) } }).told;
  expect(told).toContain('Aborted');
});
test('all groups made again are no single ones', () => {
  const all: Found = { view: { own: '0:G+ 1:G+ 2:G+ 3:G+' } };
  expect(passed(filled, all).told).toBe('hold Recreated');
});

const toPromote = requested('canary');
const last = until(toPromote, 'step 2/2, traffic: 5% → 50%');
const broken: Found = { view: { own: '0:O- 1:O+ 2:O+ 3:O+' } };
test('a broken group on the stable version: before the promotion', () => {
  const { told } = passes(last, { found: () => broken });
  expect(told.at(-1)).toContain('BlockedByUnreadyGroup');
  expect(told.join()).not.toContain('Promoted');
});
test('a broken group on the stable version: next to the pause for someone', () => {
  const pausing = edited(last, ROLLOUT_FILE, '50%, pause: {duration: 60}', '50%, pause: {}');
  const { told } = passes(pausing, { found: () => broken });
  expect(told.at(-1)).toContain('PausedForApproval');
  expect(told.at(-1)).toContain('BlockedByUnreadyGroup');
});
test('a broken group on the stable version: in the promotion', () => {
  const primary = until(toPromote, 'promote, primary');
  const stuck = passed(primary, { view: { own: '0:O- 1:O+ 2:O+ 3:G+' } });
  expect(stuck.told).toBe('hold GroupsNotUpdated BlockedByUnreadyGroup');
  // The highest of those that have still to go is passed.
  expect(passed(primary, { view: { own: '0:O- 1:G+ 2:G+ 3:G+' } }).told).toBe('hold GroupsNotUpdated');
  expect(passed(primary, { view: { own: '0:O+ 1:O+ 2:O+ 3:G-' } }).told).not.toContain('BlockedByUnreadyGroup');
});
