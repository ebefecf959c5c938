/** Sends the notifications of the plans of a pass once they are pushed, and takes them off the records. Nothing waits for it. */

import type { Issue } from '../../api/issue.ts';
import { asWritten, canonicalJson } from '../../api/json.ts';
import type { Notice } from '../../api/notice.ts';
import type { RolloutRecord } from '../../api/record.ts';
import type { Clock } from '../../ports/clock.ts';
import type { FileWrite } from '../../ports/git.ts';
import type { Notifier } from '../../ports/notifier.ts';
import { PortError } from '../../ports/port-error.ts';
import { recordWritten } from '../../rollout/plan.ts';
import { printKey } from '../../rollout/texts/key-text.ts';
import type { Outcome } from '../outcome.ts';
import type { PassResult, Ports, Reading } from '../pass.ts';
import type { StoredRecord } from '../status/record-store.ts';
import { statusAt } from '../status/status-at.ts';
import { printRecord } from '../status/status-writes.ts';
import { noticeBody } from './notice-body.ts';

/** Texts of one pass: the others follow in the next. */
const SENT_MOST = 20;
/** The next pass is not to wait for slow targets. */
const SECONDS_MOST = 15;

type Told = { readonly writes: readonly FileWrite[]; readonly failures: ReadonlyMap<string, string> };

/** The result of a pass that was written, with what went wrong in telling people, and whom nobody knows how to reach. */
export async function notified(ports: Ports, result: PassResult, reading: Reading): Promise<PassResult> {
  const { notifier } = ports;
  const unknown = unknownTargets(reading, notifier?.targets ?? []);
  const isPending = result.outcomes.some(
    ({ plan }) => plan !== undefined && (recordWritten(plan).notices?.outbox ?? []).length > 0,
  );
  // What cannot be recorded as sent would be sent by each pass.
  if (notifier === undefined || !isPending || reading.keyMissing !== undefined)
    return { ...result, warnings: [...result.warnings, ...unknown] };
  const failed = await deliverNotices({ ...ports, notifier }, { ...reading, outcomes: result.outcomes });
  return { ...result, warnings: [...result.warnings, ...unknown, ...failed] };
}

function unknownTargets({ desired }: Reading, known: readonly string[]): readonly Issue[] {
  const named = desired.rollouts.flatMap(({ policy }) =>
    (policy.rules.notify ?? []).map(({ to }) => ({ to, place: policy.sources.notify?.[0] })),
  );
  const missing = new Map(named.filter(({ to }) => !known.includes(to)).map((one) => [one.to, one.place]));
  return [...missing].map(([to, place]) => ({
    file: place?.file ?? '',
    line: place?.line ?? 0,
    path: 'spec.notify',
    reason: 'NotifyUnknown',
    message: `the environment of this process names no target ${to}, so no notification is sent there`,
    hint: `Set TRANCHE_NOTIFY_${to.toUpperCase().replaceAll('-', '_')} to its address.`,
  }));
}

/**
 * Sends what is in the outboxes that this pass has made and pushed, and records that. Where that cannot be recorded it is
 * sent once more, with the same key. Never throws a PortError: the steps are written already. Warnings say who was not reached.
 */
async function deliverNotices(
  { git, notifier, clock, log }: Ports & { readonly notifier: Notifier },
  { desired: { config }, at: now, signing, outcomes }: Reading & Pick<PassResult, 'outcomes'>,
): Promise<readonly Issue[]> {
  try {
    const [head] = await git.heads([config.statusBranch]);
    if (head === undefined) return [];
    const { records } = await statusAt(git, head);
    const own = outcomes.flatMap((outcome) => pushed(outcome, records.get(printKey(outcome.key))));
    const { writes, failures } = await sendAll({ notifier, clock, signing }, own);
    if (writes.length > 0) {
      const commits = [
        {
          writes,
          message: 'rollouts: record the notifications that were sent\n',
          signature: { ...config.author, atSeconds: now },
        },
      ];
      await git.push([{ branch: config.statusBranch, expectedOld: head, base: head, commits }]);
    }
    return [...failures].map(([to, why]) => failureIssue(to, why));
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    log.warn(`which notifications were sent is not recorded: ${error.message}; they may be sent twice`);
    return [];
  }
}

/**
 * The record of this pass that is on the branch: as its plan saw it, or with its commit. None: somebody has written another one
 * there since, whose texts are not ours.
 */
function pushed({ plan }: Outcome, stored: StoredRecord | undefined): readonly RolloutRecord[] {
  if (plan === undefined || stored?.kind !== 'read') return [];
  const there = canonicalJson(asWritten(stored.record));
  const own = [recordWritten(plan), plan.record].find((record) => canonicalJson(asWritten(record)) === there);
  return own === undefined ? [] : [own];
}

/** A target that fails is left alone for the rest of the pass. */
async function sendAll(
  { notifier, clock, signing }: Pick<Reading, 'signing'> & { readonly notifier: Notifier; readonly clock: Clock },
  records: readonly RolloutRecord[],
): Promise<Told> {
  const ends = clock.now() + SECONDS_MOST;
  const failures = new Map<string, string>();
  const writes: FileWrite[] = [];
  let left = SENT_MOST;
  for (const record of records) {
    const { outbox = [], told = [] } = record.notices ?? {};
    const rest: Notice[] = [];
    const done: string[] = [];
    for (const notice of outbox) {
      const to: Notice['to'][number][] = [];
      for (const target of notice.to) {
        const known = failures.get(target.to);
        if (known === undefined && left > 0 && clock.now() < ends && notifier.targets.includes(target.to)) {
          left -= 1;
          const body = noticeBody(target.as, { key: record, notice });
          const sent = await notifier.send({ to: target.to, body, key: notice.key });
          if (sent.kind === 'sent') continue;
          failures.set(target.to, sent.why);
        }
        to.push(target);
      }
      if (to.length === 0) done.push(notice.key);
      else rest.push({ ...notice, to });
    }
    const after = { ...record, notices: { outbox: rest, told: [...told, ...done] } };
    if (JSON.stringify(rest) === JSON.stringify(outbox)) continue;
    const path = `rollouts/${printKey(record)}.json`;
    writes.push({ path, text: printRecord(after, signing && { ...signing, path }) });
  }
  return { writes, failures };
}

function failureIssue(to: string, why: string): Issue {
  return {
    file: '',
    line: 0,
    path: '',
    reason: 'NotifyFailed',
    message: `the target ${to} of notify got no notification: ${why}`,
    hint: 'It is tried again with each pass for a day. Look at its address and credential in the environment of the runner.',
  };
}
