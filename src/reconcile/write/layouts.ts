/** In which documents tranche may write, and which nodes of them: the table that the last check before a push goes by. */

import { CARRIER_KIND, HELM_GROUP } from '../../api/carrier.ts';
import { RENDERERS_PATH } from '../../api/helm-release.ts';
import type { JsonObject } from '../../api/json.ts';
import { LWS_KIND, SERVICE_KIND } from '../../api/kinds.ts';
import { OWN_PREFIX, RELEASE_PATHS } from '../../api/release-content.ts';
import { INPUT_PATHS } from '../../rollout/edits/carried-edits.ts';
import type { FieldPath, ObjectRef } from '../../rollout/edits/edit.ts';
import { isOwnRenderer } from './allowed-renderer.ts';

export type Layout = {
  /** In whose documents: a group of the API, `''` for the core, and a kind. */
  readonly group: string;
  readonly kind: string;
  /** The only nodes that may change, each with all below it. A last part that ends with `/` is the beginning of a key. */
  readonly nodes: readonly FieldPath[];
  /** Which documents come and go: none, those that tranche makes, or any: one that is re-created goes for a note. */
  readonly whole: 'none' | 'made' | 'any';
  /** There: of a list that has items of people's and one of ours, whether it may become this one. */
  readonly list?: (was: JsonObject, is: JsonObject) => boolean;
};

const OWN_ANNOTATIONS: FieldPath = ['metadata', 'annotations', OWN_PREFIX];
const ANNOTATIONS: FieldPath = ['metadata', 'annotations'];
const ROLLING: FieldPath = ['spec', 'rolloutStrategy', 'rollingUpdateConfiguration'];

/** One row a layout; a document of no row is never written. */
const LAYOUTS: readonly Layout[] = [
  {
    group: 'leaderworkerset.x-k8s.io',
    kind: LWS_KIND,
    nodes: [
      OWN_ANNOTATIONS,
      ...RELEASE_PATHS,
      ['spec', 'replicas'],
      [...ROLLING, 'partition'],
      [...ROLLING, 'maxUnavailable'],
    ],
    whole: 'any',
  },
  // Its inputs come back as they were. What of its entries may change is looked at item by item.
  {
    group: HELM_GROUP,
    kind: CARRIER_KIND,
    nodes: [OWN_ANNOTATIONS, ...INPUT_PATHS, RENDERERS_PATH],
    whole: 'none',
    list: isOwnRenderer,
  },
  {
    group: 'rollouts.kruise.io',
    kind: 'Rollout',
    nodes: [OWN_ANNOTATIONS, ['spec', 'strategy', 'paused'], ['spec', 'disabled']],
    whole: 'none',
  },
  { group: '', kind: SERVICE_KIND, nodes: [OWN_ANNOTATIONS, ['spec', 'selector']], whole: 'made' },
  { group: 'autoscaling', kind: 'HorizontalPodAutoscaler', nodes: [['spec', 'minReplicas']], whole: 'none' },
  { group: 'keda.sh', kind: 'ScaledObject', nodes: [['spec', 'minReplicaCount']], whole: 'none' },
  { group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', nodes: [['spec', 'rules']], whole: 'none' },
  { group: 'gateway.networking.k8s.io', kind: 'GRPCRoute', nodes: [['spec', 'rules']], whole: 'none' },
  // Its share stands in annotations: of its own, or of a copy, which follows its class as well.
  { group: 'networking.k8s.io', kind: 'Ingress', nodes: [ANNOTATIONS, ['spec', 'ingressClassName']], whole: 'made' },
  { group: 'networking.istio.io', kind: 'VirtualService', nodes: [['spec', 'http']], whole: 'none' },
  { group: 'networking.istio.io', kind: 'DestinationRule', nodes: [['spec', 'subsets']], whole: 'none' },
  { group: 'traefik.io', kind: 'TraefikService', nodes: [['spec', 'weighted', 'services']], whole: 'none' },
  { group: 'projectcontour.io', kind: 'HTTPProxy', nodes: [['spec', 'routes']], whole: 'none' },
];

/** A kind of route that a RouteProvider describes. */
export type RouteKind = { readonly group: string; readonly kind: string };

/**
 * All that its paths can name, and not those of now alone: a provider that is changed in the middle of a delivery must not
 * keep a share from going back to where it was.
 */
function layoutOfCustom({ group, kind }: RouteKind): Layout {
  return { group, kind, nodes: [ANNOTATIONS, ['spec']], whole: 'none' };
}

/** Groups of which no object is a route, whatever a RouteProvider says of it. */
const NEVER = [
  '',
  'apps',
  'batch',
  'policy',
  'rbac.authorization.k8s.io',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'certificates.k8s.io',
  'kustomize.config.k8s.io',
  'leaderworkerset.x-k8s.io',
  'rollouts.kruise.io',
  'argoproj.io',
  'autoscaling',
  'keda.sh',
  'tranche.dev',
];
/** And those below these. */
const NEVER_BELOW = ['.fluxcd.io', '.cattle.io', '.kyverno.io', '.gatekeeper.sh'];

/** The rows, with those of routes that RouteProviders of main describe. */
export function layoutsWith(customs: readonly RouteKind[]): readonly Layout[] {
  return [...LAYOUTS, ...customs.filter(({ group }) => !isNever(group)).map(layoutOfCustom)];
}

/** The row of an object; undefined: it is never written. */
export function layoutOf({ apiVersion, kind }: ObjectRef, layouts: readonly Layout[]): Layout | undefined {
  const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
  return layouts.find((one) => one.group === group && one.kind === kind);
}

function isNever(group: string): boolean {
  return NEVER.includes(group) || NEVER_BELOW.some((end) => group.endsWith(end));
}
