/** A LeaderWorkerSet as its controller reads it: typed fields, percentages resolved. */

import type { Json, JsonObject } from '../../api/json.ts';
import { count, isDeleting, type KubeObject, part, specOf, statusOf, text } from '../objects/objects.ts';

export type LwsView = {
  readonly object: KubeObject;
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly generation: number;
  readonly deleting: boolean;
  /** N: the number of groups. */
  readonly replicas: number;
  readonly size: number;
  /** P: ordinals below it stay on the old revision. */
  readonly partition: number;
  /** U, percentages rounded down on N. */
  readonly unavailable: number;
  /** S, percentages rounded up on N, at most N. */
  readonly surge: number;
  /** U as it is written: 0.8 hands it on to the StatefulSet. */
  readonly rawUnavailable: Json;
  readonly template: JsonObject;
  readonly leaderTemplate: JsonObject;
  readonly workerTemplate: JsonObject;
  readonly networkConfig: JsonObject;
  readonly uniqueSubdomain: boolean;
  readonly restartPolicy: string;
  readonly startupPolicy: string;
  readonly status: JsonObject;
};

/** Reads an object that has passed admission. Percentages are of the present N, at every reconcile. */
export function lwsView(object: KubeObject): LwsView {
  const spec = specOf(object);
  const template = part(spec, 'leaderWorkerTemplate');
  const rolling = part(part(spec, 'rolloutStrategy'), 'rollingUpdateConfiguration');
  const networkConfig = part(spec, 'networkConfig');
  const replicas = count(spec['replicas'], 1);
  const workerTemplate = part(template, 'workerTemplate');
  return {
    object,
    name: object.metadata.name,
    namespace: object.metadata.namespace,
    uid: object.metadata.uid,
    generation: object.metadata.generation ?? 1,
    deleting: isDeleting(object),
    replicas,
    size: count(template['size'], 1),
    partition: count(rolling['partition'], 0),
    unavailable: resolved(rolling['maxUnavailable'], replicas, 'down'),
    surge: Math.min(resolved(rolling['maxSurge'], replicas, 'up'), replicas),
    rawUnavailable: rolling['maxUnavailable'] ?? 1,
    template,
    leaderTemplate: template['leaderTemplate'] === undefined ? workerTemplate : part(template, 'leaderTemplate'),
    workerTemplate,
    networkConfig,
    uniqueSubdomain: networkConfig['subdomainPolicy'] === 'UniquePerReplica',
    restartPolicy: text(template['restartPolicy']),
    startupPolicy: text(spec['startupPolicy']),
    status: statusOf(object),
  };
}

/** An IntOrString of a total: a count as it is, `N%` rounded the way that the field asks for. */
export function resolved(value: Json | undefined, total: number, rounding: 'up' | 'down'): number {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return 0;
  const share = (Number(value.replace('%', '')) * total) / 100;
  return rounding === 'up' ? Math.ceil(share) : Math.floor(share);
}
