/** Tries every commit of a delivery that has rungs on the user's own bytes, and the rollbacks. */

import { ASIDE_MOST } from '../../api/aside.ts';
import type { FieldFault } from '../../api/field-reader.ts';
import { type Issue, oncePerLine } from '../../api/issue.ts';
import type { RolloutStep } from '../../api/rollout-steps.ts';
import { STYLES } from '../../api/styles.ts';
import type { KnownTexts } from '../../manifests/known-texts.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import { askedBy, type LadderTrial, type Trials } from '../desired/trials.ts';
import { fieldIssue } from '../documents/read-rollout.ts';
import { type Climbed, climb, climbBack, type Obstacle } from '../ladder/climb.ts';
import type { DeliveryParts, Texts } from '../ladder/delivery-parts.ts';
import { obstacleIssues } from '../ladder/obstacle-issues.ts';

type Trial = { readonly rollout: ManifestDocument; readonly texts: Texts; readonly parts: DeliveryParts };

/** The first thing that could not be written, on the way and on each rollback; the same texts are not tried again. */
export function tryLadder({ rollout, texts, parts }: Trial, trials: Trials): readonly Issue[] {
  const files = [
    parts.workload,
    ...(parts.service === undefined ? [] : [parts.service]),
    ...parts.scalers,
    ...parts.routes.map(({ route }) => route),
  ];
  const on = [parts.stableText, askedBy(parts.plan), ...files.map(({ file }) => texts.get(file) ?? '')];
  const before = trials.ladders.get(rollout);
  if (before !== undefined && before.on.length === on.length && before.on.every((text, at) => text === on[at]))
    return before.issues;
  const own = new Map(files.map(({ file }) => [file, texts.get(file) ?? '']));
  const { found, aside } = obstacles(own, withFewSteps(parts), trials.known);
  const tooMany = aside > ASIDE_MOST ? [fieldIssue(rollout, tooManyAside(parts, aside))] : [];
  const issues = oncePerLine([...found.flatMap((obstacle) => obstacleIssues(own, obstacle)), ...tooMany]);
  const trial: LadderTrial = { on, issues };
  trials.ladders.set(rollout, trial);
  return issues;
}

/** One step for each kind of share, and the last: what can be written once can be written again. */
function withFewSteps(parts: DeliveryParts): DeliveryParts {
  const { steps } = parts.plan;
  const kindOf = ({ traffic, matches, requestHeaderModifier }: RolloutStep): string =>
    JSON.stringify([matches, requestHeaderModifier, traffic === undefined]);
  const first = (step: RolloutStep): number => steps.findIndex((other) => kindOf(other) === kindOf(step));
  const few = steps.filter((step, at) => first(step) === at || at === steps.length - 1);
  return { ...parts, plan: { ...parts.plan, steps: few } };
}

/** They stand in an annotation of the workload, which must be read back. */
function tooManyAside({ plan }: DeliveryParts, aside: number): FieldFault {
  return {
    at: ['spec', 'strategy', STYLES[plan.style].key, 'trafficRoutings'],
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
function obstacles(texts: Texts, parts: DeliveryParts, known: KnownTexts): Tried {
  const { commits, obstacle } = climb(texts, parts, known);
  const ways = firstOfEach(commits).map((climbed) => climbBack(climbed, parts, known).obstacle);
  return {
    found: [obstacle, ...ways].filter((one) => one !== undefined),
    aside: Math.max(0, ...commits.map(({ commit }) => commit.displaced.length)),
  };
}

/** The rollbacks differ by the rung that they start from, not by the step. */
function firstOfEach(commits: readonly Climbed[]): readonly Climbed[] {
  const kinds = new Map<string, Climbed>();
  for (const one of commits) {
    const kind = `${one.commit.stage.kind} ${one.commit.at}`;
    if (one.commit.at !== 'settled' && !kinds.has(kind)) kinds.set(kind, one);
  }
  return [...kinds.values()];
}
