/** `tranche analyze`: what the metrics of a step say of the new version against the one before. Reads alone, writes nothing. */

import type { Analysis } from '../api/analysis.ts';
import { issueLine } from '../api/issue-line.ts';
import { jsonText } from '../api/printable.ts';
import { printInstant } from '../api/time.ts';
import { type CommonOptions, EXIT, type Io } from '../options.ts';
import type { Oid } from '../ports/git.ts';
import type { Metrics } from '../ports/metrics.ts';
import { analyse } from '../reconcile/analysis/analyse.ts';
import { type AnalysisFile, readAnalyses } from '../reconcile/analysis/read-analyses.ts';
import { type Analysed, metricsReader } from '../reconcile/metrics-reader.ts';
import type { Outcome } from '../reconcile/outcome.ts';
import { newMemory, type Ports } from '../reconcile/pass.ts';
import { BLOB_SHOWN } from '../reconcile/policies/read-policy.ts';
import { runPass } from '../reconcile/run.ts';
import { sidesOf } from '../rollout/analysis/sides.ts';
import { recordedStep } from '../rollout/progress/restarts.ts';
import { situationOf } from '../rollout/situation.ts';
import { analysedText, hasFailed } from './analyze-text.ts';
import { sayFaults } from './config-faults.ts';

export type AnalyzeOptions = CommonOptions & {
  readonly name: string;
  readonly namespace: string;
  /** Names of Analyses; empty: all of the files. */
  readonly analyses: readonly string[];
};

/** Exit code 1 where a metric has failed, something could not be read, or the names or files are wrong. */
export async function analyze(options: AnalyzeOptions, ports: Ports, io: Io): Promise<number> {
  const subject = await subjectOf(options, ports, io);
  if (subject === undefined) return EXIT.failed;
  const answers: Told[] = [];
  for (const outcome of subject.outcomes)
    for (const { analysis } of subject.wanted)
      answers.push(await toldOf(outcome, { analysis, metrics: ports.metrics, now: ports.clock.now() }));
  io.out(options.output === 'json' ? jsonText(answers) : answers.map(textOf).join('\n'));
  return subject.isWrong || answers.some(({ said }) => hasFailed(said)) ? EXIT.failed : EXIT.ok;
}

/** What is asked about: Rollouts as one pass has seen them, and Analyses of the files. */
export type Subject = {
  readonly outcomes: readonly Outcome[];
  /** The commit that was read. */
  readonly main: Oid;
  /** Each with the blob of its file, as policies and annotations name it. */
  readonly wanted: readonly { readonly analysis: Analysis; readonly blob: string }[];
  /** A file of an Analysis is wrong, or `tranche.yaml`. */
  readonly isWrong: boolean;
};

/** By a pass that writes nothing; undefined: names are wrong, which is said then. */
export async function subjectOf(options: AnalyzeOptions, ports: Ports, io: Io): Promise<Subject | undefined> {
  const overrides = { ...options.overrides, auditSeconds: 0 };
  const only = [options.namespace === '' ? options.name : `${options.namespace}/${options.name}`];
  const memory = newMemory();
  const { outcomes, issues, main } = await runPass(ports, memory, { overrides, write: false, only });
  const { faults = [] } = memory.config ?? {};
  sayFaults(faults, io);
  if (outcomes.length === 0) {
    for (const issue of issues.filter(({ reason }) => reason === 'NoSuchRollout')) io.err(`${issueLine(issue)}\n`);
    return undefined;
  }
  const desired = memory.desired;
  const read =
    desired === undefined ? { analyses: [], issues: [] } : readAnalyses(desired.tree, desired.desired.config);
  for (const issue of read.issues) io.err(`${issueLine(issue)}\n`);
  const wanted = chosen(read.analyses, options.analyses);
  if (typeof wanted === 'string') {
    io.err(`${wanted}\n`);
    return undefined;
  }
  const blobOf = ({ file }: AnalysisFile): string => (desired?.desired.blobs.get(file) ?? '').slice(0, BLOB_SHOWN);
  return {
    outcomes,
    main,
    wanted: wanted.map((analysis) => ({ analysis, blob: blobOf(analysis) })),
    isWrong: read.issues.length + faults.length > 0,
  };
}

/** Those that are meant, or why there are none. */
function chosen(all: readonly AnalysisFile[], names: readonly string[]): readonly AnalysisFile[] | string {
  const there =
    all.length === 0 ? 'the files have none that counts' : `there is: ${all.map(({ name }) => name).join(', ')}`;
  const missing = names.find((name) => !all.some((one) => one.name === name));
  if (missing !== undefined) return `there is no Analysis ${missing}; ${there}`;
  if (all.length === 0)
    return `there is no Analysis: ${there}. Add one to the files, as docs/analysis.md shows, and name it in a policy`;
  return names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
}

type Said = Analysed | { readonly kind: 'nothing' | 'unread'; readonly why: string };
type Told = Outcome['key'] & { readonly analysis: string; readonly said: Said };
type Asked = { readonly analysis: Analysis; readonly metrics: Metrics | undefined; readonly now: number };

async function toldOf({ key, snapshot, error }: Outcome, { analysis, metrics, now }: Asked): Promise<Told> {
  const answer = (said: Said): Told => ({ ...key, analysis: analysis.name, said });
  if (snapshot?.workload === undefined) return answer({ kind: 'unread', why: error ?? 'its files could not be read' });
  const situation = situationOf(snapshot, snapshot.workload);
  const since = recordedStep(situation)?.writtenAt;
  const found = sidesOf(situation, analysis);
  if (found.kind !== 'sides') return answer({ kind: 'nothing', why: found.why });
  if (snapshot.clockOffSeconds !== undefined)
    return answer({ kind: 'unread', why: 'the clock of this machine is wrong, so no window is known to be over' });
  const { sides, steps } = found;
  if (metrics === undefined) return answer({ kind: 'unread', why: 'this process asks no provider of metrics' });
  const reader = metricsReader(metrics, { judged: new Map(), pasts: new Map() });
  return answer(await analyse(reader, { analysis, namespace: key.namespace, sides, steps, now, blob: '', since }));
}

function textOf({ namespace, name, cluster, analysis, said }: Told): string {
  return `${namespace}/${name} in ${cluster}, Analysis ${analysis}\n${analysedText(said, printInstant)}`;
}
