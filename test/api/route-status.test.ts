/** What live routes look like once controllers have written their words, and what is read of them: accepted, or why not. */

import { describe, expect, test } from 'vitest';
import recorded from '../../fixtures/routes-of-traefik/routes.json' with { type: 'json' };
import type { Json, JsonObject } from '../../src/api/json.ts';
import { conditionWords, parentWords, proxyWords, type RouteWord } from '../../src/api/route-status.ts';

const GENERATION = 7;

type Condition = readonly [type: string, status: string, observedGeneration?: number | undefined, reason?: string];

function conditions(list: readonly Condition[]): readonly JsonObject[] {
  return list.map(([type, status, observedGeneration, reason = type]) => ({
    type,
    status,
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    reason,
    message: `${reason}.`,
    lastTransitionTime: '2026-08-01T10:00:00Z',
  }));
}

/** As an API server lists it: with what it fills in, and with what managers of fields left. */
function live(parentRefs: readonly JsonObject[], parents: readonly JsonObject[] | undefined): JsonObject {
  return {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: {
      name: 'chat',
      namespace: 'llm',
      uid: '6f0e3c1e-5d0c-4d8e-9a3c-0d7d2f6a9f10',
      generation: GENERATION,
      resourceVersion: '90210',
      managedFields: [{ manager: 'argocd-controller', operation: 'Apply', fieldsType: 'FieldsV1', fieldsV1: {} }],
    },
    spec: {
      parentRefs: parentRefs.map((ref) => ({ group: 'gateway.networking.k8s.io', kind: 'Gateway', ...ref })),
      rules: [{ backendRefs: [{ group: '', kind: 'Service', name: 'vllm-svc', port: 80, weight: 1 }] }],
    },
    ...(parents === undefined ? {} : { status: { parents } }),
  };
}

function saidBy(parentRef: JsonObject, said: readonly Condition[], controllerName = 'example.com/gateway'): JsonObject {
  return {
    parentRef: { group: 'gateway.networking.k8s.io', kind: 'Gateway', ...parentRef },
    controllerName,
    conditions: conditions(said),
  };
}

const both = (generation?: number): readonly Condition[] => [
  ['Accepted', 'True', generation],
  ['ResolvedRefs', 'True', generation],
];
const http = { name: 'inference', sectionName: 'http' };
const https = { name: 'inference', sectionName: 'https' };
const plain = { name: 'inference' };

/** `inference: accepted`, or what it says; in brackets: silent. */
function printed({ by, accepted, seen, silent }: RouteWord): string {
  const words = accepted ? 'accepted' : seen;
  return silent === true ? `(${by})` : `${by}: ${words}`;
}

describe('a route of the Gateway API', () => {
  test.each<readonly [what: string, route: JsonObject, wanted: readonly string[]]>([
    ['its parent has taken it up', live([plain], [saidBy(plain, both(7))]), ['inference: accepted']],
    ['no status at all', live([plain], undefined), ['(inference)']],
    ['a status that nobody has written to yet', live([plain], []), ['(inference)']],
    [
      'the word of a generation before',
      live([plain], [saidBy(plain, both(6))]),
      ['inference: Accepted is of generation 6, not 7'],
    ],
    [
      'accepted now, references of before',
      live(
        [plain],
        [
          saidBy(plain, [
            ['Accepted', 'True', 7],
            ['ResolvedRefs', 'True', 6],
          ]),
        ],
      ),
      ['inference: ResolvedRefs is of generation 6, not 7'],
    ],
    ['a controller that writes no generation', live([plain], [saidBy(plain, both())]), ['inference: accepted']],
    [
      'a controller that writes no generation, and refuses',
      live(
        [plain],
        [
          saidBy(plain, [
            ['Accepted', 'False', undefined, 'NoMatchingParent'],
            ['ResolvedRefs', 'True'],
          ]),
        ],
      ),
      ['inference: Accepted is False (NoMatchingParent: NoMatchingParent.)'],
    ],
    [
      'not looked at yet',
      live(
        [plain],
        [
          saidBy(plain, [
            ['Accepted', 'Unknown', 7, 'Pending'],
            ['ResolvedRefs', 'Unknown', 7, 'Pending'],
          ]),
        ],
      ),
      ['inference: Accepted is Unknown (Pending: Pending.)'],
    ],
    [
      'the Service of the new version is not there',
      live(
        [plain],
        [
          saidBy(plain, [
            ['Accepted', 'True', 7],
            ['ResolvedRefs', 'False', 7, 'BackendNotFound'],
          ]),
        ],
      ),
      ['inference: ResolvedRefs is False (BackendNotFound: BackendNotFound.)'],
    ],
    [
      'only half of the words',
      live([plain], [saidBy(plain, [['Accepted', 'True', 7]])]),
      ['inference: ResolvedRefs is missing'],
    ],
    [
      'a part of the rules was dropped',
      live([plain], [saidBy(plain, [...both(7), ['PartiallyInvalid', 'True', 7, 'UnsupportedValue']])]),
      ['inference: PartiallyInvalid is True (UnsupportedValue: UnsupportedValue.)'],
    ],
    [
      'no part was',
      live([plain], [saidBy(plain, [...both(7), ['PartiallyInvalid', 'False', 7]])]),
      ['inference: accepted'],
    ],
    [
      'the proxies have not got it',
      live([plain], [saidBy(plain, [...both(7), ['Programmed', 'False', 7, 'Pending']])]),
      ['inference: Programmed is False (Pending: Pending.)'],
    ],
    [
      'the proxies have it',
      live([plain], [saidBy(plain, [...both(7), ['Programmed', 'True', 7]])]),
      ['inference: accepted'],
    ],
    [
      'one listener of two refuses',
      live(
        [http, https],
        [
          saidBy(http, both(7)),
          saidBy(https, [
            ['Accepted', 'False', 7, 'NotAllowedByListeners'],
            ['ResolvedRefs', 'True', 7],
          ]),
        ],
      ),
      [
        'inference#http: accepted',
        'inference#https: Accepted is False (NotAllowedByListeners: NotAllowedByListeners.)',
      ],
    ],
    [
      'one of two has not spoken',
      live([http, https], [saidBy(http, both(7))]),
      ['inference#http: accepted', '(inference#https)'],
    ],
    [
      'the controller writes the namespace out',
      live([plain], [saidBy({ ...plain, namespace: 'llm' }, both(7))]),
      ['llm/inference: accepted'],
    ],
    [
      'two ports of one parent',
      live(
        [
          { ...plain, port: 80 },
          { ...plain, port: 443 },
        ],
        [saidBy({ ...plain, port: 80 }, both(7)), saidBy({ ...plain, port: 443 }, both(6))],
      ),
      ['inference:80: accepted', 'inference:443: Accepted is of generation 6, not 7'],
    ],
    [
      'a mesh, where the parent is a Service',
      live(
        [{ group: '', kind: 'Service', name: 'vllm-svc' }],
        [saidBy({ group: '', kind: 'Service', name: 'vllm-svc' }, both(7), 'linkerd.io/policy-controller')],
      ),
      ['Service vllm-svc: accepted'],
    ],
    [
      'a controller that is gone has left its word next to that of another',
      live([plain], [saidBy(plain, both(2), 'gone.example.com/gateway'), saidBy(plain, both(7))]),
      [
        'inference by gone.example.com/gateway: Accepted is of generation 2, not 7',
        'inference by example.com/gateway: accepted',
      ],
    ],
  ])('%s', (_, route, wanted) => {
    expect(parentWords(route).map(printed)).toEqual(wanted);
  });
});

