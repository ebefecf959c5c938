/** Condition of the workload that we made: the cluster has it as the user's own but for our patches. */

import { firstDifference } from '../../api/content-match.ts';
import { type Hold, hold } from '../hold.ts';
import { canarySide, type Delivery, sidesOf } from './delivery.ts';
import { unpatched } from './patches.ts';
import { unread } from './seen-workloads.ts';
import type { TrafficView } from './traffic-view.ts';

/**
 * The live template of the workload that we made is that of the user's own but for our patches: what an agent, a
 * webhook or a transformer has made of the copy alone would be judged in place of the release.
 */
export function canaryDiffers(delivery: Delivery, view: TrafficView): Hold | undefined {
  if (canarySide(delivery) !== delivery.second) return undefined;
  const [own, second] = [view.live.lws, view.traffic.second.lws];
  for (const part of [own, second]) if (part.kind === 'unknown') return unread(part.why);
  if (own.kind !== 'known' || second.kind !== 'known') return undefined;
  const [wanted, copy] = [own.value, second.value].map(({ content }) => unpatched(content, delivery));
  if (wanted === undefined || copy === undefined) return undefined;
  const path = firstDifference(wanted, copy, copy);
  if (path === undefined) return undefined;
  const names = `${sidesOf(delivery).workloads.canary} and ${delivery.own.object.name}`;
  return hold('CanaryDiffers', {
    seen: `spec.${path} is not the same in ${names} in the cluster: the groups that are judged are not what is delivered`,
    action: 'Find what changes one of the two alone: a transformer, a webhook, a second agent',
  });
}
