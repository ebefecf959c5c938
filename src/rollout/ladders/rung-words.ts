/** What the commit of a rung says to people: its place in the subject, and one paragraph why. */

import { samePath } from '../../api/field.ts';
import { printStep } from '../../api/marks.ts';
import { shortRelease } from '../../api/release.ts';
import { takesTurns } from '../../api/styles.ts';
import { REPLICAS_PATH } from '../../api/workload-paths.ts';
import { describeStep } from '../steps.ts';
import { nameFirst } from '../texts/sentences.ts';
import { canarySide, type Delivery, lostIn, primaryGroups, replicasOf, serviceMissing, sidesOf } from './delivery.ts';
import { floorIn, floorOf } from './floor.ts';
import type { NextCommit } from './next-commit.ts';
import { fillsBack, type RungName } from './position.ts';
import { isRestored, shareIn, shareOf } from './shares.ts';

/** `step 2/4, pods: canary 1 → 2`. */
export function rungLabel(delivery: Delivery, next: NextCommit): string {
  const { stage, at } = next;
  if (at === 'settled') return stage.kind === 'rollback' ? 'rolled back' : 'settled';
  const step = stage.kind === 'step' ? `step ${printStep(stage)}` : printStep(stage);
  const what = changed(delivery, next);
  return what === undefined ? step : `${step}, ${at}${what}`;
}

/** Behind the name of the rung; undefined: only the marks change. */
function changed(delivery: Delivery, { stage, at, objects }: NextCommit): string | undefined {
  const others = objects.filter(({ object }) => object.name !== delivery.own.object.name);
  switch (at) {
    case 'template':
      return stage.kind === 'rollback' && !fillsBack(delivery) ? '' : `: ${sidesOf(delivery).workloads.canary}`;
    case 'empty':
      return `: ${colour(delivery)} ${replicasOf(canarySide(delivery))} → 0`;
    case 'pods':
      return `: ${colour(delivery)} ${replicasOf(canarySide(delivery))} → ${replicasTo(delivery, objects)}`;
    case 'traffic': {
      const step = stage.kind === 'step' ? delivery.plan.steps[stage.index - 1] : undefined;
      return step === undefined || others.length === 0 ? undefined : `: ${shareIn(delivery)} → ${shareText(step)}`;
    }
    case 'all':
      return `: ${shareIn(delivery)} → 100%`;
    case 'switch':
      return `: ${sidesOf(delivery).stable} → ${sidesOf(delivery).workloads.canary}`;
    case 'primary':
    case 'route-restored':
    case 'back':
    case 'settled':
      break;
  }
  return '';
}

function colour(delivery: Delivery): string {
  return takesTurns(delivery.plan.style) ? sidesOf(delivery).workloads.canary : 'canary';
}

function shareText(step: Delivery['plan']['steps'][number]): string {
  const share = shareOf(step);
  if (share.kind === 'none') return '–';
  return share.kind === 'matches' ? 'matches' : `${share.percent}%`;
}

function replicasTo(delivery: Delivery, objects: NextCommit['objects']): number {
  const side = canarySide(delivery);
  const edits = objects.find(({ object }) => object.name === side?.object.name)?.edits ?? [];
  const edit = edits.find((one) => one.kind === 'set' && samePath(one.path, REPLICAS_PATH));
  return edit?.kind === 'set' && typeof edit.value === 'number' ? edit.value : replicasOf(side);
}

/** Behind the template, where an autoscaler is held. */
function floorText(delivery: Delivery): string {
  const { scaler } = delivery;
  const least = floorOf(delivery);
  if (scaler === undefined || least === undefined || floorIn(scaler) >= least) return '';
  return ` ${scaler.object.kind} ${scaler.object.name} leaves ${least} groups or more until the delivery is settled, because it would shrink what gets fewer requests: ${floorIn(scaler)} → ${least}.`;
}

