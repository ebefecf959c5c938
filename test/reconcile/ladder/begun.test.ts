/** How a delivery was started, by its documents alone: what goes to stable must not hang on a Rollout that is gone. */

import { expect, test } from 'vitest';
import type { Begun } from '../../../src/reconcile/ladder/begun.ts';
import type { Texts } from '../../../src/reconcile/ladder/delivery-parts.ts';
import { begunIn } from '../../support/begun.ts';
import { ladderFiles, ladderRollout } from '../../support/ladder.ts';
import { passed, type Stand, settledOn } from '../../support/ladder-pass.ts';
import { after, asked, edited, stands } from '../../support/ladder-stands.ts';
import { ROUTE_FILE, SERVICE_FILE } from '../../support/traffic-files.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE } from '../../support/vllm.ts';

/** `canary: vllm-svc by HTTPRoute chat, not as the Rollout says`. */
function told(found: Begun | undefined): string {
  if (found === undefined) return 'nothing';
  const { plan, begun } = found;
  const routes = plan.routing?.routes.map(({ kind, name }) => `${kind} ${name}`).join(', ') ?? '';
  const by = plan.routing === undefined ? '' : `: ${plan.routing.service} by ${routes}`;
  return `${plan.style}${by}${begun ? ', not as the Rollout says' : ''}`;
}

const without = ({ texts }: Stand, gone: string): Texts => new Map([...texts].filter(([path]) => path !== gone));
const textsOf = ({ texts }: Stand): Texts => texts;
const ROLLOUT = stands.second.texts.get(ROLLOUT_FILE) ?? '';
const WITHOUT_ROUTES = ROLLOUT.replace(/ *trafficRoutings: .*\n/, '');
const PARTITION = ladderRollout('canary', ['replicas: 1', 'replicas: 100%'], false).replace(
  /.*enableExtraWorkloadForCanary.*\n/,
  '',
);
const matching = ladderFiles(
  ladderRollout('canary', ['replicas: 1, matches: [{headers: [{name: a, value: b}]}], pause: {}', 'replicas: 100%']),
);
const green = ladderFiles(ladderRollout('blueGreen', ['replicas: 1, traffic: 5%', 'replicas: 100%']));
const requestIn = (files: Texts): Stand => asked(passed(settledOn(files)).stand, OLD, NEW);

test.each<readonly [string, Texts, string | undefined, string]>([
  ['as the Rollout says', textsOf(stands.second), ROLLOUT, 'canary: vllm-svc by HTTPRoute chat'],
  ['it is gone', textsOf(stands.second), undefined, 'canary: vllm-svc by HTTPRoute chat, not as the Rollout says'],
  [
    'it is gone, and the share is one between pools',
    edited(
      stands.second,
      LWS_FILE,
      /"service":"vllm-svc"/,
      '"pools":{"stable":"vllm-pool","canary":"vllm-pool-canary"}',
    ).texts,
    undefined,
    'nothing',
  ],
  [
    'it is gone, and its route',
    without(stands.second, ROUTE_FILE),
    undefined,
    'canary: vllm-svc by HTTPRoute chat, not as the Rollout says',
  ],
  [
    'it is gone, and its Service',
    without(stands.second, SERVICE_FILE),
    undefined,
    'canary: vllm-svc by HTTPRoute chat, not as the Rollout says',
  ],
  [
    'it routes nothing any more, and its route is gone',
    without(stands.second, ROUTE_FILE),
    WITHOUT_ROUTES,
    'canary: vllm-svc by HTTPRoute chat, not as the Rollout says',
  ],
  ['before the first share', textsOf(stands.pods), undefined, 'canary: vllm-svc by , not as the Rollout says'],
  [
    'before the first share, and its route is gone',
    without(stands.pods, ROUTE_FILE),
    undefined,
    'canary: vllm-svc by HTTPRoute chat, not as the Rollout says',
  ],
  [
    'it routes nothing any more',
    textsOf(stands.second),
    WITHOUT_ROUTES,
    'canary: vllm-svc by HTTPRoute chat, not as the Rollout says',
  ],
  [
    'it steps the workload alone',
    textsOf(stands.second),
    PARTITION,
    'canary: vllm-svc by HTTPRoute chat, not as the Rollout says',
  ],
  [
    'no field was put aside',
    textsOf(edited(stands.second, LWS_FILE, /"objects":\[.*\],"style"/, '"style"')),
    undefined,
    'canary: vllm-svc by HTTPRoute chat, not as the Rollout says',
  ],
  [
    'a share by a rule of ours',
    textsOf(after('step 1/2, traffic: – → matches', requestIn(matching))),
    undefined,
    'canary: vllm-svc by HTTPRoute chat, not as the Rollout says',
  ],
  [
    'two colours',
    textsOf(after('step 1/2, traffic: – → 5%', requestIn(green))),
    undefined,
    'blueGreen: vllm-svc by HTTPRoute chat, not as the Rollout says',
  ],
])('started: %s', (_, texts, rollout, wanted) => expect(told(begunIn(texts, rollout))).toBe(wanted));

test('at rest it is what the Rollout says', () => {
  const rest = edited(stands.home, LWS_FILE, / *tranche.dev\/step: .*\n *tranche.dev\/rung: .*\n/, '').texts;
  expect(told(begunIn(rest, PARTITION))).toBe('partition');
  expect(told(begunIn(rest))).toBe('nothing');
});
