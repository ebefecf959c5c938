/** The port to servers of metrics that speak the API of Prometheus: one question about a range of time, and its answer. */

export type RangeQuestion = {
  /** As files name it: `prod` for TRANCHE_METRICS_PROD. */
  readonly provider: string;
  /** A selector; seconds since 1970. */
  readonly query: string;
  readonly start: number;
  readonly end: number;
  readonly step: number;
};

/**
 * `body`: parsed JSON, nothing of which has been looked at. `why`: without address, credential or answer. `isUnreached`: it gave
 * no answer at all, in time, so that another question would end alike.
 */
export type RangeAnswer =
  | { readonly kind: 'answered'; readonly body: unknown }
  | { readonly kind: 'failed'; readonly why: string; readonly isUnreached?: true };

export interface Metrics {
  /** The questions of one pass, which take fifteen seconds together at most. */
  round(): {
    /** Never throws. Ten seconds at most. */
    range(question: RangeQuestion): Promise<RangeAnswer>;
  };
}
