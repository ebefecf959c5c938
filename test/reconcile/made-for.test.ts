/** What tranche makes next to a workload carries whose it is: no orphan, no rollout of its own, and never taken over. */

import { expect, test } from 'vitest';
import { DEFAULT_CONFIG } from '../../src/api/config.ts';
import { parseManifestFile } from '../../src/manifests/parse-file.ts';
import { madeDocuments } from '../../src/reconcile/desired/made-documents.ts';
import { idsOfTexts } from '../../src/reconcile/documents/file-ids.ts';
import { indexOf } from '../../src/reconcile/documents/manifest-index.ts';
import { readRouteProviders } from '../../src/reconcile/documents/read-route-providers.ts';
import { trafficIndexOf, trafficKinds } from '../../src/reconcile/documents/traffic-index.ts';
import { SERVICE_FILE, SERVICE_TEXT } from '../support/traffic-files.ts';
import { LWS_FILE, LWS_TEXT, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';
import { World } from '../support/world.ts';

const MADE_FOR = 'tranche.dev/made-for';
const named = (text: string, annotations: readonly string[]): string =>
  text
    .replace(
      'name: vllm\n',
      `name: vllm-canary\n  annotations:\n${annotations.map((line) => `    ${line}\n`).join('')}`,
    )
    .replaceAll('app: vllm', 'app: vllm-canary');

async function passWith(files: Readonly<Record<string, string>>) {
  const world = new World({ files: { ...VLLM_FILES, ...files } });
  world.sync();
  world.tick(60);
  const { outcomes } = await world.pass();
  const canary = outcomes.find(({ key }) => key.name === 'vllm-canary');
  return { names: outcomes.map(({ key }) => key.name), canary, lws: world.repository.files('main')[LWS_FILE] ?? '' };
}

const made = `${LWS_TEXT}---\n${named(LWS_TEXT, [`${MADE_FOR}: vllm`])}`;
const copied = `${LWS_TEXT}---\n${named(LWS_TEXT, ['tranche.dev/release: "5be0c7aa5be0c7aa5be0c7aa5be0c7aa.1"', `${MADE_FOR}: vllm`])}`;
const orphan = `${LWS_TEXT}---\n${named(LWS_TEXT, ['tranche.dev/release: "5be0c7aa5be0c7aa5be0c7aa5be0c7aa.1"'])}`;

test.each([
  ['that is made for vllm', made, ['vllm'], 'stays'],
  ['that is made for vllm, with the mark of a delivery', copied, ['vllm'], 'stays'],
  ['with the mark of a delivery alone', orphan, ['vllm', 'vllm-canary'], 'is locked'],
])('a workload without Rollout %s', async (_, text, names, then) => {
  const after = await passWith({ [LWS_FILE]: text });
  expect(after.names).toEqual(names);
  const [, second = ''] = after.lws.split('---\n');
  expect(second === text.split('---\n')[1] ? 'stays' : 'is locked').toBe(then);
  expect(after.lws.match(/tranche\.dev\/stable/g)).toHaveLength(1);
});

test('a Rollout for it: an issue that says where, and nothing is written', async () => {
  const rollout = ROLLOUT_TEXT.replaceAll('name: vllm', 'name: vllm-canary');
  const { canary, lws } = await passWith({ [LWS_FILE]: made, 'rollouts/canary.yaml': rollout });
  expect(canary?.snapshot?.issues[0]).toMatchObject({
    file: 'rollouts/canary.yaml',
    line: 10,
    reason: 'WorkloadNotYours',
    message: expect.stringContaining('vllm-canary in apps/vllm/lws.yaml:'),
  });
  expect([canary?.plan?.commit, canary?.written]).toEqual([undefined, undefined]);
  expect(canary?.plan?.holds.map(({ reason }) => reason)).toContain('Stalled');
  expect(lws.split('---\n')[1]).toBe(made.split('---\n')[1]);
});

const PROVIDER = `apiVersion: tranche.dev/v1alpha1
kind: RouteProvider
metadata: {name: smi}
spec:
  resource: {group: split.smi-spec.io, kind: TrafficSplit}
  weights:
    - stable: /spec/backends/[service=$stable]/weight
      canary: /spec/backends/[service=$canary]/weight
`;
const SPLIT = `apiVersion: split.smi-spec.io/v1alpha2
kind: TrafficSplit
metadata: {name: chat, namespace: llm}
spec:
  service: chat
  backends:
    - {service: vllm-svc, weight: 100}
    - {service: vllm-svc-canary, weight: 0}
`;

test('what is handed back names the routes that would miss it, also of a kind that the files describe themselves', () => {
  const ours = named(SERVICE_TEXT.replace('name: vllm-svc', 'name: vllm'), [`${MADE_FOR}: vllm`]).replace(
    'name: vllm-canary',
    'name: vllm-svc-canary',
  );
  const all = {
    [LWS_FILE]: made,
    [SERVICE_FILE]: `${SERVICE_TEXT}---\n${ours}`,
    'p.yaml': PROVIDER,
    'split.yaml': SPLIT,
  };
  const parsed = (kinds: readonly string[]) =>
    Object.entries(all).map(([path, text]) => parseManifestFile(path, text, kinds));
  const { kinds: customs } = readRouteProviders(parsed(['RouteProvider']), DEFAULT_CONFIG);
  const files = parsed(['LeaderWorkerSet', ...trafficKinds(customs)]);
  const of = { files, layouts: [], texts: new Map(), blobs: idsOfTexts(new Map()), config: DEFAULT_CONFIG, customs };
  const key = { cluster: 'default', namespace: 'llm', name: 'vllm' };
  const identity = { file: LWS_FILE, namespace: 'llm', name: 'vllm' };
  const found = madeDocuments(
    { identity, key, rollout: undefined, reading: { rollout: undefined, issues: [], warnings: [] } },
    { index: indexOf(of), traffic: trafficIndexOf(of), config: DEFAULT_CONFIG },
  );
  expect(found.map(({ object, namedBy }) => [object.name, namedBy])).toEqual([
    ['vllm-canary', []],
    ['vllm-svc-canary', ['TrafficSplit chat']],
  ]);
});
