/** A repository of kustomize folders, and what stands for kustomize where it is not what is measured. */

import { stringify } from 'yaml';
import { isJsonObject, type Json, type JsonObject } from '../src/api/json.ts';
import type { Builder, BuildInput } from '../src/ports/builder.ts';
import { lwsOf } from '../test/support/kustomize-trees.ts';
import { statusKeysText } from '../test/support/status-key.ts';
import { ROLLOUT_TEXT } from '../test/support/vllm.ts';
import { yamlValues } from '../test/support/yaml-values.ts';
import { configFile } from './place.ts';

const image = 'vllm/vllm-openai';

/** The kustomization of a root. */
export function kustomizationFile(at: number): string {
  return `apps/service-${at}/kustomization.yaml`;
}

/** All files, with a configuration that names their folders: each root has a tag and a workload of its own. */
export function rootFiles(roots: number): Readonly<Record<string, string>> {
  const files: Record<string, string> = { [configFile]: `paths: [apps, rollouts]\n${statusKeysText()}` };
  for (let at = 0; at < roots; at += 1) {
    files[kustomizationFile(at)] =
      `namespace: llm\nresources: [lws.yaml]\nimages:\n  - name: ${image}\n    newTag: v0.10.0\n`;
    files[`apps/service-${at}/lws.yaml`] = lwsOf(`service-${at}`, image);
    files[`rollouts/service-${at}.yaml`] = ROLLOUT_TEXT.replaceAll('name: vllm', `name: service-${at}`);
  }
  return files;
}

/** Builds such folders in this process, to the same objects as kustomize. */
export const standInBuilder: Builder = {
  isNamed: true,
  build: async (input) => ({ kind: 'built', text: builtText(input) }),
};

function builtText({ root, files }: BuildInput): string {
  const textOf = (start: string): string => files.find(({ path }) => path.startsWith(`${root}/${start}`))?.text ?? '';
  const tag = /newTag: (.*)/.exec(textOf('kustomization.yaml'))?.[1] ?? '';
  const [base = {}] = yamlValues(textOf('lws.yaml').replace(`image: ${image}`, `image: ${image}:${tag}`));
  const [patch = {}] = yamlValues(textOf('tranche/llm-'));
  return stringify(merged(merged(base, { metadata: { namespace: 'llm' } }), patch));
}

/** Of objects alone, as a patch of ours is without a pin. */
function merged(base: JsonObject, over: JsonObject): JsonObject {
  const both: Record<string, Json> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const before = both[key];
    both[key] = isJsonObject(before) && isJsonObject(value) ? merged(before, value) : value;
  }
  return both;
}
