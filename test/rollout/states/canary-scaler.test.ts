/** An autoscaler of the user's workload while a canary is filled: held at its groups, and released for update when requests are restored. */

import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { factsDigest } from '../../../src/reconcile/documents/digests.ts';
import { ladderFiles, ladderRollout } from '../../support/ladder.ts';
import { type Found, passed, passes, releaseIn, type Stand, settledOn } from '../../support/ladder-pass.ts';
import { AT, abort, after, asked, edited, NEWER, STEPS } from '../../support/ladder-stands.ts';
import { NEW, OLD } from '../../support/vllm.ts';

const FILE = 'apps/vllm/hpa.yaml';
const HEAD = 'metadata: {name: vllm, namespace: llm}\nspec:\n';
const TARGET = '  scaleTargetRef: {apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, name: vllm}\n';
const hpa = (floor: string, most = 10): string =>
  `apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\n${HEAD}${TARGET}${floor}  maxReplicas: ${most}\n`;
const keda = (rest: string): string =>
  `apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\n${HEAD}${TARGET}${rest}  triggers: [{type: cron, metadata: {}}]\n`;

function withScaler(text: string, style: 'canary' | 'blueGreen' = 'canary'): Stand {
  const files = ladderFiles(ladderRollout(style, STEPS));
  const stand = passed(settledOn(new Map([...files, [FILE, text]]))).stand;
  return asked(stand, OLD, NEW);
}
const inFile = (stand: Stand): string => stand.texts.get(FILE) ?? '';
const without = (stand: Stand): Stand => ({
  ...stand,
  texts: new Map([...stand.texts].filter(([file]) => file !== FILE)),
});
const put = (stand: Stand, text: string): Stand => ({ ...stand, texts: new Map([...stand.texts, [FILE, text]]) });

const TWO = hpa('  minReplicas: 2 # at night\n');

test.each<readonly [what: string, before: string, during: string]>([
  ['an HPA', TWO, hpa('  minReplicas: 4 # at night\n')],
  ['an HPA without a floor', hpa(''), '  minReplicas: 4\n'],
  ['an HPA that has fewer at most', hpa('  minReplicas: 1\n', 3), hpa('  minReplicas: 3\n', 3)],
  ['a floor that is high enough', hpa('  minReplicas: 4\n'), hpa('  minReplicas: 4\n')],
  ['a ScaledObject', keda('  minReplicaCount: 1\n'), keda('  minReplicaCount: 4\n')],
  ['a ScaledObject without a floor', keda(''), '  minReplicaCount: 4\n'],
])('held from the template of step 1 until it is settled: %s', (_, before, during) => {
  const start = withScaler(before);
  const text = after(AT.text, start);
  expect(inFile(text)).toContain(during);
  expect(inFile(after(AT.home, text))).toBe(inFile(text));
  const { told, stand } = passes(text);
  expect(told.at(-2)).toBe('Settled: settled');
  expect(inFile(stand)).toBe(before);
});

test('what it writes is valid by the published schema', async () => {
  const { HorizontalPodAutoscaler } = await import('kubernetes-models/autoscaling/v2');
  const start = withScaler(hpa(''));
  for (const stand of [start, after(AT.text, start)])
    expect(() => new HorizontalPodAutoscaler(parse(inFile(stand))).validate()).not.toThrow();
});

test('the commit says what it holds, and why', () => {
  const message = passed(withScaler(TWO)).plan.commit?.message.replaceAll(/\s+/g, ' ');
  expect(message).toContain(
    'HorizontalPodAutoscaler vllm leaves 4 groups or more until the delivery is settled, because it would shrink what gets fewer requests: 2 → 4.',
  );
});

const second = after(AT.second, withScaler(TWO));
const primary = after(AT.primary, second);

test.each<readonly [what: string, stand: Stand]>([
  ['from a step', second],
  ['from the primary', primary],
  ['at the template', after(AT.text, withScaler(TWO))],
])('a rollback lets it go in its last commit: %s', (_, stand) => {
  const before: string[] = [];
  const { told, stand: last } = passes(stand, {
    found: (now) => {
      before.push(inFile(now));
      return abort(stand);
    },
  });
  expect(told.at(-2)).toBe('RolledBack: rolled back');
  expect(new Set(before.slice(0, -1))).toEqual(new Set([inFile(stand)]));
  expect(inFile(last)).toBe(TWO);
});

test('a newer template in a step starts again, and what was before comes back in the end', () => {
  const { told, stand } = passes(asked(second, NEW, NEWER));
  expect(told[0]).toBe('Superseded: step 1/3, route-restored');
  expect(told.at(-2)).toBe('Settled: settled');
  expect(inFile(stand)).toBe(TWO);
});

const lowered = edited(second, FILE, 'minReplicas: 4', 'minReplicas: 3');
const raised = edited(second, FILE, 'minReplicas: 4', 'minReplicas: 9');
const HELD_AT = { 'HorizontalPodAutoscaler vllm': 4 };
const found = (scalers: Readonly<Record<string, number>>): Found => ({ view: { scalers } });
const accepting = (stand: Stand): Found => {
  const facts = { object: 'HorizontalPodAutoscaler vllm', field: 'spec.minReplicas', value: '3, not 4', replicas: 2 };
  return { intents: { accept: `CanaryEdited@${releaseIn(stand)}#${factsDigest(facts)}` } };
};
const ANOTHER = 'other/hpa.yaml';
const withAnother = ({ texts }: Stand): Stand['texts'] => new Map([...texts, [ANOTHER, TWO.replace('vllm,', 'two,')]]);
const at = (stand: Stand): Stand => ({ ...passed(passed(stand).stand).stand, texts: stand.texts });
const text = after(AT.text, withScaler(TWO));
const kedaText = after(AT.text, withScaler(keda('')));

