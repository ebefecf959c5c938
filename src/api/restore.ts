/** The mark `restore`: what a delivery has put aside, to be put back by it or by its rollback. Printed and parsed here only. */

import { type Aside, parseAsides, printAsides } from './aside.ts';
import { ABSENT, type FieldPath } from './field.ts';
import { INT32_MAX, type IntOrPercent, isBudget } from './int-or-percent.ts';
import { at, isRecord } from './json.ts';
import { isDigest, parseRelease } from './release.ts';
import { parseRouting, type StartedRouting } from './started-routing.ts';
import { ROLLING_STYLES, type RollingStyle } from './styles.ts';
import { MAX_UNAVAILABLE_PATH, REPLICAS_PATH } from './workload-paths.ts';

/** A field put aside for this delivery: put back only where it still equals `set`. */
export type Displaced = { readonly was: IntOrPercent | undefined; readonly set: IntOrPercent };

/** `replicas` without and with the extra groups of this delivery. */
export type Surge = { readonly was: number; readonly set: number };

export type Restore = {
  /** The lowest partition that this delivery has had; undefined: a second workload is filled, and this one never released for update. */
  readonly floor: number | undefined;
  readonly maxUnavailable: Displaced | undefined;
  /** undefined: this delivery has no extra groups, or none any more. */
  readonly replicas?: Surge | undefined;
  /** Fields of other objects; not there: none. */
  readonly objects?: readonly Aside[] | undefined;
  /** The strategy that this delivery was started by; not there: partition without routes, which has no rungs. */
  readonly style?: RollingStyle | undefined;
  /** Its documents may be gone, and the Rollout that named them. Not there: it routes nothing. */
  readonly routing?: StartedRouting | undefined;
  /** Digest of the step as it was read when its rungs were written, where a second workload is filled. */
  readonly plan?: string | undefined;
  /** The groups of the second workload as our last commit wrote them; not there: none has written any. */
  readonly groups?: number | undefined;
  /** How many times in this delivery the new version has lost its share because nothing of it served; not there: never. */
  readonly withdrawn?: number | undefined;
  /** How many times in this rollback requests were on the stable version and went to the new one again. Not there: never. */
  readonly carried?: number | undefined;
  /** The groups that an autoscaler of the user's workload must leave while this delivery lasts; not there: none is held. */
  readonly least?: number | undefined;
  /** We have stopped the primary for a text that was aborted: it goes on once that text is gone. Not there: we have not. */
  readonly stopped?: true | undefined;
  /** How many times in this promotion someone has let a primary go on that a hand had stopped. Not there: never. */
  readonly resumed?: number | undefined;
  /** The longest time to drain that a policy has asked for when a commit of this delivery was written; not there: none has. */
  readonly drainSeconds?: number | undefined;
  /** blueGreen: the settled release that is undone by filling the other colour, `<32 hex digits>.7`; not there: none is. */
  readonly undone?: string | undefined;
};

/** How a delivery was started, for people and to compare: `canary, Service chat, HTTPRoute chat`; empty: by nothing that is written. */
export function startedWith(restore: Pick<Restore, 'style' | 'routing'> | undefined): string {
  const { style, routing } = restore ?? {};
  const { service, pools, routes = [] } = routing ?? {};
  const named = [
    ...(service === undefined ? [] : [`Service ${service}`]),
    ...(pools === undefined ? [] : [`InferencePools ${pools.stable} and ${pools.canary}`]),
    ...routes.map(({ kind, name }) => `${kind} ${name}`),
  ];
  return [...(style === undefined ? [] : [style]), ...named].join(', ');
}

/** Another floor and budget; all else that is put aside stays. */
export function putAside(before: Restore | undefined, now: Pick<Restore, 'floor' | 'maxUnavailable'>): Restore {
  return inOrder({ ...before, ...now });
}

/** The same with other parts: those of a delivery that fills a second workload. */
export function withAside(before: Restore | undefined, now: Partial<Restore>): Restore {
  return inOrder({ floor: undefined, maxUnavailable: undefined, ...before, ...now });
}

/** The longer of what was asked for before and what a policy asks for now: one that is deleted or broken shortens no drain. */
export function longestDrain(
  before: Restore | undefined,
  { drainSeconds }: { readonly drainSeconds?: number | undefined },
): Pick<Restore, 'drainSeconds'> {
  const longest = Math.max(before?.drainSeconds ?? 0, drainSeconds ?? 0);
  return { drainSeconds: longest === 0 ? undefined : longest };
}

/** With these extra groups, or without any. */
export function withSurge(restore: Restore, replicas: Surge | undefined): Restore {
  return inOrder({ ...restore, replicas });
}

