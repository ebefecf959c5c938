/** A fleet of one group goes back: all requests go to the canary first, and what may become of that. */

import { expect, test } from 'vitest';
import { factsDigest } from '../../../src/reconcile/observe/digests.ts';
import { type Found, passed, passes, releaseIn, settledOn } from '../../support/ladder-pass.ts';
import { AT, abort, after, asked, ONE } from '../../support/ladder-stands.ts';
import { ROUTE_FILE } from '../../support/traffic-files.ts';
import { NEW, OLD } from '../../support/vllm.ts';

test('one group: all requests went over, and were taken back from what died then: the text goes back all the same', () => {
  const home = after(AT.home, asked(passed(settledOn(ONE)).stand, OLD, NEW));
  const order = abort(home);
  const all = passed(home, order).stand;
  const dead: Found = { ...order, sight: { second: '0-' } };
  expect(passes(all, { found: () => dead }).told).toEqual([
    'TrafficWithdrawn: rollback, traffic withdrawn',
    'Aborted: rollback, fleet',
    'RolledBack: rolled back',
    'hold ',
  ]);
  // It serves again: all of the fleet would be down meanwhile, so a person says which.
  const back = passed(all, dead).stand;
  const held = passed(back, order);
  expect(held.told).toBe('hold TrafficWithdrawn');
  const [digest, serial] = releaseIn(back).split('.');
  const accept = `TrafficWithdrawn@${digest}.${Number(serial) + 1}#${factsDigest(held.plan.holds[0]?.facts ?? {})}`;
  expect(passed(back, { intents: { ...order.intents, accept } }).told).toBe('ShareAccepted: rollback, all: – → 100%');
  expect(passed(back, { intents: { abort: `${releaseIn(back)} now` } }).told).toBe('Aborted: rollback, fleet');
});

test('one group: all requests are going over, and a person does not want to wait: abort --now', () => {
  const home = after(AT.home, asked(passed(settledOn(ONE)).stand, OLD, NEW));
  const all = passed(home, abort(home)).stand;
  const now = passed(all, { intents: { abort: `${releaseIn(all)} now` } });
  expect(now.told).toBe('Aborted: rollback, fleet');
  expect(now.stand.texts.get(ROUTE_FILE)).not.toContain('vllm-svc-canary');
});
