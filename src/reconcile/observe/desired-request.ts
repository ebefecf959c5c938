/** What a pass reads of main: apart from what it makes of it, because it is asked for before that is loaded. */

import { CONFIG_FILE } from '../../api/config.ts';
import { LWS_KIND } from '../../api/rollout.ts';
import { POLICY_KIND } from '../../api/rollout-policy.ts';
import type { ReadRequest } from '../../ports/git.ts';

/** The configuration and nothing else. */
export const CONFIG_REQUEST: ReadRequest = { paths: [CONFIG_FILE], suffixes: [], markers: [] };

/**
 * What to read of main for these paths. Only files that can concern a rollout keep their text: an autoscaler of a
 * LeaderWorkerSet names that kind, and kustomize knows its files by name.
 */
export function desiredRequest(paths: readonly string[]): ReadRequest {
  return {
    paths,
    suffixes: ['.yaml', '.yml', '.json', 'Kustomization', 'Chart.yaml'],
    markers: [LWS_KIND, 'rollouts.kruise.io', 'kind: Rollout', POLICY_KIND, 'kustomize.toolkit.fluxcd.io'],
    names: ['kustomization.yaml', 'kustomization.yml', 'Kustomization', 'Chart.yaml'],
  };
}
