/** Changes that no object takes that is there: which they are, why, and what deleting and creating costs. */

import { firstDifference } from '../../api/content-match.ts';
import { at, canonicalJson, isRecord, type Json, type JsonObject } from '../../api/json.ts';
import type { Live } from '../snapshot.ts';
import { allGroupsAre } from '../texts/sentences.ts';
import type { FieldPath } from './edit.ts';

/**
 * The leader StatefulSet refuses the one (trace 27), the webhook of LWS the other: also where the policy as a whole
 * comes or goes, because its size comes or goes with it.
 */
export const FIELDS = ['volumeClaimTemplates', 'subGroupSize'] as const;

export type ImmutableField = (typeof FIELDS)[number];

/** Why an edit of the field is not made in place, as a clause behind its name. */
export const NOT_IN_PLACE: Readonly<Record<ImmutableField, string>> = {
  volumeClaimTemplates:
    'which LWS cannot apply to an object that is there: the API server accepts it, and then LWS fails with every reconcile, so that no partition, no scaling and no rollback takes effect until the old template is back',
  subGroupSize: 'which the webhook of LWS takes in no object that is there',
};

/** Where the field stands in a release's content. */
export function pathOf(field: ImmutableField): FieldPath {
  return field === 'subGroupSize' ? ['leaderWorkerTemplate', 'subGroupPolicy', field] : ['leaderWorkerTemplate', field];
}

/** The immutable fields in which two release contents differ. */
export function immutableChanges(before: JsonObject, after: JsonObject): readonly ImmutableField[] {
  return FIELDS.filter((field) => textAt(before, field) !== textAt(after, field));
}

function textAt(content: JsonObject, field: ImmutableField): string {
  const value = at(content, pathOf(field));
  return value === undefined ? '' : canonicalJson(value);
}

/** Whether LWS has taken an edit of claims that its leader StatefulSet refuses: it can apply nothing until it is gone. */
export function claimsRefused({ lws, leaderSet, revisions }: Live): boolean {
  if (lws.kind !== 'known' || leaderSet.kind !== 'known' || revisions.kind !== 'known') return false;
  const running = revisions.value.find((revision) => revision.key === leaderSet.value.revisionKey);
  return running !== undefined && differs('volumeClaimTemplates', lws.value.content, running.content);
}

/** Whether an immutable field of a template differs from what runs. */
export function differs(field: ImmutableField, text: JsonObject, running: JsonObject): boolean {
  const [wanted, seen] = [at(text, pathOf(field)), at(running, pathOf(field))];
  if (countOf(wanted) !== countOf(seen)) return true;
  return (
    wanted !== undefined && firstDifference({ [field]: wanted }, undefined, { [field]: seen ?? null }) !== undefined
  );
}

/** Elements of a list, one for an object, none for nothing. */
function countOf(value: Json | undefined): number {
  if (value === undefined || value === null) return 0;
  return Array.isArray(value) ? value.length : 1;
}

/** What the commit says of the loss: every group, and the accelerators in them where the templates count them. */
export function capacityLoss(content: JsonObject, replicas: number): string {
  const count = accelerators(content) * replicas;
  const cards = count === 0 ? '' : ` with their ${count} accelerators`;
  return `${allGroupsAre(replicas)} down${cards} from then on, until they have been created and have loaded`;
}

const ACCELERATOR = /(^|[./-])(gpu|tpu|neuron|neuroncore|gaudi|npu)/i;

/** Accelerators of one group, by the limits or requests of its containers. */
function accelerators(content: JsonObject): number {
  const worker = at(content, ['leaderWorkerTemplate', 'workerTemplate']);
  const leader = at(content, ['leaderWorkerTemplate', 'leaderTemplate']) ?? worker;
  const size = at(content, ['leaderWorkerTemplate', 'size']);
  const workers = typeof size === 'number' ? size - 1 : 0;
  return ofPod(leader) + workers * ofPod(worker);
}

function ofPod(template: unknown): number {
  const containers = at(template, ['spec', 'containers']);
  if (!Array.isArray(containers)) return 0;
  let count = 0;
  for (const container of containers) {
    const limits = at(container, ['resources', 'limits']) ?? at(container, ['resources', 'requests']);
    if (!isRecord(limits)) continue;
    for (const [name, amount] of Object.entries(limits))
      if (ACCELERATOR.test(name) && /^[0-9]{1,6}$/.test(String(amount))) count += Number(amount);
  }
  return count;
}
