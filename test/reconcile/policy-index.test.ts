/** Which policies reach a Rollout, and that asking for many Rollouts does not look at all policies for each. */

import { expect, test } from 'vitest';
import type { PolicySubject } from '../../src/api/rollout-policy.ts';
import { policyIndex } from '../../src/reconcile/policies/policy-index.ts';
import type { PolicyReading } from '../../src/reconcile/policies/policy-scope.ts';

function policy(file: string, rollouts: readonly string[] | undefined, surge?: number): PolicyReading {
  const selection = rollouts === undefined ? {} : { rollouts };
  const read = surge === undefined ? {} : { surge };
  return { kind: 'read', name: file, file, lines: {}, line: 1, selection, policy: read, issues: [] };
}

function subject(namespace: string, name: string): PolicySubject & { readonly file: string } {
  return {
    cluster: 'default',
    namespace,
    name,
    labels: {},
    strategy: 'partition',
    file: `apps/${namespace}/rollout.yaml`,
  };
}

const NONE = { required: [], owners: {} };

const POLICIES = [
  policy('a', ['llm/vllm'], 4),
  policy('b', undefined, 3),
  policy('c', ['llm/*', 'llm/vllm'], 2),
  policy('d', ['*/vllm', 'talk/*'], 1),
  policy('e', ['l*m/v*']),
  policy('f', ['*']),
];

test.each([
  ['llm', 'vllm', ['a', 'b', 'c', 'd', 'e', 'f'], 1],
  ['llm', 'chat', ['b', 'c', 'f'], 2],
  ['talk', 'vllm', ['b', 'd', 'f'], 1],
  ['talk', 'chat', ['b', 'd', 'f'], 1],
  ['other', 'chat', ['b', 'f'], 3],
  ['lm', 'v', ['b', 'e', 'f'], 3],
] as const)('%s/%s is reached by %j, surge %i', (namespace, name, files, surge) => {
  const scope = policyIndex(POLICIES, NONE)(subject(namespace, name));
  expect(scope.files).toEqual(files);
  expect(scope.rules.surge).toBe(surge);
});

/** Looks at policies for as many Rollouts as there are policies, one for each. */
function looks(count: number): number {
  let seen = 0;
  const counted = (reading: PolicyReading): PolicyReading =>
    new Proxy(reading, {
      get: (target, property) => {
        seen += 1;
        return Reflect.get(target, property);
      },
    });
  const names = Array.from({ length: count }, (_none, at) => `service-${at}`);
  const all = names.map((name, at) => counted(policy(name, [at % 2 === 0 ? `llm/${name}` : `${name}/*`])));
  const scopeFor = policyIndex(all, NONE);
  for (const [at, name] of names.entries())
    expect(scopeFor(subject(at % 2 === 0 ? 'llm' : name, name)).files).toEqual([name]);
  return seen;
}

test('ten times as many Rollouts and policies are ten times as many looks', () => {
  expect(looks(200)).toBe(10 * looks(20));
});
