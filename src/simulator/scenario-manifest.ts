/** The LeaderWorkerSet of a scenario: template letters stand for image tags. */

import { isJsonObject, type Json, type JsonObject } from '../api/json.ts';
import type { NewObject } from './objects.ts';
import type { InitialLws } from './scenario-file.ts';

export const SCENARIO_LWS = { namespace: 'default', name: 'vllm' } as const;

const REPOSITORY = 'vllm/vllm-openai';
const CPU = '32';

/** The letter of an image; empty where there is none. */
export function letterOf(image: string): string {
  return image.slice(image.lastIndexOf(':') + 1);
}

/** The object as it is created. */
export function scenarioManifest(initial: InitialLws): NewObject {
  return {
    apiVersion: 'leaderworkerset.x-k8s.io/v1',
    kind: 'LeaderWorkerSet',
    metadata: { ...SCENARIO_LWS },
    spec: {
      replicas: initial.replicas,
      startupPolicy: initial.startupPolicy,
      rolloutStrategy: { type: 'RollingUpdate', rollingUpdateConfiguration: initial.rolling },
      leaderWorkerTemplate: {
        size: initial.size,
        restartPolicy: initial.restartPolicy,
        ...(initial.claims.length === 0 ? {} : { volumeClaimTemplates: initial.claims }),
        ...podTemplates(initial.template, {}),
      },
    },
  };
}

/**
 * Leader and worker template of a letter. `extra`, from the event, is what else is different: `labels`,
 * `annotations`, `explicitDefaults`, `portProtocol`, `intQuantity`, `cpu`, `envReversed`.
 */
export function podTemplates(letter: string, extra: JsonObject): JsonObject {
  return { leaderTemplate: podTemplate(letter, 'leader', extra), workerTemplate: podTemplate(letter, 'worker', extra) };
}

function podTemplate(letter: string, role: 'leader' | 'worker', extra: JsonObject): JsonObject {
  const env = [
    { name: 'HF_HUB_OFFLINE', value: '1' },
    { name: 'NCCL_DEBUG', value: 'WARN' },
  ];
  const defaults = extra['explicitDefaults'] === true;
  const cpu: Json = extra['cpu'] ?? (extra['intQuantity'] === true ? Number(CPU) : CPU);
  const port = { containerPort: 8080, name: 'http' };
  return {
    metadata: {
      labels: { app: 'vllm', role, ...(isJsonObject(extra['labels']) ? extra['labels'] : {}) },
      ...(isJsonObject(extra['annotations']) ? { annotations: extra['annotations'] } : {}),
    },
    spec: {
      ...(defaults ? { restartPolicy: 'Always', dnsPolicy: 'ClusterFirst' } : {}),
      containers: [
        {
          name: role,
          image: `${REPOSITORY}:${letter}`,
          env: extra['envReversed'] === true ? env.toReversed() : env,
          ports: [extra['portProtocol'] === true ? { ...port, protocol: 'TCP' } : port],
          resources: { limits: { memory: '1124Gi' }, requests: { cpu, memory: '1124Gi' } },
          ...(defaults ? { imagePullPolicy: 'IfNotPresent', terminationMessagePolicy: 'File' } : {}),
        },
      ],
    },
  };
}
