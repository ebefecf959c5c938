/** Asks the provider of an Analysis which of its alerts fire: one question, the same for all Rollouts of a pass. */

import type { Analysis } from '../../api/analysis.ts';
import type { Instant } from '../../api/time.ts';
import { type AlertsSaid, alertsGrid, firingIn } from '../../rollout/analysis/alerts.ts';
import { alertsSelectorOf } from '../../rollout/analysis/metric-query.ts';
import type { MetricsReader } from '../metrics-reader.ts';
import { answeredTo } from './analyse.ts';

/** undefined: it names none, or this pass has asked as often as it may. Nothing is remembered: what fires now counts. */
export async function alertsOf(
  metrics: Pick<MetricsReader, 'range'>,
  { analysis, now }: { readonly analysis: Analysis; readonly now: Instant },
): Promise<AlertsSaid | undefined> {
  const { alerts, lagSeconds } = analysis;
  if (alerts.length === 0) return undefined;
  const asked = { query: alertsSelectorOf(analysis), grid: alertsGrid(now, lagSeconds) };
  const answer = await answeredTo(metrics, analysis, asked);
  if (!('kind' in answer)) return firingIn(answer.series, alerts);
  return answer.kind === 'unasked' ? undefined : answer;
}
