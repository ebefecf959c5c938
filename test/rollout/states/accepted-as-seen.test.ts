/** Who accepts a hold has accepted what was there: what is there next is another thing, though words for both may be the same. */

import { expect, test } from 'vitest';
import { factsDigest } from '../../../src/reconcile/documents/digests.ts';
import type { HoldReason } from '../../../src/rollout/hold.ts';
import { commonFiles, ownFiles } from '../../scenarios/check-stories.ts';
import { Forgery, reasonsOf } from '../../support/forgery.ts';
import { type Found, passed, releaseIn, type Stand } from '../../support/ladder-pass.ts';
import { edited, stands } from '../../support/ladder-stands.ts';
import { LWS_FILE, ROLLOUT_FILE } from '../../support/vllm.ts';

/** Someone accepts this hold for what this pass sees. */
function accepting(stand: Stand, reason: HoldReason, found: Found = {}): Found {
  const facts = passed(stand, found).plan.holds.find((held) => held.reason === reason)?.facts;
  if (facts === undefined) throw new Error(`no ${reason}: ${passed(stand, found).told}`);
  return { intents: { accept: `${reason}@${releaseIn(stand)}#${factsDigest(facts)}` } };
}

/** Its pauses and grace periods are over. */
const over = (stand: Stand): Stand => ({ ...passed(passed(stand).stand).stand, texts: stand.texts });

const ANOTHER = { ownLws: { uid: 'another' } };
const STABLE: Found = { view: { own: '0:O+ 1:O+ 2:O+ 3:O+', ...ANOTHER } };
const UNREADY: Found = { view: { own: '0:O- 1:O- 2:O- 3:O-', ...ANOTHER } };

test('Recreated while groups are on stable is no word for the time when none of them is ready', () => {
  const intents = accepting(stands.second, 'Recreated', STABLE);
  expect(passed(stands.second, { ...STABLE, ...intents }).told).not.toContain('Recreated');
  expect(passed(stands.second, { ...UNREADY, ...intents }).told).toBe('hold GracePeriod StableNotServing');
});

test('Recreated while groups are on stable is no word for the time when none of them is there', () => {
  const intents = accepting(stands.second, 'Recreated', STABLE);
  const none: Found = { view: { own: '', ...ANOTHER } };
  expect(passed(stands.second, { ...none, ...intents }).told).toBe('hold GracePeriod StableNotServing');
});

const templated = (image: string): Stand =>
  edited(over(stands.second), LWS_FILE, /(name: vllm-canary[^]*?)v0.10.1/, `$1${image}`);

test('CanaryEdited: the template of the copy as it was accepted, and another one', () => {
  const intents = accepting(templated('v0.10.7'), 'CanaryEdited');
  expect(passed(templated('v0.10.7'), intents).told).toBe('StepReady: step 3/3, pods: canary 2 → 4');
  expect(passed(templated('v0.10.8'), intents).told).toBe('hold CanaryEdited');
});

test('Recreated while groups are on stable is no word for what nobody sees', () => {
  const intents = accepting(stands.second, 'Recreated', STABLE);
  const unseen: Found = { view: { own: '0:O+ 1:O+ 2:O+ 3:O+', ownLws: { uid: 'another', partition: 7 } } };
  expect(passed(stands.second, { ...unseen, ...intents }).told).not.toContain('Promoted');
});

const SPLIT_FILE = 'apps/vllm/split.yaml';
const PROVIDED: Readonly<Record<string, string>> = Object.assign(
  {},
  ...['vllm-without-requests', 'vllm-service'].map(commonFiles),
  ownFiles('canary-with-a-route-provider'),
);

test('CanaryEdited: a share of a RouteProvider as it was accepted, and another one', async () => {
  const at = new Forgery({
    ...PROVIDED,
    [ROLLOUT_FILE]: (PROVIDED[ROLLOUT_FILE] ?? '').replace(/pause: .*/, 'pause: {}'),
  });
  await at.stepped();
  await at.until('traffic: – →');
  const share = (weight: string): string =>
    at.edit(SPLIT_FILE, /(service: vllm-svc-canary\n *weight: )\d+/, `$1${weight}`);
  const rounds = async (count: number): Promise<readonly string[]> => {
    let last: readonly string[] = [];
    for (let i = 0; i < count; i += 1) last = reasonsOf(await at.round());
    return last;
  };
  share('6');
  expect(await rounds(3)).toContain('CanaryEdited');
  await at.order({ kind: 'approve', step: undefined, hold: 'CanaryEdited' });
  expect(await rounds(2)).not.toContain('CanaryEdited');
  share('9999');
  expect(await rounds(3)).toContain('CanaryEdited');
});
