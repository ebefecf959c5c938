/** What is wrong with a file that people wrote: where, what we saw, what we wanted, and what to do next. */

export type Issue = {
  /** The file, relative to the root of the repository; empty where the fault is in no one file. */
  readonly file: string;
  /** 1-based line in `file`; 0 where no line is to blame. */
  readonly line: number;
  /** The field, as `spec.strategy.canary.steps[1].replicas`; empty for the whole object. */
  readonly path: string;
  /** CamelCase and stable: people and dashboards match on it. */
  readonly reason: string;
  /** Names the object, what was seen and what was wanted. */
  readonly message: string;
  /** The next action. */
  readonly hint: string;
  /** The way out as a unified diff, where the files alone say what it is. */
  readonly patch?: string;
};

/** A parser's answer: the value, or why there is none. Warnings never stop anything. */
export type Parsed<T> =
  | { readonly kind: 'ok'; readonly value: T; readonly warnings: readonly Issue[] }
  | { readonly kind: 'wrong'; readonly issues: readonly Issue[] };

/** One issue a line and reason, the last of each: several edits of a trial may meet the same obstacle. */
export function oncePerLine(issues: readonly Issue[]): readonly Issue[] {
  return [...new Map(issues.map((issue) => [`${issue.file} ${issue.line} ${issue.reason}`, issue])).values()];
}

/** How many issues that many have in common are repeated for each of them. */
const REPEATED_MOST = 20;

/** The first of them, and how many more there are: what one file says wrong of thousands is not said thousands of times whole. */
export function fewIssues(issues: readonly Issue[]): readonly Issue[] {
  const left = issues.length - REPEATED_MOST;
  const [next] = issues.slice(REPEATED_MOST);
  if (next === undefined || left === 1) return issues;
  const message = `${left} more like these, this one first: ${next.message}`;
  return [...issues.slice(0, REPEATED_MOST), { ...next, message }];
}
