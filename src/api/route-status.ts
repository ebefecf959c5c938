/** What controllers say of a route in its status: whether they have taken up what it says now. */

import { at, isRecord } from './json.ts';
import { printableLine } from './printable.ts';

/** More parents or conditions than the Gateway API takes (32 and 8). */
const WORDS_MOST = 64;
const TOLD_CHARACTERS = 200;

/** The status that one controller writes. */
export type RouteWord = {
  /** Who says it: for a route of the Gateway API the parent and its section, `inference#https`. */
  readonly by: string;
  /** Taken up as it is: at this generation, with nothing refused. */
  readonly accepted: boolean;
  /** What it says instead; empty where it is accepted. */
  readonly seen: string;
  /** It says nothing at all: that counts only against one who is known to have spoken before. */
  readonly silent?: true;
};

/** How a condition must be: True, or what it must not be where a controller writes it at all. */
type Wanted = { readonly type: string; readonly unless?: readonly string[] };

/**
 * The first two each parent must say (reference: apis/v1 shared_types.go, RouteParentStatus). Some write more: that a part
 * of the rules was dropped, which may be ours, or that the proxies behind a gateway have not got the route.
 */
const OF_PARENT: readonly Wanted[] = [
  { type: 'Accepted' },
  { type: 'ResolvedRefs' },
  { type: 'PartiallyInvalid', unless: ['True'] },
  { type: 'Programmed', unless: ['False', 'Unknown'] },
];

/**
 * A route of the Gateway API: what each parent says in its status, at the generation that the object has. A parent that
 * the route names and its status does not is silent.
 */
export function parentWords(route: unknown): readonly RouteWord[] {
  const generation = at(route, ['metadata', 'generation']);
  const parents = listAt(route, ['status', 'parents']);
  const names = parents.map((parent) => nameOf(at(parent, ['parentRef'])));
  const words = parents.map((parent, place): RouteWord => {
    const name = names[place] ?? '';
    // Two controllers may speak of one parent.
    const isOnly = names.indexOf(name) === names.lastIndexOf(name);
    const by = isOnly ? name : `${name} by ${text(at(parent, ['controllerName']))}`;
    return wordBy(by, { conditions: listAt(parent, ['conditions']), wanted: OF_PARENT, generation });
  });
  const unheard = listAt(route, ['spec', 'parentRefs']).filter(
    (own) => !parents.some((parent) => sameParent(own, at(parent, ['parentRef']))),
  );
  return [...words, ...unheard.map((parent) => silence(nameOf(parent)))];
}

function nameOf(parent: unknown): string {
  const [kind, namespace, name, section, port] = ['kind', 'namespace', 'name', 'sectionName', 'port'].map((key) =>
    at(parent, [key]),
  );
  const full = typeof namespace === 'string' ? `${namespace}/${text(name)}` : text(name);
  const kinded = kind === undefined || kind === 'Gateway' ? full : `${text(kind)} ${full}`;
  const ported = port === undefined ? kinded : `${kinded}:${text(port)}`;
  return section === undefined ? ported : `${ported}#${text(section)}`;
}

/** Controllers may write out a namespace that the route leaves out. */
function sameParent(left: unknown, right: unknown): boolean {
  return ['name', 'sectionName', 'port'].every((key) => at(left, [key]) === at(right, [key]));
}

function silence(by: string): RouteWord {
  return { by, accepted: false, seen: 'it says nothing of it in its status', silent: true };
}

/**
 * Contour's HTTPProxy: its condition Valid, at the generation that the object has; without conditions its word for people,
 * `currentStatus`, which is NotReconciled until Contour has looked.
 */
export function proxyWords(proxy: unknown): readonly RouteWord[] {
  const by = 'Contour';
  const conditions = listAt(proxy, ['status', 'conditions']);
  const generation = at(proxy, ['metadata', 'generation']);
  if (conditions.length > 0) return [wordBy(by, { conditions, wanted: [{ type: 'Valid' }], generation })];
  const [status, description] = ['currentStatus', 'description'].map((key) => at(proxy, ['status', key]));
  if (status === undefined) return [silence(by)];
  const seen = status === 'valid' ? '' : told(`currentStatus is ${text(status)} (${text(description)})`);
  return [{ by, accepted: seen === '', seen }];
}

/** A controller that says one condition; without any it is silent. */
export function conditionWords(of: {
  readonly conditions: unknown;
  readonly type: string;
  readonly generation: unknown;
}): readonly RouteWord[] {
  const conditions = listAt({ list: of.conditions }, ['list']);
  const by = 'its controller';
  if (conditions.length === 0) return [silence(by)];
  return [wordBy(by, { conditions, wanted: [{ type: of.type }], generation: of.generation })];
}

type Saying = {
  readonly conditions: readonly unknown[];
  readonly wanted: readonly Wanted[];
  readonly generation: unknown;
};

function wordBy(by: string, { conditions, wanted, generation }: Saying): RouteWord {
  const seen = wanted.map((one) => refusedBy(conditions, one, generation)).find((words) => words !== '') ?? '';
  return { by, accepted: seen === '', seen };
}

/** Empty where the condition is as wanted at this generation. What says no generation speaks of the present one. */
function refusedBy(conditions: readonly unknown[], { type, unless }: Wanted, generation: unknown): string {
  const found = conditions.find((condition) => at(condition, ['type']) === type);
  if (found === undefined) return unless === undefined ? `${type} is missing` : '';
  const [status, observed] = [at(found, ['status']), at(found, ['observedGeneration'])];
  if (observed !== undefined && observed !== generation)
    return unless === undefined ? `${type} is of generation ${text(observed)}, not ${text(generation)}` : '';
  if (unless === undefined ? status === 'True' : !unless.some((bad) => bad === status)) return '';
  const [reason, message] = [at(found, ['reason']), at(found, ['message'])].map(text);
  return told(`${type} is ${text(status)} (${reason}: ${message})`);
}

function told(words: string): string {
  return printableLine(words).slice(0, TOLD_CHARACTERS);
}

function listAt(root: unknown, path: readonly string[]): readonly unknown[] {
  const value = at(root, path);
  return Array.isArray(value) ? value.slice(0, WORDS_MOST).filter(isRecord) : [];
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '?';
}
