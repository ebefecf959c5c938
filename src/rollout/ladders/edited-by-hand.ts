/** What people have changed of a delivery with a second workload: of its copy, its Service, or a share. */

import { at, type JsonObject, jsonEqual } from '../../api/json.ts';
import { TEXT } from '../../api/marks.ts';
import { printRelease } from '../../api/release.ts';
import { RELEASE_PATHS } from '../../api/release-content.ts';
import { SENTINEL } from '../../api/workload.ts';
import { type Hold, hold, withFacts } from '../hold.ts';
import type { Delivering } from './delivering.ts';
import { annotationsOf, canarySide, type Delivery, partitionIn, replicasOf, secondName, sidesOf } from './delivery.ts';
import type { RungName } from './position.ts';
import { isSelected } from './second-workload.ts';
import { shareOf, sharing } from './shares.ts';

/** An object, one of its fields, and what it is now. */
type Edited = { readonly object: string; readonly field: string; readonly value: string };

/** Rungs at which the text has been written, and stays. */
const WITH_TEXT: readonly (RungName | undefined)[] = ['text', 'pods', 'traffic', 'fleet', 'all', 'switch'];

/** The first difference from what the rungs of this release have written; undefined: there is none. */
function editedByHand({ delivery, marks, situation }: Delivering): Edited | undefined {
  const { at: rung, step } = marks;
  if (step?.kind === 'rollback' || !WITH_TEXT.includes(rung)) return undefined;
  // A newer request goes through `void` and `text` again.
  if (step?.kind === 'step' && rung === 'fleet') return undefined;
  // Under a newer text in the file, which waits, the copy is that of the release and no copy of the file.
  const isNewer = situation.digest !== marks.release.digest;
  const own = secondEdited(delivery, isNewer) ?? serviceEdited(delivery);
  const plan = step?.kind === 'step' ? situation.snapshot.ladder?.plans[step.index - 1] : undefined;
  // Under an edited plan it is the step that is another.
  return own ?? (plan === marks.restore?.plan ? shareEdited(delivery, marks) : undefined);
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
  const isPatched = delivery.plan.strategy['patchPodTemplateMetadata'] !== undefined;
  if (isPatched || isNewer || side === delivery.own) return undefined;
  const path = RELEASE_PATHS.find((one) => !jsonEqual(at(side.value, one), at(delivery.own.value, one)));
  return path === undefined
    ? undefined
    : { object, field: path.join('.'), value: `another than that of ${delivery.own.object.name}` };
}

function serviceEdited(delivery: Delivery): Edited | undefined {
  if (isSelected(delivery)) return undefined;
  const value = delivery.canaryService === undefined ? 'not there' : 'another workload';
  return { object: `Service ${sidesOf(delivery).canary}`, field: 'selector', value };
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
  };
}

/** What is seen, for a person who accepts it. */
export function editedFacts(on: Delivering): JsonObject | undefined {
  const found = editedByHand(on);
  return found === undefined ? undefined : { ...found, replicas: replicasOf(canarySide(on.delivery)) };
}

/** Until it is put back or accepted no rung is climbed; shares that must go, go. */
export function canaryEdited(on: Delivering): Hold | undefined {
  const found = editedByHand(on);
  const facts = editedFacts(on);
  if (found === undefined || facts === undefined) return undefined;
  const { key } = on.situation.snapshot;
  const held = hold('CanaryEdited', {
    seen: `${found.object}: ${found.field} is ${found.value}, and no commit of tranche has made it so`,
    action: `Put it back, or go on as it is: tranche approve ${key.name} --hold CanaryEdited; to go back: tranche abort ${key.name}`,
  });
  return withFacts(held, facts);
}
