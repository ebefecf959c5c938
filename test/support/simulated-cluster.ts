/** A simulated cluster with one realistic LeaderWorkerSet, for tests of what reads it or writes to it. */

import type { JsonObject } from '../../src/api/json.ts';
import { Cluster } from '../../src/simulator/cluster-model.ts';

export type LwsOptions = {
  readonly name?: string;
  readonly namespace?: string;
  readonly image?: string;
  readonly replicas?: number;
  readonly partition?: number;
};

/** A manifest as people write it: nothing that the API server would default. */
export function lwsManifest(options: LwsOptions = {}): JsonObject {
  const {
    name = 'vllm',
    namespace = 'llm',
    image = 'vllm/vllm-openai:v0.9.2',
    replicas = 4,
    partition = 1_000_000,
  } = options;
  const pod = (role: string): JsonObject => ({
    metadata: { labels: { app: name, role } },
    spec: { containers: [{ name: role, image, ports: role === 'leader' ? [{ containerPort: 8080 }] : [] }] },
  });
  return {
    apiVersion: 'leaderworkerset.x-k8s.io/v1',
    kind: 'LeaderWorkerSet',
    metadata: { name, namespace, labels: { app: name } },
    spec: {
      replicas,
      rolloutStrategy: {
        type: 'RollingUpdate',
        rollingUpdateConfiguration: { partition, maxUnavailable: 1, maxSurge: 0 },
      },
      leaderWorkerTemplate: { size: 2, leaderTemplate: pod('leader'), workerTemplate: pod('worker') },
    },
  };
}

/** 2026-11-21T00:00:00Z. */
export const START_SECONDS = 1_795_219_200;

/** A cluster in which every pod is ready after 20 s, with these manifests applied and at rest. */
export function restingCluster(manifests: readonly JsonObject[] = [lwsManifest()]): Cluster {
  const cluster = new Cluster({ lws: '0.10', gate: 'off', nowSeconds: START_SECONDS, readiness: () => 20 });
  for (const { answer } of cluster.apply(manifests, 'kustomize-controller')) {
    if (!answer.ok) throw new Error(JSON.stringify(answer));
  }
  cluster.tick(60);
  return cluster;
}
