/** Asks the providers of the Analyses of a step, once it is known that the step waits for them, and that nothing leads back. */

import type { Instant } from '../../api/time.ts';
import type { AlertsSaid } from '../../rollout/analysis/alerts.ts';
import type { AnalysisSaid, AnalysisSeen } from '../../rollout/analysis/seen.ts';
import { saidOf } from '../../rollout/analysis/seen.ts';
import { sidesOf } from '../../rollout/analysis/sides.ts';
import { placeOf } from '../../rollout/analysis/standing.ts';
import { measuredIn } from '../../rollout/events/late-merge.ts';
import { abortOf } from '../../rollout/orders/aborted-release.ts';
import type { Plan } from '../../rollout/plan.ts';
import { recordedStep } from '../../rollout/progress/restarts.ts';
import { type Situation, situationOf } from '../../rollout/situation.ts';
import type { Snapshot } from '../../rollout/snapshot.ts';
import { withFactDigests } from '../documents/digests.ts';
import type { Observation } from '../history/observation.ts';
import { stepTime } from '../history/unsigned.ts';
import { analyse } from './analyse.ts';
import { alertsOf } from './ask-alerts.ts';
import { analysisCalled } from './observe-analyses.ts';

/**
 * The snapshot with what the metrics say of the step in Git; undefined: nothing is asked. That is so where the plan has a commit
 * without them: whatever leads forward waits for them, so that it protects or leads back, which asks nobody.
 */
export async function analysesAsked(of: Observation, snapshot: Snapshot, plan: Plan): Promise<Snapshot | undefined> {
  const { analyses, workload: file } = snapshot;
  if (analyses === undefined || file === undefined || plan.commit !== undefined) return undefined;
  const situation = measuredIn(situationOf(snapshot, file));
  if (analyses.every(({ wrong }) => wrong !== undefined) || isToGoBack(situation)) return undefined;
  if (sidesOf(situation, { warmUpSeconds: 0 }).kind !== 'sides') return undefined;
  const place = placeOf(situation);
  const since = await stepSince(of, situation);
  const asked = await Promise.all(
    analyses.map(async (one): Promise<AnalysisSeen> => {
      const said = await answerOf(one, of, { situation, since });
      const alerted = await alertsAsked(one, of, snapshot);
      const answers = { ...(said === undefined ? {} : { said }), ...(alerted === undefined ? {} : { alerted }) };
      return said === undefined && alerted === undefined ? one : { ...one, ...answers, of: place };
    }),
  );
  return withFactDigests({ ...snapshot, analyses: asked });
}

/** An order to go back stands: it waits for nobody's metrics, whatever else it waits for. */
function isToGoBack(situation: Situation): boolean {
  const { marks } = situation;
  return marks !== undefined && abortOf(situation, marks.release) !== undefined;
}

/**
 * When Git got the step, as main's own line says: a record that was lost and rebuilt knows the last commit of the step alone. Where
 * people merged the next one meanwhile, which is at the head, as the record has it.
 */
async function stepSince(of: Observation, situation: Situation): Promise<Instant | undefined> {
  const { snapshot, marks } = situation;
  const found = marks === undefined ? undefined : await stepTime(of, marks);
  return found ?? (snapshot.unsigned === undefined ? recordedStep(situation)?.writtenAt : undefined);
}

async function alertsAsked(
  { name, wrong }: AnalysisSeen,
  of: Observation,
  { now, clockOffSeconds }: Snapshot,
): Promise<AlertsSaid | undefined> {
  const analysis = analysisCalled(name, of);
  if (wrong !== undefined || 'wrong' in analysis || analysis.alerts.length === 0) return undefined;
  if (clockOffSeconds !== undefined) return CLOCK_OFF;
  return of.metrics === undefined ? NOBODY_ASKED : alertsOf(of.metrics, { analysis, now });
}

const CLOCK_OFF = {
  kind: 'MetricsUnreadable',
  why: 'the clock of this machine is wrong, so no window is known to be over',
} as const;
const NOBODY_ASKED = { kind: 'MetricsUnreadable', why: 'this process asks no provider of metrics' } as const;

type Asking = { readonly situation: Situation; readonly since: Instant | undefined };

async function answerOf(
  { name, wrong, blob }: AnalysisSeen,
  of: Observation,
  { situation, since }: Asking,
): Promise<AnalysisSaid | undefined> {
  const analysis = analysisCalled(name, of);
  if (wrong !== undefined || 'wrong' in analysis) return undefined;
  const { key, now, clockOffSeconds } = situation.snapshot;
  if (clockOffSeconds !== undefined) return CLOCK_OFF;
  const found = sidesOf(situation, analysis);
  if (found.kind !== 'sides') return undefined;
  if (of.metrics === undefined) return NOBODY_ASKED;
  const { sides, steps } = found;
  const said = await analyse(of.metrics, { analysis, namespace: key.namespace, sides, steps, now, blob, since });
  if (said.kind === 'unasked') return undefined;
  if (said.kind !== 'judged') return said;
  const { start, end, step } = said.grid;
  return { kind: 'judged', grid: { start, end, step }, metrics: said.metrics.map(saidOf) };
}
