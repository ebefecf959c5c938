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

/** Cases of a group, by what their input has: one of these values for each key; null: the key is absent, or null. */
type CasesLike = { readonly group: string; readonly input?: Readonly<Record<string, readonly unknown[]>> };

export type Deviation = {
  readonly title: string;
  /** Each of these differs. */
  readonly cases?: readonly string[];
  /** All like these may differ, those that nobody here has seen included; one at least does. */
  readonly like?: readonly CasesLike[];
  /**
   * Of what the case expects: an entry of a list of names (which the answer may have elsewhere, or not), a key, a moment
   * (`at`) of a list or its place (`[4]`), or a key at one of them (`Healthy/partition`); all else of it holds. Not
   * there: the answer as a whole differs.
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

function groupsIn(name: string): readonly KruiseGroup[] {
  return (fixture(name) as { groups: readonly KruiseGroup[] }).groups;
}

const variants = groupsIn('kruise-variants.json');

/** Kruise's cases, and variants of ours that follow from the same rules. */
export const kruiseGroups = groupsIn('kruise-cases.json').map(
  (group): KruiseGroup => ({
    ...group,
    cases: [...group.cases, ...variants.filter(({ id }) => id === group.id).flatMap(({ cases }) => cases)],
  }),
);

export const { deviations, unanswered } = fixture('kruise-deviations.json') as {
  readonly deviations: readonly Deviation[];
  readonly unanswered: readonly Unanswered[];
};

/** Whether a deviation means a case. */
export function isLike({ like = [] }: Deviation, group: string, { input }: KruiseCase): boolean {
  return like.some(
    (one) =>
      one.group === group &&
      Object.entries(one.input ?? {}).every(([key, values]) =>
        values.includes((input as Readonly<Record<string, unknown>>)[key] ?? null),
      ),
  );
}

/** An expectation, or an answer that is a list of names, without what `only` of a deviation names. */
export function without(expected: unknown, names: readonly string[]): unknown {
  if (Array.isArray(expected))
    return expected
      .filter((entry) => !names.includes(entry))
      .map((entry, place) => (names.includes(`[${place}]`) ? {} : without(entry, namesAt(names, place))));
  if (typeof expected !== 'object' || expected === null || names.length === 0) return expected;
  const moment = 'at' in expected ? String(expected.at) : '';
  if (names.includes(moment)) return {};
  const named = (key: string): boolean => names.includes(key) || names.includes(`${moment}/${key}`);
  return Object.fromEntries(Object.entries(expected).filter(([key]) => !named(key)));
}

/** `[4]/updated` means the key of the fifth entry alone. */
function namesAt(names: readonly string[], place: number): readonly string[] {
  return names.map((name) => (name.startsWith(`[${place}]/`) ? name.slice(name.indexOf('/') + 1) : name));
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
