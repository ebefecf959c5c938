/** Finds the policies of a Rollout by the namespaces that they name, so that no Rollout looks through all of them. */

import { policyMatches, strictest } from '../../api/rollout-policy.ts';
import type { PolicyReading, PolicyScope } from './read-policy.ts';

type Asked = { readonly namespace: string; readonly name: string };

/** Where a pattern can match at all. */
type Place = 'anywhere' | { readonly namespace: string; readonly name: string | undefined };

/** Asked of a Rollout: the policies that match it, as one. Rollouts with the same policies share one answer. */
export function policyIndex(policies: readonly PolicyReading[]): (rollout: Asked) => PolicyScope {
  const anywhere: number[] = [];
  const inNamespace = new Map<string, number[]>();
  const ofName = new Map<string, number[]>();
  for (const [at, { rollouts }] of policies.entries())
    for (const place of placesOf(rollouts))
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
      .filter((at) => policyMatches(policies[at]?.rollouts, rollout));
    const key = mine.join();
    const scope = scopes.get(key) ?? scopeOf(mine.flatMap((at) => policies[at] ?? []));
    scopes.set(key, scope);
    return scope;
  };
}

function scopeOf(mine: readonly PolicyReading[]): PolicyScope {
  return {
    rules: strictest(mine.map(({ policy }) => policy).filter((policy) => policy !== undefined)),
    files: [...new Set(mine.map(({ file }) => file))],
    issues: mine.flatMap(({ issues }) => issues),
  };
}

function placesOf(patterns: readonly string[] | undefined): readonly Place[] {
  if (patterns === undefined) return ['anywhere'];
  return patterns.map((pattern) => {
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
