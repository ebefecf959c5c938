/** Who counts as an approver, and what is said where nobody does. */

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { absent, known, unknown } from '../../../src/api/known.ts';
import type { PolicyApproval } from '../../../src/api/policy-approvals.ts';
import { enoughPeople, type Need } from '../../../src/rollout/proposals/distinct.ts';
import { unproven } from '../../../src/rollout/proposals/evidence.ts';
import type { ApprovalEvidence, Approver } from '../../../src/rollout/proposals/requirements.ts';
import { world } from '../../support/snapshot.ts';

const one: PolicyApproval = { people: 1, bots: [], notAuthor: false };
const two: PolicyApproval = { ...one, people: 2 };
const robot: PolicyApproval = { ...one, bots: ['deploy[bot]'] };
const sre: PolicyApproval = { ...one, team: 'example/sre' };
const apart: PolicyApproval = { ...one, distinct: true };
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

function evidenceOf(...approvers: readonly Approver[]): ApprovalEvidence {
  return { url: 'https://forge.example/12', approvers, authors: absent };
}

function shows(...approvers: readonly Approver[]) {
  return known(evidenceOf(...approvers));
}

/** The same, where only ada is in the team. */
function showsTeam(...approvers: readonly Approver[]) {
  return known<ApprovalEvidence>({ ...evidenceOf(...approvers), teams: { 'example/sre': known(['Ada']) } });
}

test.each<readonly [what: string, approvals: readonly PolicyApproval[], approvers: readonly Approver[]]>([
  ['anyone who merged it', [one], [merge('ada')]],
  ['anyone who reviewed it, anyone who merged', [one], [review('bob'), bot('mergify[bot]')]],
  ['two people', [two], [merge('ada'), review('bob')]],
  ['one person for two requirements', [one, { ...one, bots: ['x[bot]'] }], [merge('ada')]],
  ['a machine that a policy lists', [robot], [bot('deploy[bot]')]],
  ['a machine and someone', [{ ...two, bots: ['deploy[bot]'] }], [bot('deploy[bot]'), review('bob')]],
  ['somebody of the team', [sre], [merge('ada')]],
  ['one person for a team and for anybody', [sre, one], [merge('ada')]],
  ['someone for a distinct one next to another', [one, apart], [merge('ada'), review('bob')]],
  ['the one who is not in the team for the distinct one', [apart, sre], [merge('ada'), review('bob')]],
])('%s is enough', (_, approvals, approvers) => expect(said(approvals, showsTeam(...approvers))).toBe(''));

test.each<readonly [what: string, approvals: readonly PolicyApproval[], approvers: readonly Approver[], seen: RegExp]>([
  [
    'one person whom the forge spells in two ways',
    [two],
    [merge('Ada'), review('ada')],
    /seen are Ada \(merge\) and ada \(review\)/,
  ],
  [
    'the same for a distinct one',
    [one, apart],
    [merge('Ada'), review('ada')],
    /all of them are needed for others: somebody else/,
  ],
  ['nobody', [one], [], /wants step 1\/3 approved by someone with a right to write, seen is nobody: https:/],
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
  ['who is not in the team', [sre], [merge('bob')], /bob \(merge, does not count: not in the team example\/sre\)/],
  [
    'one person next to a distinct one',
    [one, apart],
    [merge('ada')],
    /all of them are needed for others: somebody else/,
  ],
  [
    'the team twice',
    [sre, { ...sre, distinct: true }],
    [merge('ada'), review('bob')],
    /example\/sre with a right to write, for this alone/,
  ],
])('%s is not', (_, approvals, approvers, seen) => expect(said(approvals, showsTeam(...approvers))).toMatch(seen));

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

test('a team that could not be read counts for nobody, and says why', () => {
  const evidence = (teams: ApprovalEvidence['teams']) =>
    known<ApprovalEvidence>({ ...evidenceOf(merge('ada')), ...(teams === undefined ? {} : { teams }) });
  expect(said([sre], evidence({ 'example/sre': unknown('HTTP 403') }))).toMatch(/could not be read, HTTP 403: /);
  expect(said([sre], evidence({}))).toMatch(/the team example\/sre could not be read: /);
  expect(said([sre], evidence(undefined))).toMatch(/the team example\/sre could not be read: /);
});

test('each requirement has a line of its own, met or not', () => {
  const rules = { approvals: [sre, { ...two, notAuthor: true }] };
  const teams = { 'example/sre': known(['ada']) };
  const evidence = known<ApprovalEvidence>({ ...evidenceOf(merge('ada'), review('bob')), teams, authors: by('bob') });
  const held = unproven({ ...world({ text: 'B', groups: '0:A+', rules }), approval: evidence }, 'step 1/3');
  expect(held?.lines).toEqual([
    'approval 1 of 2: someone of the team example/sre with a right to write, met by ada',
    'approval 2 of 2 is missing: 2 people with a right to write who did not make the change, seen are ada (merge) and bob (review, does not count: made the change, or merged it)',
  ]);
});

/** Every way, one by one: which account counts for which requirement. */
function anyWay(needs: readonly Need[]): boolean {
  const logins = [...new Set(needs.flatMap((need) => need.logins))];
  const own = needs.flatMap(({ isDistinct }, at) => (isDistinct ? [at] : []));
  const tried = (at: number, taken: readonly (number | undefined)[]): boolean => {
    if (at < logins.length) return [undefined, ...own].some((need) => tried(at + 1, [...taken, need]));
    return needs.every(({ people, logins: who }, need) => {
      const counted = logins.filter(
        (login, i) => who.includes(login) && taken[i] === (own.includes(need) ? need : undefined),
      );
      return counted.length >= people;
    });
  };
  return tried(0, []);
}

test('people are enough exactly where there is a way to give each distinct requirement its own', () => {
  const need = fc.record({
    people: fc.integer({ min: 1, max: 2 }),
    isDistinct: fc.boolean(),
    logins: fc.subarray(['ada', 'bob', 'cy', 'dee', 'eve']),
  });
  fc.assert(
    fc.property(fc.array(need, { minLength: 1, maxLength: 4 }), (needs) => {
      expect(enoughPeople(needs)).toBe(anyWay(needs));
    }),
    { numRuns: 200 },
  );
});
