/** What the Analyses that policies name say of the step in Git, as plain values: a saved pass replays them. */

import type { LeadsTo } from '../../api/analysis-preset.ts';
import type { Instant } from '../../api/time.ts';
import type { AlertsSaid } from './alerts.ts';
import type { MetricJudged } from './judge.ts';
import type { Grid } from './metric-query.ts';
import type { Counts } from './odds.ts';
import type { Part } from './parts.ts';
import type { Excuse } from './verdict.ts';

/** One metric of the file: what it leads to at most, and whether it says anything of a version that serves alone. */
type MetricAsked = {
  readonly name: string;
  readonly leadsTo: LeadsTo;
  readonly isBound: boolean;
  /** A gateway counts it, where requests are shared by Services. */
  readonly isOfGateway?: true;
};

/** One Analysis that policies name. */
export type AnalysisSeen = {
  readonly name: string;
  /** The first digits of the blob of its file; empty where no file has it. */
  readonly blob: string;
  /** Why it cannot be asked. Not there: it can. */
  readonly wrong?: string;
  readonly metrics: readonly MetricAsked[];
  /** Not there: it was not asked in this pass. */
  readonly said?: AnalysisSaid;
  /** The names of alerts that hold a step while they fire. Not there: it has none. */
  readonly alerts?: readonly string[];
  /** Not there: nobody asked about them in this pass. */
  readonly alerted?: AlertsSaid;
  /** The step, with its rung, that it was asked of. */
  readonly of?: string;
};

export type AnalysisSaid =
  /** The first window starts at `from`, and is over for sure at `until`. */
  | { readonly kind: 'early'; readonly from: Instant; readonly until: Instant }
  | { readonly kind: 'SeriesUnusable' | 'MetricsUnreadable'; readonly why: string }
  | { readonly kind: 'judged'; readonly grid: Grid; readonly metrics: readonly MetricSaid[] };

/** Why a metric says nothing. */
type Unusable = {
  readonly kind: 'SeriesMissing' | 'SeriesTwice' | 'SeriesUnusable' | 'SidesNotApart';
  readonly why: string;
};

export type MetricAnswer = {
  readonly kind: 'failed' | 'passed' | 'waiting' | 'inconclusive' | 'noRequests';
  /** The end of the window that decided. Not there: none has. */
  readonly at?: Instant;
  readonly canary: Counts;
  readonly stable: Counts;
  /** ln E for the new version being worse, and what it has to reach to fail. Not there: nothing could fail. */
  readonly evidence?: { readonly ln: number; readonly wanted: number };
  /** This ratio or more is ruled out, the difference of groups included. Not there: none is. */
  readonly ruledOut?: number;
  readonly excuse?: Excuse;
  /** It would lead to a withdrawal at most. */
  readonly isWeak?: true;
  /** Windows of leaders that could not be used. */
  readonly voided: number;
  /** What was counted over time. Not there: nothing was. */
  readonly parts?: readonly Part[];
};

export type MetricSaid = { readonly name: string; readonly leadsTo: LeadsTo; readonly said: Unusable | MetricAnswer };

/** The answer of the statistics without what only they need. */
export function saidOf({ name, leadsTo, said }: MetricJudged): MetricSaid {
  if (said.kind !== 'judged') return { name, leadsTo, said: { kind: said.kind, why: unusableWhy(said) } };
  const { verdict, answer, excuse, ruledOut, cautions, voided, parts } = said;
  const { canary, stable, at, lnWorse, lnWorseWanted } = verdict;
  return {
    name,
    leadsTo,
    said: {
      kind: answer,
      ...(at === undefined ? {} : { at }),
      canary,
      stable,
      ...(lnWorse === undefined ? {} : { evidence: { ln: hundredths(lnWorse), wanted: hundredths(lnWorseWanted) } }),
      ...(ruledOut === undefined ? {} : { ruledOut: hundredths(ruledOut) }),
      ...(excuse === undefined ? {} : { excuse }),
      ...(cautions.length === 0 ? {} : { isWeak: true }),
      voided,
      ...(parts.length === 0 ? {} : { parts }),
    },
  };
}

function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}

/** What was asked, what came, and the remedy. */
export function unusableWhy(said: Exclude<MetricJudged['said'], { readonly kind: 'judged' }>): string {
  if (said.kind === 'SeriesMissing')
    return `${said.pod} has no series ${said.name}; check that it is scraped, and match and labels of the Analysis`;
  if (said.kind === 'SeriesTwice')
    return `${said.pod} has ${said.name} twice at one time, apart by ${said.labels.join(', ') || 'nothing'}; name one of them with match`;
  if (said.kind === 'SidesNotApart') return notApartWhy(said);
  return `${said.pod} has no bucket le="${said.le}" of ${said.name}; choose overSeconds from its buckets`;
}

function notApartWhy({
  name,
  found,
  sides,
}: Extract<MetricJudged['said'], { readonly kind: 'SidesNotApart' }>): string {
  if (found === 'shared')
    return `both versions are behind the same Services, so that ${name} does not tell them apart; take the metric out, or use one of the engine`;
  if (found === 'both')
    return `a series of ${name} is of both ${sides.join(' and ')}; write sides that tell them apart, or use a metric of the engine`;
  return `${name} has all requests under one of ${sides.join(' and ')}, though both have a share: the gateway may count the backends of a rule together; check sides, or use a metric of the engine`;
}
