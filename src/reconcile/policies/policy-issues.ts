/** Policies that reach no Rollout, and required ones that do not reach this one: said with the name that is nearest. */

import { CONFIG_FILE, type Config } from '../../api/config.ts';
import type { Issue } from '../../api/issue.ts';
import { POLICY_KIND } from '../../api/kinds.ts';
import { nearest } from '../../api/nearest.ts';
import { POLICY_FIELD_NAMES, POLICY_FIELDS } from '../../api/policy-fields.ts';
import { NO_RULES, type PolicyFieldName } from '../../api/policy-rules.ts';
import { meansCluster, policyMatches } from '../../api/rollout-policy.ts';
import { undoGrants } from '../../api/undo-limits.ts';
import type { MissingPolicy } from '../../rollout/snapshot.ts';
import { type NamesThere, namesThere } from './names-there.ts';
import type { PolicyReading, PolicyScope } from './policy-scope.ts';

type Key = { readonly namespace: string; readonly name: string };

/** What is wrong with policies that mean no Rollout; of the others, and of files that cannot be read, it is reported already. */
export function unmatchedPolicies(
  policies: readonly PolicyReading[],
  scopes: readonly PolicyScope[],
): readonly Issue[] {
  const told = new Set(scopes.flatMap(({ files }) => files));
  return policies.filter(({ file, kind }) => kind === 'wrong' && !told.has(file)).flatMap(({ issues }) => issues);
}

/** Policies for this cluster that are fine and mean nothing: most often a name is misspelt, and a limit does not hold. */
export function idlePolicies(
  policies: readonly PolicyReading[],
  of: { readonly scopes: readonly PolicyScope[]; readonly keys: readonly Key[]; readonly cluster: string },
): readonly Issue[] {
  const there = namesThere(of.keys);
  const reaching = new Set(of.scopes.flatMap(({ matching, outOfReach }) => [...matching, ...outOfReach]));
  const told = (policy: PolicyReading, seen: string, hint: string): Issue => ({
    file: policy.file,
    line: policy.line,
    path: 'spec.rollouts',
    reason: 'PolicyUnmatched',
    message: `${POLICY_KIND} ${policy.name}: ${seen}`,
    hint,
  });
  return policies
    .filter(({ kind, selection }) => kind === 'read' && meansCluster(selection, of.cluster))
    .flatMap((policy): readonly Issue[] => {
      if (reaching.has(policy))
        return misspelt(policy, there).map(({ pattern, meant }) =>
          told(
            policy,
            `${pattern} of its rollouts is no Rollout`,
            `Did you mean ${meant}? Correct it, or take it out.`,
          ),
        );
      const hint = `${meantBy(policy, there)}Correct what chooses its Rollouts, or delete it.`;
      return [told(policy, 'it means no Rollout: nothing of what it says counts', hint)];
    });
}

/** How many Rollouts are named in one message. */
const NAMED_MOST = 5;

/** How many names of one policy are looked up. */
const LOOKED_UP_MOST = 5;

/**
 * Names that no Rollout has, whole or in a namespace that is not there, where the nearest is of Rollouts that the policy
 * does not reach otherwise: a limit that holds for the others, and not for those. A name that is near none may be one to come.
 */
function misspelt(
  { selection }: PolicyReading,
  there: NamesThere,
): readonly { readonly pattern: string; readonly meant: string }[] {
  const { rollouts = [] } = selection;
  if (rollouts.length < 2) return [];
  const reaches = ({ namespace, name }: Key): boolean =>
    policyMatches({ rollouts }, { cluster: '', namespace, name, labels: {}, strategy: undefined });
  const absent = rollouts.filter((pattern) => {
    const [namespace = '', name = ''] = pattern.split('/');
    return !namespace.includes('*') && !there.has(namespace, name.includes('*') ? undefined : name);
  });
  return absent.slice(0, LOOKED_UP_MOST).flatMap((pattern) => {
    const meant = there.nearest(pattern);
    return there.called(meant).some((key) => !reaches(key)) ? [{ pattern, meant }] : [];
  });
}

