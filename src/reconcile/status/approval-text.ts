/** Who approved a step, for people: by which commit of main or which pull request. */

import { printableLine } from '../../api/printable.ts';
import type { ProposalRecord } from '../../api/proposal-record.ts';
import type { StepApproval } from '../../api/record-change.ts';

/** `step 2/3 by Ada, commit 0123456789ab`. */
export function approvalText({ step, by, at }: StepApproval): string {
  const what = /^\d/.test(step) ? `step ${step}` : step;
  const where = commitOf(at) === undefined ? at : `commit ${at.slice(0, 12)}`;
  return printableLine(`${what}${by === undefined ? '' : ` by ${by}`}, ${where}`);
}

/** The commit of main that brought it; undefined: it is the address of a pull request. */
export function commitOf(at: string): string | undefined {
  return /^[0-9a-f]{40,64}$/.test(at) ? at : undefined;
}

/** `#12, merged by ada, for step 2: https://…`. */
export function pullText({ number, url, state, by, index }: ProposalRecord): string {
  const name = number === undefined ? 'not opened yet' : `#${number}`;
  const address = url === undefined ? '' : `: ${url}`;
  return printableLine(`${name}, ${state}${by === undefined ? '' : ` by ${by}`}, for step ${index}${address}`);
}
