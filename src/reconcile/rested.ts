/** Rollouts that the last pass of this process found at rest: where nothing has changed for one, it is not decided again. */

import { isNotAsked } from '../api/known.ts';
import { printKey } from '../rollout/texts/key-text.ts';
import { blobsOf } from './observe/blobs.ts';
import { isAuditDue } from './observe/resting.ts';
import type { Reconciled } from './outcome.ts';
import type { Looked, Rest, Rested } from './rest.ts';

/** What the last pass made of it; undefined: it was not at rest, something is different now, or its audit is due. */
export function stillAtRest(rested: Rested, of: Looked): Reconciled | undefined {
  const { desired, entry, stored, now } = of;
  const before = rested.get(printKey(entry.key));
  if (before === undefined || before.of.stored !== stored || stored?.kind !== 'read') return undefined;
  if (isAuditDue(stored.record, { now, auditSeconds: desired.config.auditSeconds })) return undefined;
  if (!isSame(before.of, of)) return undefined;
  const { snapshot, plan } = before.one;
  if (snapshot === undefined || plan === undefined) return undefined;
  const { commit: main } = desired;
  return { ...before.one, snapshot: { ...snapshot, main, now }, plan: { ...plan, main, record: stored.record } };
}

/**
 * What to remember of a pass: those at rest that hang on nothing but what `isSame` compares, so on no commits of main,
 * no Services and routes, no pull request.
 */
export function restedIn(pass: readonly Rest[]): Rested {
  return new Map(
    pass.filter(isAtRest).map(({ of: { desired, entry, stored, now }, one }) => {
      // What read Git and the cluster ends with its pass.
      return [printKey(entry.key), { of: { desired, entry, stored, now }, one }];
    }),
  );
}

function isAtRest({ of: { entry, stored }, one: { snapshot, plan } }: Rest): boolean {
  if (snapshot === undefined || plan === undefined || stored?.kind !== 'read') return false;
  const isDecided = plan.commit === undefined && plan.holds.length === 0 && isNotAsked(snapshot.live.lws);
  const onMain = snapshot.lostMarks !== undefined || snapshot.workload?.workload.marks?.stable === undefined;
  const onOthers = entry.reading.rollout?.rollout.routing !== undefined || stored.record.proposal !== undefined;
  return isDecided && !onMain && !onOthers;
}

/** Whether both were decided on the same. Documents that have not changed are the same, for they are not parsed again. */
function isSame(before: Looked, of: Looked): boolean {
  if (before.entry === of.entry && before.desired.index === of.desired.index) return true;
  const isRead = before.entry.rollout === of.entry.rollout && before.entry.workload === of.entry.workload;
  return isRead && othersSay(before) === othersSay(of);
}

/** What the configuration and other files than its own say of it, as text. */
function othersSay({ desired, entry }: Looked): string {
  const { config, index } = desired;
  const { key, policy, workload } = entry;
  const { matching: _told, ...scope } = policy;
  return JSON.stringify([
    key,
    blobsOf(desired, entry),
    entry.issues,
    scope,
    index.scalerOf({ namespace: key.namespace, name: entry.identity?.name ?? '' }),
    scope.rules.recreate === 'Allow' && workload !== undefined && index.isAlone(workload.file),
    config,
  ]);
}
