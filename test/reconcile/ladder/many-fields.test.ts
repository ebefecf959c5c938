/** Fields of routes that a delivery puts aside stand in one annotation: more of them than are read back are told before. */

import { expect, test } from 'vitest';
import { parseManifestFile } from '../../../src/manifests/parse-file.ts';
import { newTrials } from '../../../src/reconcile/desired/trials.ts';
import { tryLadder } from '../../../src/reconcile/lint/try-ladder.ts';
import { ladderFiles, ladderRollout, partsIn } from '../../support/ladder.ts';
import { GATEWAY, ROUTE_FILE } from '../../support/traffic-files.ts';
import { ROLLOUT_FILE } from '../../support/vllm.ts';

const KIND = 'apiVersion: networking.istio.io/v1, kind: VirtualService';
const route = (name: string, rules: number): string =>
  `{${KIND}, metadata: {name: ${name}, namespace: llm}, spec: {hosts: [vllm-svc], http: [${Array.from(
    { length: rules },
    () => '{route: [{destination: {host: vllm-svc}, weight: 100}]}',
  ).join(', ')}]}}\n`;

test('13 routes of 4 rules', () => {
  const [routes, rules] = [13, 4];
  const names = Array.from({ length: routes }, (_, at) => `r${at}`);
  const refs = names.map((name) => `{${KIND}, name: ${name}}`).join(', ');
  const rollout = ladderRollout('canary', ['replicas: 100%, traffic: 50%']).replace(
    GATEWAY,
    `customNetworkRefs: [${refs}]`,
  );
  const texts = new Map([...ladderFiles(rollout), [ROUTE_FILE, names.map((name) => route(name, rules)).join('---\n')]]);
  const [document] = parseManifestFile(ROLLOUT_FILE, rollout, ['Rollout']).documents;
  if (document === undefined) throw new Error('no Rollout');
  expect(tryLadder({ rollout: document, texts, parts: partsIn(texts) }, newTrials())).toMatchObject([
    {
      reason: 'TooMany',
      line: 14,
      message: 'Rollout vllm: a delivery would put 52 fields of its routes aside, wanted at most 50',
    },
  ]);
});