/** Plans are compared as text. */
function inOrder({
  floor,
  maxUnavailable,
  replicas,
  objects,
  style,
  routing,
  plan,
  groups,
  withdrawn,
  carried,
  least,
  stopped,
  resumed,
  drainSeconds,
  undone,
}: Restore): Restore {
  const extra = replicas === undefined ? {} : { replicas };
  const others = objects === undefined ? {} : { objects };
  const ladder = {
    ...(style === undefined ? {} : { style }),
    ...(routing === undefined ? {} : { routing }),
    ...(plan === undefined ? {} : { plan }),
    ...(groups === undefined ? {} : { groups }),
    ...(withdrawn === undefined ? {} : { withdrawn }),
    ...(carried === undefined ? {} : { carried }),
    ...(least === undefined ? {} : { least }),
    ...(stopped === undefined ? {} : { stopped }),
    ...(resumed === undefined ? {} : { resumed }),
    ...(drainSeconds === undefined ? {} : { drainSeconds }),
    ...(undone === undefined ? {} : { undone }),
  };
  return { floor, maxUnavailable, ...extra, ...others, ...ladder };
}

/** The user's LeaderWorkerSet itself, as the object of a field. */
export const SELF = '';

/** Every field that is put aside, those of the LeaderWorkerSet itself first. */
export function asidesOf(restore: Restore | undefined): readonly Aside[] {
  const { replicas, maxUnavailable, objects = [] } = restore ?? {};
  const own = (path: FieldPath, { was, set }: Displaced): Aside => ({ object: SELF, path, was: was ?? ABSENT, set });
  return [
    ...(replicas === undefined ? [] : [own(REPLICAS_PATH, replicas)]),
    ...(maxUnavailable === undefined ? [] : [own(MAX_UNAVAILABLE_PATH, maxUnavailable)]),
    ...objects,
  ];
}

/** What `printRestore` has printed; undefined for what cannot be read. */
export function parseRestore(text: string): Restore | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  // Anyone who leaves out what a newer version has put aside would never restore it.
  if (!isRecord(value) || Object.keys(value).some((key) => !Object.hasOwn(KEYS, key))) return undefined;
  const [floor, plan] = [value['floor'], value['plan']];
  if (plan !== undefined && !(typeof plan === 'string' && isDigest(plan))) return undefined;
  const style = ROLLING_STYLES.find((one) => one === value['style']);
  if (value['style'] !== undefined && style === undefined) return undefined;
  const routing = value['routing'] === undefined ? undefined : parseRouting(value['routing']);
  if (routing === 'wrong') return undefined;
  const groups = value['groups'];
  if (groups !== undefined && !isCount(groups)) return undefined;
  const [withdrawn, carried, least, resumed] = ['withdrawn', 'carried', 'least', 'resumed'].map((key) => value[key]);
  if (!isPositive(withdrawn) || !isPositive(carried) || !isPositive(least) || !isPositive(resumed)) return undefined;
  const stopped = value['stopped'];
  if (stopped !== undefined && stopped !== true) return undefined;
  const drainSeconds = value['drainSeconds'];
  if (!isPositive(drainSeconds)) return undefined;
  const undone = value['undone'];
  if (undone !== undefined && !(typeof undone === 'string' && parseRelease(undone) !== undefined)) return undefined;
  if (!(isCount(floor) || (floor === undefined && (style ?? plan) !== undefined))) return undefined;
  const maxUnavailable = value['maxUnavailable'] === undefined ? undefined : parseDisplaced(value['maxUnavailable']);
  const replicas = value['replicas'] === undefined ? undefined : parseSurge(value['replicas']);
  const objects = value['objects'] === undefined ? undefined : (parseAsides(value['objects']) ?? 'wrong');
  if (maxUnavailable === 'wrong' || replicas === 'wrong' || objects === 'wrong') return undefined;
  return inOrder({
    floor,
    maxUnavailable,
    replicas,
    objects,
    style,
    routing,
    plan,
    groups,
    withdrawn,
    carried,
    least,
    stopped,
    resumed,
    drainSeconds,
    undone,
  });
}

/** Every field of the mark; the compiler knows them all. */
const KEYS = {
  floor: true,
  maxUnavailable: true,
  replicas: true,
  objects: true,
  style: true,
  routing: true,
  plan: true,
  groups: true,
  withdrawn: true,
  carried: true,
  least: true,
  stopped: true,
  resumed: true,
  drainSeconds: true,
  undone: true,
} satisfies Readonly<Record<keyof Restore, true>>;

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= INT32_MAX;
}

/** A number of at least one, or not there. */
function isPositive(value: unknown): value is number | undefined {
  return value === undefined || (isCount(value) && value > 0);
}

function parseDisplaced(value: unknown): Displaced | 'wrong' {
  const [was, set] = [at(value, ['was']), at(value, ['set'])];
  return isBudget(set) && (was === undefined || isBudget(was)) ? { was, set } : 'wrong';
}

function parseSurge(value: unknown): Surge | 'wrong' {
  const [was, set] = [at(value, ['was']), at(value, ['set'])];
  return isCount(was) && isCount(set) && was > 0 && set > was ? { was, set } : 'wrong';
}

/** The mark as JSON text, always in the same order. */
export function printRestore({ floor, maxUnavailable, replicas, objects = [], ...ladder }: Restore): string {
  const others = objects.length === 0 ? undefined : printAsides(objects);
  return JSON.stringify({ floor, maxUnavailable, replicas, objects: others, ...ladder });
}