test.each<readonly [what: string, stand: Stand, found: Found, told: string]>([
  ['its floor is not live yet', text, found({ 'HorizontalPodAutoscaler vllm': 2 }), 'hold NotApplied'],
  ['it is not there', text, found({}), 'hold NotApplied'],
  [
    'KEDA has not passed it on yet',
    kedaText,
    found({ 'ScaledObject vllm': 4, 'HorizontalPodAutoscaler keda-hpa-vllm': 1 }),
    'hold NotApplied',
  ],
  [
    'KEDA has passed it on',
    kedaText,
    found({ 'ScaledObject vllm': 4, 'HorizontalPodAutoscaler keda-hpa-vllm': 4 }),
    'RungReady: step 1/3, pods: canary 0 → 1',
  ],
  [
    'KEDA has passed it on by the name that it was given',
    after(AT.text, withScaler(keda('  advanced: {horizontalPodAutoscalerConfig: {name: own}}\n'))),
    found({ 'ScaledObject vllm': 4, 'HorizontalPodAutoscaler own': 4 }),
    'RungReady: step 1/3, pods: canary 0 → 1',
  ],
  [
    'KEDA has one of its own, and there is another HPA',
    withScaler(keda('')),
    found({ 'ScaledObject vllm': 4, 'HorizontalPodAutoscaler keda-hpa-vllm': 4, 'HorizontalPodAutoscaler evil': 1 }),
    'hold ScalerRefused',
  ],
  ['lowered by hand', at(lowered), {}, 'hold CanaryEdited'],
  ['lowered by hand, and accepted', at(lowered), accepting(lowered), 'StepReady: step 3/3, pods: canary 2 → 4'],
  ['lowered by hand, abort', lowered, abort(lowered), 'Aborted: rollback, route-restored'],
  ['raised by hand', at(raised), {}, 'StepReady: step 3/3, pods: canary 2 → 4'],
  ['its document is gone', at(without(second)), {}, 'hold ScalerRefused'],
  ['its document is gone, abort', without(second), abort(second), 'Aborted: rollback, route-restored'],
  [
    'its document is gone, and what it fills serves nothing',
    without(second),
    { view: { second: '0:G- 1:G-' } },
    'TrafficWithdrawn: step 2/3, traffic withdrawn',
  ],
  ['two in the files', { ...at(second), texts: withAnother(second) }, {}, 'hold ScalerRefused'],
  [
    'two in the files, abort',
    { ...second, texts: withAnother(second) },
    abort(second),
    'Aborted: rollback, route-restored',
  ],
  ['blueGreen', withScaler(TWO, 'blueGreen'), {}, 'hold ScalerRefused'],
  ['only in the cluster', without(withScaler(TWO)), found(HELD_AT), 'hold ScalerRefused'],
  [
    'another one in the cluster',
    withScaler(TWO),
    found({ ...HELD_AT, 'HorizontalPodAutoscaler two': 1 }),
    'hold ScalerRefused',
  ],
  ['a ScaledObject with an idle count', withScaler(keda('  idleReplicaCount: 0\n')), {}, 'hold ScalerRefused'],
  [
    'it has come in the middle of the delivery',
    put(at(after(AT.second, without(withScaler(TWO)))), TWO),
    {},
    'hold ScalerRefused',
  ],
])('%s', (_, stand, seen, told) => expect(passed(stand, seen).told).toBe(told));

test('what people have made of the floor since is theirs', () => {
  expect(inFile(passes(raised).stand)).toContain('minReplicas: 9');
  const back = passes(lowered, { found: () => abort(lowered) });
  expect(inFile(back.stand)).toContain('minReplicas: 3');
});

test.each<readonly [what: string, stand: Stand]>([
  ['from a step', second],
  ['from the primary', primary],
  ['at the template', text],
])('another one of another folder takes nothing from the rollback: %s', (_, stand) => {
  const { told, stand: last } = passes({ ...stand, texts: withAnother(stand) }, { found: () => abort(stand) });
  expect(told.at(-2)).toBe('RolledBack: rolled back');
  expect(inFile(last)).toBe(TWO);
  expect(last.texts.get(ANOTHER)).toBe(withAnother(stand).get(ANOTHER));
});

test.each([
  ['an HPA', TWO, { 'HorizontalPodAutoscaler vllm': 4, 'HorizontalPodAutoscaler evil': 1 }],
  [
    'a ScaledObject',
    keda('  minReplicaCount: 1\n'),
    { 'ScaledObject vllm': 4, 'HorizontalPodAutoscaler keda-hpa-vllm': 4, 'HorizontalPodAutoscaler evil': 1 },
  ],
])('one of the cluster that leaves fewer takes nothing from the rollback of %s', (_, own, scalers) => {
  const stand = after(AT.second, withScaler(own));
  const { told, stand: last } = passes(stand, { found: () => ({ ...abort(stand), view: { scalers } }) });
  expect(told.at(-2)).toBe('RolledBack: rolled back');
  expect(inFile(last)).toBe(own);
});

test('several of them are named, with their files', () => {
  const held = passed({ ...at(second), texts: withAnother(second) }).plan.holds[0];
  expect(held?.seen).toContain(
    `there are several now: HorizontalPodAutoscaler vllm in ${FILE}, HorizontalPodAutoscaler two in ${ANOTHER}`,
  );
});

test('a document that was gone for a while goes back to what it was', () => {
  const gone = passed(without(second), { view: { second: '0:G- 1:G-' } }).stand;
  const { stand } = passes(put(gone, inFile(second)), { found: () => abort(second) });
  expect(inFile(stand)).toBe(TWO);
});