/** Why a rung is climbed, without what was seen below it. */
export function rungWhy(delivery: Delivery, next: NextCommit): string {
  const { stage, at } = next;
  const { plan, release } = delivery;
  const { stable: name, canary: second } = sidesOf(delivery).workloads;
  const text = shortRelease(release);
  const step = stage.kind === 'step' ? plan.steps[stage.index - 1] : undefined;
  const planned =
    step === undefined || stage.kind !== 'step'
      ? ''
      : `Step ${stage.index}: ${describeStep(step, primaryGroups(delivery))}`;
  const words: Readonly<Record<RungName, string>> = {
    'route-restored': restoreWhy(delivery, stage),
    empty:
      stage.kind === 'promote'
        ? `Groups of ${name} wait for nodes, and no request goes to ${second} any more: its groups end. ${nameFirst(name)} is locked once all of its groups are on ${text}.`
        : `${nameFirst(second)} has groups of another release, and takes the template of ${text} at none.`,
    template: `${nameFirst(second)} gets the template of ${text} with no groups, and is locked: its groups will start on it. No request reaches it.${floorText(delivery)}`,
    pods: `${planned}. ${second} grows next to ${name}, which stays on the version that serves.`,
    traffic: `${planned}; it is sent ${step === undefined ? 'nothing' : shareText(step)} of the requests.`,
    primary: `Every step is done. ${name} goes to ${text} as fast as its maxUnavailable lets it, and ${second} keeps its share meanwhile.`,
    all: `Every step is done. All requests go to ${second}.`,
    back: 'Groups go back a batch at a time.',
    switch: `The Service ${sidesOf(delivery).stable} selects ${sidesOf(delivery).workloads.canary}; connections that are open stay where they are.`,
    settled: `All requests are where they belong, and the groups of the other side are not needed any more.`,
  };
  if (stage.kind !== 'rollback') return words[at];
  // Before its first commit no annotation says it: of two colours no other rollback has this rung.
  const isFilled = fillsBack(delivery) || (at === 'back' && takesTurns(plan.style));
  return (isFilled ? filledWhy(delivery, at) : backWhy(delivery, next)) ?? words[at];
}

/** What cannot be read does not go to stable. */
function restoreWhy(delivery: Delivery, stage: NextCommit['stage']): string {
  const { stable: service, workloads } = sidesOf(delivery);
  const { stable: name, canary: second } = workloads;
  const lost = lostIn(delivery);
  if (lost === undefined && stage.kind === 'promote' && takesTurns(delivery.plan.style))
    return `The routes are as they were before the delivery: all requests go to ${service}, which selects ${second}.`;
  if (lost === undefined)
    return `No request goes to ${second} from here on: the routes are as they were before the delivery.`;
  if (serviceMissing(delivery) !== undefined && !isRestored(delivery))
    return `${lost} is not among the files: the requests of ${second} would find nobody at ${name}, and stay with it until that is put back.`;
  return `No request goes to ${second} by the routes that are there. ${lost} is not among the files, and what that sends stays as it is.`;
}

/** Of rungs that say something else where a settled release is undone by filling the other colour. */
function filledWhy(delivery: Delivery, at: RungName): string | undefined {
  const { stable: name, canary: second } = sidesOf(delivery).workloads;
  const text = shortRelease(delivery.release);
  const words: Partial<Readonly<Record<RungName, string>>> = {
    back: `It is written for ${delivery.own.object.name}, locked, which restarts nothing; ${second} takes it next, and requests stay with ${name} until all of ${second} is ready.`,
    pods: `${nameFirst(second)} gets as many groups as ${name} has, which keeps all requests until these are ready.`,
    all: `Every group of ${second} is ready on ${text}: all requests go there.`,
    'route-restored': `The Service sends all requests to ${second}: the routes are as they were before.`,
    settled: `All requests are with ${second}, and ${name} has answered its last ones: its groups end.`,
  };
  return words[at];
}

/** Of rungs that say something else in the rollback. */
function backWhy(delivery: Delivery, { at, objects }: NextCommit): string | undefined {
  const { stable: name, canary: second } = sidesOf(delivery).workloads;
  if (at === 'all') return `All requests go to ${second} first, because all groups of ${name} may be down at once.`;
  if (at === 'template')
    return `${nameFirst(name)} is locked and gets its stable template back, which restarts none of its groups. None of them serves enough for all requests yet: those of ${second} stay where they are until then.`;
  if (at !== 'primary') return undefined;
  const others = objects.some(({ object }) => object.name !== delivery.own.object.name);
  const share = others ? `and no request goes to ${second} any more` : `and ${second} keeps its share until it serves`;
  return `${nameFirst(name)} goes back to the template before as fast as its maxUnavailable lets it, ${share}.`;
}
