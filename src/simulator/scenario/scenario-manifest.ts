/** The pod templates of a scenario: letters stand for image tags. */

import { isJsonObject, type Json, type JsonObject } from '../../api/json.ts';

export const SCENARIO_LWS = { namespace: 'default', name: 'vllm' } as const;

const REPOSITORY = 'vllm/vllm-openai';
const CPU = '32';
const MEMORY = '1124Gi';

/** What `extra` may hold, next to which it is one more change of the templates, whatever it is. */
const EXTRAS: readonly string[] = [
  'labels',
  'annotations',
  'explicitDefaults',
  'portProtocol',
  'intQuantity',
  'cpu',
  'memory',
  'envReversed',
];

/** The letter of an image; empty where there is none. */
export function letterOf(image: string): string {
  return image.slice(image.lastIndexOf(':') + 1);
}

/** The keys of `extra` that stand for something in particular. */
export function isTemplateExtra(key: string): boolean {
  return EXTRAS.includes(key);
}

/** Leader and worker template of a letter. `extra`, from the event, is what else is different. */
export function podTemplates(letter: string, extra: JsonObject): JsonObject {
  return { leaderTemplate: podTemplate(letter, 'leader', extra), workerTemplate: podTemplate(letter, 'worker', extra) };
}

/** One of the two. */
export function podTemplate(letter: string, role: 'leader' | 'worker', extra: JsonObject): JsonObject {
  const env = [
    { name: 'HF_HUB_OFFLINE', value: '1' },
    { name: 'NCCL_DEBUG', value: 'WARN' },
  ];
  const defaults = extra['explicitDefaults'] === true;
  const cpu: Json = extra['cpu'] ?? (extra['intQuantity'] === true ? Number(CPU) : CPU);
  const memory: Json = extra['memory'] ?? MEMORY;
  const port = { containerPort: 8080, name: 'http' };
  const annotations = annotationsOf(extra);
  return {
    metadata: {
      labels: { app: 'vllm', role, ...(isJsonObject(extra['labels']) ? extra['labels'] : {}) },
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: {
      ...(defaults ? { restartPolicy: 'Always', dnsPolicy: 'ClusterFirst' } : {}),
      containers: [
        {
          name: role,
          image: `${REPOSITORY}:${letter}`,
          env: extra['envReversed'] === true ? env.toReversed() : env,
          ports: [extra['portProtocol'] === true ? { ...port, protocol: 'TCP' } : port],
          resources: { limits: { memory }, requests: { cpu, memory } },
          ...(defaults ? { imagePullPolicy: 'IfNotPresent', terminationMessagePolicy: 'File' } : {}),
        },
      ],
    },
  };
}

/** A change that has no field of its own here still makes another template. */
function annotationsOf(extra: JsonObject): JsonObject | undefined {
  const unknown = Object.entries(extra).filter(([key]) => !isTemplateExtra(key));
  const given = isJsonObject(extra['annotations']) ? extra['annotations'] : undefined;
  if (unknown.length === 0) return given;
  return { ...given, 'example.com/scenario': JSON.stringify(Object.fromEntries(unknown)) };
}
