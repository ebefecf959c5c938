/** Istio DestinationRule: the subset of the new version, made once and kept. Shares stand in the VirtualService. */

import { at, type JsonObject, jsonEqual } from '../../api/json.ts';
import { LWS_NAME } from '../../api/lws-labels.ts';
import { istioHost, mapsAt } from '../../api/weighted-routes.ts';
import type { EditPath } from '../edits/edit.ts';
import {
  ofGroup,
  type RouteEdits,
  type RouteFault,
  type RouteFiles,
  type RouteSurvey,
  type Sides,
  type TrafficProvider,
  wordless,
} from './provider.ts';

/** The name of the subset, as Kruise gives it. */
export const CANARY_SUBSET = 'canary';
const SUBSET_PATH: EditPath = ['spec', 'subsets', { key: 'name', value: CANARY_SUBSET }];

export const destinationRule: TrafficProvider = {
  ...ofGroup('networking.istio.io', 'DestinationRule'),
  copies: false,
  survey,
  // It names subsets; who sends to them is the VirtualService.
  read: ({ route: { value } }) => ({ percent: 0, ours: [], mirrors: [], stable: false, subsets: subsetsIn(value) }),
  ...wordless,
  prepare,
  write: () => ({ kind: 'ok', edits: [], displaced: [] }),
};

/** Each subset with its label of a workload: what a VirtualService may count on. */
function subsetsIn(value: JsonObject): string {
  const subsets = mapsAt(value, ['spec', 'subsets']).map(({ name, labels }) => {
    const workload = at(labels, [LWS_NAME]);
    return `${typeof name === 'string' ? name : '?'} of ${typeof workload === 'string' ? workload : 'any'}`;
  });
  return `subsets ${subsets.join(', ')}`;
}

/** The workload that the subset of the new version selects; undefined: there is no such subset. */
export function canarySubset(value: JsonObject): string | undefined {
  const subset = mapsAt(value, ['spec', 'subsets']).find(({ name }) => name === CANARY_SUBSET);
  const workload = at(subset, ['labels', LWS_NAME]);
  return typeof workload === 'string' ? workload : undefined;
}

function subsetOf({ workloads }: { readonly workloads: Pick<Sides['workloads'], 'canary'> }): JsonObject {
  return { name: CANARY_SUBSET, labels: { [LWS_NAME]: workloads.canary } };
}

/** The subset that a delivery has made here for this second workload; undefined: it has made none. */
export function subsetMadeFor(value: JsonObject, canary: string): EditPath | undefined {
  const own = mapsAt(value, ['spec', 'subsets']).find(({ name }) => name === CANARY_SUBSET);
  const isOurs = own !== undefined && jsonEqual(own, subsetOf({ workloads: { canary } }));
  return isOurs ? SUBSET_PATH : undefined;
}

function prepare({ route: { value, file, object } }: RouteFiles, sides: Sides): readonly RouteEdits[] {
  const isThere = mapsAt(value, ['spec', 'subsets']).some(({ name }) => name === CANARY_SUBSET);
  if (isThere || sides.canary !== sides.stable) return [];
  return [{ file, object, edits: [{ kind: 'insertItem', path: SUBSET_PATH, value: subsetOf(sides) }] }];
}

function survey({ route: { value } }: RouteFiles, sides: Sides): RouteSurvey {
  const host = at(value, ['spec', 'host']);
  const faults: readonly RouteFault[] = [
    ...(istioHost(host).name === sides.stable ? [] : [otherHost(sides)]),
    ...mapsAt(value, ['spec', 'subsets']).flatMap((subset, place) => wrongSubset(subset, place, sides)),
  ];
  return { rules: [], faults: sides.canary === sides.stable ? faults : [] };
}

function otherHost({ stable }: Sides): RouteFault {
  return {
    at: ['spec', 'host'],
    reason: 'BackendMissing',
    message: `its host is not ${stable}, so its subsets are none of that Service`,
    hint: 'Name the DestinationRule of the Service.',
  };
}

/** A subset that takes in both versions would give the new one requests past every share. */
function wrongSubset(subset: JsonObject, place: number, sides: Sides): readonly RouteFault[] {
  const { name } = subset;
  const path = ['spec', 'subsets', String(place)];
  if (name === CANARY_SUBSET) {
    if (jsonEqual(at(subset, ['labels']), subsetOf(sides)['labels'])) return [];
    return [
      {
        at: path,
        reason: 'NameTaken',
        message: `a delivery makes the subset ${CANARY_SUBSET} with ${LWS_NAME}: ${sides.workloads.canary}, and this one has other labels`,
        hint: 'Rename it.',
      },
    ];
  }
  if (at(subset, ['labels', LWS_NAME]) === sides.workloads.stable) return [];
  const label = [...path, 'labels', LWS_NAME];
  return [
    {
      at: path,
      reason: 'SubsetNotPinned',
      message: `the subset ${typeof name === 'string' ? name : place + 1} must have ${LWS_NAME}: ${sides.workloads.stable}, or it takes in the new version too`,
      hint: 'Add the label.',
      mend: [{ kind: 'set', path: label, value: sides.workloads.stable }],
    },
  ];
}
