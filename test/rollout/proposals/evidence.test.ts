/** Who counts as an approver, and what is said where nobody does. */

import { expect, test } from 'vitest';
import { absent, known, unknown } from '../../../src/api/known.ts';
import type { PolicyApproval } from '../../../src/api/policy-approvals.ts';
import { type ApprovalEvidence, type Approver, unproven } from '../../../src/rollout/proposals/evidence.ts';
import { world } from '../../support/snapshot.ts';

const one: PolicyApproval = { people: 1, bots: [], notAuthor: false };
const two: PolicyApproval = { ...one, people: 2 };
const robot: PolicyApproval = { ...one, bots: ['deploy[bot]'] };
const other: PolicyApproval = { ...one, notAuthor: true };

const merge = (login: string): Approver => ({ login, isBot: false, by: 'merge', mayWrite: known(true) });
const review = (login: string, mayWrite: Approver['mayWrite'] = known(true)): Approver => ({
  login,
  isBot: false,
  by: 'review',
  mayWrite,
});
const bot = (login: string): Approver => ({ login, isBot: true, by: 'merge', mayWrite: known(true) });

function by(...logins: readonly string[]): ApprovalEvidence['authors'] {
  return known({ logins, unclear: [] });
}
const unclear: ApprovalEvidence['authors'] = known({
  logins: ['bob'],
  unclear: ['x of commit 1 has no account there'],
});

function said(approvals: readonly PolicyApproval[], approval: ReturnType<typeof shows> | undefined): string {
  const snapshot = { ...world({ text: 'B', groups: '0:A+', rules: { approvals } }), ...(approval && { approval }) };
  return unproven(snapshot, 'step 1/3')?.message ?? '';
}

function shows(...approvers: readonly Approver[]) {
  return known<ApprovalEvidence>({ url: 'https://forge.example/12', approvers, authors: absent });
}

test.each<readonly [what: string, approvals: readonly PolicyApproval[], approvers: readonly Approver[]]>([
  ['whoever merged it', [one], [merge('ada')]],
  ['whoever reviewed it, whoever merged', [one], [review('bob'), bot('mergify[bot]')]],
  ['two people', [two], [merge('ada'), review('bob')]],
  ['one person for two requirements', [one, { ...one, bots: ['x[bot]'] }], [merge('ada')]],
  ['a machine that a policy lists', [robot], [bot('deploy[bot]')]],
  ['a machine and a person', [{ ...two, bots: ['deploy[bot]'] }], [bot('deploy[bot]'), review('bob')]],
])('%s is enough', (_, approvals, approvers) => expect(said(approvals, shows(...approvers))).toBe(''));

test.each<readonly [what: string, approvals: readonly PolicyApproval[], approvers: readonly Approver[], seen: RegExp]>([
  ['nobody', [one], [], /wants step 1\/3 approved by a person with a right to write, seen is nobody: https:/],
  [
    'a machine',
    [one],
    [bot('mergify[bot]')],
    /mergify\[bot\] \(merge, does not count: a machine that no policy lists\)/,
  ],
  ['another machine than the one listed', [robot], [bot('mergify[bot]')], /a machine that no policy lists/],
  ['a machine that one of two policies lists', [robot, one], [bot('deploy[bot]')], /a machine that no policy lists/],
  ['who may not write', [one], [review('eve', known(false))], /eve \(review, does not count: no right to write\)/],
  ['who is no collaborator', [one], [review('eve', absent)], /no right to write/],
  ['whose permission is hidden', [one], [review('eve', unknown('HTTP 403'))], /could not be read, HTTP 403/],
  [
    'one person twice',
    [two],
    [merge('ada'), review('ada')],
    /2 people with a right to write, seen are ada \(merge\) and ada/,
  ],
])('%s is not', (_, approvals, approvers, seen) => expect(said(approvals, shows(...approvers))).toMatch(seen));

test('what was not read, or is not there, is no approval', () => {
  expect(said([one], undefined)).toMatch(
    /could not be read: this pass brakes another rollout first\. It is read again/,
  );
  const { approval: _, ...bare } = world({ text: 'B', groups: '0:A+', rules: { approvals: [one] } });
  expect(unproven({ ...bare, approval: unknown('the forge is silent') }, 'step 1/3')?.message).toMatch(
    /the forge is silent/,
  );
  expect(unproven({ ...bare, approval: absent }, 'step 1/3')?.message).toMatch(/no merged pull request of tranche/);
  expect(unproven({ ...bare, approval: absent, policy: { ...bare.policy, approvals: [] } }, 'x')).toBeUndefined();
});

test.each<readonly [what: string, authors: ApprovalEvidence['authors'], by: Approver, seen: string]>([
  ['another person', by('bob'), merge('ada'), ''],
  ['an author', by('bob', 'ada'), merge('ada'), 'ada (merge, does not count: made the change, or merged it)'],
  ['an author in another spelling', by('Ada'), merge('ada'), 'made the change, or merged it'],
  ['the author of something that somebody unknown made too', unclear, merge('ada'), 'nobody knows all who made'],
  ['somebody, where the makers could not be read', unknown('HTTP 502'), merge('ada'), 'could not be read, HTTP 502'],
  ['a listed machine that made it', by('deploy'), bot('deploy[bot]'), 'made the change, or merged it'],
])('where its makers do not count: %s', (_, authors, approver, seen) => {
  const evidence = known<ApprovalEvidence>({ url: 'https://forge.example/12', approvers: [approver], authors });
  expect(said([{ ...other, bots: ['deploy[bot]'] }], evidence)).toEqual(expect.stringContaining(seen));
  if (seen === '') expect(said([other], evidence)).toBe('');
  expect(said([{ ...robot }], evidence)).toBe('');
});
