/** The metrics of gateways that are known by name: what users got of each version, told apart by the Service that was meant. */

import {
  type GatewaySeries,
  type LabelValues,
  type Preset,
  part,
  type SeriesPart,
  type SideLabels,
} from './analysis-preset.ts';

/** Of the process that counts, whichever its agent writes; what else differs adds up by name. */
const PROCESS = ['instance', 'pod', 'node', 'job', 'container'];
/** Names in lines. */
function words(...lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => line.split(' '));
}

const ISTIO_LABELS = words(
  'source_workload source_workload_namespace source_app source_version source_cluster source_principal',
  'source_canonical_service source_canonical_revision destination_workload',
  'destination_workload_namespace destination_app destination_version destination_cluster',
  'destination_principal destination_service destination_service_name destination_service_namespace',
  'destination_canonical_service destination_canonical_revision request_protocol response_code',
  'response_flags grpc_response_status connection_security_policy reporter',
);
const TRAEFIK_LABELS = ['service', 'code', 'method', 'protocol'];
const ENVOY_LABELS = ['envoy_cluster_name', 'envoy_response_code', 'envoy_response_code_class'];
const NGINX_LABELS = words(
  'namespace exported_namespace ingress service exported_service canary host path method status',
  'controller_class controller_namespace controller_pod',
);
const EPP_LABELS = ['model_name', 'target_model_name', 'error_code', 'priority', 'fairness_id'];

/** The name that counting gives to what shows that a process of a gateway was scraped: it has counted anything for either side. */
export const GATEWAY_SEEN = 'gateway';

const ERRORS = { tolerate: { times: 1.5, points: 0.5 }, ruleOut: { times: 2 }, leadsTo: 'rollback' } as const;
const LEFT = { tolerate: { times: 1.5, points: 1 }, ruleOut: { times: 2 }, leadsTo: 'hold' } as const;
const SERVER_ERROR = /^5..$/;
/** nginx's own code for a client that has gone; Traefik took it over. */
const CLIENT_CLOSED = ['499'];

type Gateway = Pick<Preset, 'of' | 'adds' | 'anchor' | 'load' | 'gateway'>;

function gateway(of: SeriesPart, labels: readonly string[], series: GatewaySeries): Gateway {
  return { of, adds: [...PROCESS, ...labels], anchor: part(GATEWAY_SEEN), load: undefined, gateway: series };
}

/** Of the requests those with these values of a label. */
function having({ of: { names, labels } }: Gateway, label: string, values: LabelValues): Pick<Preset, 'bad'> {
  return { bad: { kind: 'counted', parts: [{ names, labels: { ...labels, [label]: values } }] } };
}

const ISTIO = gateway(
  part('istio_requests_total', { reporter: ['source'] }),
  ISTIO_LABELS,
  ({ namespace, service }) => ({
    destination_service_namespace: namespace,
    destination_service_name: service,
  }),
);

/** `llm-vllm-8000@kubernetes`, and with the rule in front of the Gateway API; a port has no dash, so that `vllm` is not `vllm-canary`. */
const TRAEFIK = gateway(part('traefik_service_requests_total'), TRAEFIK_LABELS, ({ namespace, service }) => ({
  service: `(.*-svc-)?${namespace}-${service}-[0-9a-zA-Z]+@kubernetes(crd|gateway)?`,
}));

const ENVOY_REQUESTS = part('envoy_cluster_upstream_rq');
const CONTOUR = gateway(ENVOY_REQUESTS, ENVOY_LABELS, ({ namespace, service }) => ({
  envoy_cluster_name: `${namespace}_${service}_[0-9]+`,
}));
const ENVOY = gateway(ENVOY_REQUESTS, ENVOY_LABELS, 'sides');

/** The canary's requests stand below the Ingress of the stable version, with the Service that they went to in `canary`. */
function nginxSide({ namespace, service, isCanary }: Parameters<Exclude<GatewaySeries, 'sides'>>[0]): SideLabels {
  return isCanary ? { canary: `${namespace}-${service}-[0-9a-zA-Z]+` } : { canary: '', namespace, service };
}
const NGINX = gateway(part('nginx_ingress_controller_requests'), NGINX_LABELS, nginxSide);

/** The endpoint picker, by the names that it had: of llm-d, of its version 1, and before. */
function picked(what: string): SeriesPart {
  const names = ['llm_d_epp_request', 'inference_objective_request', 'inference_model_request'];
  return { names: names.map((name) => `${name}${what}_total`), labels: {} };
}
const EPP = gateway(picked(''), EPP_LABELS, 'sides');

/** Series come with the first event: one that is not there is 0 while its process has counted anything for either side. */
export const GATEWAY_PRESETS: Readonly<Record<string, Preset>> = {
  'istio/errors': { ...ISTIO, ...ERRORS, ...having(ISTIO, 'response_code', SERVER_ERROR) },
  'istio/left': {
    ...ISTIO,
    ...LEFT,
    bad: {
      kind: 'counted',
      parts: [
        { ...ISTIO.of, labels: { ...ISTIO.of.labels, response_code: ['0'] } },
        { ...ISTIO.of, labels: { ...ISTIO.of.labels, response_code: /^[1-9]..$/, response_flags: /^(.*,)?DC(,.*)?$/ } },
      ],
    },
  },
  'traefik/errors': { ...TRAEFIK, ...ERRORS, ...having(TRAEFIK, 'code', SERVER_ERROR) },
  'traefik/left': { ...TRAEFIK, ...LEFT, ...having(TRAEFIK, 'code', CLIENT_CLOSED) },
  'contour/errors': { ...CONTOUR, ...ERRORS, ...having(CONTOUR, 'envoy_response_code', SERVER_ERROR) },
  'envoy/errors': { ...ENVOY, ...ERRORS, ...having(ENVOY, 'envoy_response_code', SERVER_ERROR) },
  'nginx/errors': { ...NGINX, ...ERRORS, ...having(NGINX, 'status', SERVER_ERROR) },
  'nginx/left': { ...NGINX, ...LEFT, ...having(NGINX, 'status', CLIENT_CLOSED) },
  'epp/errors': { ...EPP, ...ERRORS, bad: { kind: 'counted', parts: [picked('_error')] } },
};
