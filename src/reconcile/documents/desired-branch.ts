/** What a pass asks of the desired branch: apart from what it makes of it, because it is asked for before that is loaded. */

import { CONFIG_FILE, DEFAULT_CONFIG, OTHER_CONFIG_FILE } from '../../api/config.ts';
import { LWS_KIND, OWN_GROUP, POLICY_KIND, ROUTE_PROVIDER_KIND } from '../../api/kinds.ts';
import type { Oid, ReadRequest } from '../../ports/git.ts';
import { PortError } from '../../ports/port-error.ts';

/** The configuration and nothing else; under the other name it is asked for to be refused. */
export const CONFIG_REQUEST: ReadRequest = { paths: [CONFIG_FILE, OTHER_CONFIG_FILE], suffixes: [], markers: [] };

/**
 * What to read of main for these paths. Only files that can concern a rollout keep their text: an autoscaler of a
 * LeaderWorkerSet names that kind, kustomize knows its files by name, and what agents add to them stands below that word. `soon`: kinds that are read after that.
 */
export function desiredRequest(paths: readonly string[], soon: readonly string[] = []): ReadRequest {
  return {
    paths,
    soon,
    suffixes: ['.yaml', '.yml', '.json', 'Kustomization', 'Chart.yaml'],
    markers: [
      LWS_KIND,
      'rollouts.kruise.io',
      'kind: Rollout',
      POLICY_KIND,
      ROUTE_PROVIDER_KIND,
      OWN_GROUP,
      'kustomize',
      'helm.toolkit.fluxcd.io',
    ],
    names: ['kustomization.yaml', 'kustomization.yml', 'Kustomization', 'Chart.yaml'],
  };
}

/** The head of a branch that must be there. */
export function headOf(branch: string, head: Oid | undefined): Oid {
  if (head !== undefined) return head;
  if (branch.startsWith('refs/'))
    throw new PortError(`the repository has no ${branch}`, {
      port: 'git',
      operation: 'read',
      retryable: false,
      hint: 'Check its spelling. A pull request that has conflicts has no merge ref: solve them first.',
    });
  throw new PortError(`the repository has no branch ${branch}`, {
    port: 'git',
    operation: 'read',
    retryable: false,
    hint: `Create it, or name the one that the agent applies in each call: --branch NAME (lint and roots: --ref NAME). A branch ${DEFAULT_CONFIG.branch} may name it as well: branches.desired in its tranche.yaml, and in that of the other.`,
  });
}
