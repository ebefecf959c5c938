/** What a pass has to say, as text: for terminals and logs. */

import { issueLine } from '../../api/issue-line.ts';
import type { RolloutRecord } from '../../api/record.ts';
import { type Hold, holdKind } from '../../rollout/hold.ts';
import { isDelivered, type Plan, recordWritten } from '../../rollout/plan.ts';
import { printExpected } from '../../rollout/progress/expected.ts';
import type { Outcome } from '../outcome.ts';
import { type PassResult, QUIET_REPORT } from '../pass.ts';
import { brakeLine } from './brakes.ts';
import { rungsText, secondText } from './ladder-text.ts';
import { groupsCell, stateCell } from './status-page.ts';

/** What there is to do where the files have none, or none that is read as one. */
export const NO_ROLLOUT =
  'no Rollout of a LeaderWorkerSet found. Add one (apiVersion rollouts.kruise.io/v1beta1, kind Rollout), or check paths in tranche.yaml and --shard.';

/** One block a rollout: where it stands, what was written, what it waits for, what is wrong. */
export function passReport(result: PassResult): string {
  if (result.quiet) return QUIET_REPORT;
  const blocks = result.outcomes.map(outcomeReport);
  const empty = blocks.length === 0 && result.issues.length === 0 ? [`${NO_ROLLOUT}\n`] : [];
  const brakes = (result.brakes ?? []).map((brake) => `${brakeLine(brake)}\n`);
  return [...brakes, ...blocks, filesReport(result), ...empty, buildsReport(result)].join('');
}

/** What kustomize took; empty: nothing was built. */
function buildsReport({ builds }: Pick<PassResult, 'builds'>): string {
  if (builds === undefined) return '';
  const { count, seconds } = builds;
  return `kustomize ran ${count === 1 ? 'once' : `${count} times`}, ${seconds.toFixed(1)} s in all\n`;
}

/** What is wrong with files that belong to no rollout in particular, and what people may not have meant. */
export function filesReport({ issues, warnings }: Pick<PassResult, 'issues' | 'warnings'>): string {
  return [
    ...issues.map((issue) => `${issueLine(issue)}\n`),
    ...warnings.map((warning) => `note: ${issueLine(warning)}\n`),
  ].join('');
}

/** The block of one rollout. */
function outcomeReport(outcome: Outcome): string {
  const { plan } = outcome;
  const name = `${outcome.key.namespace}/${outcome.key.name}`;
  // Made without what a newer tranche remembers: it says nothing of where this one stands.
  const isKnown = plan !== undefined && outcome.snapshot?.newerRecord === undefined;
  const record = isKnown ? recordNow(plan, outcome) : undefined;
  const beside = record === undefined ? undefined : secondText(record);
  const head =
    record === undefined
      ? name
      : [name, stateCell(record).replaceAll('*', ''), groupsCell(record), beside ?? ''].join('  ').trimEnd();
  const lines = [head];
  const rungs = plan?.record.traffic?.shown?.rungs ?? [];
  if (rungs.length > 0) lines.push(`  rungs  ${rungsText(rungs, plan?.record.marks?.at)}`);
  if (plan?.commit !== undefined) {
    const oid = outcome.written === undefined ? 'would commit' : `commit ${outcome.written.slice(0, 12)}`;
    lines.push(`  ${oid}  ${plan.commit.subject}`);
  }
  for (const hold of plan === undefined ? [] : shownHolds(plan))
    lines.push(`  waits  ${hold.reason}: ${hold.message}`, ...(hold.lines ?? []).map((line) => `           ${line}`));
  for (const issue of plan?.issues ?? []) lines.push(`  wrong  ${issueLine(issue)}`);
  for (const warning of plan?.warnings ?? []) lines.push(`  note   ${issueLine(warning)}`);
  if (record?.expected !== undefined) lines.push(`  takes  ${printExpected(record.expected)}`);
  const fault = outcome.snapshot?.recordFault ?? '';
  if (fault !== '') lines.push(`  note   record rebuilt from the files: ${fault}`);
  if (outcome.error !== undefined) lines.push(`  failed ${outcome.error}`);
  return `${lines.join('\n')}\n`;
}

/** The hold of wrong files quotes the first of them, which is shown by itself anyway. */
export function shownHolds({ holds, issues }: Plan): readonly Hold[] {
  return holds.filter((hold) => holdKind(hold.reason)?.failure !== 'issue' || issues.length === 0);
}

/** Where it stands: what a commit adds is only true once it is written, or where it would change no byte. */
export function recordNow(plan: Plan, { written, diff }: Outcome): RolloutRecord {
  return written !== undefined || (isDelivered(plan) && diff === '') ? recordWritten(plan) : plan.record;
}

/** What `plan` shows of one rollout: the decision, the message of the commit, and the diff. */
export function planReport(outcome: Outcome): string {
  const commit = commitReport(outcome);
  return commit === '' ? outcomeReport(outcome) : `${outcomeReport(outcome)}\n${commit}`;
}

/** The message of the commit that is planned for one rollout, and the diff; empty: there is none. */
export function commitReport({ plan, diff }: Outcome): string {
  if (plan?.commit === undefined) return '';
  const message = plan.commit.message
    .trimEnd()
    .split('\n')
    .map((line) => `    ${line}`.trimEnd());
  return `${message.join('\n')}\n\n${diff}`;
}
