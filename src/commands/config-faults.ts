/** What is wrong with `tranche.yaml` on main, said by those who only look: they answer by an earlier version, and end as failed. */

import type { Issue } from '../api/issue.ts';
import { issueLine } from '../api/issue-line.ts';
import { EXIT, type Io } from '../options.ts';

/** The exit code of a look by its own and by the file, which is said before the answer is. */
export function withFaults(faults: readonly Issue[] | undefined, io: Io): (code: number) => number {
  sayFaults(faults ?? [], io);
  return (code) => (code === EXIT.ok && (faults ?? []).length > 0 ? EXIT.failed : code);
}

/** A line each, as `lint` says them. */
export function sayFaults(faults: readonly Issue[], io: Io): void {
  for (const issue of faults) io.err(`${issueLine(issue)}\n`);
}
