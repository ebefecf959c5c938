/** What several policies say together of one Rollout. */

import {
  NO_RULES,
  POLICY_FIELD_NAMES,
  POLICY_FIELDS,
  type PolicyFieldName,
  type PolicyRules,
  type RolloutPolicy,
} from './policy-fields.ts';

/** The rules of several policies together. `outside`: those whose grants do not count; whatever they refuse does. */
export function together(policies: readonly RolloutPolicy[], outside: readonly RolloutPolicy[] = []): PolicyRules {
  const rules: Writable<PolicyRules> = { ...NO_RULES };
  for (const name of POLICY_FIELD_NAMES) composeInto(rules, name, { policies, outside });
  return rules;
}

function composeInto<K extends PolicyFieldName>(
  rules: Pick<Writable<PolicyRules>, K>,
  name: K,
  { policies, outside }: { readonly policies: readonly RolloutPolicy[]; readonly outside: readonly RolloutPolicy[] },
): void {
  const { both, composition } = POLICY_FIELDS[name];
  if (composition === 'grant' && policies.every((policy) => policy[name] === undefined)) return;
  const all = [...policies, ...outside].map((policy) => policy[name]).filter((value) => value !== undefined);
  const [first] = all;
  if (first === undefined) return;
  rules[name] = all.reduce<NonNullable<PolicyRules[K]>>((said, value) => both(said, value), first);
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };
