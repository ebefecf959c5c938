/** A pass on standard output, as text or JSON. */

import { jsonText } from '../api/printable.ts';
import type { Outcome } from '../reconcile/outcome.ts';
import type { PassResult } from '../reconcile/pass.ts';
import { brakeLine } from '../reconcile/status/brakes.ts';
import { filesReport, passReport, planReport } from '../reconcile/status/report.ts';
import { recordWritten } from '../rollout/plan.ts';

/** The report of `reconcile`. */
export function passText(result: PassResult, output: 'text' | 'json'): string {
  return output === 'json' ? jsonText(passJson(result)) : passReport(result);
}

/** The report of `plan`: with messages and diffs. */
export function planText(result: PassResult, output: 'text' | 'json'): string {
  if (output === 'json') return passText(result, output);
  if (result.outcomes.length === 0) return passReport({ ...result, quiet: false });
  const brakes = (result.brakes ?? []).map((brake) => `${brakeLine(brake)}\n`).join('');
  return `${brakes}${result.outcomes.map(planReport).join('\n')}${filesReport(result)}`;
}

/** The stable shape for scripts: nothing of the snapshot, which has a command of its own. */
function passJson(result: PassResult): unknown {
  const { outcomes, ...rest } = result;
  return { ...rest, rollouts: outcomes.map(outcomeJson) };
}

function outcomeJson({ key, plan, diff, written, error }: Outcome): unknown {
  return {
    ...key,
    decision: plan?.commit?.reason ?? 'none',
    subject: plan?.commit?.subject,
    message: plan?.commit?.message,
    commit: written,
    diff,
    holds: plan?.holds ?? [],
    issues: plan?.issues ?? [],
    warnings: plan?.warnings ?? [],
    status: plan === undefined ? undefined : recordWritten(plan),
    requeueAfterSeconds: plan?.requeueAfterSeconds,
    error,
  };
}
