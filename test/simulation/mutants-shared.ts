/** Planted bugs of deliveries whose versions share the requests of one workload: they are looked for in worlds that do. */

import type { Mutant } from './mutants.ts';

/** Schedules within which a law must be broken; the stories with an act at every round are among them. */
const ALLOWANCE = 300;

function mutant(name: string, file: string, from: string, to: string): Mutant {
  return { name, file: `src/rollout/${file}`, from, to, allowance: ALLOWANCE, world: 'shared' };
}

export const sharedMutants: readonly Mutant[] = [
  // What a share rests on.
  mutant(
    'versions: a share before its groups',
    'ladders/version-step.ts',
    'isListed: (delivery) => partitionIn(delivery.own) !== wanted(delivery).partition,',
    "isListed: (delivery) => reached !== 'template' && partitionIn(delivery.own) !== wanted(delivery).partition,",
  ),
  mutant(
    'versions: the Service of the users takes in the release',
    'events/sharing-out.ts',
    ': { key: REVISION_KEY, value: stableKey };',
    ': { key: REVISION_KEY, value: releaseKey ?? stableKey };',
  ),
  mutant(
    'versions: a share is never taken back',
    'events/withdrawing.ts',
    'if (step === undefined || on.view === undefined) return undefined;',
    'if (step === undefined || on.view === undefined || isOneWorkload(delivery)) return undefined;',
  ),
  mutant(
    'versions: a share that was taken back returns by itself',
    'events/withdrawing.ts',
    "? marks.at !== 'traffic'",
    "? marks.at === 'pods' && times === 0",
  ),
  mutant(
    'versions: the share of another step',
    'ladders/version-step.ts',
    'commit: (delivery) => sharing(delivery, wanted(delivery).share),',
    'commit: (delivery) => sharing(delivery, shareOf(delivery.plan.steps[delivery.plan.steps.indexOf(step) + 1] ?? step)),',
  ),
  // The last groups.
  mutant(
    'versions: home is forgotten before all groups go',
    'ladders/version-step.ts',
    'const isWhole = next === 0;\n  return { share: isWhole ? NO_SHARE : shareOf(step)',
    'const isWhole = next === 0;\n  return { share: shareOf(step)',
  ),
  mutant(
    'versions: the Service stays with the stable version',
    'ladders/version-edits.ts',
    'return withObjects(withdrawShare(delivery), unpinned(delivery));',
    'return withObjects(withdrawShare(delivery), []);',
  ),
  mutant(
    'versions: an edit of the plan is looked at from the rung that there is',
    'strategies/routed-step.ts',
    '{ stage: of, at: undefined }',
    '{ stage: of, at: target === index ? marks.at : undefined }',
  ),
  // The rollbacks, and newer templates.
  mutant(
    'versions: groups that are aborted restart under their share',
    'strategies/routed-back.ts',
    'if (atOnce || (isLeft && apart === undefined))',
    'if (atOnce || apart === undefined)',
  ),
  mutant(
    'versions: no time for the last requests',
    'ladders/version-rollback.ts',
    "return [{ kind: 'accepted' }, ...complete, ...(isAll ? [] : [CANARY_DRAINED])];",
    "return [{ kind: 'accepted' }, ...complete];",
  ),
  mutant(
    'versions: a rollback leaves the Service as it is',
    'strategies/routed.ts',
    'if (after.step === undefined) return versionMove(on, draft, { at: undefined, commit: restoreAll(on.delivery) });',
    'if (after.step === undefined) return decisionOf(situation, draft);',
  ),
  // Groups that have their template already.
  mutant(
    'versions: a newer template is labelled under groups that have loaded it',
    'events/routed-newer.ts',
    '...(isInert ? { labels } : {})',
    'labels',
  ),
  // A Service that takes in the release before it may.
  mutant(
    'versions: the Service opens with the rollback',
    'ladders/version-rollback.ts',
    'return withObjects(withdrawShare(delivery), pin === undefined ? [] : pinned(delivery, pin));',
    'return withObjects(restoreAll(delivery), pin === undefined ? [] : pinned(delivery, pin));',
  ),
  mutant(
    'versions: the Service opens with the text of the rollback',
    'ladders/version-rollback.ts',
    "if (from?.kind === 'atOnce' && from.opens) return restoreAll(delivery);",
    "if (from?.kind === 'atOnce') return restoreAll(delivery);",
  ),
  mutant(
    'versions: the Service opens where a share is taken back',
    'events/withdrawing.ts',
    "return versionMove(on, drafting(fields, 'StepUpgrade'), { at, commit: withdrawShare(delivery) });",
    "return versionMove(on, drafting(fields, 'StepUpgrade'), { at, commit: restoreAll(delivery) });",
  ),
  mutant(
    'versions: the Service of the new version takes in all leaders on any way home',
    'ladders/version-edits.ts',
    'if (canary === undefined || missing.length === 0 || annotationsOf',
    'if (canary === undefined || annotationsOf',
  ),
  mutant(
    'versions: without a route the Service of the new version takes in that one alone',
    'ladders/version-edits.ts',
    'if (canary === undefined || missing.length === 0 || annotationsOf',
    'if (canary === undefined || missing.length >= 0 || annotationsOf',
  ),
  mutant(
    'versions: the Service opens with the last share but one',
    'ladders/version-step.ts',
    'const isWhole = next === 0;',
    'const isWhole = next <= 1;',
  ),
];
