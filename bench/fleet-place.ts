/** A repository of a platform team: many services, each with its workload, its Rollout and a kustomization. */

import { LWS_TEXT, ROLLOUT_TEXT } from '../test/support/vllm.ts';
import { configFile } from './place.ts';

const perNamespace = 10;

/** The folder of a service: three folders deep. */
export function fleetFolder(at: number): string {
  return `apps/${fleetNamespace(at)}/${nameOf(at)}`;
}

/** Ten services share one. */
export function fleetNamespace(at: number): string {
  return `team-${Math.floor(at / perNamespace)}`;
}

export function fleetLws(at: number): string {
  return `${fleetFolder(at)}/lws.yaml`;
}

/** All files, with a configuration that names their folder. */
export function fleetFiles(rollouts: number): Readonly<Record<string, string>> {
  const files: Record<string, string> = { [configFile]: 'paths: [apps]\n' };
  for (let at = 0; at < rollouts; at += 1) {
    files[fleetLws(at)] = named(LWS_TEXT, at);
    files[`${fleetFolder(at)}/rollout.yaml`] = named(ROLLOUT_TEXT, at);
    files[`${fleetFolder(at)}/kustomization.yaml`] = 'resources: [lws.yaml, rollout.yaml]\n';
  }
  return files;
}

function nameOf(at: number): string {
  return `service-${at}`;
}

function named(text: string, at: number): string {
  return text
    .replaceAll('name: vllm', `name: ${nameOf(at)}`)
    .replaceAll('app: vllm', `app: ${nameOf(at)}`)
    .replaceAll('namespace: llm', `namespace: ${fleetNamespace(at)}`);
}
