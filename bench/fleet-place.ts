/** A repository of a platform team: many services, each with its workload, its Rollout and a kustomization. */

import { ladderRollout } from '../test/support/ladder.ts';
import { statusKeysText } from '../test/support/status-key.ts';
import { ROUTE_TEXT, SERVICE_TEXT } from '../test/support/traffic-files.ts';
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

const CANARY_STEPS = [
  'replicas: 1, traffic: 5%, pause: {duration: 0}',
  'replicas: 50%, traffic: 50%, pause: {}',
] as const;

/** All files, with a configuration that names their folder; the first `canaries` have a Service, a route and shares. */
export function fleetFiles(rollouts: number, canaries = 0): Readonly<Record<string, string>> {
  const files: Record<string, string> = { [configFile]: `paths: [apps]\n${statusKeysText()}` };
  for (let at = 0; at < rollouts; at += 1) {
    files[fleetLws(at)] = named(LWS_TEXT, at);
    files[`${fleetFolder(at)}/rollout.yaml`] = named(ROLLOUT_TEXT, at);
    files[`${fleetFolder(at)}/kustomization.yaml`] = 'resources: [lws.yaml, rollout.yaml]\n';
    if (at < canaries) Object.assign(files, canaryFiles(at));
  }
  return files;
}

function canaryFiles(at: number): Readonly<Record<string, string>> {
  const folder = fleetFolder(at);
  const own = (text: string): string =>
    named(text, at)
      .replaceAll('vllm-svc', `${nameOf(at)}-svc`)
      .replaceAll('chat', `${nameOf(at)}-chat`);
  return {
    [`${folder}/rollout.yaml`]: own(ladderRollout('canary', CANARY_STEPS)),
    [`${folder}/service.yaml`]: own(SERVICE_TEXT),
    [`${folder}/route.yaml`]: own(ROUTE_TEXT),
    [`${folder}/kustomization.yaml`]: 'resources: [lws.yaml, rollout.yaml, service.yaml, route.yaml]\n',
  };
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
