/** Which Rollout somebody means by its name, or by that of a LeaderWorkerSet without one. */

import { at as valueAt } from '../api/json.ts';
import { MARK } from '../api/marks.ts';
import { namesText } from '../api/names-text.ts';
import { stringsIn } from '../api/service.ts';
import type { Desired, DesiredRollout } from './desired/desired-rollout.ts';

/** Which rollout is meant; an empty namespace: the only one of that name. */
export type Target = {
  readonly name: string;
  readonly namespace: string;
  /** The LeaderWorkerSet of this name, and not the Rollout: also one that another Rollout names. Not there: whichever there is. */
  readonly workload?: boolean;
  /** Of a Rollout and a LeaderWorkerSet of one name, the one whose delivery is in progress is meant. */
  readonly underWay?: boolean;
};

/** The Rollout that is meant, or why none or several are. */
export function pick(desired: Desired, target: Target): DesiredRollout | string {
  const called = desired.rollouts.filter(
    (entry) => isCalled(entry, target.name) && (target.namespace === '' || entry.key.namespace === target.namespace),
  );
  const others = desired.rollouts.filter((entry) => isOthers(entry, target));
  const found = target.workload === true ? [...called.filter(isOrphan), ...others] : called;
  // Its delivery goes on under another Rollout since, as where two were swapped: who wants it back types its name.
  const moved = others.filter(({ key }) => called.some((entry) => entry.key.namespace === key.namespace));
  const open = (target.workload === true ? found : [...called, ...moved]).filter(isUnderWay);
  const [first, second] = target.underWay === true && open.length === 1 ? open : found;
  if (first === undefined) {
    const typed = `${target.namespace === '' ? '' : `${target.namespace}/`}${target.name}`;
    const all = desired.rollouts.map(({ key }) => `${key.namespace}/${key.name}`);
    return `no Rollout ${typed}. There is: ${namesText(all, typed)}`;
  }
  if (second !== undefined && found.some((entry) => entry !== first && entry.key.namespace === first.key.namespace))
    return `${target.name} is a Rollout${namesOf(first, second)}, and a LeaderWorkerSet of this name is one that no Rollout names. Say that you mean the LeaderWorkerSet with --workload; else give it its Rollout back first (workloadRef)`;
  if (second !== undefined)
    return `${target.name} is in several namespaces: ${found.map((entry) => entry.key.namespace).join(', ')}. Say which with --namespace`;
  return first;
}

/** Next to a Rollout of its name a workload without one goes by a longer name, and by its own. */
function isCalled({ key, identity, rollout }: DesiredRollout, name: string): boolean {
  return key.name === name || (rollout === undefined && identity?.name === name);
}

/** A LeaderWorkerSet of the name that is meant, whose Rollout has another one. */
function isOthers({ key, identity, rollout }: DesiredRollout, { name, namespace }: Target): boolean {
  const isNamed = rollout !== undefined && key.name !== name && identity?.name === name;
  return isNamed && (namespace === '' || key.namespace === namespace);
}

/** A managed LeaderWorkerSet whose Rollout is gone, or names another one since. */
function isOrphan({ rollout }: DesiredRollout): boolean {
  return rollout === undefined;
}

function isUnderWay({ workload }: DesiredRollout): boolean {
  return (
    workload !== undefined && stringsIn(valueAt(workload.value, ['metadata', 'annotations']))[MARK.step] !== undefined
  );
}

function namesOf(...entries: readonly DesiredRollout[]): string {
  const other = entries.find((entry) => !isOrphan(entry))?.identity?.name;
  return other === undefined ? '' : ` of ${other}`;
}
