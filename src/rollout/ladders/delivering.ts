/** A delivery with a second workload as a decision has it: what Git says, what is seen, and what is waited for. */

import { MADE_FOR, type Marks } from '../../api/marks.ts';
import type { TrafficRecord } from '../../api/record.ts';
import { printRelease, type Release } from '../../api/release.ts';
import { type Hold, hold } from '../hold.ts';
import type { Situation } from '../situation.ts';
import { type Advice, advice, commandLine, lastLeft, lastThere } from '../texts/advice.ts';
import type { Condition } from './condition.ts';
import type { Delivering } from './delivering-facts.ts';
import { annotationsOf, type Delivery, lostIn } from './delivery.ts';
import { deliveryOf } from './documents.ts';
import { trafficAfter } from './memory.ts';
import { unseen } from './seen.ts';
import { type DeliverySeen, type RememberedView, serving, type TrafficView } from './traffic-view.ts';

/** The delivery of this release by the marks of the file; undefined: a document of it is missing. */
export function delivering(situation: Situation, marks: Marks, release: Release): Delivering | undefined {
  const { snapshot, file, replicas, notApplied, digest, deliveries } = situation;
  const inputs = [snapshot, file, replicas, notApplied, digest, marks, printRelease(release)];
  const known = deliveries.find((one) => one.inputs.every((input, at) => input === inputs[at]));
  const found = known === undefined ? deliveryIn(situation, marks, release) : known.found;
  if (known === undefined) deliveries.push({ inputs, found });
  return found === undefined ? undefined : { ...found, situation };
}

function deliveryIn(situation: Situation, marks: Marks, release: Release): DeliverySeen | undefined {
  const { snapshot, file, replicas, notApplied, digest } = situation;
  const found = deliveryOf({ snapshot, file, marks, release, replicas });
  if (found === undefined) return undefined;
  const { traffic, stable } = snapshot;
  const isPutBack = digest !== release.digest && stable.kind === 'known' && digest === stable.value.release.digest;
  const delivery = isPutBack ? { ...found, putBack: { revision: situation.observed?.stableKey } } : found;
  if (traffic === undefined) return { delivery, marks, view: undefined };
  const view = { ...snapshot, traffic, notApplied, queued: digest !== release.digest, marks };
  return { delivery, marks, view: remembering(delivery, view) };
}

/** The view with its memory, which is worked out once, by whichever wait asks first: at rest none does. */
export function remembering(delivery: Delivery, view: TrafficView): RememberedView {
  let remembered: TrafficRecord | undefined;
  return {
    ...view,
    memory: () => {
      remembered ??= trafficAfter(delivery, view);
      return remembered;
    },
  };
}

/** Why a delivery cannot be found in the files. `otherwise`: what else may be done. */
export function documentMissing({ snapshot, file, marks }: Situation, otherwise: string | Advice = ''): Hold {
  const { service = '', routes = [] } = snapshot.rollout?.rollout.routing ?? marks?.restore?.routing ?? {};
  const named = [service, ...routes.map(({ kind, name }) => `${kind} ${name}`)].filter((one) => one !== '');
  return hold('CanaryEdited', {
    seen: `${file.file}: the delivery of ${file.object.name} needs documents that must each be in the files once, with its namespace, and are not: ${named.join(', ')}`,
    action: advice`Put them back ${lastLeft('as the last commit of tranche left them', [])}${otherwise}`,
  });
}

/** A Service or a route that the delivery was started with is not in the files: nothing goes further, what goes back does. */
export function documentsLost({ delivery, situation }: Delivering): Hold | undefined {
  const found = lostIn(delivery);
  return found === undefined
    ? undefined
    : hold('CanaryEdited', {
        seen: `${found}, which the delivery of ${situation.file.object.name} needs, must be in the files once, with its namespace, and is not`,
        action: advice`Put it back ${lastThere('as main last had it', delivery.missing)}; to go back as far as that goes without it: ${commandLine('abort', situation.snapshot.key)} (with --now no request stays with the new version)`,
      });
}

/** The Rollout names other routes than those that the delivery has: a share would be seen by nobody, and stay. */
export function routesChanged({ delivery, situation }: Delivering): Hold | undefined {
  const { rollout, file } = situation.snapshot.rollout ?? {};
  const named = rollout?.routing?.routes ?? [];
  const isNamed = ({ provider, route }: Delivery['routes'][number]): boolean =>
    named.some((ref) => provider.isNamed(ref) && ref.name === route.object.name);
  const extra = delivery.routes.filter((route) => !isNamed(route)).map(({ route: { object } }) => object);
  const missing = named.filter((ref) => !delivery.routes.some(({ route }) => route.object.name === ref.name));
  const [more, less] = [extra[0], missing[0]];
  if (more === undefined && less === undefined) return undefined;
  const seen =
    more === undefined
      ? `names ${less?.kind} ${less?.name}, which is not among the files, and which this delivery does not have`
      : `does not name ${more.kind} ${more.name}, which this delivery has given a share`;
  return hold('FrozenFieldChanged', {
    seen: `${file ?? ''}: trafficRoutings of ${rollout?.name ?? ''} ${seen}`,
    action: advice`Put it back until the delivery is over; to go back: ${commandLine('abort', situation.snapshot.key)}`,
  });
}

/** A document with the name of one that we would write, and somebody else's: it is never taken over. */
export function takenBySomebody({ delivery }: Delivering): Hold | undefined {
  const { own, second, canaryService } = delivery;
  const found = [second, canaryService].find(
    (one) => one !== undefined && annotationsOf(one)[MADE_FOR] !== own.object.name,
  );
  if (found === undefined) return undefined;
  const { kind, name } = found.object;
  return hold('CanaryEdited', {
    seen: `${found.file}: ${kind} ${name} is there already, without the annotation ${MADE_FOR}: ${own.object.name}. tranche did not make it, and does not change it`,
    action: 'Give it another name, or take it out of the files',
  });
}

/** What of the conditions is not seen; those of people and of policies are asked elsewhere. */
export function waiting({ delivery, view }: Delivering, waits: readonly Condition[]): readonly Hold[] {
  const asked = waits.filter(({ kind }) => kind !== 'gates' && kind !== 'pause');
  if (asked.length === 0) return [];
  if (view !== undefined) return unseen(asked, delivery, view);
  return [
    hold('ClusterUnreadable', {
      seen: 'the second workload, the Services and the routes were not read',
      waits: 'reading',
    }),
  ];
}

/** How many groups of a side serve; undefined: that could not be read. */
export function servingGroups({ delivery, view }: Delivering, side: 'stable' | 'canary'): number | undefined {
  const found = view === undefined ? undefined : serving(delivery, view, side);
  return found?.kind === 'known' ? found.value.length : undefined;
}
