/** Each rule about Services and routes: where it is told, in which words, with which patch; and that the patch mends it. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Issue } from '../../src/api/issue.ts';
import { ladderRollout } from '../support/ladder.ts';
import { linted } from '../support/linted.ts';
import { type Files, patchedFiles } from '../support/patch.ts';
import {
  GATEWAY,
  INGRESS_FILE,
  INGRESS_FILES,
  INGRESS_TEXT,
  ROUTE_FILE,
  ROUTE_TEXT,
  SERVICE_FILE,
  SERVICE_TEXT,
  SUBSET_FILES,
  TRAFFIC_FILES,
  trafficRollout,
} from '../support/traffic-files.ts';
import { LWS_FILE, LWS_TEXT, ROLLOUT_FILE } from '../support/vllm.ts';
import { World } from '../support/world.ts';

const GOLDENS = new URL('../../fixtures/lint-traffic/', import.meta.url);

async function printed(files: Files, output: 'text' | 'json'): Promise<string> {
  return (await linted(new World({ files }), { output })).out;
}

type Found = { readonly issues: readonly Issue[]; readonly warnings: readonly Issue[] };

async function found(files: Files): Promise<readonly Issue[]> {
  const { issues, warnings } = JSON.parse(await printed(files, 'json')) as Found;
  return [...issues, ...warnings].filter(({ reason }) => reason !== 'NotSupportedYet');
}

/** The files with `from` replaced in one of them; the file as a whole where `from` is empty. */
function edited(path: string, from: string, to: string, files: Files = TRAFFIC_FILES): Files {
  const text = files[path] ?? '';
  if (!text.includes(from)) throw new Error(`no ${from} in ${path}`);
  return { ...files, [path]: from === '' ? to : text.replace(from, to) };
}

/** How long answers take, where the kind of the route has no field for it. */
const DRAIN = 'apiVersion: tranche.dev/v1alpha1\nkind: RolloutPolicy\nmetadata: {name: p}\nspec: {drainSeconds: 120}\n';
/** The route sends to a Service that the Rollout does not name. */
const ELSEWHERE = edited(ROUTE_FILE, 'name: vllm-svc #', 'name: vllm-api #');

/** The files with a route of another kind in place of the HTTPRoute. */
function custom(kind: string, apiVersion: string, spec: string): Files {
  const route = `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: chat, namespace: llm}\nspec: ${spec}\n`;
  const rollout = trafficRollout(`customNetworkRefs: [{apiVersion: ${apiVersion}, kind: ${kind}, name: chat}]`);
  return { ...TRAFFIC_FILES, [ROLLOUT_FILE]: rollout, [ROUTE_FILE]: route };
}

const TRAEFIK = custom('TraefikService', 'traefik.io/v1alpha1', '{weighted: {services: [{name: vllm-svc, port: 80}]}}');
const POOL_GROUP = 'inference.networking.k8s.io';

/** The files with two InferencePools in place of the Service, of which the selectors are these labels. */
function pooled(stable: string, canary: string, routes = GATEWAY): Files {
  const pool = (name: string, labels: string): string =>
    `apiVersion: ${POOL_GROUP}/v1\nkind: InferencePool\nmetadata: {name: ${name}, namespace: llm}\nspec:\n  selector:\n    matchLabels: ${labels}\n  targetPorts: [{number: 8000}]\n  endpointPickerRef: {name: ${name}-epp, port: {number: 9002}}\n`;
  const { [SERVICE_FILE]: _, ...files } = edited(
    ROUTE_FILE,
    '- name: vllm-svc # the primary\n          port: 80',
    `- {group: ${POOL_GROUP}, kind: InferencePool, name: vllm-pool}`,
  );
  const policy = `apiVersion: tranche.dev/v1alpha1\nkind: RolloutPolicy\nmetadata: {name: pools}\nspec:\n  inferencePools: {stable: vllm-pool, canary: vllm-pool-next}\n`;
  return {
    ...files,
    [ROLLOUT_FILE]: trafficRollout(routes).replace('service: vllm-svc', 'service: vllm-pool'),
    'policies/pools.yaml': policy,
    'apps/vllm/pools.yaml': [
      pool('vllm-pool', stable),
      ...(canary === '' ? [] : [pool('vllm-pool-next', canary)]),
    ].join('---\n'),
  };
}