/** Fields that do not count where they are. */
export function outsidePolicies(
  policies: readonly PolicyReading[],
  { policyPaths }: Pick<Config, 'policyPaths'>,
): readonly Issue[] {
  const where =
    policyPaths === undefined ? 'there are none' : policyPaths.length === 0 ? 'it is empty' : policyPaths.join(', ');
  return policies.flatMap(({ name, file, lines, policy, outside }) => {
    const isLost = (field: PolicyFieldName): boolean =>
      // Of what is taken out only the line is left.
      (lines[field] !== undefined && policy !== undefined && policy[field] === undefined) ||
      (POLICY_FIELDS[field].composition === 'grant' &&
        outside !== undefined &&
        policy?.[field] !== undefined &&
        (field === 'undo' || field === 'undoWithinSeconds'
          ? undoGrants(policy).includes(field)
          : policy[field] !== NO_RULES[field]));
    const fields = POLICY_FIELD_NAMES.filter(isLost);
    return fields.map((field) => ({
      file,
      line: lines[field] ?? 0,
      path: `spec.${field}`,
      reason: 'OutsidePolicyPaths',
      message: `${POLICY_KIND} ${name}: ${field} does not count here: it counts from the policyPaths of ${CONFIG_FILE} alone, and ${where}`,
      hint: 'Move the policy to one of these paths, or name its folder in policyPaths.',
    }));
  });
}

/** Some of these names, and how many more there are. */
class Names {
  private readonly first: string[] = [];
  private more = 0;

  add({ namespace, name }: Key): this {
    if (this.first.length < NAMED_MOST) this.first.push(`${namespace}/${name}`);
    else this.more += 1;
    return this;
  }

  text(): string {
    return `${this.first.join(', ')}${this.more > 0 ? ` and ${this.more} more` : ''}`;
  }
}

/** Policies outside of `policyPaths` that mean Rollouts for which they do not count. */
export function outOfReachPolicies(
  rollouts: readonly { readonly key: Key; readonly policy: PolicyScope }[],
): readonly Issue[] {
  const keysOf = new Map<PolicyReading, Names>();
  for (const { key, policy } of rollouts)
    for (const one of policy.outOfReach) keysOf.set(one, (keysOf.get(one) ?? new Names()).add(key));
  return [...keysOf].map(([{ name, file, line, outside }, keys]) => {
    const folder = outside?.folder ?? '';
    return {
      file,
      line,
      path: 'spec.rollouts',
      reason: 'OutsidePolicyPaths',
      message: `${POLICY_KIND} ${name}: it does not count for ${keys.text()}: it lies outside of the policyPaths of ${CONFIG_FILE}, and counts for Rollouts in ${folder} and in namespaces that owners gives to its folder`,
      hint: 'Move it to one of the policyPaths, or name in its rollouts those of its own folder.',
    };
  });
}

/** The same for the files as a whole: which Rollouts a required policy does not govern. */
export function requiredIssues(
  rollouts: readonly { readonly key: Key; readonly policy: PolicyScope }[],
): readonly Issue[] {
  const told = new Map<string, MissingPolicy & { readonly keys: Names }>();
  for (const { key, policy } of rollouts)
    for (const missing of policy.missing)
      told.set(missing.name, { ...missing, keys: (told.get(missing.name)?.keys ?? new Names()).add(key) });
  return [...told.values()].map(({ name, why, place, near, keys }) => ({
    file: CONFIG_FILE,
    line: 0,
    path: 'requiredPolicies',
    reason: 'PolicyMissing',
    message: `requiredPolicies names ${name}, which does not govern ${keys.text()}: ${place ?? 'it is not on the configured paths'}${why === 'wrong' ? ' cannot be read' : ''}`,
    hint: `${near === undefined ? '' : `Did you mean ${near}? `}Put the policy right, or take its name out.`,
  }));
}

function meantBy({ selection }: PolicyReading, there: NamesThere): string {
  for (const pattern of (selection.rollouts ?? []).slice(0, LOOKED_UP_MOST)) {
    const meant = there.nearest(pattern);
    if (meant !== pattern) return `Did you mean ${meant}? `;
  }
  return '';
}

/** The required policies that do not govern a Rollout. One that is there and wrong is held for what is wrong with it, too. */
export function missingPolicies(
  required: readonly string[],
  of: { readonly policies: readonly PolicyReading[]; readonly matching: readonly PolicyReading[] },
): readonly MissingPolicy[] {
  return (
    required
      // One of that name in any folder would do for Rollouts of its own, if it counted.
      .filter(
        (name) => !of.matching.some((policy) => policy.name === name && policy.kind === 'read' && !policy.outside),
      )
      .map((name) => {
        const called = of.policies.filter((policy) => policy.name === name);
        const there = called.find(({ outside }) => outside === undefined) ?? called[0];
        const near = nearest(name, [...new Set(of.policies.map((policy) => policy.name))]);
        if (there === undefined) return { name, why: 'absent', ...(near === undefined ? {} : { near }) };
        return { name, why: there.kind === 'read' ? 'unmatched' : 'wrong', place: `${there.file}:${there.line}` };
      })
  );
}
