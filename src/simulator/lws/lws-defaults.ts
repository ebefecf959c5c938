/** What a LeaderWorkerSet gets that its manifest does not say: defaults of the CRD, then of LWS's mutating webhook. */

import { isJsonObject, type Json, type JsonObject } from '../../api/json.ts';
import type { LwsVersion } from '../modes.ts';
import { part, specOf } from '../objects/objects.ts';
import { mapContainers } from '../pods/pod-template.ts';

/** The object as it is stored. Parts that need no default stay the same objects. */
export function lwsDefaults(object: JsonObject, lws: LwsVersion): JsonObject {
  const spec = specOf(object);
  const strategy = part(spec, 'rolloutStrategy');
  const template =
    lws === '0.6' ? withoutClaims(part(spec, 'leaderWorkerTemplate')) : part(spec, 'leaderWorkerTemplate');
  const withDefaults: JsonObject = {
    ...spec,
    replicas: spec['replicas'] ?? 1,
    startupPolicy: spec['startupPolicy'] ?? 'LeaderCreated',
    leaderWorkerTemplate: {
      ...template,
      size: template['size'] ?? 1,
      restartPolicy: restartPolicy(template['restartPolicy']),
      ...podTemplates(template),
    },
    rolloutStrategy: {
      ...strategy,
      type: strategy['type'] ?? 'RollingUpdate',
      rollingUpdateConfiguration: rolling(part(strategy, 'rollingUpdateConfiguration'), lws),
    },
    networkConfig: isJsonObject(spec['networkConfig']) ? spec['networkConfig'] : { subdomainPolicy: 'Shared' },
  };
  return { ...object, spec: withDefaults };
}

/**
 * An applied configuration with the defaults that its own lists get: the API server compares with the stored lists,
 * which have them, and so must we.
 */
export function withListDefaults(config: JsonObject): JsonObject {
  const template = config['spec'] === undefined ? undefined : specOf(config)['leaderWorkerTemplate'];
  if (!isJsonObject(template)) return config;
  return { ...config, spec: { ...specOf(config), leaderWorkerTemplate: { ...template, ...podTemplates(template) } } };
}

const ROLLING_DEFAULTS: JsonObject = { maxSurge: 0, maxUnavailable: 1, partition: 0 };

/** The CRD of 0.6 knows no partition: the API server prunes it, and the whole primary follows every template. */
function rolling(given: JsonObject, lws: LwsVersion): JsonObject {
  const complete = { ...ROLLING_DEFAULTS, ...withoutNull(given) };
  if (lws !== '0.6') return complete;
  const { partition: _, ...known } = complete;
  return known;
}

/** Claims came with 0.8. */
function withoutClaims(template: JsonObject): JsonObject {
  const { volumeClaimTemplates: _, persistentVolumeClaimRetentionPolicy: __, ...known } = template;
  return known;
}

/** `Default` is the deprecated spelling of `None`; the webhook rewrites it. */
function restartPolicy(value: Json | undefined): Json {
  if (value === undefined || value === null || value === '') return 'RecreateGroupOnPodRestart';
  return value === 'Default' ? 'None' : value;
}

function withoutNull(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}

/** The only default that the CRD has inside pod templates and that people meet: the protocol of ports. */
function podTemplates(template: JsonObject): JsonObject {
  const changed: Record<string, Json> = {};
  for (const key of ['leaderTemplate', 'workerTemplate']) {
    const pod = template[key];
    if (isJsonObject(pod)) changed[key] = mapContainers(pod, portProtocols);
  }
  return changed;
}

function portProtocols(container: JsonObject): JsonObject {
  const ports = container['ports'];
  if (!Array.isArray(ports)) return container;
  const complete: readonly Json[] = ports;
  return {
    ...container,
    ports: complete.map((port) => (isJsonObject(port) ? { ...port, protocol: port['protocol'] ?? 'TCP' } : port)),
  };
}
