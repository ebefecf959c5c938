/**
 * `tranche analyze --backtest` and `--enable`: what an Analysis would have said of groups whose version had not changed, and the
 * order that lets it lead back by itself once that was never that they are worse.
 */

import { jsonText, oneLine } from '../api/printable.ts';
import { printInstant } from '../api/time.ts';
import { EXIT, type Io } from '../options.ts';
import { type Backtest, backtest } from '../reconcile/analysis/backtest.ts';
import { stepLengths } from '../reconcile/log/step-lengths.ts';
import { type Giver, order } from '../reconcile/order.ts';
import type { Ports } from '../reconcile/pass.ts';
import { notYet } from '../rollout/analysis/backtest.ts';
import { planEnable } from '../rollout/orders/enable-analysis.ts';
import { printKey } from '../rollout/texts/key-text.ts';
import { type AnalyzeOptions, type Subject, subjectOf } from './analyze.ts';
import { type Answer, eachAsked, stablePods } from './analyze-leaders.ts';
import { backtestText } from './analyze-past-text.ts';
import { say } from './order.ts';

export type PastOptions = AnalyzeOptions & { readonly days: number };
export type EnableOptions = PastOptions & Giver & { readonly pullRequest?: boolean };

type Tried = Answer<Backtest>;

/** Steps that are older than half a year tell little of the next one. */
const STEPS_SECONDS = 180 * 86_400;

/** Exit code 1 where a healthy group was called worse, or something could not be read. Writes nothing. */
export async function analyzePast(options: PastOptions, ports: Ports, io: Io): Promise<number> {
  const subject = await subjectOf(options, ports, io);
  if (subject === undefined) return EXIT.failed;
  const tried = await triedOf(subject, options, ports);
  io.out(options.output === 'json' ? jsonText(tried) : tried.map(textOf).join('\n'));
  return subject.isWrong || tried.some(hasFailed) ? EXIT.failed : EXIT.ok;
}

/** Tries one Analysis, and writes its name on the Rollout where nothing speaks against it; else exit code 1, and nothing is written. */
export async function enableAnalysis(options: EnableOptions, ports: Ports, io: Io): Promise<number> {
  const subject = await subjectOf(options, ports, io);
  if (subject === undefined) return EXIT.failed;
  const [wanted, ...others] = subject.wanted;
  if (wanted === undefined || others.length > 0) {
    io.err(`name one with --analysis: there is ${subject.wanted.map(({ analysis }) => analysis.name).join(', ')}\n`);
    return EXIT.failed;
  }
  const tried = await triedOf(subject, options, ports);
  if (options.output !== 'json') io.out(`${tried.map(textOf).join('\n')}\n`);
  const against = tried.flatMap(({ said }) =>
    said.kind === 'played' ? notYet(said.metrics) : ['why' in said ? said.why : 'the provider was not asked'],
  );
  if (against.length > 0) {
    io.err(`refused: ${against.map(oneLine).join('; ')}\n`);
    return EXIT.failed;
  }
  const { namespace = '' } = tried[0] ?? {};
  const target = { name: options.name, namespace: options.namespace === '' ? namespace : options.namespace };
  const wish = { name: wanted.analysis.name, blob: wanted.blob };
  const result = await order(ports, { ...options, target }, ({ snapshot }) => planEnable(wish, snapshot));
  return say(result, options, io);
}

async function triedOf(subject: Subject, { days }: PastOptions, ports: Ports): Promise<readonly Tried[]> {
  const since = ports.clock.now() - STEPS_SECONDS;
  const lengths = await stepLengths(ports.git, { head: subject.main, since });
  return eachAsked(
    subject,
    ports,
    (metrics, asked, { key }) => backtest(metrics, { ...asked, days, lengths: lengths.get(printKey(key)) ?? [] }),
    stablePods,
  );
}

function hasFailed({ said }: Tried): boolean {
  return said.kind !== 'played' || said.metrics.some(({ failed, unusable }) => failed > 0 || unusable > 0);
}

function textOf({ namespace, name, cluster, analysis, said }: Tried): string {
  return `${namespace}/${name} in ${cluster}, Analysis ${analysis}\n${backtestText(said, printInstant)}`;
}
