/** What people have changed of the commits by which one colour takes over from the other: the Service, or the annotation. */

import { at } from '../../api/json.ts';
import type { LiveRevision } from '../../api/live.ts';
import { LWS_NAME } from '../../api/lws-labels.ts';
import { MARK, type Marks, TEXT } from '../../api/marks.ts';
import { inShort, printRelease } from '../../api/release.ts';
import { releaseContent } from '../../api/release-content.ts';
import { shellWord } from '../../api/shell-word.ts';
import { takesTurns } from '../../api/styles.ts';
import { type Hold, hold } from '../hold.ts';
import { fieldNotIn } from '../observed/revisions.ts';
import { isFillingBack } from '../state.ts';
import { advice, commandLine, fieldSet, lastLeft } from '../texts/advice.ts';
import type { Side } from './condition.ts';
import type { Delivering } from './delivering-facts.ts';
import { annotationsOf, canarySide, selectorOf, sidesOf, stableSide } from './delivery.ts';
import type { TrafficView } from './traffic-view.ts';
import { takesSide } from './version-sides.ts';

/**
 * blueGreen: the colour that is filled bears the release whose template it has. Where that is the one which, by the
 * annotation, served before, the annotation is another than a commit of tranche wrote: every commit would take one side for the other.
 */
export function servesEdited({ delivery, marks, situation }: Delivering): Hold | undefined {
  const { service, plan } = delivery;
  if (!takesTurns(plan.style) || (marks.step?.kind === 'rollback' && !isFillingBack(marks))) return undefined;
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
    action: advice`To go on: ${commandLine('repair', key)}; by hand, put ${MARK.serves} back ${lastLeft('as the last commit of tranche left it', [situation.file.file])}: git log -p ${shellWord(situation.file.file)}; an abort goes back once it is there`,
  });
}

/**
 * blueGreen: in a step the user's Service selects the colour that served before, from the switch on the new one. Nobody can
 * accept another: all requests but the share would go to nobody, or to groups that no step has approved for them, and settling
 * would take away the groups that answer. It is said at once, whatever else the step waits for.
 */
export function switchEdited({ delivery, marks, situation }: Delivering): Hold | undefined {
  const { service, plan, pools } = delivery;
  const side = selectedBy(marks);
  if (!takesTurns(plan.style) || side === undefined || service === undefined || pools !== undefined) return undefined;
  const selector = selectorOf(service);
  const wanted = sidesOf(delivery).workloads[side];
  const name = selector[LWS_NAME];
  const isOther = name !== wanted;
  if (!isOther && takesSide(delivery, selector, side)) return undefined;
  const field = isOther
    ? `spec.selector.${LWS_NAME} is ${name ?? 'missing'}`
    : `spec.selector is ${JSON.stringify(selector)}`;
  const since = side === 'canary' ? 'since the switch' : 'until the promotion';
  return hold('CanaryEdited', {
    seen: `${service.file}: ${field} in Service ${service.object.name}, but ${since} it has to select ${wanted}`,
    action: advice`Put ${fieldSet(`${LWS_NAME}: ${wanted}`, service, { path: ['spec', 'selector', LWS_NAME], value: wanted })} back into it; to go back to the stable version: ${commandLine('abort', situation.snapshot.key)}`,
  });
}

/** Which colour the user's Service is to select; undefined: a rung moves it, or a rollback does. */
function selectedBy(marks: Marks): Side | undefined {
  const { step, at: rung } = marks;
  if (step?.kind === 'step') return 'stable';
  if (step?.kind !== 'promote' && !isFillingBack(marks)) return undefined;
  if (rung === 'switch' || rung === 'route-restored') return 'canary';
  return step?.kind === 'rollback' && rung !== 'all' ? 'stable' : undefined;
}

/**
 * blueGreen at rest: the user's Service selects the colour that does not serve, as after a revert of the switch or a file that
 * was put back. A route alone would send its requests to that one, or leave them with groups that the agent deletes.
 */
export function selectsOther({ delivery }: Delivering): Hold | undefined {
  const { service, plan } = delivery;
  if (!takesTurns(plan.style) || service === undefined) return undefined;
  const selector = selectorOf(service);
  if (takesSide(delivery, selector, 'stable')) return undefined;
  const { stable } = sidesOf(delivery).workloads;
  return hold('CanaryEdited', {
    seen: `${service.file}: Service ${service.object.name} selects ${selector[LWS_NAME] ?? 'no workload'}, and by the annotations ${stable} serves, of which too few groups are ready: requests stay where they are`,
    action: `Look at the pods of ${stable}; once they serve, the Service and the routes follow in one commit`,
  });
}

/**
 * blueGreen: from the promotion on the document of the colour that takes over stays as the steps wrote it. A bot that writes
 * all over the file changes that one as well: LWS would have a newer template next to the one that its groups run, and
 * whatever waits for them would wait for ever. Nobody can accept it, since a group that is made again is not of the release.
 */
export function greenTextEdited({ delivery, marks, situation, view }: Delivering): Hold | undefined {
  const side = canarySide(delivery);
  const isOver = marks.step?.kind === 'promote' || isFillingBack(marks);
  if (!takesTurns(delivery.plan.style) || !isOver) return undefined;
  if (side === undefined || side === delivery.own || annotationsOf(side)[TEXT] !== printRelease(delivery.release))
    return undefined;
  const grown = view === undefined ? undefined : revisionOf(view);
  const copy = releaseContent(side.value);
  const path = grown === undefined ? undefined : fieldNotIn(grown, copy);
  if (path === undefined) return undefined;
  // Of a list the whole: its items have no path that a reader could follow.
  const [field = ''] = path.split('[');
  const value = JSON.stringify(at(copy, field.split('.'))) ?? 'missing';
  return hold('CanaryEdited', {
    seen: `${side.file}: spec.${path} of LeaderWorkerSet ${side.object.name} is neither what its groups run nor what tranche wrote last: ${inShort(value)}`,
    action: advice`Put it back ${lastLeft('as the last commit of tranche left it', [side.file])}: git log -p ${shellWord(side.file)}; to go back to the stable version: ${commandLine('abort', situation.snapshot.key)}`,
  });
}

/** The revision that all groups of the second workload run; undefined: it was not read, or they are on several. */
function revisionOf({ traffic: { second } }: TrafficView): LiveRevision | undefined {
  const { leaders, revisions } = second;
  if (leaders.kind !== 'known' || revisions.kind !== 'known') return undefined;
  const [key, ...others] = [...new Set(leaders.value.map(({ revisionKey }) => revisionKey))];
  return others.length > 0 ? undefined : revisions.value.find((revision) => revision.key === key);
}
