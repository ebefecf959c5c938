/** Services in front of leaders as people may write them, and as clusters give them back. */

import * as fc from 'fast-check';
import type { JsonObject } from '../../src/api/json.ts';

const TYPES = fc.constantFrom<JsonObject>(
  {},
  { clusterIP: 'None' },
  { clusterIP: '10.0.0.5', clusterIPs: ['10.0.0.5'], ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' },
  { type: 'ClusterIP', externalIPs: ['192.0.2.7'], internalTrafficPolicy: 'Local', trafficDistribution: 'PreferClose' },
  { type: 'NodePort', externalTrafficPolicy: 'Local' },
  {
    type: 'LoadBalancer',
    loadBalancerClass: 'example.com/internal',
    loadBalancerSourceRanges: ['10.0.0.0/8'],
    allocateLoadBalancerNodePorts: false,
    externalTrafficPolicy: 'Local',
    healthCheckNodePort: 31_000,
  },
);
const AFFINITY = fc.constantFrom<JsonObject>(
  {},
  { sessionAffinity: 'None' },
  { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } } },
  { publishNotReadyAddresses: false },
);
const LABELS = fc.constantFrom<JsonObject>({}, { labels: { app: 'vllm', team: 'search' } });
const ANNOTATIONS = fc.constantFrom<JsonObject>(
  {},
  { annotations: { 'argocd.argoproj.io/tracking-id': 'vllm:/Service:llm/vllm-svc', 'example.com/owner': 'search' } },
);
const SELECTOR = fc.constantFrom<JsonObject>({}, { app: 'vllm' }, { app: 'vllm', track: 'stable' });
const PORT = fc.record({
  targetPort: fc.constantFrom<JsonObject>({}, { targetPort: 8080 }, { targetPort: 'http' }),
  more: fc.constantFrom<JsonObject>({}, { protocol: 'TCP' }, { appProtocol: 'kubernetes.io/h2c' }),
  isOpen: fc.boolean(),
});

/** A core Service that is valid. Node ports are given where the type has them. */
export const anyService: fc.Arbitrary<JsonObject> = fc
  .record({
    type: TYPES,
    affinity: AFFINITY,
    labels: LABELS,
    annotations: ANNOTATIONS,
    selector: SELECTOR,
    ports: fc.array(PORT, { minLength: 1, maxLength: 3 }),
  })
  .map(({ type, affinity, labels, annotations, selector, ports }): JsonObject => {
    const hasNodePorts = type['type'] === 'NodePort' || type['type'] === 'LoadBalancer';
    const list = ports.map(({ targetPort, more, isOpen }, place) => ({
      ...(ports.length > 1 || isOpen ? { name: `http-${place}` } : {}),
      port: 80 + place,
      ...targetPort,
      ...more,
      ...(hasNodePorts && isOpen ? { nodePort: 30_080 + place } : {}),
    }));
    const leaders = {
      'leaderworkerset.sigs.k8s.io/name': 'vllm',
      'leaderworkerset.sigs.k8s.io/worker-index': '0',
    };
    return {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'vllm-svc', namespace: 'llm', ...labels, ...annotations },
      spec: { ...type, ...affinity, selector: { ...leaders, ...selector }, ports: list },
    };
  });
