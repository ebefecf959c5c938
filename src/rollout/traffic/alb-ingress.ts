/** Ingress of AWS's load balancer controller: an action in an annotation splits the requests between target groups. */

import { type AlbAction, parseAlbAction, parseJson, type TargetGroup, withValues } from '../../api/alb-action.ts';
import { parseIngress } from '../../api/ingress.ts';
import { type Json, type JsonObject, jsonEqual } from '../../api/json.ts';
import {
  type Displaced,
  type RouteFault,
  type RouteFiles,
  type RouteReading,
  type RouteSurvey,
  type Share,
  type Sides,
  type TrafficProvider,
  type Unwritable,
  type Written,
  wordless,
} from './provider.ts';

/** What the Rollout writes as `classType`. */
export const ALB_CLASS = 'aws-alb';
const ACTION = 'alb.ingress.kubernetes.io/actions.';
const TARGET_TYPE = 'alb.ingress.kubernetes.io/target-type';
/** The name of the port by which a path asks for the action of its Service's name. */
const USE_ANNOTATION = 'use-annotation';

export const albIngress: TrafficProvider = {
  kind: 'Ingress',
  copies: false,
  isOf: ({ object }) => object.kind === 'Ingress' && object.apiVersion.startsWith('networking.k8s.io/'),
  isNamed: ({ kind, group, ingressClass }) =>
    kind === 'Ingress' && group === 'networking.k8s.io' && ingressClass === ALB_CLASS,
  survey,
  read,
  ...wordless,
  prepare: () => [],
  write,
};

function pathOf({ stable }: Sides): readonly string[] {
  return ['metadata', 'annotations', `${ACTION}${stable}`];
}

function actionIn(value: JsonObject, { stable }: Sides): AlbAction | undefined {
  return parseAlbAction(parseIngress(value).annotations[`${ACTION}${stable}`] ?? '');
}

function survey({ route }: RouteFiles, sides: Sides): RouteSurvey {
  const { paths, faults, annotations } = parseIngress(route.value);
  const own = paths.filter(({ service }) => service === sides.stable);
  if (own.length === 0) return { rules: [], faults: [...faults, missing(sides)] };
  const past = own.find(({ port }) => port !== USE_ANNOTATION);
  const action = actionIn(route.value, sides);
  const stable = action?.groups.find(({ service }) => service === sides.stable);
  if (past !== undefined || action === undefined || stable === undefined)
    return { rules: [], faults: [...faults, noAction(sides, past?.serviceAt)] };
  const other = action.groups.find(({ service }) => service !== sides.stable && service !== sides.canary);
  return {
    rules: [{ port: stable.port, portAt: pathOf(sides), portInText: true, portOptional: false, timeout: undefined }],
    faults: [
      ...faults,
      ...(annotations[TARGET_TYPE] === 'ip' ? [] : [noIp()]),
      ...(other === undefined ? [] : [otherGroup(sides, other)]),
      ...(action.sticky ? [sticky(sides)] : []),
    ],
  };
}

function missing({ stable }: Sides): RouteFault {
  return {
    at: ['spec', 'rules'],
    reason: 'BackendMissing',
    message: `no path sends to the Service ${stable}, so there is nothing that a share could be taken of`,
    hint: 'Name the Ingress that sends to it, or the Service that this one has.',
  };
}

function noAction({ stable }: Sides, serviceAt: readonly string[] | undefined): RouteFault {
  const example = { type: 'forward', forwardConfig: { targetGroups: [{ serviceName: stable, servicePort: 80 }] } };
  return {
    at: serviceAt ?? ['metadata', 'annotations'],
    reason: 'ActionMissing',
    message: `its paths to ${stable} must go by the annotation ${ACTION}${stable}, which splits their requests between target groups`,
    hint: `Write ${JSON.stringify(example)} there, and port: {name: ${USE_ANNOTATION}} in each of the paths.`,
  };
}

/** Where IngressClassParams say it too, the annotation repeats it: files alone cannot tell. */
function noIp(): RouteFault {
  const path = ['metadata', 'annotations', TARGET_TYPE];
  return {
    at: path,
    reason: 'TargetTypeNotIp',
    message: `it does not say ${TARGET_TYPE}: ip, and targets by node ports cannot reach the Service of the new version, which has none`,
    hint: 'Add it. Where the targets are instances now, the controller makes new target groups.',
    mend: [{ kind: 'set', path, value: 'ip' }],
  };
}

