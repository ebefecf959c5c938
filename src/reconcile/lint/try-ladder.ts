/** Tries every commit of a delivery that has rungs on the user's own bytes, and the ways back. */

import { ASIDE_MOST } from '../../api/aside.ts';
import type { FieldFault } from '../../api/field-reader.ts';
import { type Issue, oncePerLine } from '../../api/issue.ts';
import type { RolloutStep } from '../../api/rollout-steps.ts';
import type { KnownTexts } from '../../manifests/known-texts.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import { askedBy, type LadderTrial, type Trials } from '../desired/trials.ts';
import { fieldIssue } from '../documents/read-rollout.ts';
import type { Cast, Texts } from '../ladder/cast.ts';
import { type Climbed, climb, climbBack, type Obstacle } from '../ladder/climb.ts';
import { obstacleIssues } from '../ladder/obstacle-issues.ts';

type Asked = { readonly rollout: ManifestDocument; readonly texts: Texts; readonly cast: Cast };

/** The first thing that could not be written, on the way and on each way back; the same texts are not tried again. */
export function tryLadder({ rollout, texts, cast }: Asked, trials: Trials): readonly Issue[] {
  const files = [
    cast.workload,
    ...[cast.service, cast.scaler].filter((one) => one !== undefined),
    ...cast.routes.map(({ route }) => route),
  ];
  const on = [cast.stableText, askedBy(cast.plan), ...files.map(({ file }) => texts.get(file) ?? '')];
  const before = trials.ladders.get(rollout);
  if (before !== undefined && before.on.length === on.length && before.on.every((text, at) => text === on[at]))
    return before.issues;
  const own = new Map(files.map(({ file }) => [file, texts.get(file) ?? '']));
  const { found, aside } = obstacles(own, withFewSteps(cast), trials.known);
  const tooMany = aside > ASIDE_MOST ? [fieldIssue(rollout, tooManyAside(cast, aside))] : [];
  const issues = oncePerLine([...found.flatMap((obstacle) => obstacleIssues(own, obstacle)), ...tooMany]);
  const trial: LadderTrial = { on, issues };
  trials.ladders.set(rollout, trial);
  return issues;
}

/** One step for each kind of share, and the last: what can be written once can be written again. */
function withFewSteps(cast: Cast): Cast {
  const { steps } = cast.plan;
  const kindOf = ({ traffic, matches, requestHeaderModifier }: RolloutStep): string =>
    JSON.stringify([matches, requestHeaderModifier, traffic === undefined]);
  const first = (step: RolloutStep): number => steps.findIndex((other) => kindOf(other) === kindOf(step));
  const few = steps.filter((step, at) => first(step) === at || at === steps.length - 1);
  return { ...cast, plan: { ...cast.plan, steps: few } };
}

/** They stand in an annotation of the workload, which must be read back. */
function tooManyAside({ plan }: Cast, aside: number): FieldFault {
  return {
    at: ['spec', 'strategy', plan.style === 'blueGreen' ? 'blueGreen' : 'canary', 'trafficRoutings'],
    reason: 'TooMany',
    message: `a delivery would put ${aside} fields of its routes aside, wanted at most ${ASIDE_MOST}`,
    hint: 'Route fewer of them by this Rollout, or send several of them to one route that has the share.',
  };
}

type Tried = {
  readonly found: readonly Obstacle[];
  /** The most fields that any commit leaves put aside. */
  readonly aside: number;
};

/** Each way ends at the first. They lead through the same texts, most of which are not parsed again. */
function obstacles(texts: Texts, cast: Cast, known: KnownTexts): Tried {
  const { commits, obstacle } = climb(texts, cast, known);
  const ways = firstOfEach(commits).map((climbed) => climbBack(climbed, cast, known).obstacle);
  return {
    found: [obstacle, ...ways].filter((one) => one !== undefined),
    aside: Math.max(0, ...commits.map(({ commit }) => commit.displaced.length)),
  };
}

/** The ways back differ by the rung that they start from, not by the step. */
function firstOfEach(commits: readonly Climbed[]): readonly Climbed[] {
  const kinds = new Map<string, Climbed>();
  for (const one of commits) {
    const kind = `${one.commit.stage.kind} ${one.commit.at}`;
    if (one.commit.at !== 'settled' && !kinds.has(kind)) kinds.set(kind, one);
  }
  return [...kinds.values()];
}
