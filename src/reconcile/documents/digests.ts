/** The hashes of a pass: taken here, because the core has no crypto and gets them as fields of the snapshot. */

import { createHash } from 'node:crypto';
import { asWritten, at, canonicalJson, isJsonObject, type Json, type JsonObject } from '../../api/json.ts';
import { MARK } from '../../api/marks.ts';
import { DIGEST_DIGITS } from '../../api/release.ts';
import { releaseContent } from '../../api/release-content.ts';
import type { RolloutStep } from '../../api/rollout-steps.ts';
import type { ObjectChange } from '../../rollout/edits/change.ts';
import { editsOf } from '../../rollout/edits/change-edits.ts';
import { factsOf } from '../../rollout/facts.ts';
import type { Delivery } from '../../rollout/ladders/delivery.ts';
import type { ContentDigests } from '../../rollout/ladders/ladder-files.ts';
import { situationOf } from '../../rollout/situation.ts';
import type { Snapshot } from '../../rollout/snapshot.ts';
import type { RouteDocument } from '../../rollout/traffic/provider.ts';

/** F of the specification: the first 32 hex digits of the sha256 of a release's content, as canonical JSON. */
export function releaseDigest(content: JsonObject): string {
  return createHash('sha256').update(canonicalJson(content)).digest('hex').slice(0, DIGEST_DIGITS);
}

/** The digest by which an acceptance names what its giver saw. */
export function factsDigest(facts: JsonObject): string {
  return releaseDigest(facts);
}

/** The digest of what a commit changes. Which commit it goes back to is left out: that follows main, wherever it moves. */
export function changesDigest(changes: readonly ObjectChange[]): string {
  const edits = editsOf(changes).map((object) => ({
    ...object,
    edits: object.edits.filter(({ path }) => path.at(-1) !== MARK.stable),
  }));
  return createHash('sha256').update(JSON.stringify(edits)).digest('hex').slice(0, DIGEST_DIGITS);
}

/** The digest by which a delivery knows its step again: without the pause, which may be edited at any time. */
export function stepDigest(step: RolloutStep): string {
  return releaseDigest({ step: asWritten({ ...step, pause: undefined }) });
}

/** The digests by which an acceptance names what a hand has edited in the documents of a delivery. */
export function contentDigests({
  second,
  service,
  canaryService,
  routes,
}: Pick<Delivery, 'second' | 'service' | 'canaryService' | 'routes'>): ContentDigests {
  const text = (of: RouteDocument | undefined): Json => {
    const annotations = at(of?.value, ['metadata', 'annotations']);
    return [at(of?.value, ['spec']) ?? null, annotations ?? null];
  };
  const ports = at(service?.value, ['spec', 'ports']) ?? null;
  return {
    template: releaseDigest(second === undefined ? {} : releaseContent(second.value)),
    services: releaseDigest({ ports, ours: at(canaryService?.value, ['spec']) ?? null }),
    routes: releaseDigest({ routes: routes.flatMap(({ route, canary }) => [text(route), text(canary)]) }),
  };
}

/** The snapshot with the digests of what it shows, for the holds that somebody has accepted. */
export function withFactDigests(snapshot: Snapshot): Snapshot {
  const reasons = (snapshot.rollout?.intents.accept ?? []).map(({ reason }) => reason);
  if (snapshot.workload === undefined || reasons.length === 0) return snapshot;
  const seen = factsOf(situationOf(snapshot, snapshot.workload));
  const digests = reasons.flatMap((reason) => {
    const facts = seen[reason];
    return facts === undefined ? [] : [[reason, factsDigest(facts)] as const];
  });
  return { ...snapshot, facts: Object.fromEntries(digests) };
}

/** Kruise's alphabet for hashes that end up in names (reference: rollout_utils.go:172-174, rand.SafeEncodeString). */
const SAFE_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

const STRATEGY_FIELDS = [
  'steps',
  'trafficRoutings',
  'failureThreshold',
  'patchPodTemplateMetadata',
  'enableExtraWorkloadForCanary',
  'trafficRoutingRef',
  'disableGenerateCanaryService',
] as const;
const STEP_FIELDS = ['traffic', 'requestHeaderModifier', 'matches', 'replicas', 'pause'] as const;

/**
 * Kruise's hash of a strategy: it changes when the plan is edited, not when pauses or the failure threshold are
 * (reference: rollout_status.go:164-207; the text hashed is Go's JSON, so the order of fields counts).
 */
export function rolloutHash(strategy: JsonObject): string {
  const steps = Array.isArray(strategy['steps']) ? strategy['steps'] : [];
  const hashed: JsonObject = {
    ...strategy,
    steps: steps.map((step: Json) => (isJsonObject(step) ? { ...step, pause: {} } : step)),
  };
  const text = goJson(
    hashed,
    STRATEGY_FIELDS.filter((field) => field !== 'failureThreshold'),
  );
  const hex = createHash('sha256').update(text).digest('hex');
  return Array.from(hex, (digit) => SAFE_ALPHABET[digit.charCodeAt(0) % SAFE_ALPHABET.length]).join('');
}

function goJson(strategy: JsonObject, fields: readonly string[]): string {
  const members = fields.flatMap((field) => {
    const value = strategy[field];
    if (isEmptyInGo(value)) return [];
    const text =
      field === 'steps' && Array.isArray(value) ? `[${value.map(stepJson).join(',')}]` : JSON.stringify(value);
    return [`${JSON.stringify(field)}:${text}`];
  });
  return `{${members.join(',')}}`;
}

function stepJson(step: Json): string {
  if (!isJsonObject(step)) return JSON.stringify(step);
  const members = STEP_FIELDS.filter((field) => field === 'pause' || !isEmptyInGo(step[field]));
  return `{${members.map((field) => `${JSON.stringify(field)}:${JSON.stringify(step[field])}`).join(',')}}`;
}

function isEmptyInGo(value: Json | undefined): boolean {
  return (
    value === undefined ||
    value === null ||
    value === false ||
    value === '' ||
    (Array.isArray(value) && value.length === 0)
  );
}
