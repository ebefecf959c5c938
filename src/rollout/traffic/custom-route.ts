/** Routes of a kind that a RouteProvider describes: read, shared and restored by data, in place of a script. */

import type { FieldFault } from '../../api/field-reader.ts';
import { at, type Json, type JsonObject } from '../../api/json.ts';
import { type PathSteps, resolve } from '../../api/json-path.ts';
import type { CustomKind } from '../../api/route-provider.ts';
import { conditionWords, type RouteWord } from '../../api/route-status.ts';
import { difference, segmentBy, textsIn } from './custom-json.ts';
import { innerOf, numberAt, type Place, placesIn } from './custom-places.ts';
import { isOf, names, ownItem, withoutShare } from './custom-restore.ts';
import { unresolved, withShare } from './custom-share.ts';
import {
  type Displaced,
  ofGroup,
  type RouteFiles,
  type RouteReading,
  type RouteSurvey,
  type Share,
  type Sides,
  type TrafficProvider,
  type Unwritable,
  type Written,
} from './provider.ts';

/** The provider that a RouteProvider describes. */
export function customRoute(custom: CustomKind): TrafficProvider {
  return {
    ...ofGroup(custom.group, custom.kind),
    copies: false,
    ownScale: true,
    survey: ({ route }, sides) => survey(plainOf(route.value), custom, sides),
    read: ({ route }, sides) => read(plainOf(route.value), custom, sides),
    words: (live) => wordsOf(live, custom),
    prepare: () => [],
    write: (files, sides, share) => write(files, custom, { sides, share }),
  };
}

/** Names, labels and status are no place for a share. */
function plainOf({ metadata, spec }: JsonObject): JsonObject {
  const annotations = at(metadata, ['annotations']);
  return {
    ...(annotations === undefined ? {} : { metadata: { annotations } }),
    ...(spec === undefined ? {} : { spec }),
  };
}

/** Nothing is known of ports and of how long a request may take: the longest drain is waited for. */
function survey(root: Json, custom: CustomKind, sides: Sides): RouteSurvey {
  const places = placesIn(root, custom, sides);
  const missing: FieldFault = {
    at: ['spec'],
    reason: 'BackendMissing',
    message: `nothing of it sends to the Service ${sides.stable} where its RouteProvider looks for it, so there is nothing that a share could be taken of`,
    hint: 'Name the route that sends to it, or correct the paths in the RouteProvider.',
  };
  const isThere = custom.weights.every(({ within }) =>
    places.some((place) => JSON.stringify(place.within) === JSON.stringify(within)),
  );
  return { rules: [], faults: isThere ? places.flatMap((place) => faultsOf(root, place, sides)) : [missing] };
}

function faultsOf(root: Json, place: Place, sides: Sides): readonly FieldFault[] {
  const inner = innerOf(root, place) ?? {};
  const own = place.stable === undefined ? undefined : resolve(inner, place.stable);
  if (own === undefined) return [];
  if (own.kind !== 'found') return [unresolved(own, sides.stable).fault];
  const depth = own.path.findLastIndex((_, length) => Array.isArray(at(inner, own.path.slice(0, length))));
  const list = depth < 0 ? [] : at(inner, own.path.slice(0, depth));
  const others = (Array.isArray(list) ? list : []).filter(
    (item: Json, number) =>
      String(number) !== own.path[depth] && !isOf(item, sides) && !isCanaryOf(inner, place, number),
  );
  if (others.length === 0) return [];
  return [
    {
      at: place.within === undefined ? own.path.slice(0, depth) : ['spec'],
      reason: 'OtherBackend',
      message: `its list has ${others.length} more next to ${sides.stable}: weights for a delivery would change the share of what it names`,
      hint: 'Give it a rule or a route of its own.',
    },
  ];
}

function isCanaryOf(inner: Json, { canary }: Place, number: number): boolean {
  const found = resolve(inner, canary);
  return (
    found.kind === 'found' &&
    found.path.some((key, depth) => key === String(number) && Array.isArray(at(inner, found.path.slice(0, depth))))
  );
}

