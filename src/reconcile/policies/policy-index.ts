/** Finds the policies of a Rollout by the namespaces that they name, so that no Rollout looks through all of them. */

import { isBelow } from '../../api/config.ts';
import { fewIssues, type Issue } from '../../api/issue.ts';
import { foldersOf, type Owners } from '../../api/owners.ts';
import { POLICY_FIELD_NAMES, POLICY_FIELDS } from '../../api/policy-fields.ts';
import { type PolicyRules, type RolloutPolicy } from '../../api/policy-rules.ts';
import { together } from '../../api/policy-together.ts';
import { type PolicySubject, policyMatches } from '../../api/rollout-policy.ts';
import type { PolicyConflict, PolicySources } from '../../rollout/snapshot.ts';
import { missingPolicies } from './policy-issues.ts';
import { NAMED_MOST, type PolicyReading, type PolicyScope } from './policy-scope.ts';

/** Where a pattern can match at all. */
type Place = 'anywhere' | { readonly namespace: string; readonly name: string | undefined };

/** The file of the Rollout. */
type Placed = { readonly file: string };

/** Asked of a Rollout: the policies that match it, as one. Rollouts with the same policies share one answer. */
export function policyIndex(
  policies: readonly PolicyReading[],
  { required, owners }: { readonly required: readonly string[]; readonly owners: Owners },
): (rollout: PolicySubject & Placed) => PolicyScope {
  const anywhere: number[] = [];
  const inNamespace = new Map<string, number[]>();
  const ofName = new Map<string, number[]>();
  for (const [at, { selection }] of policies.entries())
    for (const place of placesOf(selection.rollouts))
      if (place === 'anywhere') anywhere.push(at);
      else if (place.name === undefined) addTo(inNamespace, place.namespace, at);
      else addTo(ofName, `${place.namespace}/${place.name}`, at);
  const scopes = new Map<string, PolicyScope>();
  return (rollout) => {
    const { namespace, name } = rollout;
    const near = [...anywhere, ...(inNamespace.get(namespace) ?? []), ...(ofName.get(`${namespace}/${name}`) ?? [])];
    // Policies speak in the order of their files.
    const mine = [...new Set(near)]
      .sort((a, b) => a - b)
      .filter((at) => policyMatches(policies[at]?.selection ?? {}, rollout));
    const key = JSON.stringify([mine, mine.map((at) => reaches(policies[at], rollout, owners))]);
    const meaning = mine.flatMap((at) => policies[at] ?? []);
    const matching = meaning.filter((policy) => reaches(policy, rollout, owners));
    const outOfReach = meaning.filter((policy) => !reaches(policy, rollout, owners));
    const scope = scopes.get(key) ?? scopeOf({ matching, outOfReach }, { policies, required });
    scopes.set(key, scope);
    return scope;
  };
}

/** Whether a policy that means the Rollout counts for it: from outside of `policyPaths` a folder speaks for its own alone. */
function reaches(
  policy: PolicyReading | undefined,
  { file, namespace }: { readonly file: string; readonly namespace: string },
  owners: Owners,
): boolean {
  const folder = policy?.outside?.folder;
  if (policy === undefined || folder === undefined) return true;
  return isBelow([folder], file) || isBelow(foldersOf(owners, namespace) ?? [], policy.file);
}

function scopeOf(
  { matching, outOfReach }: Pick<PolicyScope, 'matching' | 'outOfReach'>,
  all: { readonly policies: readonly PolicyReading[]; readonly required: readonly string[] },
): PolicyScope {
  const said = (isOutside: boolean): readonly RolloutPolicy[] =>
    matching.flatMap((reading) =>
      (reading.outside !== undefined) === isOutside && reading.policy !== undefined ? [reading.policy] : [],
    );
  const rules = together(said(false), said(true));
  const named = matching.slice(0, NAMED_MOST);
  return {
    rules,
    sources: sourcesOf(rules, named),
    matching,
    outOfReach,
    files: [...new Set(named.map(({ file }) => file))],
    issues: [...fewIssues(matching.flatMap(({ issues }) => issues)), ...tooMany(matching)],
    conflicts: conflictsOf(named),
    missing: missingPolicies(all.required, { policies: all.policies, matching }),
  };
}

function tooMany({ length, [NAMED_MOST]: next }: readonly PolicyReading[]): readonly Issue[] {
  if (next === undefined) return [];
  return [
    {
      file: next.file,
      line: next.line,
      path: '',
      reason: 'TooManyPolicies',
      message: `${length} policies mean this Rollout, wanted at most ${NAMED_MOST}: a record and a commit name each of them`,
      hint: 'Write several into one, or name in their rollouts those that they are for.',
    },
  ];
}

function conflictsOf(matching: readonly PolicyReading[]): readonly PolicyConflict[] {
  return POLICY_FIELD_NAMES.flatMap((field) => {
    if (POLICY_FIELDS[field].composition !== 'parameter') return [];
    const places = matching.flatMap(({ policy, name, file, lines }) => {
      const value = policy?.[field];
      if (value === undefined) return [];
      const told = typeof value === 'number' ? value : JSON.stringify(value);
      return [{ policy: name, file, line: lines[field] ?? 0, value: told }];
    });
    return new Set(places.map(({ value }) => value)).size > 1 ? [{ field, places }] : [];
  });
}

/** Who says what counts, for every field that some policy names: those whose own value is that of all together. */
function sourcesOf(rules: PolicyRules, matching: readonly PolicyReading[]): PolicySources {
  const entries = POLICY_FIELD_NAMES.flatMap((field) => {
    if (rules[field] === undefined) return [];
    const value = JSON.stringify(rules[field]);
    // Of a list each policy has said a part.
    const decides = (said: unknown): boolean =>
      said !== undefined && (Array.isArray(rules[field]) || JSON.stringify(said) === value);
    const saying = matching.filter(({ policy }) => decides(policy?.[field]));
    const places = saying.map(({ name, file, lines }) => ({ policy: name, file, line: lines[field] ?? 0 }));
    return places.length === 0 ? [] : [[field, places] as const];
  });
  return Object.fromEntries(entries);
}

function placesOf(patterns: readonly string[] | undefined): readonly Place[] {
  if (patterns === undefined) return ['anywhere'];
  return patterns.map((pattern) => {
    // All of them, and no namespace.
    if (pattern === '*') return 'anywhere';
    const slash = pattern.indexOf('/');
    const [namespace, name] = [pattern.slice(0, slash), pattern.slice(slash + 1)];
    if (namespace.includes('*')) return 'anywhere';
    return { namespace, name: name.includes('*') ? undefined : name };
  });
}

function addTo(groups: Map<string, number[]>, key: string, at: number): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [at]);
  else group.push(at);
}
