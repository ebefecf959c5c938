/** What holds of a second workload advise: what helps where they stand, and no order that is refused there. */

import { expect, test } from 'vitest';
import { NO_RULES } from '../../../src/api/policy-rules.ts';
import { printInstant } from '../../../src/api/time.ts';
import { leftText } from '../../../src/reconcile/status/status-text.ts';
import { plan as planOf } from '../../../src/rollout/plan.ts';
import { ladderFiles, ladderRollout } from '../../support/ladder.ts';
import { type Found, type Passed, passed, type Stand, settledOn } from '../../support/ladder-pass.ts';
import { abort, after, asked, edited, requested, STEPS, stands } from '../../support/ladder-stands.ts';
import { NOW, type World, world } from '../../support/snapshot.ts';
import { ROUTE_FILE } from '../../support/traffic-files.ts';
import { NEW, OLD, ROLLOUT_FILE } from '../../support/vllm.ts';

const UNREADY = ['0:G- 1:G- 2:G- 3:G-', '0:G+ 1:G+ 2:G- 3:G-', '0:O+ 1:O+ 2:G- 3:G-', '0:O- 1:G+ 2:G+ 3:G-'];
const said = ({ plan }: Passed): string => plan.holds.map(({ message }) => message).join('\n');

const colours = asked(passed(settledOn(ladderFiles(ladderRollout('blueGreen', STEPS)))).stand, OLD, NEW);

test.each<[string, Stand]>([
  ['a canary, in a step', stands.second],
  ['a canary, in the primary', stands.primary],
  ['a canary, on stable', stands.home],
  ['blueGreen, in a step', after('step 3/3, traffic: 20% → 50%', colours)],
  ['blueGreen, with all requests', after('promote, all: 50% → 100%', colours)],
])('a rollback never advises the abort that it refuses: %s', (_, from) => {
  for (const own of UNREADY) {
    let stand = passed(from, abort(from)).stand;
    for (let count = 0; count < 3; count += 1) {
      const now = passed(stand, { view: { own } });
      expect(said(now)).not.toMatch(/tranche abort vllm(?! --now)/);
      stand = now.stand;
    }
  }
});

test.each<[string, Stand, Found]>([
  ['the groups of the step load', stands.pods, { view: { second: '0:G-' } }],
  ['they are ready, and no Service takes them in', stands.pods, { view: { withoutEndpoint: ['vllm-canary-0'] } }],
  ['requests went to stable, and its groups died', stands.home, { view: { own: '0:G- 1:G- 2:G- 3:G-' } }],
  ['the primary loads', stands.primary, { view: { own: '0:G- 1:G- 2:G- 3:G-' } }],
])('where too few serve it is said what helps: %s', (_, stand, found) => {
  const { plan } = passed(stand, found);
  expect(plan.holds.map(({ reason }) => reason)).toContain('NotServing');
  expect(said(passed(stand, found))).toMatch(
    /If it stays so: tranche abort vllm|look at the selector of their Service/,
  );
});

test('a window that is shut has what is left until it opens next to the time in UTC, where people look', () => {
  const shut = { open: false, changesAt: NOW + 5400, sameUntil: undefined, shutBy: [] } as unknown as World['windows'];
  const { record } = planOf(world({ text: 'B', groups: '0:A+ 1:A+ 2:A+ 3:A+', live: {}, windows: shut! }));
  const held = record?.holds.find(({ reason }) => reason === 'WindowClosed');
  expect(held?.message).toContain(`the next window opens at ${printInstant(NOW + 5400)}`);
  expect(held?.until).toBe(NOW + 5400);
  expect(leftText(held!, NOW + 1800)).toBe(', another 60 min');
});

test.each<[string, Stand, Partial<typeof NO_RULES>, RegExp]>([
  ['a share', stands.traffic, { maxStepTrafficPercent: 1 }, /Write smaller shares, or change the policy$/],
  ['a step', stands.traffic, { maxStepGroups: 1 }, /Make the steps smaller, or change the policy$/],
])(
  'steps between are advised before the first step alone, where their number is not fixed: %s',
  (_, stand, rules, end) => {
    // The step that is next takes more groups by now.
    const grown = edited(stand, ROLLOUT_FILE, 'replicas: 50%', 'replicas: 75%');
    const { plan } = passed(grown, { snapshot: { policy: { ...NO_RULES, ...rules } } });
    const held = plan.holds.find(({ reason }) => reason.endsWith('TooLarge'));
    expect(held?.message).toMatch(end);
  },
);

test('a route that sends nothing is no state to go on with: the hold names no approval', () => {
  const silent = edited(stands.traffic, ROUTE_FILE, /weight: \d+/g, 'weight: 0');
  const held = passed(silent).plan.holds.find(({ reason }) => reason === 'CanaryEdited');
  expect(held?.message).toMatch(/Put it back: no request is answered; to go back: tranche abort vllm$/);
  const other = passed(edited(stands.traffic, ROUTE_FILE, /weight: 95([^]*)weight: 5/, 'weight: 90$1weight: 10'));
  expect(said(other)).toContain('tranche approve vllm --hold CanaryEdited');
});

test('a Rollout whose file cannot be read is not being deleted', () => {
  const gone = world({ groups: '0:A+ 1:A+ 2:A+ 3:A+', rollout: 'absent' });
  expect(planOf(gone).record?.phase).toBe('Terminating');
  const issue = { file: 'a.yaml', line: 1, path: '', reason: 'Syntax', message: 'so', hint: 'mend it' };
  expect(planOf({ ...gone, issues: [issue] }).record?.phase).toBe('Healthy');
});

test('groups that are on the request already are named, with their workload, and no step is said to have taken them', () => {
  const half = { view: { own: '0:O+ 1:O+ 2:G+ 3:G+' } };
  expect(said(passed(requested, half))).toMatch(
    /^Of vllm, groups 2 and 3 are on the requested template already, and no step has updated any\. To bring them back: tranche abort vllm, and then to deliver it by its steps: tranche retry vllm$/m,
  );
});
