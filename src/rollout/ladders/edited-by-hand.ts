/** What people have changed of a delivery with a second workload: of its copy, its Service, or a share. */

import { at, type Json, type JsonObject, jsonEqual } from '../../api/json.ts';
import { TEXT } from '../../api/marks.ts';
import { inShort, printRelease } from '../../api/release.ts';
import { releaseContent } from '../../api/release-content.ts';
import { scalerFields } from '../../api/scaler.ts';
import { isOneWorkload, takesTurns } from '../../api/styles.ts';
import { SENTINEL } from '../../api/workload.ts';
import { MAX_SURGE_PATH } from '../../api/workload-paths.ts';
import { type Hold, hold, withFacts } from '../hold.ts';
import { isFillingBack } from '../state.ts';
import { advice, commandLine } from '../texts/advice.ts';
import { hasPortsOf } from '../traffic/canary-service.ts';
import { differenceOf } from './content-difference.ts';
import type { Delivering } from './delivering-facts.ts';
import {
  annotationsOf,
  canarySide,
  type Delivery,
  hasSubsets,
  partitionIn,
  replicasOf,
  secondName,
  sidesOf,
} from './delivery.ts';
import { pinsElsewhere } from './endpoints.ts';
import { floorIn } from './floor.ts';
import type { ContentDigests } from './ladder-files.ts';
import { unpatched } from './patches.ts';
import type { RungName } from './position.ts';
import { isSelected } from './second-workload.ts';
import { inPercent, isRestored, sendsNothing, shareOf, sharing } from './shares.ts';
import { isPinned, pinIn, selectsRelease } from './version-edits.ts';

/** An object, one of its fields, and what it is now. */
type Edited = {
  readonly object: string;
  readonly field: string;
  readonly value: string;
  /** Where the words do not say all of it, what its digest is of. */
  readonly of?: keyof ContentDigests;
};

/** Rungs at which the template has been written, and stays. */
const WITH_TEMPLATE: readonly (RungName | undefined)[] = ['template', 'pods', 'traffic', 'primary', 'all', 'switch'];

/** The first difference from what the rungs of this release have written; undefined: there is none. */
function editedByHand({ delivery, marks, situation, view }: Delivering): Edited | undefined {
  const { at: rung, step } = marks;
  if ((step?.kind === 'rollback' && !isFillingBack(marks)) || !WITH_TEMPLATE.includes(rung)) return undefined;
  // A newer request goes through `void` and `text` again.
  if (step?.kind === 'step' && rung === 'primary') return undefined;
  // Under a newer template in the file, which waits, the copy is that of the release and no copy of the file.
  const isNewer = situation.digest !== marks.release.digest;
  if (isOneWorkload(delivery.plan.style)) return versionsEdited({ delivery, marks, situation, view });
  const own =
    secondEdited(delivery, isNewer) ??
    groupsEdited(delivery, marks) ??
    floorEdited(delivery, marks) ??
    serviceEdited(delivery);
  const plan = step?.kind === 'step' ? situation.snapshot.ladder?.plans[step.index - 1] : undefined;
  // Under an edited plan it is the step that is another.
  return own ?? weightEdited(delivery) ?? (plan === marks.restore?.plan ? shareEdited(delivery, marks) : undefined);
}

/** Of one workload: what tells its versions apart, and a weight that is not the one that we set. */
function versionsEdited(on: Delivering): Edited | undefined {
  const { delivery } = on;
  const { step, at: rung } = on.marks;
  if (step?.kind !== 'step') return undefined;
  const weight = weightEdited(delivery);
  if (weight !== undefined) return weight;
  if (pinsElsewhere(on))
    return { object: `Service ${sidesOf(delivery).stable}`, field: 'selector', value: pinIn(delivery.service) };
  // Below that the next rung says what it selects.
  if (rung === 'traffic' && !selectsRelease(delivery)) {
    const value = delivery.canaryService === undefined ? 'not there' : 'another version';
    return { object: `Service ${sidesOf(delivery).canary}`, field: 'selector', value, of: 'services' };
  }
  const ports = portsEdited(delivery);
  if (ports !== undefined) return ports;
  const isOut = rung === 'traffic' && isRestored(delivery) && delivery.routes.length > 0;
  const object = `Service ${sidesOf(delivery).stable}`;
  if (rung === 'traffic' && !isPinned(delivery)) return { object, field: 'selector', value: 'that of all versions' };
  const route = delivery.routes[0]?.route.object;
  return isOut && route !== undefined
    ? { object: `${route.kind} ${route.name}`, field: 'share', value: 'gone' }
    : undefined;
}

