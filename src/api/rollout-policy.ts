/** The RolloutPolicy (tranche.dev/v1alpha1): what Kruise's Rollout has no field for, parsed strictly; the strictest rules. */

import { type FieldFault, FieldReader } from './field-reader.ts';

export const POLICY_API_VERSION = 'tranche.dev/v1alpha1';
export const POLICY_KIND = 'RolloutPolicy';

/** Patterns of one policy. */
const PATTERNS_LIMIT = 200;
/** Groups that a delivery may start besides those that Git asks for. */
export const SURGE_LIMIT = 1000;

/** What one policy asks for; undefined: it says nothing of that. */
export type RolloutPolicy = {
  /** Groups that are started on the new version besides, so that capacity does not dip; 0 forbids it. */
  readonly surge: number | undefined;
  /** What becomes of a change of the size of groups where LWS cannot take it in steps. */
  readonly sizeChange: SizeChange | undefined;
  /** Whether a workload may be deleted and created anew for a change that the API server does not take in place. */
  readonly recreate: Recreate | undefined;
};

/** `Whole`: as one step that all groups take together; `Refuse`: not at all. */
export type SizeChange = 'Refuse' | 'Whole';
/** The strictest first. */
const SIZE_CHANGES: readonly SizeChange[] = ['Refuse', 'Whole'];

export type Recreate = 'Refuse' | 'Allow';
/** The strictest first. */
const RECREATES: readonly Recreate[] = ['Refuse', 'Allow'];

/** What all policies that match a Rollout ask for together. */
export type PolicyRules = { readonly surge: number; readonly sizeChange: SizeChange; readonly recreate: Recreate };

/** Where no policy says anything. */
export const NO_RULES: PolicyRules = { surge: 0, sizeChange: 'Refuse', recreate: 'Refuse' };

type PolicyParsing = {
  /** undefined: something is wrong with it. */
  readonly policy: RolloutPolicy | undefined;
  /** `namespace/name` with `*`; undefined: every Rollout, also where the list itself is wrong. */
  readonly rollouts: readonly string[] | undefined;
  readonly faults: readonly FieldFault[];
};

/** Reads and validates a policy. Unknown fields are faults: a typo must not silently lose a limit. */
export function parseRolloutPolicy(value: unknown): PolicyParsing {
  const root = new FieldReader(value, '');
  root.allow(['apiVersion', 'kind', 'metadata', 'spec']);
  const metadata = root.object('metadata');
  metadata.allow(['name', 'labels', 'annotations']);
  metadata.text('name');
  const spec = root.object('spec');
  spec.allow(['rollouts', 'surge', 'sizeChange', 'recreate']);
  const rollouts = readPatterns(spec);
  const surge = spec.integer('surge', { min: 0, max: SURGE_LIMIT });
  const sizeChange = readChoice(spec, 'sizeChange', SIZE_CHANGES);
  const recreate = readChoice(spec, 'recreate', RECREATES);
  return {
    policy: root.faults.length === 0 ? { surge, sizeChange, recreate } : undefined,
    rollouts,
    faults: root.faults,
  };
}

/** One of a few words, spelled exactly so; undefined: not there, or a fault. */
function readChoice<T extends string>(spec: FieldReader, key: string, choices: readonly T[]): T | undefined {
  const value = spec.value(key);
  const choice = choices.find((word) => word === value);
  if (value !== undefined && choice === undefined)
    spec.fault(key, 'BadChoice', `is ${JSON.stringify(value)}, wanted ${choices.join(' or ')}`, 'Correct it.');
  return choice;
}

const PATTERN = /^[a-z0-9*.-]{1,253}\/[a-z0-9*.-]{1,253}$/;

function readPatterns(spec: FieldReader): readonly string[] | undefined {
  const value = spec.value('rollouts');
  if (value === undefined) return undefined;
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  const patterns = list.filter((item) => typeof item === 'string' && PATTERN.test(item)).map(String);
  if (list.length > 0 && list.length <= PATTERNS_LIMIT && patterns.length === list.length) return patterns;
  const wrong = list.find((item) => !patterns.some((pattern) => pattern === item));
  spec.fault(
    'rollouts',
    'BadPattern',
    `${wrong === undefined ? '' : `has ${JSON.stringify(wrong)}; `}wanted a list of 1 to ${PATTERNS_LIMIT} patterns, namespace/name with *`,
    'Write for example - "llm/*"; leave the field out to mean every Rollout.',
  );
  return undefined;
}

/** Whether one of the patterns means this Rollout; `*` stands for any text within a namespace or a name. */
export function policyMatches(
  rollouts: readonly string[] | undefined,
  rollout: { readonly namespace: string; readonly name: string },
): boolean {
  if (rollouts === undefined) return true;
  return rollouts.some((pattern) => {
    const slash = pattern.indexOf('/');
    return (
      matchesGlob(pattern.slice(0, slash), rollout.namespace) && matchesGlob(pattern.slice(slash + 1), rollout.name)
    );
  });
}

/** Left to right without trying again: the time does not explode with the number of `*`. */
function matchesGlob(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, from);
    if (found < 0) return false;
    from = found + part.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
}

/** The rules of several policies together: of each kind the strictest one that is said. */
export function strictest(policies: readonly RolloutPolicy[]): PolicyRules {
  const surges = policies.map((policy) => policy.surge).filter((surge) => surge !== undefined);
  return {
    surge: surges.length === 0 ? NO_RULES.surge : Math.min(...surges),
    sizeChange:
      firstSaid(
        SIZE_CHANGES,
        policies.map((policy) => policy.sizeChange),
      ) ?? NO_RULES.sizeChange,
    recreate:
      firstSaid(
        RECREATES,
        policies.map((policy) => policy.recreate),
      ) ?? NO_RULES.recreate,
  };
}

/** The first of the words, strictest first, that somebody says. */
function firstSaid<T extends string>(words: readonly T[], said: readonly (T | undefined)[]): T | undefined {
  return words.find((word) => said.includes(word));
}
