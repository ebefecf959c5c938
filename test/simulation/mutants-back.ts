/** Planted bugs of rollbacks: where a hand goes back in time, where groups still load, and where they go back a batch at a time. */

import type { Mutant } from './mutants.ts';

/** Schedules within which a law must be broken: some seeds, and the stories. */
const ALLOWANCE = 200;
/** So far that the last stories are played: those in which somebody forges annotations. */
const FORGED = 210;
/** The same of rollbacks alone. */
const ROLLBACKS = 40;

function mutant(name: string, file: string, from: string, to: string): Mutant {
  return { name: `rollback: ${name}`, file: `src/rollout/${file}`, from, to, allowance: ROLLBACKS, world: 'rollback' };
}

export const backMutants: readonly Mutant[] = [
  {
    name: 'back: the stable template without its label, and every group is released for update',
    file: 'src/rollout/events/going-back.ts',
    from: 'text: isBack(situation, stable.value) ? undefined : stable.value,',
    to: '...(situation.digest === stable.value.release.digest ? { partition: 0 } : { text: stable.value }),',
    allowance: ALLOWANCE,
    world: 'back',
  },
  {
    name: 'forged: groups on what came before the template of the file follow it',
    file: 'src/reconcile/history/rest-in-history.ts',
    from: 'if (!isBehind) return undefined;',
    to: 'if (isBehind || !isBehind) return undefined;',
    allowance: FORGED,
    world: 'back',
  },
  {
    name: 'forged: a rollback widens to groups on what came before',
    file: 'src/rollout/plan.ts',
    from: '...wrongFiles(situation), ...takesOn(situation), notRecorded(snapshot)',
    to: '...wrongFiles(situation), notRecorded(snapshot)',
    allowance: FORGED,
    world: 'back',
  },
  mutant(
    'maxUnavailable rises for a group that only loads',
    'events/budget-back.ts',
    '(isNow || !onlyLoads(situation, group)) &&',
    '',
  ),
  mutant(
    'a batch is larger than maxUnavailable',
    'events/paced-back.ts',
    'unavailableBudget(peoplesBudget(seen), seen.asked) - down',
    'unavailableBudget(peoplesBudget(seen), seen.asked) + 1 - down',
  ),
  mutant(
    'a batch goes before its share is lowered',
    'events/paced-back.ts',
    'percentIn(delivery) > batch.share',
    'percentIn(delivery) > 100',
  ),
  mutant(
    'groups that are left keep the whole share',
    'ladders/version-rollback.ts',
    '(100 * left) / Math.max(1, left + stable)',
    '(100 * left) / Math.max(1, left)',
  ),
  mutant(
    'the last batch is not drained',
    'strategies/routed-back.ts',
    "return holds.length > 0 ? holding(holds, 'StepUpgrade') : restBack(on, 'no request reaches it any more');",
    "return restBack(on, 'no request reaches it any more');",
  ),
  // An undo: what it goes by, and what it leaves.
  {
    name: 'undo: what had settled is looked for by a key that comes again',
    file: 'src/reconcile/history/settled-before.ts',
    from: "return [printRelease(release), step?.kind ?? '', String(isOwn), ...aborted.map(printRelease)].join(' ');",
    to: 'return String(isOwn && step !== undefined);',
    allowance: ALLOWANCE,
    world: 'rollback',
  },
  {
    name: 'undo: the other colour is filled, and what is undone does not count as aborted',
    file: 'src/rollout/events/undoing-colour.ts',
    from: 'aborted: remember(given, marks),',
    to: 'aborted: marks.aborted,',
    allowance: ALLOWANCE,
    world: 'rollback',
  },
  // Only an undo that is ordered at the end of a schedule sees it: no commit is wrong.
  {
    name: 'undo: it is ordered, and nothing is done or reported',
    file: 'src/rollout/events/undoing.ts',
    from: 'if (undoRefused(situation) !== undefined) return undefined;',
    to: 'return undefined;',
    allowance: ALLOWANCE,
  },
];