function read(root: Json, custom: CustomKind, sides: Sides): RouteReading {
  const places = placesIn(root, custom, sides);
  const shares = places.map((place) => shareAt(root, place));
  const counted = places.flatMap(({ within, canary }) => {
    const found = within === undefined ? resolve(root, canary) : undefined;
    return found?.kind === 'found' ? [found.path.slice(0, -1).join('/')] : [];
  });
  const others = textsIn(root).filter(
    ([path, text]) => names(text, sides) && !counted.some((item) => `${path.join('/')}/`.startsWith(`${item}/`)),
  );
  const rules = new Map<string, readonly string[]>();
  const mirrors: (readonly string[])[] = [];
  for (const [path] of others) {
    const item = ownItem(root, path, sides);
    if (item === undefined) mirrors.push(path);
    else rules.set(item.join('/'), item);
  }
  return {
    percent: Math.max(0, ...shares.map(({ canary }) => canary)),
    ours: [...rules.values()],
    mirrors,
    stable: shares.some(({ stable }) => stable > 0),
  };
}

function shareAt(root: Json, place: Place): { readonly stable: number; readonly canary: number } {
  const inner = innerOf(root, place) ?? {};
  const { scale, stable, canary } = place;
  if (stable === undefined) {
    const own = numberAt(inner, canary) ?? 0;
    return { stable: scale - own, canary: (own * 100) / scale };
  }
  const [rest, own] = [stable, canary].map((path) => numberAt(inner, path) ?? unsaid(inner, path));
  const total = (rest ?? 0) + (own ?? 0);
  return { stable: rest ?? 0, canary: total === 0 ? 0 : ((own ?? 0) * 100) / total };
}

/** A backend that is there without a number counts as one of them; nobody has said a field that is not there. */
function unsaid(inner: Json, path: PathSteps): number {
  const isItem = path.some((step) => typeof step === 'object');
  return isItem && resolve(inner, path).kind === 'found' ? 1 : 0;
}

function wordsOf(live: JsonObject, { accepted }: CustomKind): readonly RouteWord[] {
  if (accepted === undefined) return [];
  const found = resolve(live, accepted.at);
  const conditions = found.kind === 'found' ? at(live, found.path) : [];
  return conditionWords({ conditions, type: accepted.type, generation: at(live, ['metadata', 'generation']) });
}

type Writing = { readonly sides: Sides; readonly share: Share };

function write({ route, displaced }: RouteFiles, custom: CustomKind, { sides, share }: Writing): Written | Unwritable {
  const now = plainOf(route.value);
  const home = withoutShare(now, custom, { sides, displaced });
  const made = withShare(home, custom, { sides, share });
  if (made.kind === 'fault') return { kind: 'unwritable', faults: [made.fault] };
  const walk = { isOurs: (item: Json) => isOf(item, sides), segmentOf: segmentBy(keysOf(custom)) };
  const [edits, aside] = [difference(now, made.value, walk), difference(home, made.value, walk)];
  const { file, object } = route;
  const changes = aside.kind === 'ok' ? aside.changes.map(({ path, was, set }) => ({ object, path, was, set })) : [];
  const put = changes.filter((change): change is Displaced => isAside(change));
  if (edits.kind === 'other' || aside.kind === 'other' || put.length < changes.length)
    return { kind: 'unwritable', faults: [unrestorable(custom)] };
  return { kind: 'ok', edits: edits.edits.length === 0 ? [] : [{ file, object, edits: edits.edits }], displaced: put };
}

/** What the mark can keep: a number or a text that comes, in the place of one or of none. */
function isAside({ was, set }: { readonly was: Json | undefined; readonly set: Json | undefined }): boolean {
  const isPlain = (value: Json | undefined): boolean => typeof value === 'number' || typeof value === 'string';
  return isPlain(set) && (was === undefined || isPlain(was));
}

function unrestorable({ kind }: CustomKind): FieldFault {
  return {
    at: ['spec'],
    reason: 'PatchNotRestorable',
    message: `the patch in the RouteProvider of ${kind} changes what could not be taken back: it may change and add numbers and texts, and add items to lists that name the Service of the new version`,
    hint: 'Write the RouteProvider so, or keep in the route what the patch would change.',
  };
}

/** Fields by which items of lists are distinguished. */
function keysOf({ weights, patch }: CustomKind): readonly string[] {
  const steps = [
    ...weights.flatMap(({ stable = [], canary }) => [...stable, ...canary]),
    ...patch.flatMap(({ path }) => path),
  ];
  return [
    ...new Set([...steps.flatMap((step) => (typeof step === 'object' && 'key' in step ? [step.key] : [])), 'name']),
  ];
}
