/** How many deliveries are in progress where a policy limits them: counted from the marks on main, and from open proposals. */

import { at, isRecord } from '../../api/json.ts';
import { MARK, printStep, withoutRelease } from '../../api/marks.ts';
import { SHARED_LIMITS } from '../../api/policy-rules.ts';
import type { ProposalRecord } from '../../api/proposal-record.ts';
import type { RolloutRecord } from '../../api/record.ts';
import { type Instant, printInstant } from '../../api/time.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import type { RecordProof } from '../../rollout/record/trust.ts';
import type { RolloutKey, Turn } from '../../rollout/snapshot.ts';
import { printKey } from '../../rollout/texts/key-text.ts';
import type { DesiredRollout } from '../desired/desired-rollout.ts';
import { readWorkload } from '../documents/read-workload.ts';
import type { Delivery } from '../history/turn-taker.ts';
import type { PolicyReading } from '../policies/policy-scope.ts';
import type { StoredRecord } from '../status/record-store.ts';

/** Its file is broken or not on any path: it may be anywhere in a delivery. */
const UNREAD = 'its workload cannot be read';
const GOING_BACK = printStep({ kind: 'rollback' });
/** Who has stood still for the same reason for this long is named. */
const STUCK_SECONDS = 3600;

type Remembered = {
  readonly records: ReadonlyMap<string, StoredRecord>;
  /** What bears them out, by the printed key. Not there: nothing does. */
  readonly proofs?: ReadonlyMap<string, RecordProof> | undefined;
  readonly now: Instant;
};

/**
 * All that main shows, and what open pull requests would start. A document that is out of its file, to be re-created,
 * is on its way as well. Records only say who is stuck, what is proposed, and of workloads that no file shows whether they
 * were on their way.
 */
export function deliveriesOf(
  rollouts: readonly DesiredRollout[],
  { records, proofs, now }: Remembered,
): readonly Delivery[] {
  return rollouts.flatMap(({ key, policy, workload, reading }): readonly Delivery[] => {
    const stored = records.get(printKey(key));
    const record = stored?.kind === 'read' ? stored.record : undefined;
    const stuck = stuckOf(record, now);
    const mark = workload === undefined ? undefined : at(workload.value, ['metadata', 'annotations']);
    const step = isRecord(mark) && Object.hasOwn(mark, MARK.step) ? mark[MARK.step] : undefined;
    if (typeof step === 'string') return [{ key, policy, step: withoutRelease(step), ...stuck }];
    if (reading.rollout?.intents.recreating !== undefined) return [{ key, policy, step: 'recreate', ...stuck }];
    if (workload === undefined && mayBeUnderWay(record)) return [{ key, policy, step: UNREAD, ...stuck }];
    const { proposal } = record ?? {};
    if (proposal?.state !== 'open') return [];
    const isProven = (proofs?.get(printKey(key)) ?? 'unproven') !== 'unproven';
    if (!isProven && !isAskedFor(proposal, workload)) return [];
    return [{ key, policy, step: 'proposed', proposedAt: proposal.openedAt }];
  });
}

/** Whether main asks for the template of a proposal: anyone who can push to the status branch may say that one is open. */
function isAskedFor({ release }: ProposalRecord, document: ManifestDocument | undefined): boolean {
  const file = document === undefined ? undefined : readWorkload(document).workload;
  const settled = file?.workload.marks?.release.digest;
  return settled !== undefined && file?.digest === release.digest && settled !== release.digest;
}

/** Of a workload that no file shows only the record knows; where there is none either, it takes up a place. */
function mayBeUnderWay(record: RolloutRecord | undefined): boolean {
  return record === undefined || record.marks?.step !== undefined;
}

function stuckOf(record: RolloutRecord | undefined, now: Instant): Pick<Delivery, 'stuck'> {
  const [held] = record?.holds ?? [];
  const since = record?.conditions.find(({ type }) => type === 'Progressing')?.since;
  if (held === undefined || since === undefined || now - since < STUCK_SECONDS) return {};
  return { stuck: `${held.reason} since ${printInstant(since)}` };
}

/** These, and one more that this pass starts or proposes. */
export function withDelivery(deliveries: readonly Delivery[], begun: Delivery): readonly Delivery[] {
  return [...deliveries.filter(({ key }) => !same(key, begun.key)), begun];
}

/** For each shared limit of a policy that governs this Rollout: what it allows, who else is in progress, and who is before it. */
export function turnsOf(
  { key, policy }: Pick<DesiredRollout, 'key' | 'policy'>,
  deliveries: readonly Delivery[],
  earlier: readonly Delivery[] = [],
): readonly Turn[] {
  const limiting = policy.matching.filter(({ policy: of }) => SHARED_LIMITS.some((field) => of?.[field] !== undefined));
  if (limiting.length === 0) return [];
  const own = deliveries.find((other) => same(other.key, key))?.proposedAt;
  // Of two that are proposed the older one has the place.
  const others = deliveries.filter(
    (other) => !same(other.key, key) && (own === undefined || !isAfter(other, { key, proposedAt: own })),
  );
  return limiting.flatMap((reading) =>
    SHARED_LIMITS.flatMap((field): readonly Turn[] => {
      const most = reading.policy?.[field];
      if (most === undefined) return [];
      const counted = others.filter((other) => inScope[field](other, { key, reading }));
      const underWay = counted.map(
        ({ key: { namespace, name: called }, step, stuck }) =>
          `${namespace}/${called} (${step}${stuck === undefined ? '' : `, ${stuck}`})`,
      );
      const { name, file, lines } = reading;
      const goingBack = counted.filter((other) => other.step === GOING_BACK).length;
      const before = earlier.filter((other) => inScope[field](other, { key, reading })).map(nameOf);
      const turn = { field, policy: name, file, line: lines[field] ?? 0, most, underWay, goingBack };
      return [before.length === 0 ? turn : { ...turn, before }];
    }),
  );
}

function nameOf({ key: { namespace, name } }: Delivery): string {
  return `${namespace}/${name}`;
}

/** Whether it is only proposed, and was so later. */
function isAfter(
  { key, proposedAt }: Delivery,
  own: { readonly key: RolloutKey; readonly proposedAt: Instant },
): boolean {
  if (proposedAt === undefined || proposedAt < own.proposedAt) return false;
  return proposedAt > own.proposedAt || printKey(key) > printKey(own.key);
}

const inScope = {
  maxDeliveriesPerNamespace: (other, { key }) => other.key.namespace === key.namespace,
  maxDeliveriesPerCluster: () => true,
  maxDeliveriesPerPolicy: (other, { reading }) => other.policy.matching.includes(reading),
} as const satisfies Readonly<
  Record<
    (typeof SHARED_LIMITS)[number],
    (other: Delivery, of: { readonly key: RolloutKey; readonly reading: PolicyReading }) => boolean
  >
>;

function same(left: RolloutKey, right: RolloutKey): boolean {
  return left.namespace === right.namespace && left.name === right.name;
}
