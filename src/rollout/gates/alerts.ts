/** The gate of the alerts that Analyses name: one that fires holds what goes forward, and leads nowhere back. */

import type { FiringAlert } from '../analysis/alerts.ts';
import type { AnalysisStanding } from '../analysis/standing.ts';
import { type Hold, hold } from '../hold.ts';
import type { Situation } from '../situation.ts';
import { advice, commandLine } from '../texts/advice.ts';

/** What fires, and what nobody has asked about yet. An answer that could not be read is held with those of metrics. */
export function alertHolds({ snapshot }: Situation, { found, alerting, analyses }: AnalysisStanding): readonly Hold[] {
  if (found.kind !== 'sides') return [];
  // Where its metrics were not asked either, that is said already.
  const isSaid = (name: string): boolean => analyses.some((one) => one.name === name && one.said === undefined);
  const unasked = alerting.find(({ name, alerted }) => alerted === undefined && !isSaid(name));
  const firing = alerting.flatMap(({ name, alerted }) =>
    alerted?.kind === 'alerts' && alerted.firing.length > 0 ? [firingText(name, alerted.firing)] : [],
  );
  return [
    ...(unasked === undefined
      ? []
      : [
          hold('Analysing', {
            seen: `the alerts of Analysis ${unasked.name} were not asked for in this pass`,
            waits: 'reading',
          }),
        ]),
    ...(firing.length === 0
      ? []
      : [
          hold('AlertFiring', {
            seen: firing.join('; '),
            action: advice`Look at what fires: the step waits until it is over, and nothing goes back by it. To go back: ${commandLine('abort', snapshot.key)}`,
          }),
        ]),
  ];
}

/** `Analysis chat: VllmDown fires 2 times, KvFull fires`. */
function firingText(analysis: string, firing: readonly FiringAlert[]): string {
  const each = firing.map(({ name, times }) => `${name} fires${times === 1 ? '' : ` ${times} times`}`);
  return `Analysis ${analysis}: ${each.join(', ')}`;
}
