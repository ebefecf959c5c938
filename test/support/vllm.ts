/** The repository that most tests start from: one vLLM workload of four groups and its Rollout. */

export const LWS_FILE = 'apps/vllm/lws.yaml';
export const ROLLOUT_FILE = 'rollouts/vllm.yaml';
export const OLD = 'vllm/vllm-openai:v0.10.0';
export const NEW = 'vllm/vllm-openai:v0.10.1';

export const LWS_TEXT = `# The model server of team search.
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata:
  name: vllm
  namespace: llm
spec:
  replicas: 4
  rolloutStrategy:
    type: RollingUpdate
    rollingUpdateConfiguration:
      maxUnavailable: 1  # one group is 16 GPUs
      maxSurge: 0
      partition: 0
  leaderWorkerTemplate:
    size: 2
    leaderTemplate:
      metadata:
        labels: {app: vllm, role: leader}
      spec:
        containers:
          - name: leader
            image: ${OLD}
            ports:
              - containerPort: 8080
    workerTemplate:
      spec:
        containers:
          - name: worker
            image: ${OLD}
`;

export const ROLLOUT_TEXT = `apiVersion: rollouts.kruise.io/v1beta1
kind: Rollout
metadata:
  name: vllm
  namespace: llm
spec:
  workloadRef:
    apiVersion: leaderworkerset.x-k8s.io/v1
    kind: LeaderWorkerSet
    name: vllm
  strategy:
    canary:
      steps:
        - replicas: 25%
          pause: {duration: 0}
        - replicas: 50%
          pause: {}
        - replicas: 100%
`;

export const VLLM_FILES = { [LWS_FILE]: LWS_TEXT, [ROLLOUT_FILE]: ROLLOUT_TEXT };