/** The files where no Service is to be made for the new version. */
function ungenerated(files: Files): Files {
  const line = '      disableGenerateCanaryService: true\n';
  return edited(ROLLOUT_FILE, '      trafficRoutings:', `${line}      trafficRoutings:`, files);
}

/** The same with a key of the first document of a file there twice. */
const twice = (file: string, files: Files): Files =>
  edited(file, 'metadata:', 'status: {}\nstatus: {}\nmetadata:', files);

const leadersOf = (name: string): string =>
  `{leaderworkerset.sigs.k8s.io/name: ${name}, leaderworkerset.sigs.k8s.io/worker-index: "0"}`;

const SPLIT = '{service: chat, backends: [{service: vllm-svc, weight: 1}]}';
const SPLIT_PATH = '/spec/backends/[service=$stable]/weight';
const SPLIT_WEIGHTS = `stable: ${SPLIT_PATH}, canary: ${SPLIT_PATH.replace('stable', 'canary')}`;
const SPLIT_FILE = 'tranche/routes.yaml';

/** The files with a TrafficSplit, and a RouteProvider of which this is the spec; no step has matches. */
function provided(spec: string, route = SPLIT, resource = '{group: split.smi-spec.io, kind: TrafficSplit}'): Files {
  const files = custom('TrafficSplit', 'split.smi-spec.io/v1alpha2', route);
  const provider = `apiVersion: tranche.dev/v1alpha1\nkind: RouteProvider\nmetadata: {name: smi}\nspec:\n  resource: ${resource}\n${spec}`;
  const rollout = (files[ROLLOUT_FILE] ?? '').replace(/matches:\n.*\n/, 'traffic: 5%\n');
  return { ...files, [ROLLOUT_FILE]: rollout, [SPLIT_FILE]: provider };
}

const weights = (more = ''): string => `  weights:\n    - ${`${SPLIT_WEIGHTS}${more}`.replaceAll(', ', '\n      ')}\n`;
const patchOf = (...lines: readonly string[]): string => `${weights()}  patch:\n    - ${lines.join('\n      ')}\n`;

function action(more: string): string {
  return `{"type":"forward","forwardConfig":{"targetGroups":[{"serviceName":"vllm-svc","servicePort":80}${more}]}}`;
}

/** The files with an Ingress of AWS and this text as its action; no step has matches. */
function alb(text: string, type = 'ip'): Files {
  const annotation = `    alb.ingress.kubernetes.io/target-type: ${type}\n    alb.ingress.kubernetes.io/actions.vllm-svc: ${text}\n`;
  const ingress = INGRESS_TEXT.replace(
    '    nginx.ingress.kubernetes.io/proxy-body-size: 8m\n',
    text === '' ? '    a: b\n' : annotation,
  );
  const rollout = trafficRollout('ingress: {name: chat, classType: aws-alb}').replace(/ +matches:\n.*\n/, '');
  return {
    ...INGRESS_FILES,
    [ROLLOUT_FILE]: rollout,
    [INGRESS_FILE]: ingress.replace('number: 80', 'name: use-annotation'),
  };
}

const NAME = '    leaderworkerset.sigs.k8s.io/name: vllm\n';
const INDEX = '    leaderworkerset.sigs.k8s.io/worker-index: "0"\n';
const GREEN = trafficRollout().replace('canary:\n      enableExtraWorkloadForCanary: true', 'blueGreen:');
const HPA = `apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: vllm, namespace: llm}\nspec:\n  maxReplicas: 9\n  scaleTargetRef: {apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, name: vllm}\n`;
const OTHER_ROLLOUT = trafficRollout().replaceAll('name: vllm\n', 'name: other\n');
const OTHER_LWS = LWS_TEXT.replace('name: vllm\n', 'name: other\n');
const POLICY = 'apiVersion: tranche.dev/v1alpha1\nkind: RolloutPolicy\nmetadata: {name: p}\nspec: {surge: 1}\n';
const LONG = 'a-model-server-with-a-name-that-says-all-of-it';

