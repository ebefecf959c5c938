/** Whether a Rollout may change Services and routes that lie in folders of others: those say so on the object itself. */

import { isBelow } from '../../../api/config.ts';
import { ALLOWED_ROLLOUTS, isRouteOf } from '../../../api/intents.ts';
import { at } from '../../../api/json.ts';
import { foldersOf } from '../../../api/owners.ts';
import type { ManifestDocument } from '../../../manifests/parse-file.ts';
import { openRoutes } from './lint-routes.ts';
import type { TrafficFacts } from './traffic-facts.ts';
import type { TrafficFinding } from './traffic-finding.ts';

/**
 * Services and routes outside of the folders of Rollout and workload that do not name the Rollout. Asked before a delivery
 * starts: what is in progress changes them already, and must be able to restore them.
 */
export function lintOwners(facts: TrafficFacts): readonly TrafficFinding[] {
  const { file, rollout, plan, namespace, services } = facts;
  if (file.workload.marks?.step !== undefined) return [];
  const folders = ownFolders(facts);
  // Two Services of one name are reported elsewhere.
  const objects = [...(services.length === 1 ? services : []), ...openRoutes(facts).map(({ files }) => files.route)];
  return objects
    .filter((object) => !isBelow(folders, object.file) && !isAllowed(object, { namespace, name: plan.name }))
    .map((document) => ({
      document,
      path: ['metadata', 'annotations', ALLOWED_ROLLOUTS],
      reason: 'RouteOfOthers',
      what: `it lies outside of ${folders.join(' and ')}, and does not say that Rollout ${namespace}/${plan.name} in ${rollout.file} may share out its requests`,
      hint: `If its owners agree, add the annotation ${ALLOWED_ROLLOUTS}: ${namespace}/${plan.name} to it, or move it there.`,
    }));
}

/** The folders of both files, and those that `tranche.yaml` gives the namespace to. */
function ownFolders({ rollout, workload, namespace, index }: TrafficFacts): readonly string[] {
  const own = [rollout, workload].map(({ file }) => file.slice(0, Math.max(0, file.lastIndexOf('/'))));
  return [...new Set(foldersOf(index.owners, namespace) ?? own)];
}

function isAllowed(
  document: ManifestDocument,
  rollout: { readonly namespace: string; readonly name: string },
): boolean {
  const said = at(document.value, ['metadata', 'annotations', ALLOWED_ROLLOUTS]);
  return typeof said === 'string' && isRouteOf(said, rollout);
}
