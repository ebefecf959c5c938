/** A kustomize folder whose template refers to a ConfigMap that a generator makes. */

import { BUILT_FILES, COMPONENT } from './built-world.ts';

type Files = Readonly<Record<string, string>>;

export const SETTINGS = 'components/images/settings.toml';

/** A generated ConfigMap whose name reaches the template, as its content decides it. */
export function generated(options: string): Files {
  return {
    [COMPONENT]: `${BUILT_FILES[COMPONENT]}configMapGenerator:
  - name: settings
    files: [settings.toml]
${options}configurations: [names.yaml]
`,
    [SETTINGS]: 'max_model_len = 8192\n',
    'components/images/names.yaml': `nameReference:
  - kind: ConfigMap
    fieldSpecs:
      - {kind: LeaderWorkerSet, path: spec/leaderWorkerTemplate/workerTemplate/spec/containers/envFrom/configMapRef/name}
`,
    'apps/vllm/base/lws.yaml': (BUILT_FILES['apps/vllm/base/lws.yaml'] ?? '').replace(
      '            args:',
      '            envFrom: [{configMapRef: {name: settings}}]\n            args:',
    ),
  };
}
