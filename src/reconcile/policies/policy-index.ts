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
import { MATCHING_MOST, type PolicyReading, type PolicyScope } from './policy-scope.ts';

/** Where a pattern can match at all. */
type Place = 'anywhere' | { readonly namespace: string; readonly name: string | undefined };

/** The file of the Rollout. */
type Placed = { readonly file: string };

/**
 * Asked of a Rollout: the policies that match it, as one. Rollouts with the same policies share one answer, and those that mean all
 * of a namespace, or of everything, are looked at once for all of them.
 */
export function policyIndex(
  policies: readonly PolicyReading[],
  { required, owners }: { readonly required: readonly string[]; readonly owners: Owners },
): (rollout: PolicySubject & Placed) => PolicyScope {
  const { sure, unsure } = placed(policies);
  const scopes = new Map<string, PolicyScope>();
  return (rollout) => {
    const { namespace, name } = rollout;
    const mine = [...new Set(unsure.of({ namespace, name }))]
      .map((at) => ({ at, policy: policies[at] }))
      .filter(({ policy }) => policyMatches(policy?.selection ?? {}, rollout))
      .map(({ at, policy }) => [at, reaches(policy, rollout, owners)] as const);
    // A namespace in which nothing means all of it is as any other.
    const key = JSON.stringify([sure.hasOf(namespace) ? namespace : '', mine]);
    const known = scopes.get(key);
    if (known !== undefined) return known;
    const far = new Set(mine.flatMap(([at, isReaching]) => (isReaching ? [] : [at])));
    // Policies speak in the order of their files.
    const all = [...new Set([...sure.of({ namespace, name }), ...mine.map(([at]) => at)])].sort((a, b) => a - b);
    const of = (isFar: boolean): readonly PolicyReading[] =>
      all.flatMap((at) => (far.has(at) === isFar ? (policies[at] ?? []) : []));
    const scope = scopeOf({ matching: of(false), outOfReach: of(true) }, { policies, required });
    scopes.set(key, scope);
    return scope;
  };
}

/** Places of policies in their list, by where these may match. */
class Places {
  private readonly anywhere: number[] = [];
  private readonly inNamespace = new Map<string, number[]>();
  private readonly ofName = new Map<string, number[]>();

  add(place: Place, at: number): void {
    if (place === 'anywhere') this.anywhere.push(at);
    else if (place.name === undefined) addTo(this.inNamespace, place.namespace, at);
    else addTo(this.ofName, `${place.namespace}/${place.name}`, at);
  }

  hasOf(namespace: string): boolean {
    return this.inNamespace.has(namespace);
  }

  of({ namespace, name }: { readonly namespace: string; readonly name: string }): readonly number[] {
    const near = this.inNamespace.get(namespace) ?? [];
    return [...this.anywhere, ...near, ...(this.ofName.get(`${namespace}/${name}`) ?? [])];
  }
}

/** `sure`: those that match every Rollout there, and count for it. */
function placed(policies: readonly PolicyReading[]): { readonly sure: Places; readonly unsure: Places } {
  const [sure, unsure] = [new Places(), new Places()];
  for (const [at, { selection, outside }] of policies.entries()) {
    const { rollouts, clusters, labels, strategies } = selection;
    const isOpen = [clusters, labels, strategies, outside?.folder].every((one) => one === undefined);
    for (const pattern of rollouts ?? ['*']) {
      const place = placeOf(pattern);
      const isWhole = pattern === '*' || (place !== 'anywhere' && pattern === `${place.namespace}/*`);
      (isOpen && isWhole ? sure : unsure).add(place, at);
    }
  }
  return { sure, unsure };
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
  const named = matching.slice(0, MATCHING_MOST);
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

function tooMany({ length, [MATCHING_MOST]: next }: readonly PolicyReading[]): readonly Issue[] {
  if (next === undefined) return [];
  return [
    {
      file: next.file,
      line: next.line,
      path: '',
      reason: 'TooManyPolicies',
      message: `${length} policies mean this Rollout, wanted at most ${MATCHING_MOST}: a record and a commit name each of them`,
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

function placeOf(pattern: string): Place {
  // All of them, and no namespace.
  if (pattern === '*') return 'anywhere';
  const slash = pattern.indexOf('/');
  const [namespace, name] = [pattern.slice(0, slash), pattern.slice(slash + 1)];
  if (namespace.includes('*')) return 'anywhere';
  return { namespace, name: name.includes('*') ? undefined : name };
}

function addTo(groups: Map<string, number[]>, key: string, at: number): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [at]);
  else group.push(at);
}
