/** What metrics said of a step when they were judged last: for people, nothing decides by it. */

import type { Instant } from './time.ts';

/** Requests, and how many of them were bad. */
type CountsRecord = { readonly n: number; readonly x: number };

export type MetricRecord = {
  /** With its Analysis, as `chat/vllm/errors`. */
  readonly name: string;
  readonly answer: 'failed' | 'passed' | 'waiting' | 'inconclusive' | 'noRequests';
  readonly canary: CountsRecord;
  readonly stable: CountsRecord;
  /** The end of the last window that was counted. */
  readonly until: Instant;
  /** This ratio of the odds or more is ruled out, with two places; not there: none is. */
  readonly ruledOut?: string | undefined;
  /** The shares of the new version over time, a sign each; not there: nothing was counted. */
  readonly line?: string | undefined;
};

/** `of`: the step, with its rung, that was judged. */
export type MeasuredStep = { readonly of: string; readonly metrics: readonly MetricRecord[] };
