/** What a pass found that the one before it had not: for a log with one line a change, and none where nothing changes. */

import type { Issue } from '../../api/issue.ts';
import { issueLine } from '../../api/issue-line.ts';
import { oneLine } from '../../api/printable.ts';
import { type Hold, holdKind } from '../../rollout/hold.ts';
import type { Outcome } from '../outcome.ts';
import type { PassResult } from '../pass.ts';
import { brakeLine } from './brakes.ts';
import { secondText } from './ladder-text.ts';
import { recordNow, shownHolds } from './report.ts';
import { groupsCell, stateCell } from './status-page.ts';

/** One line of a log. `text` says for people what `fields` say for programs. */
export type Change = {
  readonly level: 'info' | 'warn' | 'error';
  /** A stable name: people match alerts on it. */
  readonly event: string;
  /** `namespace/name`; undefined: it is of no Rollout alone. */
  readonly rollout: string | undefined;
  readonly text: string;
  readonly fields: Readonly<Record<string, unknown>>;
};

/** Something that stands until a pass no longer finds it. A key that stays with another `value` is a change. */
type Fact = { readonly value: string; readonly change: Change; readonly end: Change | undefined };
/** What the pass before this one found. */
export type Found = ReadonlyMap<string, Fact>;

/**
 * The changes of one pass in the order of its Rollouts, and what is to be compared with the next. A pass that has looked at
 * nothing changes nothing; of a Rollout that could not be looked at what was found before stays. A hold that only counts
 * seconds down is the same hold.
 */
export function changesOf(
  result: PassResult,
  before: Found,
): { readonly changes: readonly Change[]; readonly found: Found } {
  if (result.quiet) return { changes: [], found: before };
  const found = new Map<string, Fact>(brakeFacts(result));
  const changes: Change[] = [];
  for (const outcome of result.outcomes) {
    changes.push(...commitOf(outcome));
    for (const [key, fact] of factsOf(outcome)) found.set(key, fact);
    if (outcome.plan === undefined)
      for (const [key, fact] of before)
        if (fact.change.rollout === nameOf(outcome) && fact.change.event !== 'failed') found.set(key, fact);
  }
  for (const issue of result.issues) found.set(...issueFact(issue, 'wrong'));
  for (const issue of result.warnings) found.set(...issueFact(issue, 'note'));
  for (const [key, fact] of found) if (before.get(key)?.value !== fact.value) changes.push(fact.change);
  for (const [key, { end }] of before) if (end !== undefined && !found.has(key)) changes.push(end);
  return { changes: inOrder(changes, result), found };
}

/** Those of no Rollout first, then Rollout by Rollout; what was found of one before comes after what is new. */
function inOrder(changes: readonly Change[], { outcomes }: PassResult): readonly Change[] {
  const places = new Map(outcomes.map((outcome, at) => [nameOf(outcome), at]));
  const placeOf = ({ rollout }: Change): number =>
    rollout === undefined ? -1 : (places.get(rollout) ?? outcomes.length);
  return [...changes].sort((a, b) => placeOf(a) - placeOf(b));
}

function nameOf({ key }: Outcome): string {
  return `${key.namespace}/${key.name}`;
}

function brakeFacts({ brakes = [] }: PassResult): readonly [string, Fact][] {
  return brakes.map((brake) => {
    const { kind, rollout } = brake;
    const of = (event: string, text: string): Change => ({ level: 'warn', event, rollout, text, fields: {} });
    const text = brakeLine(brake);
    return [
      `${kind} ${rollout ?? ''}`,
      { value: text, change: of('brake', text), end: of('brakeOver', `no longer: ${kind}`) },
    ];
  });
}

function commitOf(outcome: Outcome): readonly Change[] {
  const { plan, written } = outcome;
  if (plan?.commit === undefined || written === undefined) return [];
  const { subject } = plan.commit;
  const fields = { commit: written, subject };
  return [
    { level: 'info', event: 'commit', rollout: nameOf(outcome), text: `${written.slice(0, 12)} ${subject}`, fields },
  ];
}

function factsOf(outcome: Outcome): readonly [string, Fact][] {
  const { plan, error } = outcome;
  const rollout = nameOf(outcome);
  const failed: readonly [string, Fact][] = error === undefined ? [] : [failedFact(error, rollout)];
  if (plan === undefined) return failed;
  return [
    ...stateFacts(outcome),
    ...holdFacts(shownHolds(plan), rollout),
    ...plan.issues.map((issue) => issueFact(issue, 'wrong', rollout)),
    ...plan.warnings.map((issue) => issueFact(issue, 'note', rollout)),
    ...failed,
  ];
}

/** Where it stands and its groups, as one line: groups that become ready are a change. */
function stateFacts(outcome: Outcome): readonly [string, Fact][] {
  const { plan, snapshot } = outcome;
  const rollout = nameOf(outcome);
  const of = (text: string, fields: Change['fields']): Change => ({
    level: 'info',
    event: 'state',
    rollout,
    text,
    fields,
  });
  // Made without what a newer tranche remembers: it says nothing of where this one stands.
  if (plan === undefined || snapshot?.newerRecord !== undefined) return [];
  const record = recordNow(plan, outcome);
  const [state, groups, second] = [stateCell(record).replaceAll('*', ''), groupsCell(record), secondText(record)];
  const text = [state, groups, second ?? ''].join('  ').trimEnd();
  const change = of(text, { state, groups, ...(second === undefined ? {} : { second }) });
  return [[`state ${rollout}`, { value: text, change, end: of('no longer in Git', { state: 'absent' }) }]];
}

/** Of several holds of one reason each is followed by its place among them. */
function holdFacts(holds: readonly Hold[], rollout: string): readonly [string, Fact][] {
  return holds.map((hold, at) => {
    const { reason, message, lines = [] } = hold;
    const nth = holds.slice(0, at).filter((other) => other.reason === reason).length;
    const text = `${reason}: ${[message, ...lines].map(oneLine).join(' | ')}`;
    const change: Change = { level: 'info', event: 'hold', rollout, text, fields: { reason, message, lines } };
    const end: Change = { level: 'info', event: 'holdOver', rollout, text: reason, fields: { reason } };
    return [`hold ${rollout} ${reason} ${nth}`, { value: holdKind(reason)?.until ?? text, change, end }];
  });
}

/** Of files: stands until no pass finds it. A warning that is gone is no news. */
function issueFact(issue: Issue, event: 'wrong' | 'note', rollout?: string): [string, Fact] {
  const { file, line, reason } = issue;
  const text = issueLine(issue);
  const fields = { file, line, reason, message: text };
  const change: Change = { level: event === 'note' ? 'warn' : 'error', event, rollout, text, fields };
  const end: Change = {
    level: 'info',
    event: 'wrongOver',
    rollout,
    text: `${file} (${reason})`,
    fields: { file, reason },
  };
  return [`${event} ${rollout ?? ''} ${text}`, { value: '', change, end: event === 'note' ? undefined : end }];
}

/** Of the world: a push that was refused, a cluster that nobody could read. */
function failedFact(message: string, rollout: string): [string, Fact] {
  const change: Change = { level: 'error', event: 'failed', rollout, text: oneLine(message), fields: { message } };
  const end: Change = { level: 'info', event: 'failedOver', rollout, text: 'it was looked at again', fields: {} };
  return [`failed ${rollout}`, { value: message, change, end }];
}
