/** Parses the two kinds of objects that scale a workload from outside Git: HPAs and KEDA's ScaledObjects. */

import type { Known } from './known.ts';
import type { Scaler } from './live.ts';
import { fieldsOf } from './live-fields.ts';

const TARGET = ['spec', 'scaleTargetRef'] as const;

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
  });
}
