/** Where no second Service tells the versions apart, but subsets of one. */

import type { JsonObject } from '../../api/json.ts';
import { LWS_NAME } from '../../api/lws-labels.ts';
import { type RollingStyle, updatesPrimary } from '../../api/styles.ts';

/** The kinds that know subsets of a Service. */
export const SUBSET_KINDS: readonly string[] = ['VirtualService', 'DestinationRule'];

/**
 * Whether both versions are subsets of the user's Service: canary with `disableGenerateCanaryService`, Istio's kinds alone,
 * and a DestinationRule that says which subsets there are. blueGreen moves the Service itself, which subsets share.
 */
export function areSubsets(
  { style, strategy }: { readonly style: RollingStyle; readonly strategy: JsonObject },
  kinds: readonly string[],
): boolean {
  const isIstio = kinds.every((kind) => SUBSET_KINDS.includes(kind));
  return (
    updatesPrimary(style) &&
    strategy['disableGenerateCanaryService'] === true &&
    isIstio &&
    kinds.includes('DestinationRule')
  );
}

/** Whether a Service of this selector takes in the groups of a workload; one that subsets share takes in both. */
export function takesIn(selector: Readonly<Record<string, string>>, workload: string, shared: boolean): boolean {
  const name = selector[LWS_NAME];
  return name === workload || (shared && name === undefined && Object.keys(selector).length > 0);
}
