/** The leaders of each Rollout that an Analysis is asked about apart from a step, and the answer of its provider. */

import type { Metrics } from '../ports/metrics.ts';
import type { LeadersAsked } from '../reconcile/analysis/analyse.ts';
import type { Outcome } from '../reconcile/outcome.ts';
import type { Ports } from '../reconcile/pass.ts';
import { servingLeaders } from '../rollout/analysis/backtest.ts';
import { sidesOf } from '../rollout/analysis/sides.ts';
import { situationOf } from '../rollout/situation.ts';
import type { Snapshot } from '../rollout/snapshot.ts';
import type { Subject } from './analyze.ts';

export type Answer<Said> = Outcome['key'] & { readonly analysis: string; readonly blob: string; readonly said: Said };

type Unread = { readonly kind: 'MetricsUnreadable'; readonly why: string };

/** Each Rollout with each Analysis, one after the other; where something could not be read nobody is asked. */
export async function eachAsked<Said>(
  { outcomes, wanted }: Subject,
  { metrics, clock }: Pick<Ports, 'metrics' | 'clock'>,
  ask: (metrics: Metrics, asked: LeadersAsked, snapshot: Snapshot) => Promise<Said>,
  podsOf: (snapshot: Snapshot) => readonly string[],
): Promise<readonly Answer<Said | Unread>[]> {
  const answers: Answer<Said | Unread>[] = [];
  for (const { key, snapshot, error } of outcomes)
    for (const { analysis, blob } of wanted) {
      const answer = (said: Said | Unread): number => answers.push({ ...key, analysis: analysis.name, blob, said });
      if (snapshot?.workload === undefined) answer(unread(error ?? 'its files could not be read'));
      else if (snapshot.clockOffSeconds !== undefined)
        answer(unread('the clock of this machine is wrong, so no window is known to be over'));
      else if (metrics === undefined) answer(unread('this process asks no provider of metrics'));
      else {
        const { namespace } = key;
        const steps = snapshot.rollout?.rollout.steps.length ?? 1;
        answer(await ask(metrics, { analysis, namespace, pods: podsOf(snapshot), steps, now: clock.now() }, snapshot));
      }
    }
  return answers;
}

function unread(why: string): Unread {
  return { kind: 'MetricsUnreadable', why };
}

/** In a step those that are still on the stable version; at rest all that serve. */
export function stablePods(snapshot: Snapshot): readonly string[] {
  const found = inStep(snapshot);
  return found === undefined ? atRest(snapshot) : found.stable.map(({ pod }) => pod);
}

/** In a step those of both versions; at rest all that serve. */
export function allPods(snapshot: Snapshot): readonly string[] {
  const found = inStep(snapshot);
  return found === undefined
    ? atRest(snapshot)
    : [...found.canary, ...found.stable].map(({ pod }) => pod).sort((a, b) => (a < b ? -1 : 1));
}

/** Of the workload that serves: of blueGreen that may be the second one, and the user's own has no groups then. */
function atRest({ live, traffic, workload }: Snapshot): readonly string[] {
  const isGreen = workload?.workload.marks?.serves === 'green';
  return servingLeaders(isGreen && traffic !== undefined ? traffic.second : live);
}

function inStep(snapshot: Snapshot) {
  const { workload } = snapshot;
  const found = workload === undefined ? undefined : sidesOf(situationOf(snapshot, workload), { warmUpSeconds: 0 });
  return found?.kind === 'sides' ? found.sides : undefined;
}
