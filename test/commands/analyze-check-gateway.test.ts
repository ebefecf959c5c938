/** `tranche analyze --check` of what a gateway counts, and of alerts: what would be held by in a step, known before one. */

import { afterEach, expect, test } from 'vitest';
import { analyzeCheck } from '../../src/commands/analyze-check.ts';
import { atGateway } from '../../src/rollout/analysis/sides.ts';
import { situationOf } from '../../src/rollout/situation.ts';
import { ladderFiles, ladderRollout } from '../support/ladder.ts';
import { passed, type Stand, settledOn, snapshotAt } from '../support/ladder-pass.ts';
import { stands } from '../support/ladder-stands.ts';
import { dated } from '../support/measured-step.ts';
import { byOwnClock, CHAT } from '../support/own-clock.ts';
import { seriesStore } from '../support/series-store.ts';
import { startSite, stopSites } from '../support/site.ts';
import { TRAFFIC_FILES } from '../support/traffic-files.ts';
import { ROLLOUT_FILE, VLLM_FILES } from '../support/vllm.ts';

afterEach(stopSites);

type Files = Readonly<Record<string, string>>;
const STEPS = ['replicas: 1, traffic: 5%', 'replicas: 100%'];
const ROUTED: Files = { ...TRAFFIC_FILES, [ROLLOUT_FILE]: ladderRollout('canary', STEPS) };
const ISTIO = '    - use: istio/errors\n';
const ERRORS = '    - use: vllm/errors\n';

type Labels = Readonly<Record<string, string>>;

/** Ten requests a second, of which a tenth is bad. */
function istio(service: string, more: Labels = {}) {
  const own = {
    __name__: 'istio_requests_total',
    instance: 'gw',
    reporter: 'source',
    destination_service_namespace: 'llm',
    destination_service_name: service,
    ...more,
  };
  return ['200', '503'].map((code) => ({
    labels: { ...own, response_code: code },
    at: (second: number) => (second % 1e7) * (code === '200' ? 9 : 1),
  }));
}

const LEADERS = ['vllm-0', 'vllm-1', 'vllm-2', 'vllm-3'].flatMap((pod) =>
  ['stop', 'error'].map((reason) => ({
    labels: { __name__: 'vllm:request_success_total', namespace: 'llm', pod, finished_reason: reason },
    at: (second: number) => (second % 1e7) * (reason === 'stop' ? 9 : 1),
  })),
);

type Series = readonly { readonly labels: Labels; readonly at: (second: number) => number }[];

async function checked(files: Files, spec: string, series: Series) {
  const site = await startSite({
    files: { ...files, 'policies/chat.yaml': CHAT.replace('  metrics:\n    - use: vllm/errors\n', spec) },
  });
  await site.run('reconcile');
  await site.settle();
  site.model.tick(9 * 86_400);
  const store = seriesStore(series);
  const said = await byOwnClock(site, {}, (common, ports, io) =>
    analyzeCheck({ ...common, name: 'vllm', namespace: '', analyses: [] }, { ...ports, metrics: store.metrics }, io),
  );
  expect(said.err).toBe('');
  return { ...said, asked: store.asked };
}

test.each<readonly [what: string, files: Files, spec: string, series: Series, code: number, text: RegExp]>([
  [
    'one workload without routes',
    VLLM_FILES,
    ISTIO,
    istio('vllm-svc'),
    1,
    / {2}istio\/errors {2}SidesNotApart: both versions are behind the same Services, so that istio_requests_total does not tell them apart; /,
  ],
  [
    'routes, and all requests are those of the stable Service',
    ROUTED,
    ISTIO,
    istio('vllm-svc'),
    0,
    / {2}istio\/errors {2}36000 requests an hour \(10\.00 % bad\) of vllm-svc; whether it tells vllm-svc-canary apart shows with the first share\n/,
  ],
  [
    'routes, and nobody scrapes the gateway',
    ROUTED,
    ISTIO,
    [],
    1,
    / {2}istio\/errors {2}SeriesMissing: vllm-svc-canary has no series /,
  ],
  [
    'routes, and requests under the Service of a version that has no share',
    ROUTED,
    ISTIO,
    istio('vllm-svc-canary'),
    1,
    / {2}istio\/errors {2}SidesNotApart: istio_requests_total has all requests under one of vllm-svc-canary and vllm-svc/,
  ],
])('a gateway, %s', async (_, files, metric, series, code, text) => {
  const said = await checked(files, `  metrics:\n${ERRORS}${metric}`, [...LEADERS, ...series]);
  expect(said.out).toMatch(text);
  expect(said.code).toBe(code);
});

