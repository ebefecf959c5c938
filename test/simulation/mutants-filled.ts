/** Planted bugs of deliveries that fill a second workload: they are looked for in worlds that do. */

import type { Mutant } from './mutants.ts';

/** Schedules within which a law must be broken; these take longer than those of one workload. */
const ALLOWANCE = 300;

function mutant(name: string, file: string, from: string, to: string, allowance = ALLOWANCE): Mutant {
  return { name, file: `src/rollout/${file}`, from, to, allowance, world: 'filled' };
}

export const filledMutants: readonly Mutant[] = [
  // What a share rests on.
  mutant(
    'a share before the groups of the step are ready',
    'ladders/step.ts',
    "[groupsReady(delivery), { kind: 'sameTemplate' }]",
    "[{ kind: 'sameTemplate' }]",
  ),
  mutant(
    'what breaks under its share stops nothing',
    'ladders/step.ts',
    "[{ kind: 'accepted' }, ready] : [ready]",
    "[{ kind: 'accepted' }] : []",
  ),
  mutant(
    'the colour before goes though groups of the new one are down',
    'ladders/promotion.ts',
    "      { kind: 'newVersion', side: 'canary', groups: replicasOf(canarySide(delivery)) },\n      { kind: 'bake' },",
    "      { kind: 'bake' },",
  ),
  mutant(
    'a share is never taken back',
    'events/withdrawing.ts',
    'if (step === undefined || on.view === undefined) return undefined;',
    "if (step === undefined || on.view === undefined || step.kind === 'step') return undefined;",
  ),
  mutant(
    'a share that was taken back returns by itself',
    'events/withdrawing.ts',
    'return times === undefined || !isBelow || !isRestored(delivery) ? undefined : { times };',
    'return times === 0 && isRestored(delivery) ? { times } : undefined;',
  ),
  mutant(
    'all of the requests at once',
    'ladders/shares.ts',
    "return percent === 0 ? NO_SHARE : { kind: 'weight', percent };",
    "return percent === 0 ? NO_SHARE : { kind: 'weight', percent: 100 };",
  ),
  mutant(
    'the weight of the primary is left as it was',
    'traffic/weights.ts',
    "[{ kind: 'set', path, value: 100 - percent }];",
    "[{ kind: 'set', path, value: 100 - percent || 1 }];",
  ),
  mutant(
    'a weight that was absent comes back as a number',
    'traffic/weights.ts',
    "aside.was === undefined ? { kind: 'remove', path } : { kind: 'set', path, value: aside.was }",
    "{ kind: 'set', path, value: aside.was ?? 1 }",
  ),
  // Two workloads.
  mutant(
    'groups of another release are not emptied',
    'ladders/step.ts',
    'isListed: (delivery) => hasGroups(delivery) && !hasTemplate(delivery),',
    'isListed: (delivery) => hasGroups(delivery) && hasTemplate(delivery),',
  ),
  mutant(
    'emptied before it is drained',
    'ladders/step.ts',
    "before: () => [{ kind: 'drained', side: 'canary' }],",
    'before: NOTHING,',
  ),
  mutant(
    'another text while pods of the one before end',
    'ladders/seen-workloads.ts',
    'if (leading + sets + working === 0) return undefined;',
    'if (leading + sets + working >= 0) return undefined;',
  ),
  mutant(
    'the second workload is not locked',
    'ladders/second-workload.ts',
    '...setField(document, PARTITION_PATH, SENTINEL),',
    '...setField(document, PARTITION_PATH, 0),',
  ),
  mutant(
    'the Service of the new version selects the primary',
    'ladders/second-workload.ts',
    'const to = { workload: sides.workloads.canary,',
    'const to = { workload: sides.workloads.stable,',
  ),
  mutant(
    'a group more than the step says',
    'ladders/step.ts',
    'plannedGroups(step.replicas, primaryGroups(delivery)));\n  return',
    'plannedGroups(step.replicas, primaryGroups(delivery)) + 1);\n  return',
  ),
  // The promotion.
  mutant(
    'the primary goes without a canary that carries all',
    'ladders/promotion.ts',
    "? [{ kind: 'serving', side: 'canary', groups: primaryGroups(delivery) }, STABLE_DRAINED]",
    '? NOTHING()',
  ),
  mutant(
    'home is forgotten',
    'ladders/promotion.ts',
    '? sharing(delivery, NO_SHARE) : madeOf(delivery, []);',
    '? madeOf(delivery, []) : madeOf(delivery, []);',
  ),
  mutant(
    'settled before the canary is drained',
    'ladders/promotion.ts',
    'delivery.missing.length > 0 ? [ACCEPTED, CANARY_DRAINED] : NOTHING())',
    'delivery.missing.length > 0 ? [ACCEPTED] : NOTHING())',
  ),
  mutant(
    'the Service goes over before all requests do',
    'ladders/promotion.ts',
    "at: 'all',\n    isListed: hasRoutes,",
    "at: 'all',\n    isListed: () => false,",
  ),
  mutant(
    'the Service stays on the colour that is emptied',
    'ladders/promotion.ts',
    "setField(service, ['spec', 'selector', LWS_NAME], workload)",
    "setField(service, ['spec', 'selector', LWS_NAME], service.object.name)",
  ),
  mutant(
    'no pause between steps',
    'ladders/next-commit.ts',
    "before === 0 ? below : [...below, { kind: 'pause', step: before }];",
    'below;',
  ),
  // The rollbacks, and what they leave.
  mutant('no time to drain', 'ladders/seen-traffic.ts', 'seconds: drainSecondsOf(delivery, view),', 'seconds: 0,'),
  mutant(
    'a rollback forgets the share',
    'ladders/promotion.ts',
    '? restoreAtOnce(delivery) : madeOf(delivery, []);',
    '? madeOf(delivery, []) : madeOf(delivery, []);',
  ),
  mutant(
    'a primary that goes back is not unlocked',
    'ladders/rollback.ts',
    'madeOf(delivery, [...stableText(delivery), ...partitioned(delivery, 0)])',
    'madeOf(delivery, stableText(delivery))',
  ),
  mutant(
    'an edit of the step is lost',
    'ladders/rung-move.ts',
    '? (written ?? plans[stage.index - 1])',
    '? plans[stage.index - 1]',
    500,
  ),
  // What a rung rests on.
  mutant(
    'the edits of a rung need not be live',
    'ladders/next-commit.ts',
    'return [LIVE, ...(rung?.seen(delivery) ?? [])];',
    'return [...(rung?.seen(delivery) ?? [])];',
  ),
  mutant(
    'home before the primary is through',
    'ladders/promotion.ts',
    "  { kind: 'newVersion', side: 'stable', groups: primaryGroups(delivery) },\n  STABLE_FLIPPED,\n",
    '',
  ),
  mutant('no time to bake', 'ladders/promotion.ts', "      { kind: 'bake' },\n", ''),
  mutant(
    'people cannot stop a promotion',
    'strategies/climbing.ts',
    "const isForward = next.at !== 'route-restored' && next.at !== 'empty';",
    "const isForward = next.stage.kind !== 'promote' && next.at !== 'route-restored' && next.at !== 'empty';",
  ),
  mutant(
    'a rollback goes to stable before the primary serves',
    'ladders/rollback.ts',
    "  ...stableServes(delivery),\n  ...(mayRestartAtOnce(delivery) ? [{ kind: 'newVersion', side: 'stable', groups: 1 } as const] : []),\n",
    '',
  ),
  mutant(
    'a rung is read as the one above it',
    'ladders/position.ts',
    'return stage === undefined ? undefined : { stage, at: parseRung(annotations[MARK.at]) };',
    "const at = parseRung(annotations[MARK.at]);\n  return stage === undefined ? undefined : { stage, at: at === 'pods' ? 'traffic' : at };",
  ),
  mutant(
    'the floor of an autoscaler stays',
    'ladders/floor.ts',
    'if (aside === undefined || at(scaler.value, path) !== aside.set) return [];',
    'if (aside === undefined || at(scaler.value, path) === aside.set) return [];',
  ),
  mutant(
    'home though nobody is there',
    'ladders/promotion.ts',
    '? restoreAtOnce(delivery) : madeOf(delivery, []);',
    '? restoreAtOnce(delivery) : restoreAtOnce(delivery);',
  ),
  mutant(
    'what took all requests first and died is waited for',
    'strategies/coming-back.ts',
    "if (marks.at !== 'all' ||",
    "if (marks.at === 'all' || marks.at !== 'all' ||",
  ),
];
