/** Traefik's TraefikService: one list of weighted services. */

import { at } from '../../api/json.ts';
import { mapsAt, namedBackend } from '../../api/weighted-routes.ts';
import { type PlacedKind, type PlacedRule, readPlaced, surveyPlaced, writePlaced } from './placed-rules.ts';
import { ofGroup, type RouteFault, type RouteFiles, type Sides, type TrafficProvider, wordless } from './provider.ts';
import { namespaceOf, sideOf } from './sides.ts';

const LIST = ['spec', 'weighted', 'services'];

const kind: PlacedKind = {
  rules: rulesOf,
  unweighted: 1,
  renamed: (stable, { canary }) => ({ ...stable, name: canary }),
  faultsOf: ({ json }) =>
    json['sticky'] === undefined
      ? []
      : [
          {
            at: ['spec', 'weighted', 'sticky'],
            reason: 'SessionPersistence',
            message:
              'it keeps sessions where they are, even at weight 0: those on a new version that fails would stay on it',
            hint: 'Remove sticky.',
            mend: [{ kind: 'remove', path: ['spec', 'weighted', 'sticky'] }],
          },
        ],
  ownRules: () => ({
    rules: [],
    faults: [
      {
        at: ['spec'],
        reason: 'MatchNotSupported',
        message: 'the step has matches, and a TraefikService only knows weights',
        hint: 'Share by traffic, or match in an HTTPRoute.',
      },
    ],
  }),
};

/** Seen on Traefik 3.7.13: one service without servers, whatever its weight, and all of the TraefikService is not there. */
const EMPTY_STOPS_ALL: RouteFault = {
  at: LIST,
  reason: 'EmptyServiceStopsAll',
  message:
    'unless Traefik runs with allowEmptyServices, one service without ready endpoints stops all of it: a new version that dies takes every request with it until its share is withdrawn, and so does a primary of one group that restarts',
  hint: 'Start Traefik with --providers.kubernetescrd.allowemptyservices=true; no file here shows whether it is.',
};

export const traefikService: TrafficProvider = {
  ...ofGroup('traefik.io', 'TraefikService'),
  copies: false,
  caution: EMPTY_STOPS_ALL,
  survey: (files, sides) => surveyPlaced(kind, files, sides),
  read: (files, sides) => readPlaced(kind, files, sides),
  ...wordless,
  prepare: () => [],
  write: (files, sides, share) => writePlaced(kind, files, { sides, share }),
};

function rulesOf({ route }: RouteFiles, sides: Sides): readonly PlacedRule[] {
  const { value } = route;
  const json = at(value, ['spec', 'weighted']);
  if (json === undefined) return [];
  const backends = mapsAt(value, LIST).map((entry, place) => {
    const { namespace, ...backend } = namedBackend(entry);
    const isService = entry['kind'] === undefined || entry['kind'] === 'Service';
    const named = { name: backend.name, namespace: namespace === namespaceOf(route, sides) ? '' : namespace };
    return {
      ...backend,
      side: isService ? sideOf(named, sides) : 'other',
      place,
      portAt: [...LIST, String(place), 'port'],
    } as const;
  });
  const [rule] = mapsAt({ rules: [json] }, ['rules']);
  return [
    { place: 0, path: ['spec', 'weighted'], list: LIST, backends, mirrors: [], timeout: undefined, json: rule ?? {} },
  ];
}
