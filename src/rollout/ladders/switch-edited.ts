/** What people have changed of the commits by which one colour takes over from the other: the Service, or the annotation. */

import { LWS_NAME } from '../../api/lws-labels.ts';
import { MARK, TEXT } from '../../api/marks.ts';
import { printRelease } from '../../api/release.ts';
import { command } from '../command-text.ts';
import { type Hold, hold } from '../hold.ts';
import type { Delivering } from './delivering-facts.ts';
import { annotationsOf, canarySide, selectorOf, sidesOf, stableSide } from './delivery.ts';
import { takesSide } from './version-sides.ts';

/**
 * blueGreen: the colour that is filled bears the release whose template it has. Where that is the one which, by the
 * annotation, served before, the annotation is another than a commit of tranche wrote: every commit would take one side for the other.
 */
export function servesEdited({ delivery, marks, situation }: Delivering): Hold | undefined {
  const { service, plan } = delivery;
  if (plan.style !== 'blueGreen' || marks.step?.kind === 'rollback') return undefined;
  const [stable, canary] = [stableSide(delivery), canarySide(delivery)];
  const isFilled = (side: typeof stable): boolean =>
    side !== undefined && annotationsOf(side)[TEXT] === printRelease(delivery.release);
  if (!isFilled(stable) || isFilled(canary)) return undefined;
  const { key, traffic } = situation.snapshot;
  const live = traffic?.service.kind === 'known' ? traffic.service.value.selector : selectorOf(service);
  const selects =
    service === undefined ? '' : `, and Service ${service.object.name} selects ${live[LWS_NAME] ?? 'no workload'}`;
  return hold('AnnotationsGone', {
    seen: `${situation.file.file}: ${MARK.serves} says that ${sidesOf(delivery).workloads.stable} served before this release, and it is the one with its template${selects}`,
    action: `To go on: ${command('repair', key)}; by hand, put ${MARK.serves} back as the last commit of tranche left it: git log -p ${situation.file.file}`,
  });
}

/**
 * blueGreen: from the switch on the user's Service selects the new colour. Nobody can accept another: all requests would
 * stay with the version before, and settling would take its groups away.
 */
export function switchEdited({ delivery, marks, situation }: Delivering): Hold | undefined {
  const { service, plan, pools } = delivery;
  const isMoved = marks.step?.kind === 'promote' && (marks.at === 'switch' || marks.at === 'home');
  if (plan.style !== 'blueGreen' || !isMoved || service === undefined || pools !== undefined) return undefined;
  const selector = selectorOf(service);
  const { canary } = sidesOf(delivery).workloads;
  const name = selector[LWS_NAME];
  const isOther = name !== canary;
  if (!isOther && takesSide(delivery, selector, 'canary')) return undefined;
  const field = isOther
    ? `spec.selector.${LWS_NAME} is ${name ?? 'missing'}`
    : `spec.selector is ${JSON.stringify(selector)}`;
  return hold('CanaryEdited', {
    seen: `${service.file}: ${field} in Service ${service.object.name}, and since the switch it selects ${canary}: no commit of tranche has made it so`,
    action: `Put ${LWS_NAME}: ${canary} back into it; to go back to the stable version: ${command('abort', situation.snapshot.key)}`,
  });
}
