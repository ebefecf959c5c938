/** What several policies say together of one Rollout. */

import { POLICY_FIELD_NAMES, POLICY_FIELDS } from './policy-fields.ts';
import { NO_RULES, type PolicyFieldName, type PolicyRules, type RolloutPolicy } from './policy-rules.ts';
import { UNDO_DEFAULTS } from './undo-limits.ts';

/** What grants come to where no policy states them; a grant that is not here is refused then. */
const UNGRANTED: RolloutPolicy = { ...NO_RULES, ...UNDO_DEFAULTS };

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
  const own = policies.map((policy) => policy[name]).filter((value) => value !== undefined);
  const others = outside.map((policy) => policy[name]).filter((value) => value !== undefined);
  // Where no policy grants anything, others still refuse what there is without one.
  const granted = composition === 'grant' && own.length === 0 && others.length > 0 ? [UNGRANTED[name]] : own;
  if (composition === 'grant' && granted.every((value) => value === undefined)) return;
  const all = [...granted, ...others].filter((value) => value !== undefined);
  const [first] = all;
  if (first === undefined) return;
  rules[name] = all.reduce<NonNullable<PolicyRules[K]>>((said, value) => both(said, value), first);
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };
