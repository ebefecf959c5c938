/** `tranche analyze --check`: whether what an Analysis asks for is there for each leader, and what a step could tell by it. */

import type { Analysis } from '../api/analysis.ts';
import { jsonText } from '../api/printable.ts';
import { printInstant } from '../api/time.ts';
import { EXIT, type Io } from '../options.ts';
import { type Checked, check } from '../reconcile/analysis/check.ts';
import type { Ports } from '../reconcile/pass.ts';
import { type AtGateway, atGateway } from '../rollout/analysis/sides.ts';
import { situationOf } from '../rollout/situation.ts';
import type { Snapshot } from '../rollout/snapshot.ts';
import { type AnalyzeOptions, subjectOf } from './analyze.ts';
import { checkText } from './analyze-check-text.ts';
import { type Answer, allPods, eachAsked } from './analyze-leaders.ts';

/** Exit code 1 where a leader has not what is asked for, or something could not be read. Writes nothing. */
export async function analyzeCheck(options: AnalyzeOptions, ports: Ports, io: Io): Promise<number> {
  const subject = await subjectOf(options, ports, io);
  if (subject === undefined) return EXIT.failed;
  const answers = await eachAsked(
    subject,
    ports,
    (metrics, asked, snapshot) => check(metrics, { ...asked, at: gatewayOf(snapshot) }),
    allPods,
  );
  const windows = new Map(subject.wanted.map(({ analysis }) => [analysis.name, analysis]));
  io.out(options.output === 'json' ? jsonText(answers) : answers.map((one) => textOf(one, windows)).join('\n'));
  return subject.isWrong || answers.some(isWrong) ? EXIT.failed : EXIT.ok;
}

function gatewayOf(snapshot: Snapshot): AtGateway {
  const { workload } = snapshot;
  return workload === undefined ? { isShared: false } : atGateway(situationOf(snapshot, workload));
}

function isWrong({ said }: Answer<Checked>): boolean {
  return (
    said.kind !== 'checked' ||
    said.metrics.some(({ unusable, traffic }) => unusable.length > 0 || traffic === undefined) ||
    said.ofGateway.some(({ counts }) => counts === undefined) ||
    (said.alerts ?? []).some(({ lacks }) => lacks.length > 0)
  );
}

function textOf(
  { namespace, name, cluster, analysis, said }: Answer<Checked>,
  analyses: ReadonlyMap<string, Analysis>,
): string {
  const { windowSeconds = 0, match = {} } = analyses.get(analysis) ?? {};
  const text = checkText(said, { windowSeconds, match, print: printInstant });
  return `${namespace}/${name} in ${cluster}, Analysis ${analysis}\n${text}`;
}
