/** Parses the two kinds of objects that scale a workload from outside Git: HPAs and KEDA's ScaledObjects. */

import { groupOf } from './group-of.ts';
import type { Known } from './known.ts';
import type { Scaler } from './live.ts';
import { fieldsOf } from './live-fields.ts';

const TARGET = ['spec', 'scaleTargetRef'] as const;

/** Where each kind has the least and the most that it scales to, and what a missing least means. */
type ScalerFields = {
  readonly group: string;
  readonly floor: readonly string[];
  readonly missing: number;
  readonly most: readonly string[];
  /** Below the floor, where nothing is asked of the workload. */
  readonly idle?: readonly string[];
};

const FIELDS: Readonly<Record<string, ScalerFields>> = {
  // The API server's default.
  HorizontalPodAutoscaler: {
    group: 'autoscaling',
    floor: ['spec', 'minReplicas'],
    missing: 1,
    most: ['spec', 'maxReplicas'],
  },
  // KEDA's.
  ScaledObject: {
    group: 'keda.sh',
    floor: ['spec', 'minReplicaCount'],
    missing: 0,
    most: ['spec', 'maxReplicaCount'],
    idle: ['spec', 'idleReplicaCount'],
  },
};

/** The kinds of autoscalers that are known. */
export const SCALER_KINDS: readonly string[] = Object.keys(FIELDS);

/** The fields of a kind; undefined: it is no autoscaler that is known. */
export function scalerFields(kind: string): ScalerFields | undefined {
  return Object.hasOwn(FIELDS, kind) ? FIELDS[kind] : undefined;
}

/** What a manifest writes `replicas` of; undefined: it is no autoscaler, or only called like one by another API group. */
export function parseScaler(
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  object: unknown,
): Known<Scaler> | undefined {
  if (scalerFields(kind)?.group !== groupOf(apiVersion)) return undefined;
  return kind === 'ScaledObject' ? parseScaledObject(object) : parseHorizontalPodAutoscaler(object);
}

/** What an autoscaling/v2 HorizontalPodAutoscaler writes `replicas` of. */
export function parseHorizontalPodAutoscaler(object: unknown): Known<Scaler> {
  const fields = fieldsOf('horizontalpodautoscalers', object);
  return fields.end({
    kind: 'HorizontalPodAutoscaler',
    name: fields.text(['metadata', 'name']),
    target: {
      apiVersion: fields.text([...TARGET, 'apiVersion'], ''),
      kind: fields.text([...TARGET, 'kind']),
      name: fields.text([...TARGET, 'name']),
    },
    floor: fields.count(['spec', 'minReplicas'], 1),
  });
}

/** What a keda.sh/v1alpha1 ScaledObject writes `replicas` of; KEDA takes a missing kind for an apps/v1 Deployment. */
export function parseScaledObject(object: unknown): Known<Scaler> {
  const fields = fieldsOf('scaledobjects', object);
  return fields.end({
    kind: 'ScaledObject',
    name: fields.text(['metadata', 'name']),
    target: {
      apiVersion: fields.text([...TARGET, 'apiVersion'], 'apps/v1'),
      kind: fields.text([...TARGET, 'kind'], 'Deployment'),
      name: fields.text([...TARGET, 'name']),
    },
    floor: fields.count(['spec', 'minReplicaCount'], 0),
  });
}
