/** What a metric is: which series count what is bad, of which requests, and what it may lead to. */

/** Series by name, of which the first that is there counts, with the values of labels that are meant. */
export type SeriesPart = {
  /** The newest name first. */
  readonly names: readonly string[];
  /** A label that is not named adds up. */
  readonly labels: Readonly<Record<string, LabelValues>>;
};

/** Exact values, or a pattern for the whole value, which presets of ours alone have. */
export type LabelValues = readonly string[] | RegExp;

/**
 * How the bad ones are counted. `over`: requests that took longer than a bucket of a histogram; `rest`: all that were not counted
 * so, as what a cache did not have; `above`: of the samples of a gauge those above a share; `stalled`: windows of leaders in
 * which nothing was `made` though what is `open` had grown.
 */
export type BadPart =
  | { readonly kind: 'counted'; readonly parts: readonly SeriesPart[] }
  | { readonly kind: 'over'; readonly bucket: SeriesPart; readonly seconds: number }
  | { readonly kind: 'rest'; readonly good: SeriesPart }
  | { readonly kind: 'above'; readonly share: number }
  | { readonly kind: 'stalled'; readonly made: readonly SeriesPart[]; readonly open: readonly SeriesPart[] };

/** The series that it is counted by, next to those of all requests. */
export function badParts(bad: BadPart): readonly SeriesPart[] {
  if (bad.kind === 'counted') return bad.parts;
  if (bad.kind === 'over') return [bad.bucket];
  if (bad.kind === 'rest') return [bad.good];
  return bad.kind === 'stalled' ? [...bad.made, ...bad.open] : [];
}

export const LEADS_TO = ['inform', 'hold', 'rollback'] as const;
/** What a metric may lead to at most. */
export type LeadsTo = (typeof LEADS_TO)[number];

/** One Service, or pool, that sends requests to a version; in nginx the canary is told by a label of its own. */
type GatewaySide = { readonly namespace: string; readonly service: string; readonly isCanary: boolean };

/** Patterns for the whole value of labels; `sides`: the series name no Service, so that an Analysis has to. */
export type GatewaySeries = 'sides' | ((side: GatewaySide) => SideLabels);

/** Patterns of RE2 for whole values. A label that is not there has the empty value. */
export type SideLabels = Readonly<Record<string, string>>;

export type Preset = {
  readonly bad: BadPart;
  readonly of: SeriesPart;
  /** Labels that add up: ranks, models. */
  readonly adds: readonly string[];
  /** A series of the same process that is there from its start: with it an absent series is 0. undefined: absent is not 0. */
  readonly anchor: SeriesPart | undefined;
  /** Latency is compared only where prompts and load are alike: tokens of prompts, and the requests that had them. */
  readonly load: { readonly tokens: SeriesPart; readonly requests: SeriesPart } | undefined;
  readonly tolerate: { readonly times: number; readonly points: number };
  readonly ruleOut: { readonly times: number };
  readonly leadsTo: LeadsTo;
  /** Counted by a gateway, Service by Service, and not by leaders: the labels by which its series name one. */
  readonly gateway?: GatewaySeries;
  /** What is counted, where it is no requests. */
  readonly unit?: 'tokens' | 'samples' | 'windows';
  /** Tokens share requests, and samples of a gauge are none: no chance of a false alarm is known, so that it can only inform. */
  readonly informsOnly?: true;
};

/** A part of one name. */
export function part(name: string, labels: SeriesPart['labels'] = {}): SeriesPart {
  return { names: [name], labels };
}
