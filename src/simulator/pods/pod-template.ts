/** Pod templates: what the API server defaults in those of StatefulSets, and which template a pod comes from. */

import { isJsonObject, type Json, type JsonObject } from '../../api/json.ts';
import { part, specOf } from '../objects/objects.ts';

/** The template with `change` applied to each container and init container. */
export function mapContainers(template: JsonObject, change: (container: JsonObject) => JsonObject): JsonObject {
  const spec = specOf(template);
  const changed: Record<string, Json> = {};
  for (const key of ['containers', 'initContainers']) {
    const containers = spec[key];
    if (!Array.isArray(containers)) continue;
    const list: readonly Json[] = containers;
    changed[key] = list.map((container) => (isJsonObject(container) ? change(container) : container));
  }
  return { ...template, spec: { ...spec, ...changed } };
}

/** A pod template as a StatefulSet has it, with what the API server fills in. LWS's own copy is not defaulted. */
export function defaultedTemplate(template: JsonObject): JsonObject {
  const filled = mapContainers(template, defaultedContainer);
  return { ...filled, spec: { ...POD_DEFAULTS, ...specOf(filled) } };
}

const POD_DEFAULTS: JsonObject = {
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  securityContext: {},
  schedulerName: 'default-scheduler',
};

function defaultedContainer(container: JsonObject): JsonObject {
  const probes: Record<string, Json> = {};
  for (const key of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    const probe = container[key];
    if (isJsonObject(probe)) probes[key] = defaultedProbe(probe);
  }
  const image = container['image'];
  const latest = typeof image === 'string' && (image.endsWith(':latest') || !/:[^/]+$/.test(image));
  return {
    resources: {},
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: latest ? 'Always' : 'IfNotPresent',
    ...container,
    ...probes,
  };
}

function defaultedProbe(probe: JsonObject): JsonObject {
  const http = part(probe, 'httpGet');
  return {
    timeoutSeconds: 1,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
    ...probe,
    ...(probe['httpGet'] === undefined ? {} : { httpGet: { scheme: 'HTTP', ...http } }),
  };
}
