/** The steps of a Rollout, with Kruise's rules for a valid list of them. */

import type { FieldReader } from './field-reader.ts';
import { type IntOrPercent, isIntOrPercent, percentOf } from './int-or-percent.ts';
import { type HeaderModifier, readMatches, readModifier, type StepMatch } from './step-traffic.ts';
import { isOneWorkload, type RollingStyle, STYLES } from './styles.ts';

/** As in Kruise's CRD. */
export const STEPS_LIMIT = 50;
const INT32_MAX = 2_147_483_647;

/**
 * `unset` is kept apart from `manual`: on a last step of "100%" Kruise passes, and only a written pause is served. In
 * blueGreen it is `manual`: all requests go over only once someone has said so (reference: rollout_bluegreen.go:223-247).
 */
type Pause =
  | { readonly kind: 'unset' }
  | { readonly kind: 'manual' }
  | { readonly kind: 'timed'; readonly seconds: number };

export type RolloutStep = {
  /** Cumulative: groups on the new version once the step is done. */
  readonly replicas: IntOrPercent;
  readonly pause: Pause;
  /** `N%`, as written. */
  readonly traffic: string | undefined;
  readonly matches: readonly StepMatch[];
  readonly requestHeaderModifier: HeaderModifier | undefined;
};

type StepRules = { readonly style: RollingStyle; readonly percentLimit: number };

/** Reads `steps`; every broken rule becomes a fault of `strategy` (reference: rollout_create_update_handler.go:303-362). */
export function readSteps(strategy: FieldReader, rules: StepRules): readonly RolloutStep[] {
  const readers = strategy.objects('steps', STEPS_LIMIT);
  if (readers.length === 0)
    strategy.fault('steps', 'NoSteps', 'is empty, wanted at least one step', 'Add a step, as replicas: 100%.');
  const steps: RolloutStep[] = [];
  let previous: IntOrPercent | undefined;
  for (const reader of readers) {
    const step = readStep(reader, rules);
    if (step === undefined) continue;
    refuseDecrease(reader, previous, step.replicas);
    previous = step.replicas;
    steps.push(step);
  }
  return steps;
}

function readStep(reader: FieldReader, rules: StepRules): RolloutStep | undefined {
  reader.allow(['replicas', 'pause', 'traffic', 'matches', 'requestHeaderModifier']);
  const traffic = readTraffic(reader, rules);
  const matches = readMatches(reader);
  const requestHeaderModifier = readModifier(reader);
  const replicas = reader.value('replicas');
  if (!isIntOrPercent(replicas) || !isPositive(replicas)) {
    reader.fault(
      'replicas',
      'BadReplicas',
      `is ${JSON.stringify(replicas) ?? 'missing'}, wanted a count of groups from 1, or "1%" to "100%"`,
      'Correct it.',
    );
    return undefined;
  }
  const percent = percentOf(replicas);
  const routed = traffic !== undefined || matches.length > 0;
  if (isOneWorkload(rules.style) && routed && percent !== undefined && percent > rules.percentLimit) {
    reader.fault(
      'replicas',
      'OverPercentLimit',
      `is ${replicas}, wanted at most ${rules.percentLimit}% in a partition step with traffic`,
      'Lower it, take traffic and matches out of this step, or set enableExtraWorkloadForCanary: true.',
    );
  }
  return { replicas, pause: readPause(reader, rules), traffic, matches, requestHeaderModifier };
}

function isPositive(replicas: IntOrPercent): boolean {
  const percent = percentOf(replicas);
  return percent === undefined ? Number(replicas) > 0 : percent >= 1 && percent <= 100;
}

function readTraffic(reader: FieldReader, rules: StepRules): string | undefined {
  const value = reader.value('traffic');
  if (value === undefined) return undefined;
  const least = STYLES[rules.style].leastShare;
  const percent = typeof value === 'string' && isIntOrPercent(value) ? (percentOf(value) ?? -1) : -1;
  if (percent < least || percent > 100) {
    reader.fault('traffic', 'BadTraffic', `is ${JSON.stringify(value)}, wanted "${least}%" to "100%"`, 'Correct it.');
    return undefined;
  }
  return `${percent}%`;
}

function readPause(reader: FieldReader, { style }: StepRules): Pause {
  if (!reader.has('pause')) return { kind: STYLES[style].pause };
  const pause = reader.object('pause');
  pause.allow(['duration']);
  if (!pause.has('duration')) return { kind: 'manual' };
  const seconds = pause.integer('duration', { min: 0, max: INT32_MAX });
  return seconds === undefined ? { kind: 'manual' } : { kind: 'timed', seconds };
}

/** Kruise compares neighbours of the same type only: an int after a percentage may be smaller. */
function refuseDecrease(reader: FieldReader, previous: IntOrPercent | undefined, replicas: IntOrPercent): void {
  if (previous === undefined || typeof previous !== typeof replicas) return;
  const [before, now] = [percentOf(previous) ?? Number(previous), percentOf(replicas) ?? Number(replicas)];
  if (now < before) {
    reader.fault(
      'replicas',
      'StepsNotIncreasing',
      `is ${replicas}, but the step before already updates ${previous}`,
      'List the steps from the smallest to the largest.',
    );
  }
}