/** Its clients know the leaders by their own label. */
const BESIDE = SERVICE_TEXT.replace('vllm-svc', 'vllm-old').replace(NAME + INDEX, '');

/** [reason, what of it, files]; the golden file has the name of both. */
/** A delivery by blueGreen has ended with the second workload. */
const GREEN_MARKS = `namespace: llm\n  annotations: {tranche.dev/release: "e7c114e968aaeab9b1c9c452a755d3c9.1", tranche.dev/stable: "${'a'.repeat(40)}@${'b'.repeat(32)}", tranche.dev/serves: green}\n`;

const rows: readonly (readonly [reason: string, which: string, files: Files])[] = [
  ['ServiceMissing', '', edited(SERVICE_FILE, 'name: vllm-svc', 'name: vllm-api')],
  ['DuplicateObject', 'service', { ...TRAFFIC_FILES, 'apps/old/service.yaml': SERVICE_TEXT }],
  ['SelectorNotPinned', 'workers', edited(SERVICE_FILE, INDEX, '')],
  ['SelectorNotPinned', 'app', edited(SERVICE_FILE, NAME + INDEX, '')],
  ['SelectorNotPinned', 'pod-index', edited(SERVICE_FILE, INDEX, '    apps.kubernetes.io/pod-index: "0"\n')],
  ['SelectorNotPinned', 'empty', edited(SERVICE_FILE, `  selector:\n${NAME}${INDEX}    app: vllm\n`, '')],
  [
    'SelectorNotPinned',
    'green',
    edited(
      SERVICE_FILE,
      NAME,
      NAME.replace('vllm', 'vllm-gren'),
      edited(LWS_FILE, 'namespace: llm\n', GREEN_MARKS, {
        ...TRAFFIC_FILES,
        [ROLLOUT_FILE]: ladderRollout('blueGreen', ['replicas: 2, traffic: 20%', 'replicas: 100%, traffic: 60%']),
      }),
    ),
  ],
  ['SelectorMismatch', '', edited(SERVICE_FILE, '    app: vllm\n', '    app: search\n')],
  [
    'GreenServes',
    '',
    edited(SERVICE_FILE, NAME, NAME.replace('vllm', 'vllm-green'), edited(LWS_FILE, 'namespace: llm\n', GREEN_MARKS)),
  ],
  ['SelectorDynamic', '', edited(SERVICE_FILE, '    app: vllm\n', '    controller-revision-hash: vllm-5d4\n')],
  [
    'SelectorDynamic',
    'version',
    edited(SERVICE_FILE, '    app: vllm\n', '    tranche.dev/version: "9c41d2e09c41d2e09c41d2e09c41d2e0.7"\n'),
  ],
  [
    'ServiceClaimedTwice',
    '',
    { ...TRAFFIC_FILES, 'rollouts/other.yaml': OTHER_ROLLOUT, 'apps/other/lws.yaml': OTHER_LWS },
  ],
  [
    'ServiceNamedLikeWorkload',
    '',
    Object.fromEntries(
      Object.entries(TRAFFIC_FILES).map(([path, text]) => [path, text.replaceAll('vllm-svc', 'vllm')]),
    ),
  ],
  ['NameTaken', 'service', { ...TRAFFIC_FILES, 'apps/x.yaml': SERVICE_TEXT.replace('vllm-svc', 'vllm-svc-canary') }],
  [
    'NameTaken',
    'workload',
    { ...TRAFFIC_FILES, 'apps/x.yaml': LWS_TEXT.replace('name: vllm\n', 'name: vllm-canary\n') },
  ],
  [
    'NameTooLong',
    '',
    Object.fromEntries(
      Object.entries(TRAFFIC_FILES).map(([path, text]) => [path, text.replaceAll('name: vllm\n', `name: ${LONG}\n`)]),
    ),
  ],
  ['RouteMissing', '', edited(ROUTE_FILE, 'name: chat', 'name: talk')],
  [
    'RouteKindUnknown',
    '',
    edited(
      ROLLOUT_FILE,
      '',
      trafficRollout('customNetworkRefs: [{apiVersion: split.smi-spec.io/v1alpha1, kind: TrafficSplit, name: chat}]'),
    ),
  ],
  ['PoolMissing', '', pooled(leadersOf('vllm'), '')],
  ['SelectorNotPinned', 'pool', pooled('{app: vllm}', leadersOf('vllm-canary'))],
  ['SelectorNotPinned', 'pools', pooled(leadersOf('vllm'), leadersOf('vllm'))],
  [
    'PoolNotSupported',
    'kind',
    {
      ...pooled(
        leadersOf('vllm'),
        leadersOf('vllm-canary'),
        'customNetworkRefs: [{apiVersion: gateway.networking.k8s.io/v1, kind: GRPCRoute, name: chat}]',
      ),
    },
  ],
  [
    'NameTaken',
    'pool',
    {
      ...pooled(leadersOf('vllm'), leadersOf('vllm-canary')),
      'apps/other.yaml': LWS_TEXT.replace('name: vllm', 'name: vllm-canary'),
    },
  ],
  ['DuplicateKey', 'pool', twice('apps/vllm/pools.yaml', pooled(leadersOf('vllm'), leadersOf('vllm-canary')))],
  ['DuplicateKey', 'custom', twice(ROUTE_FILE, provided(weights()))],
  ['BackendMissing', 'custom', provided(weights(), SPLIT.replace('vllm-svc', 'web'))],
  ['BackendTwice', 'custom', provided(weights(), SPLIT.replace('}]', '}, {service: vllm-svc, weight: 1}]'))],
  ['OtherBackend', 'custom', provided(weights(), SPLIT.replace('}]', '}, {service: web, weight: 1}]'))],
  ['CanaryReferenced', 'custom', provided(weights(), SPLIT.replace('}]', '}, {service: vllm-svc-canary, weight: 1}]'))],
  [
    'MatchNotSupported',
    'custom',
    {
      ...provided(weights()),
      [ROLLOUT_FILE]: custom('TrafficSplit', 'split.smi-spec.io/v1alpha2', SPLIT)[ROLLOUT_FILE] ?? '',
    },
  ],
  ['ShareNotWhole', '', provided(weights(', scale: 10'))],
  ['ExpressionFails', '', provided(patchOf('op: add', 'path: /spec/backends/0/note', 'cel: object.spec.nothing'))],
  [
    'ExpressionFails',
    'split',
    provided(patchOf('op: add', 'path: /spec/backends/0/note', `cel: '"a".split("").join("bb").split("")[0]'`)),
  ],
  ['PatchFails', '', provided(patchOf('op: test', 'path: /spec/service', 'value: other'))],
  ['PatchNotRestorable', '', provided(patchOf('op: add', 'path: /spec/backends/-', 'value: {service: web}'))],
  ['BadPath', '', provided(weights().replace('/spec', 'spec'))],
  ['BadValue', '', provided(patchOf('op: add', 'path: /spec/backends/0/note'))],
  ['TooLong', '', provided(patchOf('op: add', 'path: /spec/backends/0/note', `cel: ${'a'.repeat(1025)}`))],
  ['BuiltIn', '', provided(weights(), SPLIT, '{group: traefik.io, kind: TraefikService}')],
  [
    'DuplicateObject',
    'provider',
    { ...provided(weights()), 'tranche/more.yaml': provided(weights())[SPLIT_FILE] ?? '' },
  ],
  ['DuplicateObject', 'route', { ...TRAFFIC_FILES, 'apps/old/route.yaml': ROUTE_TEXT }],
  ['BackendMissing', '', edited(ROUTE_FILE, 'name: vllm-svc #', 'name: vllm-api #')],
  ['BackendMissing', 'derived', { ...ELSEWHERE, 'apps/x.yaml': ROUTE_TEXT.replace('name: chat', 'name: talk') }],
  [
    'BackendMissing',
    'choice',
    { ...ELSEWHERE, 'apps/x.yaml': SERVICE_TEXT.replace('name: vllm-svc', 'name: vllm-api') },
  ],
  [
    'PoolNotSupported',
    '',
    edited(
      ROUTE_FILE,
      '- name: vllm-svc # the primary\n          port: 80',
      '- {group: inference.networking.k8s.io, kind: InferencePool, name: vllm-pool}',
    ),
  ],
  [
    'OtherBackend',
    '',
    edited(ROUTE_FILE, '          port: 80\n', '          port: 80\n        - {name: other, port: 80}\n'),
  ],
  [
    'BackendTwice',
    '',
    edited(ROUTE_FILE, '          port: 80\n', '          port: 80\n        - {name: vllm-svc, port: 81}\n'),
  ],
  ['PortUnknown', '', edited(ROUTE_FILE, 'port: 80', 'port: 8080')],
  ['PortUnknown', 'none', edited(ROUTE_FILE, '          port: 80\n', '')],
  ['TargetPortUnknown', '', edited(SERVICE_FILE, 'targetPort: 8080', 'targetPort: http')],
  [
    'SessionPersistence',
    '',
    edited(ROUTE_FILE, '      timeouts:', '      sessionPersistence: {type: Cookie}\n      timeouts:'),
  ],
  ['TimeoutUnset', '', edited(ROUTE_FILE, '      timeouts: {request: 30s}\n', '')],
  ['TimeoutUnset', 'ingress', INGRESS_FILES],
  ['TimeoutUnset', 'endless', { ...edited(ROUTE_FILE, '30s', '0s'), 'policies/p.yaml': DRAIN }],
  ['BadTimeout', '', edited(ROUTE_FILE, '30s', '30')],
  ['GraceTooShort', '', edited(ROUTE_FILE, '30s', '5m')],
  [
    'CanaryReferenced',
    'weight',
    edited(ROUTE_FILE, '          port: 80\n', '          port: 80\n        - {name: vllm-svc-canary, port: 80}\n'),
  ],
  [
    'CanaryReferenced',
    'mirror',
    edited(
      ROUTE_FILE,
      '      timeouts:',
      '      filters:\n        - type: RequestMirror\n          requestMirror:\n            backendRef: {name: vllm-svc-canary, port: 80}\n      timeouts:',
    ),
  ],
  ['HeadlessInRoute', '', edited(SERVICE_FILE, 'spec:\n', 'spec:\n  clusterIP: None\n')],
  ['OtherService', '', { ...TRAFFIC_FILES, 'apps/x.yaml': BESIDE }],
  [
    'OtherService',
    'one',
    {
      ...TRAFFIC_FILES,
      [ROLLOUT_FILE]: trafficRollout()
        .replace('enableExtraWorkloadForCanary: true', 'enableExtraWorkloadForCanary: false')
        .replace(/(replicas: 100%\n) *traffic: .*\n/, '$1'),
      'apps/x.yaml': BESIDE.replace('app: vllm', 'leaderworkerset.sigs.k8s.io/name: vllm'),
    },
  ],
  ['RouteNotNamed', '', { ...TRAFFIC_FILES, 'apps/x.yaml': ROUTE_TEXT.replace('name: chat', 'name: talk') }],
  ['MatchesAll', '', edited(ROLLOUT_FILE, '- headers: [{name: x-canary, value: "1"}]', '- headers: []')],
  ['MatchContradicts', '', edited(ROUTE_FILE, '/v1}\n', '/v1}\n          headers: [{name: X-Canary, value: "0"}]\n')],
  [
    'TooManyRules',
    '',
    edited(
      ROUTE_FILE,
      '  rules:\n',
      `  rules:\n${'    - {name: r, backendRefs: [{name: vllm-svc, port: 80}]}\n'.repeat(8).replaceAll('name: r', 'name: rNUM')}`.replace(
        /NUM/g,
        (_, at: number) => String(at),
      ),
    ),
  ],
  ['SendsNothing', '', edited(ROUTE_FILE, 'port: 80\n', 'port: 80\n          weight: 0\n')],
  ['NotRestorable', '', edited(ROUTE_FILE, '          port: 80\n', '          port: 80\n          weight: 0x64\n')],
  [
    'PrimaryNotCovered',
    '',
    edited(LWS_FILE, 'replicas: 4', 'replicas: 1', edited(ROLLOUT_FILE, 'traffic: 100%', 'traffic: 50%')),
  ],
  [
    'PrimaryNotCovered',
    'percent',
    edited(
      LWS_FILE,
      'maxUnavailable: 1',
      'maxUnavailable: 100%',
      edited(ROLLOUT_FILE, 'traffic: 100%', 'traffic: 50%'),
    ),
  ],
  ['LastStepNotWhole', '', edited(ROLLOUT_FILE, '', GREEN.replace('replicas: 100%', 'replicas: 50%'))],
  [
    'ModifierNotSupported',
    '',
    edited(
      ROLLOUT_FILE,
      '          traffic: 5%\n',
      '          traffic: 5%\n          requestHeaderModifier: {set: [{name: a, value: b}]}\n',
    ),
  ],
  ['ScalerRefused', 'blueGreen', { ...edited(ROLLOUT_FILE, '', GREEN), 'apps/vllm/hpa.yaml': HPA }],
  ['ScalerRefused', 'cluster', { ...TRAFFIC_FILES, 'tranche.yaml': 'autoscaled: [llm/vllm]\n' }],
  ['FieldRefused', '', ungenerated(TRAFFIC_FILES)],
  [
    'FieldRefused',
    'VirtualService',
    ungenerated(
      custom('VirtualService', 'networking.istio.io/v1', '{http: [{route: [{destination: {host: vllm-svc}}]}]}'),
    ),
  ],
  [
    'FieldRefused',
    'HTTPProxy',
    ungenerated(custom('HTTPProxy', 'projectcontour.io/v1', '{routes: [{services: [{name: vllm-svc, port: 80}]}]}')),
  ],
  ['FieldRefused', 'pools', ungenerated(pooled(leadersOf('vllm'), leadersOf('vllm-canary')))],
  ['SurgeRefused', '', { ...TRAFFIC_FILES, 'policies/p.yaml': POLICY }],
  ['LeaderReadyWithTraffic', '', edited(LWS_FILE, '  replicas: 4\n', '  replicas: 4\n  startupPolicy: LeaderReady\n')],
  [
    'DefaultBackend',
    '',
    edited(
      INGRESS_FILE,
      '  rules:\n',
      '  defaultBackend: {service: {name: vllm-svc, port: {number: 80}}}\n  rules:\n',
      INGRESS_FILES,
    ),
  ],
  ['SessionPersistence', 'ingress', edited(INGRESS_FILE, 'proxy-body-size: 8m', 'affinity: cookie', INGRESS_FILES)],
  ['BackendMissing', 'ingress', edited(INGRESS_FILE, 'name: vllm-svc', 'name: web', INGRESS_FILES)],
  ['PortUnknown', 'ingress', edited(INGRESS_FILE, 'number: 80', 'number: 8080', INGRESS_FILES)],
  [
    'RouteKindUnknown',
    'class',
    edited(ROLLOUT_FILE, '{name: chat}', '{name: chat, classType: haproxy}', INGRESS_FILES),
  ],
  [
    'MatchNotSupported',
    '',
    edited(ROLLOUT_FILE, '- headers:', '- path: {value: /v2}\n              headers:', INGRESS_FILES),
  ],
  [
    'CanaryIngressDiffers',
    '',
    {
      ...INGRESS_FILES,
      'apps/x.yaml': INGRESS_TEXT.replace('name: chat', 'name: chat-canary').replace(
        'annotations:',
        'annotations:\n    tranche.dev/made-for: vllm',
      ),
    },
  ],
  [
    'NameTaken',
    'ingress',
    { ...INGRESS_FILES, 'apps/x.yaml': INGRESS_TEXT.replace('name: chat', 'name: chat-canary') },
  ],
  [
    'JsonFile',
    '',
    Object.fromEntries(
      Object.entries(TRAFFIC_FILES).map(([path, text]) =>
        path === SERVICE_FILE ? ['apps/vllm/service.json', JSON.stringify(parse(text), null, 2)] : [path, text],
      ),
    ),
  ],
  [
    'SessionPersistence',
    'TraefikService',
    custom(
      'TraefikService',
      'traefik.io/v1alpha1',
      '{weighted: {sticky: {cookie: {}}, services: [{name: vllm-svc, port: 80}]}}',
    ),
  ],
  ['MatchNotSupported', 'TraefikService', TRAEFIK],
  [
    'EmptyServiceStopsAll',
    '',
    { ...TRAEFIK, [ROLLOUT_FILE]: String(TRAEFIK[ROLLOUT_FILE]).replace(/ *matches:\n.*\n( *pause: \{\})/, '$1') },
  ],
  [
    'SessionPersistence',
    'HTTPProxy',
    custom(
      'HTTPProxy',
      'projectcontour.io/v1',
      '{routes: [{loadBalancerPolicy: {strategy: Cookie}, services: [{name: vllm-svc, port: 80}]}]}',
    ),
  ],
  [
    'MatchContradicts',
    'HTTPProxy',
    custom(
      'HTTPProxy',
      'projectcontour.io/v1',
      '{routes: [{conditions: [{header: {name: X-Canary, exact: a}}], services: [{name: vllm-svc, port: 80}]}]}',
    ),
  ],
  [
    'OtherBackend',
    'VirtualService',
    custom(
      'VirtualService',
      'networking.istio.io/v1',
      '{http: [{timeout: 30s, route: [{destination: {host: vllm-svc}}, {destination: {host: vllm-svc.old}}]}]}',
    ),
  ],
  [
    'CanaryReferenced',
    'VirtualService',
    custom(
      'VirtualService',
      'networking.istio.io/v1',
      '{http: [{timeout: 30s, mirrors: [{destination: {host: vllm-svc-canary}}], route: [{destination: {host: vllm-svc}}]}]}',
    ),
  ],
  [
    'BackendMissing',
    'VirtualService',
    custom('VirtualService', 'networking.istio.io/v1', '{tcp: [{route: [{destination: {host: vllm-svc}}]}]}'),
  ],
  ['ActionMissing', 'port', edited(ROLLOUT_FILE, '{name: chat}', '{name: chat, classType: aws-alb}', INGRESS_FILES)],
  ['ActionMissing', 'annotation', alb('')],
  ['NotRestorable', 'block', alb(`|\n      ${action('')}`)],
  ['OtherBackend', 'action', alb(`'${action(',{"targetGroupARN":"arn:aws:x"}')}'`)],
  [
    'SessionPersistence',
    'action',
    alb(`'${action('').replace(']', '],"targetGroupStickinessConfig":{"enabled":true}')}'`),
  ],
  ['PortUnknown', 'action', alb(`'${action('').replace('80', '8080')}'`)],
  ['SelectorNotShared', '', { ...SUBSET_FILES, [SERVICE_FILE]: SERVICE_TEXT }],
  ['SubsetNotPinned', '', edited(ROUTE_FILE, 'leaderworkerset.sigs.k8s.io/name: vllm', 'app: vllm', SUBSET_FILES)],
  [
    'NameTaken',
    'subset',
    edited(
      ROUTE_FILE,
      '    - name: stable',
      '    - {name: canary, labels: {app: vllm}}\n    - name: stable',
      SUBSET_FILES,
    ),
  ],
  ['BackendMissing', 'host', edited(ROUTE_FILE, 'host: vllm-svc\n', 'host: other\n', SUBSET_FILES)],
  ['SubsetMissing', '', edited(ROUTE_FILE, ', subset: stable', '', SUBSET_FILES)],
  ['TargetTypeNotIp', '', alb(`'${action('')}'`, 'instance')],
  [
    'CanaryReferenced',
    'VirtualService-mirror',
    custom(
      'VirtualService',
      'networking.istio.io/v1',
      '{http: [{timeout: 30s, mirror: {host: vllm-svc-canary}, route: [{destination: {host: vllm-svc}}]}]}',
    ),
  ],
  [
    'CanaryReferenced',
    'HTTPProxy-mirror',
    custom(
      'HTTPProxy',
      'projectcontour.io/v1',
      '{routes: [{timeoutPolicy: {response: 30s}, services: [{name: vllm-svc, port: 80}, {name: vllm-svc-canary, port: 80, mirror: true}]}]}',
    ),
  ],
];