function secondEdited(delivery: Delivery, isNewer: boolean): Edited | undefined {
  const side = canarySide(delivery);
  const object = `LeaderWorkerSet ${side?.object.name ?? secondName(delivery)}`;
  if (side === undefined) return { object, field: 'the document', value: 'not there' };
  const text = annotationsOf(side)[TEXT];
  if (text !== printRelease(delivery.release)) return { object, field: TEXT, value: text ?? 'missing' };
  const partition = partitionIn(side);
  // The user's own goes to partition 0 in no delivery that fills it.
  if (partition !== SENTINEL) return { object, field: 'partition', value: String(partition ?? 'missing') };
  const surge = at(side.value, MAX_SURGE_PATH);
  if (surge !== 0) return { object, field: 'maxSurge', value: printed(surge) };
  if (isNewer || side === delivery.own) return undefined;
  const [copy, own] = [side, delivery.own].map(({ value }) => unpatched(releaseContent(value), delivery));
  const path = copy === undefined || own === undefined ? undefined : differenceOf(copy, own);
  if (path === undefined) return undefined;
  const size = path.at(-1) === 'size';
  const value = size ? printed(at(side.value, ['spec', ...path])) : `another than that of ${delivery.own.object.name}`;
  return { object, field: size ? 'size' : `spec.${path.join('.')}`, value, ...(size ? {} : { of: 'template' }) };
}

/**
 * At rest, where the second colour serves: a bot that writes all over the file changes the template of that one as well,
 * and the user's own is put back alone. It restarts nothing, and a group that is made again would keep what it has.
 */
export function servingTemplateEdited(delivery: Delivery): Hold | undefined {
  const { own, second } = delivery;
  if (second === undefined || annotationsOf(second)[TEXT] !== printRelease(delivery.release)) return undefined;
  const [copy, text] = [unpatched(releaseContent(second.value), delivery), releaseContent(own.value)];
  const path = differenceOf(copy, text);
  if (path === undefined) return undefined;
  const field = `spec.${path.join('.')}`;
  const [now, wanted] = [at(copy, path), at(text, path)].map(printed);
  return hold('CanaryEdited', {
    seen: `${second.file}: ${field} of LeaderWorkerSet ${second.object.name}, which serves, is ${inShort(now ?? '')}; tranche wrote something else last`,
    action: `Put back what ${own.object.name} has there, the delivered release: ${inShort(wanted ?? '')}`,
  });
}

function printed(value: Json | undefined): string {
  return value === undefined ? 'missing' : JSON.stringify(value);
}

/** People scale the colour that serves: blueGreen's new one from the switch on. */
function groupsEdited(delivery: Delivery, { step, at: rung, restore }: Delivering['marks']): Edited | undefined {
  const side = canarySide(delivery);
  const isOver = step?.kind === 'promote' ? rung !== 'all' : step?.kind === 'rollback' && rung === 'switch';
  const isTheirs = isOver && takesTurns(delivery.plan.style);
  const groups = replicasOf(side);
  if (side === undefined || isTheirs || restore?.groups === undefined || restore.groups === groups) return undefined;
  return {
    object: `LeaderWorkerSet ${side.object.name}`,
    field: 'replicas',
    value: `${groups}, not ${restore.groups}`,
  };
}

/** An autoscaler that may take away what the delivery counts on; one that leaves more is nobody's trouble. */
function floorEdited({ scaler }: Delivery, { restore }: Delivering['marks']): Edited | undefined {
  const least = restore?.least;
  if (scaler === undefined || least === undefined || floorIn(scaler) >= least) return undefined;
  const { kind, name } = scaler.object;
  const field = scalerFields(kind)?.floor.join('.') ?? '';
  return { object: `${kind} ${name}`, field, value: `${floorIn(scaler)}, not ${least}` };
}

