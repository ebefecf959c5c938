/** How long the cluster adapter waits and how much it reads. Over any of them, the answer is `unknown`. */

export type ClusterLimits = {
  /** The longest silence of the server within one request, connecting included. */
  readonly idleSeconds: number;
  /** One `list` or `get` with all its pages, repetitions and waits, credentials included. */
  readonly totalSeconds: number;
  /** The body of one answer. */
  readonly answerBytes: number;
  /** Items asked for in one page. */
  readonly pageItems: number;
  /** Items of one list, all pages together. */
  readonly listItems: number;
  /** Requests for one page or object, when the server asks to come back later. */
  readonly tries: number;
  /** Readings of one list, when it expires under us (410). */
  readonly readings: number;
};

/** 500 is kubectl's page. Pods of a namespace with 200 groups of 16 are 3,200 objects of about 10 KiB. */
export const clusterLimits: ClusterLimits = {
  idleSeconds: 10,
  totalSeconds: 30,
  answerBytes: 32 * 1024 * 1024,
  pageItems: 500,
  listItems: 20_000,
  tries: 4,
  readings: 3,
};
