/** Which pull request is the step itself, and why the others are not. */

import { expect, test } from 'vitest';
import { type Known, known, unknown } from '../../../src/api/known.ts';
import { plan } from '../../../src/rollout/plan.ts';
import { FORMS, formOf, isFields, type MergeRules } from '../../../src/rollout/proposals/form.ts';
import { type World, world } from '../../support/snapshot.ts';

const rules = { promotion: 'pullRequest' } as const;
const requested: World = { text: 'B', groups: '0:A+ 1:A+ 2:A+ 3:A+', rules };
const one: World = {
  ...requested,
  marks: 'B.2 1/3 floor=3',
  p: 3,
  groups: '0:A+ 1:A+ 2:A+ 3:B+',
  record: { doneAgo: 30 },
};
const locked: World = {
  ...one,
  marks: 'B.2 2/3 floor=0',
  p: 1000000,
  groups: '0:B+ 1:B+ 2:B+ 3:B+',
  steps: '50% 100% 100%',
};
const all: MergeRules = {
  isGateRequired: known(true),
  isGateOurs: known(true),
  isStrict: known(true),
  hasQueue: known(false),
  takesDirectPush: known(true),
};

function check(of: World, under: MergeRules, then: keyof typeof FORMS, scaler?: Known<string>): void {
  const snapshot = world(of);
  const { commit } = plan(snapshot);
  if (commit === undefined) throw new Error('nothing is proposed');
  const live = scaler === undefined ? snapshot.live : { ...snapshot.live, scaler };
  expect(formOf({ snapshot: { ...snapshot, live }, commit }, under)).toBe(then);
}

test.each<readonly [what: string, of: World, then: keyof typeof FORMS]>([
  ['the first step', requested, 'Guarded'],
  ['a step', one, 'Guarded'],
  ['a jump', { ...one, intents: { jump: '3@B.2' } }, 'Guarded'],
  [
    'more groups of the step that Git has',
    { ...one, steps: '50%/0 75% 100%', record: { doneAgo: 9, steps: '25%/0 50%! 100%' } },
    'NotGroupsAlone',
  ],
  ['taking a workload over', { marks: 'none', p: 0, rules }, 'NotGroupsAlone'],
  ['extra groups', { ...requested, surge: 1, rules: { ...rules, surge: 1 } }, 'NotGroupsAlone'],
  ['a step that moves no group', locked, 'NotGroupsAlone'],
  [
    'a policy wants the forge to show who approved',
    { ...one, rules: { ...rules, approvals: [{ people: 1, bots: [], notAuthor: false }] } },
    'EvidenceWanted',
  ],
])('under rules that guard it: %s', (_, of, then) => check(of, all, then));

test.each<readonly [what: string, under: Partial<MergeRules>, then: keyof typeof FORMS]>([
  ['nothing waits for our status', { isGateRequired: known(false) }, 'GateNotRequired'],
  ['our status counts from others too', { isGateOurs: known(false) }, 'GateOpenToOthers'],
  ['nobody tells which App we are', { isGateOurs: unknown('hidden') }, 'RulesUnread'],
  ['what is behind may be merged', { isStrict: known(false) }, 'NotUpToDate'],
  ['a merge queue', { hasQueue: known(true) }, 'Queued'],
  ['pushes of ours are refused', { takesDirectPush: known(false) }, 'NoDirectPush'],
  ['it is not shown whether they are', { takesDirectPush: unknown('hidden') }, 'RulesUnread'],
  ['the checks are not shown', { isGateRequired: unknown('hidden') }, 'RulesUnread'],
  ['it is not shown whether what is behind may be merged', { isStrict: unknown('hidden') }, 'RulesUnread'],
  ['it is not shown whether there is a queue', { hasQueue: unknown('hidden') }, 'RulesUnread'],
])('a step, and %s', (_, under, then) => check(one, { ...all, ...under }, then));

test('where a policy accepts that nothing of ours reaches the branch, its rules have to guard the step all the same', () => {
  const accepted: World = { ...one, rules: { ...rules, withoutDirectPush: 'Accept' } };
  const shut: MergeRules = { ...all, takesDirectPush: known(false) };
  check(accepted, shut, 'WithoutPush');
  check({ ...one, rules: { ...rules, withoutDirectPush: 'Refuse' } }, shut, 'NoDirectPush');
  check(accepted, all, 'Guarded');
  check(accepted, { ...shut, isStrict: known(false) }, 'NotUpToDate');
  check(accepted, { ...shut, hasQueue: unknown('hidden') }, 'RulesUnread');
  check({ ...accepted, marks: 'none', p: 0, text: 'A', groups: '0:A+ 1:A+ 2:A+ 3:A+' }, shut, 'NotGroupsAlone');
});

test('anyone else who decides the number of groups, known or not', () => {
  check(one, all, 'Autoscaled', known('HorizontalPodAutoscaler vllm'));
  check(one, all, 'Autoscaled', unknown('it could not be read'));
});

test('two reasons alone make it the step', () => {
  const steps = Object.entries(FORMS).flatMap(([name, { form }]) => (form === 'fields' ? [name] : []));
  expect(steps).toEqual(['Guarded', 'WithoutPush']);
  expect([isFields('Guarded'), isFields('Queued'), isFields(undefined)]).toEqual([true, false, false]);
});
