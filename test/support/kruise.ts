/** Reads Kruise's cases and our deviations from them, and adapts inputs to our snapshots. */

import { readFileSync } from 'node:fs';

export type KruiseCase = {
  readonly id: string;
  readonly name: string;
  /** Every group has a shape of its own. */
  readonly input: unknown;
  readonly expect: unknown;
  readonly upstreamDefect?: unknown;
};

export type KruiseGroup = { readonly id: string; readonly base?: unknown; readonly cases: readonly KruiseCase[] };

export type Deviation = {
  readonly title: string;
  readonly cases: readonly string[];
  /**
   * Of what the case expects: a key, a moment (`at`) of a list, or a key at a moment (`Healthy/partition`); all else of
   * it holds. Not there: the answer as a whole differs.
   */
  readonly only?: readonly string[];
  readonly reason: string;
};

/** What we have no answer to: whole groups, or single cases of one that is answered. */
export type Unanswered = {
  readonly title: string;
  readonly groups?: readonly string[];
  readonly cases?: readonly string[];
  readonly reason: string;
};

function fixture(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../fixtures/${name}`, import.meta.url), 'utf8'));
}

export const kruiseGroups = (fixture('kruise-cases.json') as { groups: readonly KruiseGroup[] }).groups;

export const { deviations, unanswered } = fixture('kruise-deviations.json') as {
  readonly deviations: readonly Deviation[];
  readonly unanswered: readonly Unanswered[];
};

/** An expectation without what `only` of a deviation names. */
export function without(expected: unknown, names: readonly string[]): unknown {
  if (Array.isArray(expected)) return expected.map((entry) => without(entry, names));
  if (typeof expected !== 'object' || expected === null || names.length === 0) return expected;
  const moment = 'at' in expected ? String(expected.at) : '';
  if (names.includes(moment)) return {};
  const named = (key: string): boolean => names.includes(key) || names.includes(`${moment}/${key}`);
  return Object.fromEntries(Object.entries(expected).filter(([key]) => !named(key)));
}

type Operation = { readonly op: 'add' | 'replace' | 'remove'; readonly path: string; readonly value?: unknown };

/** A patch as in RFC 6902, with the three operations that the cases use. */
export function patched(base: unknown, operations: readonly Operation[]): unknown {
  const copy = structuredClone(base);
  for (const { op, path, value } of operations) {
    const keys = path.split('/').slice(1);
    const last = keys.pop() ?? '';
    let parent = copy as Record<string, unknown> | unknown[];
    for (const key of keys) parent = (parent as Record<string, unknown>)[key] as typeof parent;
    if (Array.isArray(parent)) {
      const index = last === '-' ? parent.length : Number(last);
      if (op === 'remove') parent.splice(index, 1);
      else parent.splice(index, op === 'add' ? 0 : 1, value);
    } else if (op === 'remove') delete parent[last];
    else parent[last] = value;
  }
  return copy;
}
