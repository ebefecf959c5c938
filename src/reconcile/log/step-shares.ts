/** Which share of the requests each step of a delivery sent to the new version, by the files of its commits. */

import type { RungMark } from '../../api/marks.ts';
import { isOneWorkload } from '../../api/styles.ts';
import type { Git, Oid } from '../../ports/git.ts';
import { percentIn, shareIn } from '../../rollout/ladders/shares.ts';
import type { WorkloadFile } from '../../rollout/snapshot.ts';
import type { Desired, DesiredRollout } from '../desired/desired-rollout.ts';
import { begunPlan } from '../ladder/begun.ts';
import { type DeliveryParts, deliveryIn } from '../ladder/delivery-parts.ts';
import { partsWithout } from '../ladder/find-parts.ts';

/** `matches`: requests with certain headers as well, whose number no file tells. */
export type StepShare = { readonly percent: number; readonly matches: boolean };

type Of = { readonly entry: DesiredRollout; readonly desired: Desired };

/** Rungs of a promotion from which on the user's own Service or route has the new version alone. */
const ALL: readonly (RungMark | undefined)[] = ['switch', 'route-restored', 'empty'];

/**
 * What the routes of a commit send to the new version; undefined: nothing is routed, or a document is not there. Its places
 * are those that the Rollout has now. Throws PortError where Git fails for now.
 */
export async function shareAt(
  git: Pick<Git, 'readAt'>,
  { entry, desired }: Of,
  { commit, file, isBack }: { readonly commit: Oid; readonly file: WorkloadFile; readonly isBack: boolean },
): Promise<StepShare | undefined> {
  const plan = begunPlan({ entry, desired })?.plan;
  if (plan?.routing === undefined) return undefined;
  const { marks } = file.workload;
  if (marks === undefined) return undefined;
  if (marks.step === undefined) return { percent: isBack ? 0 : 100, matches: false };
  if (marks.step.kind === 'promote' && (ALL.includes(marks.at) || isOneWorkload(plan.style)))
    return { percent: 100, matches: false };
  const { traffic, config, index } = desired;
  const asked = { plan, namespace: entry.key.namespace, file, stableText: undefined, traffic, config };
  const parts = partsWithout({ ...asked, scalersOf: index.scalersOf });
  const delivery = parts && deliveryIn({ texts: await textsOf(git, commit, parts), displaced: [] }, parts);
  if (delivery === undefined) return undefined;
  return { percent: percentIn(delivery), matches: shareIn(delivery) === 'matches' };
}

/** Of the workload, the Service and the routes. */
async function textsOf(
  git: Pick<Git, 'readAt'>,
  commit: Oid,
  { workload, service, routes }: DeliveryParts,
): Promise<ReadonlyMap<string, string>> {
  const places = [workload, ...(service === undefined ? [] : [service])].map(({ file }) => file);
  const paths = [...places, ...routes.flatMap(({ route, canaryFile }) => [route.file, canaryFile])];
  const { files } = await git.readAt(commit, { paths: [...new Set(paths)], suffixes: [], markers: [] });
  return new Map(
    files.flatMap(({ path, content }) => (content.kind === 'text' ? [[path, content.text] as const] : [])),
  );
}