test('sides of the file that are both true of a series are known before a step', async () => {
  const sides = '  sides: {vllm-svc: {job: a}, vllm-svc-canary: {job: a}}\n';
  const spec = `${sides}  metrics:\n${ERRORS}    - use: epp/errors\n`;
  const epp = {
    labels: { __name__: 'inference_objective_request_total', job: 'a', model_name: 'm' },
    at: (at: number) => at,
  };
  const said = await checked(ROUTED, spec, [...LEADERS, epp]);
  expect(said.out).toMatch(
    / {2}epp\/errors {3}SidesNotApart: a series of \S+ is of both vllm-svc-canary and vllm-svc; /,
  );
  expect(said.code).toBe(1);
});

const ALERTS = '  match: {cluster: eu}\n  alerts: [{alertname: VllmDown}]\n';
const alert = (labels: Labels) => ({
  labels: { __name__: 'ALERTS', alertname: 'VllmDown', alertstate: 'pending', ...labels },
  at: () => 1,
});
const inCluster = LEADERS.map(({ labels, at }) => ({ labels: { ...labels, cluster: 'eu' }, at }));

test.each<readonly [what: string, alerts: Series, code: number, text: string]>([
  [
    'was there with the labels of match',
    [alert({ cluster: 'us' }), alert({ cluster: 'eu' })],
    0,
    'it was pending or firing in the last day, with every label of match',
  ],
  [
    'was there without them',
    [alert({ severity: 'page' })],
    1,
    'it was there without cluster="eu" of match, so that it holds nothing; Prometheus adds no external label to what it is asked itself: let the rule set it',
  ],
  [
    'was not there',
    [],
    0,
    'neither pending nor firing in the last day, so that nobody knows whether the server has its rule; it has to have cluster by its rule, as Prometheus adds no external label to what it is asked itself',
  ],
])('an alert that %s', async (_, alerts, code, text) => {
  const said = await checked(VLLM_FILES, `${ALERTS}  metrics:\n${ERRORS}`, [...inCluster, ...alerts]);
  expect(said.out).toContain(`\n  alert VllmDown: ${text}\n`);
  expect(said.code).toBe(code);
  expect(said.asked).toContain('ALERTS{alertname=~"VllmDown"}');
});

const SHARED_STEPS = ['replicas: 1, traffic: 5%, pause: {duration: 60}', 'replicas: 100%, traffic: 50%'];

test.each<readonly [what: string, stand: Stand, isShared: boolean, services: object | undefined]>([
  ['canary at rest', passed(settledOn(ladderFiles(ladderRollout('canary', STEPS)))).stand, false, ROUTES()],
  ['canary with a share', passed(passed(stands.second, {}).stand, {}).stand, true, ROUTES()],
  [
    'blueGreen at rest',
    passed(settledOn(ladderFiles(ladderRollout('blueGreen', SHARED_STEPS)))).stand,
    false,
    { canary: [{ service: 'vllm-svc-canary', workload: 'vllm-green' }] },
  ],
  [
    'canary without routes',
    passed(settledOn(ladderFiles(ladderRollout('canary', ['replicas: 1', 'replicas: 100%'], false)))).stand,
    false,
    undefined,
  ],
])('%s: the Services by which a gateway would tell the versions apart', (_, stand, isShared, services) => {
  const snapshot = dated(snapshotAt(stand, {}));
  const found = atGateway(situationOf(snapshot, snapshot.workload!));
  expect(found.isShared).toBe(isShared);
  if (services === undefined) expect(found.services).toBeUndefined();
  else expect(found.services).toMatchObject(services);
});

function ROUTES() {
  return {
    kind: 'apart',
    canary: [{ service: 'vllm-svc-canary', workload: 'vllm-canary' }],
    stable: [{ service: 'vllm-svc', workload: 'vllm' }],
  };
}
