/** Gates that hold a plan together in mid-delivery: what Kruise's webhook would refuse to change then. */

import { MARK, printStep } from '../../api/marks.ts';
import { sameRelease } from '../../api/release.ts';
import { frozenFaults } from '../../api/rollout-frozen.ts';
import { isOneWorkload } from '../../api/styles.ts';
import { type Hold, hold } from '../hold.ts';
import type { Situation } from '../situation.ts';
import { advice, commandLine, fieldSet, lastLeft } from '../texts/advice.ts';

/** Kruise refuses another number of steps in mid-rollout; the file can be edited all the same, so it is held here. */
export function stepCountChanged({ state, steps, snapshot }: Situation): Hold | undefined {
  const step = state.kind === 'ladder' ? state.stage : state;
  if (snapshot.rollout === undefined || step.kind !== 'step' || step.of === steps.length) return undefined;
  return hold('StepCountChanged', {
    seen: `the delivery started with ${step.of} steps, the Rollout now has ${steps.length}: the number is fixed until it ends`,
    action: advice`Put ${lastLeft(`${step.of} steps`, [snapshot.rollout.file])} back, or go back: ${commandLine('abort', snapshot.key)}`,
  });
}

/** The Rollout is about another workload than when the delivery started: its steps are none of what is in progress. */
export function workloadRefChanged({ snapshot }: Pick<Situation, 'snapshot'>): Hold | undefined {
  const { retargeted, rollout, workload, key } = snapshot;
  if (retargeted === undefined || rollout === undefined) return undefined;
  const { was, underWay } = retargeted;
  const now = rollout.rollout.workload.name;
  const isOwn = underWay === now;
  const which = isOwn
    ? `${now}, whose delivery started for another Rollout`
    : `${now}, while the delivery of ${was} is in progress`;
  const back =
    isOwn && workload !== undefined ? advice`; to take the release of ${now} back: ${commandLine('abort', key)}` : '';
  return hold('WorkloadRefChanged', {
    seen: `${rollout.file}: spec.workloadRef of ${rollout.object.name} was ${was} when that started, and is ${which}`,
    action: advice`Put ${fieldSet(was, rollout, { path: ['spec', 'workloadRef', 'name'], value: was })} back into workloadRef${back}`,
  });
}

/** The other fixed fields, as far as the record remembers them, and the strategy in any case: the marks tell it. */
export function frozenChanged(situation: Situation): Hold | undefined {
  const { marks, snapshot } = situation;
  const recorded = snapshot.record?.step;
  const file = snapshot.rollout;
  // A Rollout of another workload has other routes and steps as well: that is said once.
  if (snapshot.retargeted !== undefined) return undefined;
  if (file === undefined || recorded?.frozen === undefined || !sameRelease(recorded.release, marks?.release))
    return noLongerStepped(situation);
  const { frozen } = recorded;
  const [fault] = frozenFaults({ ...frozen, steps: file.rollout.steps.length }, file.rollout);
  if (fault === undefined) return noLongerStepped(situation);
  return hold('FrozenFieldChanged', {
    seen: `${file.file}: ${fault.message}`,
    action: advice`Put ${lastLeft(`${fault.path} back as it was when the delivery started`, [file.file])}, or go back: ${commandLine('abort', snapshot.key)}`,
  });
}

/** The workload itself is stepped, and the Rollout asks for a second one: its steps are none of this delivery. */
function noLongerStepped({ state, snapshot }: Situation): Hold | undefined {
  const { rollout } = snapshot;
  if (state.kind !== 'step' || rollout === undefined || isOneWorkload(rollout.rollout.style)) return undefined;
  return hold('FrozenFieldChanged', {
    seen: `${rollout.file}: step ${state.index}/${state.of} steps the groups of ${snapshot.key.name} itself, and the strategy of the Rollout is ${rollout.rollout.style}`,
    action: advice`Put ${lastLeft('the strategy of the Rollout back as it was when the delivery started', rollout === undefined ? [] : [rollout.file])}, or go back: ${commandLine('abort', snapshot.key)}`,
  });
}

/** A second workload is being filled by one strategy, and the Rollout asks for another: that one cannot take it over. */
export function strategyChanged({ state, snapshot, file }: Situation): Hold | undefined {
  const style = snapshot.rollout?.rollout.style;
  const begun = snapshot.ladder?.begun?.style;
  if (state.kind !== 'ladder' || style === undefined) return undefined;
  if (!isOneWorkload(style) && (begun === undefined || begun === style)) return undefined;
  const where = `${printStep(state.stage)}${state.at === undefined ? '' : `, ${state.at}`}`;
  // An annotation of ours that lacks it was written by a hand: of a delivery that is over an abort takes nothing back.
  const repaired =
    begun === undefined
      ? advice`. Where that is as it was, the annotations are not those that tranche wrote: ${commandLine('repair', snapshot.key)}`
      : '';
  if (isOneWorkload(style) && isOneWorkload(begun ?? style)) return routesLost({ state, snapshot, file });
  return hold('FrozenFieldChanged', {
    seen: `${file.file}: a second workload of ${file.object.name} is being filled${begun === undefined ? '' : ` by ${begun}`} (${where}), and the strategy of the Rollout is ${style}`,
    // Where no document tells which strategy started it, none is there that could take it back.
    action: advice`Put ${lastLeft('the strategy of the Rollout back as it was when the delivery started', snapshot.rollout === undefined ? [] : [snapshot.rollout.file])}, ${begun === undefined ? 'and then' : 'or'} go back: ${commandLine('abort', snapshot.key)}${repaired}`,
  });
}

/**
 * Requests are shared out by what the annotations say, and which strategy has started that they do not: of a Rollout that has lost its
 * routes it may be one workload as well as two.
 */
function routesLost({ state, snapshot, file }: Pick<Situation, 'state' | 'snapshot' | 'file'>): Hold | undefined {
  const { rollout, key } = snapshot;
  if (state.kind !== 'ladder' || rollout === undefined) return undefined;
  const { style, routing } = rollout.rollout;
  const now = `${style}${routing === undefined ? ', without trafficRoutings' : ''}`;
  const back = lastLeft('its strategy and its trafficRoutings back as they were when the delivery started', [
    rollout.file,
  ]);
  return hold('FrozenFieldChanged', {
    seen: `${file.file}: ${file.object.name} is in ${printStep(state.stage)} with ${MARK.at} ${state.at ?? 'gone'}, which is of a delivery by shares. Its annotations do not tell which strategy started it, and the Rollout is ${now}`,
    action: advice`Put ${back}, and then go back: ${commandLine('abort', key)}. Where they are as they were, the annotations are not those that tranche wrote: ${commandLine('repair', key)}`,
  });
}
