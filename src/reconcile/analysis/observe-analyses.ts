/** The Analyses that the policies of a Rollout name, as its files have them: what a snapshot knows before any is asked. */

import type { AnalysisSeen } from '../../rollout/analysis/seen.ts';
import type { Snapshot } from '../../rollout/snapshot.ts';
import type { Observation } from '../history/observation.ts';
import { BLOB_SHOWN } from '../policies/read-policy.ts';
import { type AnalysisFile, analysesIn } from './read-analyses.ts';

/** Nothing where no policy names one. */
export function observedAnalyses(of: Pick<Observation, 'desired' | 'entry'>): Pick<Snapshot, 'analyses'> {
  const names = of.entry.policy.rules.analyses ?? [];
  return names.length === 0 ? {} : { analyses: names.map((name) => seenOf(name, of)) };
}

/** One of the files by its name; undefined: none counts. Read once for all Rollouts of a tree. */
export function analysisCalled(
  name: string,
  { desired }: Pick<Observation, 'desired'>,
): AnalysisFile | { readonly wrong: string } {
  const { trials, texts, config } = desired;
  const read = trials.analyses.get(texts) ?? analysesIn(texts, config);
  trials.analyses.set(texts, read);
  const { analyses, wrong } = read;
  const found = analyses.find((one) => one.name === name);
  if (found !== undefined) return found;
  return { wrong: wrong.includes(name) ? 'its file is wrong, as lint says' : 'no file on the configured paths has it' };
}

function seenOf(name: string, of: Pick<Observation, 'desired'>): AnalysisSeen {
  const found = analysisCalled(name, of);
  if ('wrong' in found) return { name, blob: '', wrong: found.wrong, metrics: [] };
  const metrics = found.metrics.map((metric) => ({
    name: metric.name,
    leadsTo: metric.leadsTo,
    isBound: metric.bound !== undefined || metric.bad.kind === 'stalled',
    ...(metric.gateway === undefined ? {} : ({ isOfGateway: true } as const)),
  }));
  const { alerts } = found;
  const blob = (of.desired.blobs.get(found.file) ?? '').slice(0, BLOB_SHOWN);
  return { name, blob, metrics, ...(alerts.length === 0 ? {} : { alerts }) };
}