function otherGroup(sides: Sides, { service }: TargetGroup): RouteFault {
  const name = service === '' ? 'a target group of AWS' : service;
  return {
    at: pathOf(sides),
    reason: 'OtherBackend',
    message: `its action sends to ${name} as well as to ${sides.stable}: weights for a delivery would change that share`,
    hint: 'Give it an action and a path of its own.',
  };
}

function sticky(sides: Sides): RouteFault {
  return {
    at: pathOf(sides),
    reason: 'SessionPersistence',
    message:
      'its action keeps sessions where they are, even at weight 0: those on a new version that fails would stay on it',
    hint: 'Remove targetGroupStickinessConfig from the action.',
  };
}

function read({ route }: RouteFiles, sides: Sides): RouteReading {
  const groups = actionIn(route.value, sides)?.groups ?? [];
  const sum = (list: readonly TargetGroup[]): number => list.reduce((all, { weight = 1 }) => all + weight, 0);
  const [stable, canary] = [sides.stable, sides.canary].map((name) => groups.filter(({ service }) => service === name));
  const percent = sum(canary ?? []) === 0 ? 0 : (sum(canary ?? []) * 100) / sum(groups);
  return { percent, ours: [], mirrors: [], stable: sum(stable ?? []) > 0 };
}

function write({ route, displaced: [aside] }: RouteFiles, sides: Sides, share: Share): Written | Unwritable {
  const action = actionIn(route.value, sides);
  if (action === undefined) return { kind: 'unwritable', faults: [noAction(sides, undefined)] };
  if (share.kind === 'matches') return { kind: 'unwritable', faults: [noMatches()] };
  const { object, file, value } = route;
  const path = pathOf(sides);
  const now = parseIngress(value).annotations[`${ACTION}${sides.stable}`] ?? '';
  const set = share.kind === 'none' ? textAsWritten(action, sides, aside) : shared(action, sides, share.percent);
  const next = set === undefined || jsonEqual(parseJson(set), parseJson(now)) ? now : set;
  const displaced =
    share.kind === 'none' ? [] : [{ object, path, was: aside === undefined ? now : aside.was, set: next }];
  const edits = next === now ? [] : [{ file, object, edits: [{ kind: 'set', path, value: next } as const] }];
  return { kind: 'ok', edits, displaced };
}

function shared({ groups, withGroups }: AlbAction, { stable, canary }: Sides, percent: number): string {
  const own = groups.filter(({ service }) => service === stable);
  const others = groups.filter(({ service }) => service !== stable && service !== canary);
  const next = own.flatMap(({ json }) => [
    withValues(json, { weight: 100 - percent }),
    withValues(json, { serviceName: canary, weight: percent }),
  ]);
  return JSON.stringify(withGroups([...next, ...others.map(({ json }) => json)]));
}

/** The text from before the first share, unless people have changed something else of the action since. */
function textAsWritten(
  { groups, withGroups }: AlbAction,
  { stable, canary }: Sides,
  aside: Displaced | undefined,
): string | undefined {
  const was = typeof aside?.was === 'string' ? aside.was : undefined;
  const before = parseAlbAction(was ?? '')?.groups.find(({ service }) => service === stable);
  const kept = groups.filter(({ service }) => service !== canary);
  const isShared = kept.length < groups.length;
  const home: Json = withGroups(
    kept.map(({ service, weight, json }) => {
      // What it was is not known, and alone with a weight of 0 it would get no request.
      const isLost = was === undefined && isShared && weight === 0;
      return service === stable && (was !== undefined || isLost) ? withValues(json, { weight: before?.weight }) : json;
    }),
  );
  return was !== undefined && jsonEqual(parseJson(was), home) ? was : JSON.stringify(home);
}

function noMatches(): RouteFault {
  return {
    at: ['spec'],
    reason: 'MatchNotSupported',
    message: 'the step has matches, and the action of an annotation only knows weights',
    hint: 'Share by traffic, or use a Gateway.',
  };
}
