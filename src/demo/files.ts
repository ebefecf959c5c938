/** The repository that the demo starts from: a vLLM server of four groups, as a platform team would write it. */

import type { FileWrite } from '../ports/git.ts';

export const LWS_FILE = 'apps/vllm/lws.yaml';
export const SERVICE_FILE = 'apps/vllm/service.yaml';
export const ROUTE_FILE = 'apps/vllm/route.yaml';
const ROLLOUT_FILE = 'rollouts/vllm.yaml';
export const NAMESPACE = 'llm';
export const NAME = 'vllm';
export const SERVICE_NAME = 'vllm-svc';
export const GROUPS = 4;
export const CLUSTER = 'gpu-west';
/** What the agent applies. */
export const SYNCED_FOLDER = 'apps';

export const IMAGE = 'vllm/vllm-openai';
export const OLD_TAG = 'v0.10.2';
export const NEW_TAG = 'v0.11.0';

const README = `# Model serving, ${CLUSTER}

\`apps/\` is what the GitOps agent applies. \`rollouts/\` says in which steps a new version gets there;
tranche reads it and moves \`apps/\` on, one commit a step. What it waits for is on the branch \`tranche-status\`.
`;

const TRANCHE = `# Which cluster this is. Everything else is as the defaults say.
cluster: ${CLUSTER}
`;

const SERVICE = `# Requests go to the leaders only; workers have no server. ${NAME} itself is the name of LWS's own headless Service.
apiVersion: v1
kind: Service
metadata:
  name: ${SERVICE_NAME}
  namespace: ${NAMESPACE}
spec:
  selector:
    leaderworkerset.sigs.k8s.io/name: ${NAME}
    leaderworkerset.sigs.k8s.io/worker-index: "0"
  ports:
    - name: http
      port: 80
      targetPort: 8080
`;

const LWS = `# Llama 3.1 405B: one group is two nodes of eight H100, four groups are the whole reservation.
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata:
  name: ${NAME}
  namespace: ${NAMESPACE}
  annotations:
    example.com/owner: team-search        # pages go to them
spec:
  replicas: 4
  startupPolicy: LeaderCreated
  rolloutStrategy:
    type: RollingUpdate
    rollingUpdateConfiguration:
      maxUnavailable: 1                   # 16 of 64 GPUs: what we can do without at noon
      maxSurge: 0                         # there are no spare nodes
      partition: 0
  leaderWorkerTemplate:
    size: 2
    restartPolicy: RecreateGroupOnPodRestart
    leaderTemplate:
      metadata:
        labels: {app: ${NAME}, role: leader}
      spec:
        containers:
          - name: vllm-leader
            image: ${IMAGE}:${OLD_TAG}
            command:
              - sh
              - -c
              - >-
                bash /vllm-workspace/examples/online_serving/multi-node-serving.sh leader
                --ray_cluster_size=$(LWS_GROUP_SIZE);
                vllm serve meta-llama/Llama-3.1-405B-Instruct-FP8 --port 8080
                --tensor-parallel-size 8 --pipeline-parallel-size 2
            ports:
              - containerPort: 8080
            readinessProbe:
              httpGet: {path: /health, port: 8080}
              periodSeconds: 10
            resources:
              limits:
                nvidia.com/gpu: "8"
                memory: 1124Gi
            volumeMounts:
              - {name: dshm, mountPath: /dev/shm}
        volumes:
          - name: dshm
            emptyDir: {medium: Memory, sizeLimit: 15Gi}
    workerTemplate:
      spec:
        containers:
          - name: vllm-worker
            image: ${IMAGE}:${OLD_TAG}
            command:
              - sh
              - -c
              - >-
                bash /vllm-workspace/examples/online_serving/multi-node-serving.sh worker
                --ray_address=$(LWS_LEADER_ADDRESS)
            resources:
              limits:
                nvidia.com/gpu: "8"
                memory: 1124Gi
            volumeMounts:
              - {name: dshm, mountPath: /dev/shm}
        volumes:
          - name: dshm
            emptyDir: {medium: Memory, sizeLimit: 15Gi}
`;

const ROLLOUT = `apiVersion: rollouts.kruise.io/v1beta1
kind: Rollout
metadata:
  name: ${NAME}
  namespace: ${NAMESPACE}
  annotations:
    example.com/owner: team-search
spec:
  workloadRef:
    apiVersion: leaderworkerset.x-k8s.io/v1
    kind: LeaderWorkerSet
    name: ${NAME}
  strategy:
    `;

/** The files that every strategy starts with, and the Rollout with this one. */
export function startFiles(strategy: string): readonly FileWrite[] {
  return [
    { path: 'README.md', text: README },
    { path: 'tranche.yaml', text: TRANCHE },
    { path: SERVICE_FILE, text: SERVICE },
    { path: LWS_FILE, text: LWS },
    { path: ROLLOUT_FILE, text: `${ROLLOUT}${strategy}` },
  ];
}
