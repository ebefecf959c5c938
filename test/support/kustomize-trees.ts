/** Repositories of kustomize folders in the shapes that people have, written for these tests. */

type Tree = Readonly<Record<string, string>>;

export const lwsOf = (name: string, image: string): string => `apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata:
  name: ${name}
spec:
  replicas: 4
  leaderWorkerTemplate:
    size: 2
    workerTemplate:
      metadata:
        labels: {app: ${name}}
      spec:
        containers:
          - name: vllm
            image: ${image}
            args: [--max-num-seqs, "1e3"]
            resources: {limits: {nvidia.com/gpu: "8"}}
`;

/**
 * In the shape of llm-d's guides (github.com/llm-d/llm-d, guides/wide-ep-lws at 5e9abc3 and recipes/modelserver at 927c387):
 * a shared component rewrites a placeholder of the image, another sets replicas by a pattern, and two clusters have an overlay.
 */
export function llmD({ tag = 'v0.9.0' } = {}): Tree {
  const overlay = (cluster: string, more = ''): string => `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
namespace: llm
namePrefix: ${cluster}-
resources:
  - ../../base
components:
  - ../../components/3p2d
  - ../../../../recipes/images/gpu-vllm
${more}`;
  return {
    'guides/wide-ep/overlays/prod/kustomization.yaml': overlay(
      'prod',
      'labels:\n  - pairs: {llm-d.ai/cluster: prod}\n    includeTemplates: true\n',
    ),
    'guides/wide-ep/overlays/stage/kustomization.yaml': overlay(
      'stage',
      'patches:\n  - path: replicas.yaml\n    target: {kind: LeaderWorkerSet}\n',
    ),
    'guides/wide-ep/overlays/stage/replicas.yaml': '- op: replace\n  path: /spec/replicas\n  value: 1\n',
    'guides/wide-ep/base/kustomization.yaml': `resources: [decode.yaml, account.yaml]
configurations: [namereference.yaml]
configMapGenerator:
  - name: decode-env
    files: [settings.toml]
`,
    'guides/wide-ep/base/decode.yaml': lwsOf('wide-ep-decode', 'REPLACE_MODEL_SERVER_IMAGE'),
    'guides/wide-ep/base/account.yaml': 'apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: decode}\n',
    'guides/wide-ep/base/settings.toml': 'max_model_len = 8192\n',
    'guides/wide-ep/base/namereference.yaml': `nameReference:
  - kind: ServiceAccount
    fieldSpecs:
      - {kind: LeaderWorkerSet, path: spec/leaderWorkerTemplate/workerTemplate/spec/serviceAccountName}
`,
    'guides/wide-ep/components/3p2d/kustomization.yaml': `apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
patches:
  - target: {kind: LeaderWorkerSet, name: ".*-decode"}
    patch: |-
      - op: replace
        path: /spec/replicas
        value: 2
`,
    'recipes/images/gpu-vllm/kustomization.yaml': `apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
images:
  - name: REPLACE_MODEL_SERVER_IMAGE
    newName: ghcr.io/llm-d/llm-d-cuda
    newTag: ${tag}
`,
  };
}

/** In the shape of the catalogue of wg-serving (kubernetes-sigs/wg-serving, serving-catalog/core/lws at 8b46f9f): a patch by kind, and settings that an overlay merges. */
export const SERVING_CATALOG: Tree = {
  'core/lws/vllm/llama3-405b/gke/kustomization.yaml': `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
nameSuffix: -gke
resources: [../base]
patches:
  - path: lws.patch.yaml
    target: {kind: LeaderWorkerSet}
    options: {allowNameChange: true}
configMapGenerator:
  - name: vllm-config
    behavior: merge
    literals: [tensor-parallel-size=8]
replacements:
  - path: replacement.yaml
transformers:
  - |-
    apiVersion: builtin
    kind: AnnotationsTransformer
    metadata: {name: owner}
    annotations: {owner: serving}
    fieldSpecs: [{path: metadata/annotations, create: true}]
`,
  'core/lws/vllm/llama3-405b/gke/lws.patch.yaml': `apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: llama3-405b}
spec: {replicas: 3}
`,
  'core/lws/vllm/llama3-405b/gke/replacement.yaml': `source: {kind: ConfigMap, name: vllm-config, fieldPath: data.tensor-parallel-size}
targets:
  - select: {kind: LeaderWorkerSet}
    fieldPaths: [metadata.annotations.tensor-parallel-size]
    options: {create: true}
`,
  'core/lws/vllm/llama3-405b/base/kustomization.yaml': `resources: [lws.yaml]
configMapGenerator:
  - name: vllm-config
    envs: [vllm.env]
`,
  'core/lws/vllm/llama3-405b/base/vllm.env': 'tensor-parallel-size=4\nmax-num-seqs=256\n',
  'core/lws/vllm/llama3-405b/base/lws.yaml': lwsOf('vllm', 'vllm/vllm-openai:v0.10.2'),
};

/** Every field that names files, once. */
export const TRANSFORMED: Tree = {
  'app/kustomization.yaml': `resources: [lws.yaml, ../base/]
crds: [crd.json]
openapi: {path: schema.json}
configurations: [names.yaml]
patchesStrategicMerge: [merge.yaml]
patchesJson6902:
  - {path: json.yaml, target: {group: leaderworkerset.x-k8s.io, version: v1, kind: LeaderWorkerSet, name: vllm}}
secretGenerator:
  - {name: token, files: [key=token.txt], env: token.env}
transformers: [labels/t.yaml]
`,
  'app/lws.yaml': lwsOf('vllm', 'vllm/vllm-openai:v0.10.2'),
  'app/crd.json': '{"definitions": {}}',
  'app/schema.json': '{"definitions": {}}',
  'app/names.yaml': 'namePrefix: []\n',
  'app/merge.yaml':
    'apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata: {name: vllm}\nspec: {replicas: 7}\n',
  'app/json.yaml': '- {op: replace, path: /spec/replicas, value: 8}\n',
  'app/token.txt': 'x',
  'app/token.env': 'A=1\n',
  'app/labels/t.yaml': `apiVersion: builtin
kind: PatchTransformer
metadata: {name: last}
path: labels/p.yaml
---
apiVersion: builtin
kind: ReplacementTransformer
metadata: {name: taken}
replacements:
  - path: labels/r.yaml
`,
  'app/labels/p.yaml': `apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: vllm, annotations: {last: "true"}}
`,
  'app/labels/r.yaml': `source: {kind: ConfigMap, name: settings, fieldPath: data.a}
targets:
  - select: {kind: LeaderWorkerSet}
    fieldPaths: [metadata.annotations.last]
`,
  'base/kustomization.yaml': 'resources: [settings.yaml]\n',
  'base/settings.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {a: b}\n',
};
