/** The documents of a delivery with a second workload, as the files of the desired branch have them. */

import type { JsonObject } from '../../api/json.ts';
import type { Marks } from '../../api/marks.ts';
import type { InferencePools } from '../../api/policy-pools.ts';
import type { Rollout } from '../../api/rollout.ts';
import type { RouteRef } from '../../api/rollout-traffic.ts';
import { type RollingStyle, takesTurns } from '../../api/styles.ts';
import type { RouteDocument } from '../traffic/provider.ts';
import type { Delivery } from './delivery.ts';

/** The template of the second workload; what both Services select and at which ports; and what the routes send where. */
export type ContentDigests = { readonly template: string; readonly services: string; readonly routes: string };

/** What the files of the desired branch have; each document is there once. */
export type LadderFiles = {
  /** The user's LeaderWorkerSet: its file, its name and its template are the snapshot's. */
  readonly own: JsonObject;
  readonly second: RouteDocument | undefined;
  /** What writes the groups of the user's own according to Git; not there: nothing does. */
  readonly scalers?: readonly RouteDocument[];
  readonly service: RouteDocument | undefined;
  readonly canaryService: RouteDocument | undefined;
  readonly routes: readonly {
    readonly ref: RouteRef;
    readonly route: RouteDocument;
    readonly canary: RouteDocument | undefined;
  }[];
  /** Not there: no document is missing. */
  readonly missing?: Delivery['missing'];
  /** A digest of each step as it was read, without its pause: the core does not hash. */
  readonly plans: readonly string[];
  /** Of what a hand may have edited, so that who accepts it accepts that and no other edit. Not there: nobody has read it. */
  readonly digests?: ContentDigests | undefined;
  /**
   * How the delivery in progress was started, by the documents that it has made: its Rollout is gone, or says otherwise since.
   * Not there: as the Rollout says.
   */
  readonly begun?: (Pick<Rollout, 'name' | 'style'> & Partial<Pick<Rollout, 'strategy'>>) | undefined;
  /** Other routes to the Service, into which nothing is written. Not there: none. */
  readonly watched?: LadderFiles['routes'] | undefined;
  /** In the place of both Services. Not there: there are Services, or none. */
  readonly pools?: InferencePools | undefined;
};

/** The style of the delivery in progress, else that of its Rollout; undefined: there is neither. */
export function styleInUse({
  ladder,
  rollout,
}: {
  readonly ladder?: Pick<LadderFiles, 'begun'> | undefined;
  readonly rollout: { readonly rollout: Pick<Rollout, 'style'> } | undefined;
}): RollingStyle | undefined {
  return ladder?.begun?.style ?? rollout?.rollout.style;
}

/**
 * Whether the user's own groups are the colour at rest, so that no request finds them. By the annotation alone anybody who
 * merges into the file could say so, also where a strategy is in use that has no second colour to serve.
 */
export function secondServes(
  files: Parameters<typeof styleInUse>[0],
  marks: Pick<Marks, 'serves'> | undefined,
): boolean {
  const style = styleInUse(files);
  return marks?.serves === 'green' && (style === undefined || takesTurns(style));
}
