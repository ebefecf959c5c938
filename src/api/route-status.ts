/** What controllers say of a route in its status: whether they have taken up what it says now. */

import { at, isRecord } from './json.ts';
import { printableLine } from './printable.ts';

/** More parents or conditions than the Gateway API takes (32 and 8). */
const WORDS_MOST = 64;
const TOLD_CHARACTERS = 200;

/** The word of one controller. */
export type RouteWord = {
  /** Who says it: for a route of the Gateway API the parent and its section, `inference#https`. */
  readonly by: string;
  /** Taken up as it is: at this generation, with nothing refused. */
  readonly accepted: boolean;
  /** What it says instead; empty where it is accepted. */
  readonly seen: string;
};

/**
 * A route of the Gateway API: each parent must say Accepted and ResolvedRefs at the generation that the object has
 * (reference: apis/v1 shared_types.go, RouteParentStatus). A route without parents in its status has no words.
 */
export function parentWords(route: unknown): readonly RouteWord[] {
  const generation = at(route, ['metadata', 'generation']);
  return listAt(route, ['status', 'parents']).map((parent) => {
    const [namespace, name, section] = ['namespace', 'name', 'sectionName'].map((key) =>
      at(parent, ['parentRef', key]),
    );
    const full = typeof namespace === 'string' ? `${namespace}/${text(name)}` : text(name);
    const conditions = listAt(parent, ['conditions']);
    const seen = ['Accepted', 'ResolvedRefs'].map((type) => wordOf(conditions, type, generation)).find(Boolean) ?? '';
    return { by: section === undefined ? full : `${full}#${text(section)}`, accepted: seen === '', seen };
  });
}

/** Contour's HTTPProxy: its condition Valid, at the generation that the object has. Without it there are no words. */
export function proxyWords(proxy: unknown): readonly RouteWord[] {
  const conditions = listAt(proxy, ['status', 'conditions']);
  if (conditions.length === 0) return [];
  const seen = wordOf(conditions, 'Valid', at(proxy, ['metadata', 'generation']));
  return [{ by: 'Contour', accepted: seen === '', seen }];
}

/** A controller that says one condition; without any there are no words. What says no generation speaks of the present one. */
export function conditionWords(of: {
  readonly conditions: unknown;
  readonly type: string;
  readonly generation: unknown;
}): readonly RouteWord[] {
  const conditions = listAt({ list: of.conditions }, ['list']);
  if (conditions.length === 0) return [];
  const isDated = conditions.some((condition) => at(condition, ['observedGeneration']) !== undefined);
  const seen = wordOf(conditions, of.type, isDated ? of.generation : undefined);
  return [{ by: 'its controller', accepted: seen === '', seen }];
}

/** Empty where the condition is True at this generation. */
function wordOf(conditions: readonly unknown[], type: string, generation: unknown): string {
  const found = conditions.find((condition) => at(condition, ['type']) === type);
  if (found === undefined) return `${type} is missing`;
  const [status, observed] = [at(found, ['status']), at(found, ['observedGeneration'])];
  if (observed !== generation) return `${type} is of generation ${text(observed)}, not ${text(generation)}`;
  if (status === 'True') return '';
  const [reason, message] = [at(found, ['reason']), at(found, ['message'])].map(text);
  return printableLine(`${type} is ${text(status)} (${reason}: ${message})`).slice(0, TOLD_CHARACTERS);
}

function listAt(root: unknown, path: readonly string[]): readonly unknown[] {
  const value = at(root, path);
  return Array.isArray(value) ? value.slice(0, WORDS_MOST).filter(isRecord) : [];
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '?';
}
