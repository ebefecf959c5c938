/** The port to the cluster: reading only. Absent on purpose: any method that writes. */

import type { Known } from '../api/known.ts';

export type Resource = {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** Lower-case plural, as in the URL: `leaderworkersets`. */
  readonly plural: string;
};

type ListQuery = {
  readonly namespace: string;
  /** In the API's own syntax; empty for all. */
  readonly labelSelector: string;
};

export interface Cluster {
  /** Says that lists are going to be asked for: whatever can be made ready before is. Asks the cluster nothing. */
  expect?(): void;
  /**
   * All objects, every page of them, of one consistent list. `absent`: the API server has no such resource
   * (the CRD is not installed). Anything incomplete, refused or late is `unknown`, never an empty list. `take` gets each
   * object as it comes; nothing else of it is held, for pods are many and large.
   */
  list<T>(resource: Resource, query: ListQuery, take: (object: unknown) => T): Promise<Known<readonly T[]>>;
}
