/** What people are shown of a delivery with a second workload: rungs, sides and shares, in the record and as text. */

import { describe, expect, test } from 'vitest';
import { known, unknown } from '../../../src/api/known.ts';
import { ladderLines, rungsText, secondText } from '../../../src/reconcile/status/ladder-text.ts';
import { statusPage } from '../../../src/reconcile/status/status-page.ts';
import type { Delivery } from '../../../src/rollout/ladders/delivery.ts';
import { shownOf } from '../../../src/rollout/ladders/shown.ts';
import { sideName } from '../../../src/rollout/ladders/version-sides.ts';
import { climbed, ladderFiles, ladderRollout, placeOf } from '../../support/ladder.ts';
import { emptyRecord } from '../../support/record.ts';
import { NOTHING, type ViewChange, viewOf } from '../../support/traffic-view.ts';

const STEPS = ['replicas: 1', 'replicas: 2, traffic: 5%', 'replicas: 100%, traffic: 50%'];
const canary = ladderFiles(ladderRollout('canary', STEPS));
const alone = ladderFiles(ladderRollout('canary', ['replicas: 1', 'replicas: 2'], false));
const blueGreen = ladderFiles(ladderRollout('blueGreen', STEPS));

function after(git: typeof canary, place: string): Delivery {
  const found = climbed(git).find(({ commit }) => placeOf(commit) === place);
  if (found === undefined) throw new Error(`no ${place}`);
  return found.after;
}

test.each<readonly [git: typeof canary, place: string, wanted: string]>([
  [canary, '1/3 template', '▸ template, pods'],
  [canary, '2/3 pods', 'template, ▸ pods, traffic'],
  [canary, 'promote primary', '▸ primary, route-restored, settled'],
  [blueGreen, 'promote switch', 'all, ▸ switch, route-restored, settled'],
  [alone, '2/2 pods', 'template, ▸ pods'],
])('the rungs %#: %s', (git, place, wanted) => {
  const delivery = after(git, place);
  expect(rungsText(shownOf(delivery, viewOf(delivery)).rungs, place.split(' ')[1])).toBe(wanted);
});

const shared = after(canary, '2/3 traffic');

test.each<readonly [what: string, change: ViewChange, side: string, share: string]>([
  ['all is well', {}, 'vllm-canary: 2 groups asked for, 2 ready, 2 serving', '5% in Git, 5% in the cluster, accepted'],
  [
    'one loads',
    { second: '0:G+ 1:G-' },
    'vllm-canary: 2 groups asked for, 1 ready, 1 serving',
    '5% in Git, 5% in the cluster, accepted',
  ],
  [
    'one is no endpoint',
    { withoutEndpoint: ['vllm-canary-1'] },
    'vllm-canary: 2 groups asked for, 2 ready, 1 serving',
    '5% in Git, 5% in the cluster, accepted',
  ],
  [
    'the agent is late',
    { route: (route) => ({ ...route, spec: { rules: [{ backendRefs: [{ name: 'vllm-svc' }] }] } }) },
    'vllm-canary: 2 groups asked for, 2 ready, 2 serving',
    '5% in Git, 0% in the cluster, not accepted yet',
  ],
  [
    'nothing can be read',
    {
      traffic: {
        second: { ...NOTHING, lws: unknown('forbidden') },
        routes: [{ kind: 'HTTPRoute', name: 'chat', live: unknown('forbidden') }],
      },
    },
    'vllm-canary: 2 groups asked for, not read',
    '5% in Git, not read',
  ],
])('both sides: %s', (_, change, side, share) => {
  const record = emptyRecord({ traffic: { shown: shownOf(shared, viewOf(shared, change)) } });
  const lines = Object.fromEntries(ladderLines(record));
  expect(lines).toMatchObject({ 'New side': side, Share: share });
  expect(lines['Stable side']).toMatch(/^vllm: 4 groups asked for/);
});

test('the page names the side that is filled, and its share', () => {
  const record = emptyRecord({ traffic: { shown: shownOf(shared, viewOf(shared, { second: '0:G+ 1:G-' })) } });
  expect(secondText(record)).toBe('vllm-canary 1/2, 5%');
  expect(statusPage([record])).toContain(' · `vllm-canary 1/2, 5%` |');
  expect(statusPage([emptyRecord()])).not.toContain(' · ');
  // Every sign of the table is said below it.
  for (const sign of ['●', '○', '~', '?', '+']) expect(statusPage([])).toContain(`${sign} `);
  expect(ladderLines(emptyRecord())).toEqual([]);
});

describe('two versions of one workload', () => {
  const steps = ['replicas: 1, traffic: 5%', 'replicas: 100%'];
  const texts = ladderFiles(ladderRollout('partition', steps));
  const linesOf = (delivery: Delivery, view: ReturnType<typeof viewOf>) =>
    Object.fromEntries(ladderLines(emptyRecord({ traffic: { shown: shownOf(delivery, view) } })));

  test('before the agent has applied the template, no group is on the new one', () => {
    const delivery = after(texts, '1/2 template');
    const view = viewOf(delivery, { own: '0:O+ 1:O+ 2:O+ 3:O+' });
    const { leaderSet, leaders } = view.live;
    if (leaderSet.kind !== 'known' || leaders.kind !== 'known') throw new Error('not seen');
    // What the cluster calls its newest revision is that of before.
    const revisionKey = leaders.value[0]?.revisionKey ?? '';
    const live = { ...view.live, leaderSet: known({ ...leaderSet.value, revisionKey }) };
    expect(linesOf(delivery, { ...view, live })).toMatchObject({
      'Stable side': expect.stringMatching(/^vllm on the stable version: 4 groups asked for, 4 ready, /),
      'New side': expect.stringMatching(/^vllm on [0-9a-f]{8}\.1: 0 groups asked for, 0 ready, 0 serving$/),
    });
  });

  test('in the rollback the new side is the release that was aborted', () => {
    const { own, ...delivery } = after(texts, '1/2 traffic');
    const annotations = {
      'tranche.dev/step': 'rollback',
      'tranche.dev/rung': 'template',
      'tranche.dev/aborted': 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.2',
    };
    const back = { ...delivery, own: { ...own, value: { ...own.value, metadata: { annotations } } } };
    expect(sideName(back, 'canary')).toBe('vllm on aaaaaaaa.2');
    expect(sideName(back, 'stable')).toBe('vllm on the stable version');
  });
});

test('an autoscaler owns the number of the primary: that of the cluster is shown', () => {
  const scaled = { ...shared, isAutoscaled: true, liveReplicas: 7 };
  const record = emptyRecord({ traffic: { shown: shownOf(scaled, viewOf(scaled)) } });
  expect(Object.fromEntries(ladderLines(record))['Stable side']).toMatch(/^vllm: 7 groups asked for/);
});