describe('a rule of traffic', () => {
  test('files that are right have nothing to tell', async () => {
    expect(await found(TRAFFIC_FILES)).toEqual([]);
    expect(await found(edited(ROLLOUT_FILE, '', GREEN))).toEqual([]);
    expect(await found(edited(ROLLOUT_FILE, '', GREEN.replace(/ +gateway:.*\n/, '')))).toEqual([]);
    const said = { ...INGRESS_FILES, 'policies/p.yaml': DRAIN };
    expect(await found(said)).toEqual([]);
    expect(await found(SUBSET_FILES)).toEqual([]);
    expect(await found({ ...TRAFFIC_FILES, [SERVICE_FILE]: JSON.stringify(parse(SERVICE_TEXT), null, 2) })).toEqual([]);
    expect(await found(pooled(leadersOf('vllm'), leadersOf('vllm-canary')))).toEqual([]);
    expect(await found({ ...alb(`'${action('')}'`), 'policies/p.yaml': DRAIN })).toEqual([]);
  });

  test.each(rows)('%s %s', async (reason, which, files) => {
    const golden = new URL(`${[reason, which].filter((part) => part !== '').join('-')}.txt`, GOLDENS);
    const text = (await printed(files, 'text'))
      .split('\n')
      .filter((line) => !line.includes('(NotSupportedYet)') && !line.startsWith('read: '))
      .join('\n');
    mkdirSync(GOLDENS, { recursive: true });
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(golden, text);
    expect(text).toBe(readFileSync(golden, 'utf8'));
    const mine = (await found(files)).filter((issue) => issue.reason === reason);
    expect(mine.length, text).toBeGreaterThan(0);
    for (const issue of mine) {
      expect(issue.line, issue.message).toBeGreaterThan(0);
      expect(files[issue.file]).toBeDefined();
      if (issue.patch === undefined) continue;
      const after = await found(patchedFiles(files, issue.patch));
      expect(
        after.filter((one) => one.reason === reason && one.file === issue.file && one.path === issue.path),
      ).toEqual([]);
    }
  });
});

test('a patch is printed whole, though its last line is empty, and several are taken in turn', async () => {
  const one = edited(ROUTE_FILE, 'port: 80\n', 'port: 8080\n\n');
  const [patch = ''] = (await found(one)).flatMap((issue) => issue.patch ?? []);
  expect(patch.endsWith('\n \n')).toBe(true);
  expect(await printed(one, 'text')).toContain(patch);
  expect(await printed(one, 'text')).not.toContain('lint again');
  const two = edited(SERVICE_FILE, 'leaderworkerset.sigs.k8s.io/worker-index', 'other', one);
  expect(await printed(two, 'text')).toContain('git apply one, then lint again for the next.');
});
