/** A repository with a canary of the model server: its Service, its route, and a Rollout that names both. */

import { LWS_FILE, LWS_TEXT, ROLLOUT_FILE, ROLLOUT_TEXT } from './vllm.ts';

export const SERVICE_FILE = 'apps/vllm/service.yaml';
export const ROUTE_FILE = 'apps/vllm/route.yaml';

export const SERVICE_TEXT = `# Search asks this one.
apiVersion: v1
kind: Service
metadata:
  name: vllm-svc
  namespace: llm
  labels: {app: vllm}
spec:
  selector:
    leaderworkerset.sigs.k8s.io/name: vllm
    leaderworkerset.sigs.k8s.io/worker-index: "0"
    app: vllm
  ports:
    - name: http
      port: 80
      targetPort: 8080
`;

export const ROUTE_TEXT = `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata:
  name: chat
  namespace: llm
spec:
  parentRefs: [{name: inference}]
  rules:
    - matches:
        - path: {type: PathPrefix, value: /v1}
      timeouts: {request: 30s}
      backendRefs:
        - name: vllm-svc # the primary
          port: 80
`;

export const GATEWAY = 'gateway: {httpRouteName: chat}';

/** A Rollout with these routes, of the canary strategy with a workload of its own. */
export function trafficRollout(routes = GATEWAY): string {
  const [head = ''] = ROLLOUT_TEXT.split('    canary:\n');
  return `${head}    canary:
      enableExtraWorkloadForCanary: true
      trafficRoutings:
        - service: vllm-svc
          ${routes}
      steps:
        - replicas: 1
          matches:
            - headers: [{name: x-canary, value: "1"}]
          pause: {}
        - replicas: 1
          traffic: 5%
          pause: {duration: 600}
        - replicas: 100%
          traffic: 100%
`;
}

export const TRAFFIC_FILES: Readonly<Record<string, string>> = {
  [LWS_FILE]: LWS_TEXT,
  [ROLLOUT_FILE]: trafficRollout(),
  [SERVICE_FILE]: SERVICE_TEXT,
  [ROUTE_FILE]: ROUTE_TEXT,
};

export const INGRESS_FILE = 'apps/vllm/ingress.yaml';

export const INGRESS_TEXT = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: chat
  namespace: llm
  annotations:
    nginx.ingress.kubernetes.io/proxy-body-size: 8m
spec:
  ingressClassName: nginx
  rules:
    - http:
        paths:
          - path: /
            pathType: Prefix
            backend:
              service:
                name: vllm-svc
                port:
                  number: 80
`;

/** The same, with an Ingress in place of the route; its step with matches is one that annotations can say. */
export const INGRESS_FILES: Readonly<Record<string, string>> = {
  [LWS_FILE]: LWS_TEXT,
  [ROLLOUT_FILE]: trafficRollout('ingress: {name: chat}'),
  [SERVICE_FILE]: SERVICE_TEXT,
  [INGRESS_FILE]: INGRESS_TEXT,
};

/** The same, with subsets of one Service for both versions. */
export const SUBSET_FILES: Readonly<Record<string, string>> = {
  [LWS_FILE]: LWS_TEXT,
  [ROLLOUT_FILE]: trafficRollout(`customNetworkRefs:
            - {apiVersion: networking.istio.io/v1, kind: VirtualService, name: chat}
            - {apiVersion: networking.istio.io/v1, kind: DestinationRule, name: chat}`).replace(
    '      steps:',
    '      disableGenerateCanaryService: true\n      steps:',
  ),
  [SERVICE_FILE]: SERVICE_TEXT.replace('    leaderworkerset.sigs.k8s.io/name: vllm\n', ''),
  [ROUTE_FILE]: `apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: chat, namespace: llm}
spec:
  hosts: [vllm-svc]
  http:
    - timeout: 30s
      route:
        - destination: {host: vllm-svc, subset: stable}
---
apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: chat, namespace: llm}
spec:
  host: vllm-svc
  subsets:
    - name: stable
      labels: {leaderworkerset.sigs.k8s.io/name: vllm}
`,
};
