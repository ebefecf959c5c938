/** A workload that a Flux HelmRelease renders: what its document says of it, now and in the version to go back to. */

import type { Renderers } from '../../api/helm-release.ts';
import type { JsonObject } from '../../api/json.ts';

/** What the document says; the workload's own fields are those of the cluster, where it was read. */
export type Carried = {
  /** Of the LeaderWorkerSet that is rendered; empty in a version of the past. */
  readonly name: string;
  readonly inputs: JsonObject;
  readonly renderers: Renderers;
  /** A commit that had other inputs under the same digest in the entry: what is live may come from there. `times`: named again so far. */
  readonly between?: { readonly commit: string; readonly times: number } | undefined;
};

/** The same of the version to go back to. `revision`: of LWS, by which groups are on it; not there: nobody knows. */
export type RenderedFrom = Omit<Carried, 'name'> & { readonly revision?: string };

/** Where a commit changes a HelmRelease: its document now, and the one that its inputs are taken from, if they are. */
export type CarriedChange = {
  readonly now: Carried;
  readonly source?: Pick<Carried, 'inputs' | 'renderers'> | undefined;
};