/** A weight that we have put aside stands in Git as another than we set it, whichever rung it is. */
export function weightEdited(delivery: Delivery): Edited | undefined {
  const { displaced, routes } = delivery;
  for (const { provider, route, canary } of routes) {
    if (provider.ownScale === true) continue;
    const object = `${route.object.kind} ${route.object.name}`;
    const sets = displaced.filter((one) => jsonEqual({ ...one.object }, { ...route.object })).map(({ set }) => set);
    const numbers = sets.filter((set) => typeof set === 'number');
    if (numbers.length === 0 || numbers.length < sets.length) continue;
    const { percent } = provider.read({ route, canary, displaced: [] }, sidesOf(delivery));
    const wanted = 100 - Math.min(...numbers);
    if (percent !== wanted)
      return { object, field: 'share', value: `${inPercent(percent)} %, not ${inPercent(wanted)} %` };
  }
  return undefined;
}

function serviceEdited(delivery: Delivery): Edited | undefined {
  if (isSelected(delivery)) return portsEdited(delivery);
  const rule = hasSubsets(delivery)
    ? delivery.routes.find(({ provider }) => provider.kind === 'DestinationRule')
    : undefined;
  if (rule !== undefined)
    return {
      object: `DestinationRule ${rule.route.object.name}`,
      field: 'its subset of the new version',
      value: 'not there',
    };
  const value = delivery.canaryService === undefined ? 'not there' : 'another workload';
  return { object: `Service ${sidesOf(delivery).canary}`, field: 'selector', value, of: 'services' };
}

/** Ports were changed in one of both Services: a share that finds none of them meets nobody. */
function portsEdited(delivery: Delivery): Edited | undefined {
  const { service, canaryService: canary } = delivery;
  if (service === undefined || canary === undefined || hasSubsets(delivery) || hasPortsOf(canary, service))
    return undefined;
  return {
    object: `Service ${canary.object.name}`,
    field: 'ports',
    value: `other than those of ${service.object.name}`,
    of: 'services',
  };
}

/** The share of a step that is on its last rung. */
function shareEdited(delivery: Delivery, { step, at: rung }: Delivering['marks']): Edited | undefined {
  const plan = step?.kind === 'step' ? delivery.plan.steps[step.index - 1] : undefined;
  if (plan === undefined || rung !== 'traffic' || delivery.routes.length === 0) return undefined;
  const made = sharing(delivery, shareOf(plan));
  const [first] = made.kind === 'ok' ? made.objects : [];
  if (first === undefined) return undefined;
  return {
    object: `${first.object.kind} ${first.object.name}`,
    field: 'share',
    value: 'another than that of the step',
    of: 'routes',
  };
}

/** What is seen, for someone who accepts it. */
export function editedFacts(on: Delivering): JsonObject | undefined {
  const found = editedByHand(on);
  if (found === undefined) return undefined;
  const { of, ...said } = found;
  const digest = of === undefined ? undefined : on.situation.snapshot.ladder?.digests?.[of];
  return { ...said, ...(digest === undefined ? {} : { digest }), replicas: replicasOf(canarySide(on.delivery)) };
}

/** Until it is put back or accepted no rung is climbed; shares that must go, go. */
export function canaryEdited(on: Delivering): Hold | undefined {
  const found = editedByHand(on);
  const facts = editedFacts(on);
  if (found === undefined || facts === undefined) return undefined;
  const { key } = on.situation.snapshot;
  const held = hold('CanaryEdited', {
    seen: `${found.object}: ${found.field} is ${inShort(found.value)}, which is not what tranche wrote last`,
    // Nobody goes on with a route that answers no request.
    action: sendsNothing(on.delivery)
      ? advice`Put it back: no request is answered; to go back: ${commandLine('abort', key)}`
      : advice`Put it back, or go on as it is: ${commandLine('approve', key, '--hold CanaryEdited')}; to go back: ${commandLine('abort', key)}`,
  });
  return withFacts(held, facts);
}
