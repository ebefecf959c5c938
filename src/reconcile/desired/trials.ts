/** What was found when edits to come were tried: kept between passes, and apart from the trying, which is a lot to load. */

import type { Issue } from '../../api/issue.ts';
import { type KnownTexts, newKnownTexts } from '../../manifests/known-texts.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import type { Analyses } from '../analysis/read-analyses.ts';

/** Owned by the caller; losing it costs time only. */
export type Trials = {
  /** By the workload's document, for the text to go back to. */
  readonly workloads: WeakMap<ManifestDocument, Trial>;
  /** By the Rollout's document, for the Services and routes that it was tried on. */
  readonly routes: WeakMap<ManifestDocument, RouteTrial>;
  /** By the Rollout's document, for the texts that it was tried on. */
  readonly ladders: WeakMap<ManifestDocument, LadderTrial>;
  /** The Analyses of files, by their texts. */
  readonly analyses: WeakMap<ReadonlyMap<string, string>, Analyses>;
  /** How texts read that were tried, written, or met in commits of the past. */
  readonly known: KnownTexts;
};

type Trial = { readonly stable: string | undefined; readonly issues: readonly Issue[] };

export type RouteTrial = {
  readonly on: readonly ManifestDocument[];
  readonly by: string;
  readonly issues: readonly Issue[];
};

export type LadderTrial = { readonly on: readonly string[]; readonly issues: readonly Issue[] };

/** What the Rollout asks for, with what RouteProviders and policies make of it: those may change without its document. */
export function askedBy(plan: unknown): string {
  return JSON.stringify(plan);
}

/** Nothing has been tried. */
export function newTrials(): Trials {
  return {
    workloads: new WeakMap(),
    routes: new WeakMap(),
    ladders: new WeakMap(),
    analyses: new WeakMap(),
    known: newKnownTexts(),
  };
}