test.each<readonly [name: string, wanted: readonly string[]]>([
  [
    'no-service',
    [
      'inference#http: ResolvedRefs is False (BackendNotFound: Cannot load HTTPBackendRef llm/nobody: getting service: service "nobody" not found)',
    ],
  ],
  [
    'no-port',
    [
      'inference#http: ResolvedRefs is False (BackendNotFound: Cannot load HTTPBackendRef llm/vllm-svc: service port 81 not found)',
    ],
  ],
  ['no-section', ['inference#https: Accepted is False (NoMatchingParent: )']],
  ['no-gateway', ['(nowhere)']],
  ['one-of-two', ['inference#http: accepted', 'inference#https: Accepted is False (NoMatchingParent: )']],
  ['all-sections', ['inference: accepted']],
  ['namespaced', ['llm/inference:28080: accepted']],
  ['chat', ['inference#http: accepted', 'inference#http2: accepted']],
])('what Traefik 3.7.13 wrote of the route %s', (name, wanted) => {
  const route = recorded.items.find(({ metadata }) => metadata.name === name);
  expect(parentWords(route).map(printed)).toEqual(wanted);
});

describe('an HTTPProxy', () => {
  test.each<readonly [what: string, status: Json | undefined, wanted: readonly string[]]>([
    [
      'valid',
      { currentStatus: 'valid', description: 'Valid HTTPProxy', conditions: conditions([['Valid', 'True', 7]]) },
      ['Contour: accepted'],
    ],
    [
      'valid before this generation',
      { currentStatus: 'valid', conditions: conditions([['Valid', 'True', 6]]) },
      ['Contour: Valid is of generation 6, not 7'],
    ],
    [
      'invalid',
      { currentStatus: 'invalid', conditions: conditions([['Valid', 'False', 7, 'ErrorPresent']]) },
      ['Contour: Valid is False (ErrorPresent: ErrorPresent.)'],
    ],
    [
      'valid, of a Contour without conditions',
      { currentStatus: 'valid', description: 'valid HTTPProxy' },
      ['Contour: accepted'],
    ],
    [
      'orphaned, of a Contour without conditions',
      { currentStatus: 'orphaned', description: 'this HTTPProxy is not part of a delegation chain' },
      ['Contour: currentStatus is orphaned (this HTTPProxy is not part of a delegation chain)'],
    ],
    [
      'as the CRD makes it, before Contour looks',
      { currentStatus: 'NotReconciled', description: 'Waiting for controller' },
      ['Contour: currentStatus is NotReconciled (Waiting for controller)'],
    ],
    ['no status at all', undefined, ['(Contour)']],
  ])('%s', (_, status, wanted) => {
    const proxy = { metadata: { generation: GENERATION }, ...(status === undefined ? {} : { status }) };
    expect(proxyWords(proxy).map(printed)).toEqual(wanted);
  });
});

test.each<readonly [what: string, list: Json | undefined, wanted: readonly string[]]>([
  ['says it', conditions([['ResourceAccepted', 'True', 7]]), ['its controller: accepted']],
  [
    'says it of a generation before',
    conditions([['ResourceAccepted', 'True', 6]]),
    ['its controller: ResourceAccepted is of generation 6, not 7'],
  ],
  ['says no generation', conditions([['ResourceAccepted', 'True']]), ['its controller: accepted']],
  ['says something else', conditions([['Ready', 'True', 7]]), ['its controller: ResourceAccepted is missing']],
  ['says nothing', undefined, ['(its controller)']],
])('the controller of another kind %s', (_, list, wanted) => {
  const words = conditionWords({ conditions: list, type: 'ResourceAccepted', generation: GENERATION });
  expect(words.map(printed)).toEqual(wanted);
});
