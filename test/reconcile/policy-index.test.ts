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

/** Looks at policies for as many Rollouts as there are policies. */
function looks(
  count: number,
  patternsOf: (name: string, at: number) => readonly string[] | undefined,
  filesOf: (name: string, all: readonly string[]) => readonly string[],
): number {
  let seen = 0;
  const counted = (reading: PolicyReading): PolicyReading =>
    new Proxy(reading, {
      get: (target, property) => {
        seen += 1;
        return Reflect.get(target, property);
      },
    });
  const names = Array.from({ length: count }, (_none, at) => `service-${at}`);
  const all = names.map((name, at) => counted(policy(name, patternsOf(name, at))));
  const scopeFor = policyIndex(all, NONE);
  for (const [at, name] of names.entries())
    expect(scopeFor(subject(at % 2 === 0 ? 'llm' : name, name)).files).toEqual(filesOf(name, names));
  return seen;
}

test.each<readonly [what: string, ...of: readonly [Parameters<typeof looks>[1], Parameters<typeof looks>[2]]]>([
  ['name one each', (name, at) => [at % 2 === 0 ? `llm/${name}` : `${name}/*`], (name) => [name]],
  ['choose nothing', () => undefined, (_name, all) => all],
  ['mean all of them', () => ['*', 'llm/x'], (_name, all) => all],
])('ten times as many Rollouts and policies that %s are ten times as many looks', (_what, patternsOf, filesOf) => {
  expect(looks(200, patternsOf, filesOf)).toBe(10 * looks(20, patternsOf, filesOf));
});

test('policies that mean all of a namespace are looked at once for all of its Rollouts', () => {
  const of = (rollouts: number): number => {
    let seen = 0;
    const all = Array.from({ length: 50 }, (_none, at) => policy(`p${at}`, ['llm/*'])).map(
      (reading) => new Proxy(reading, { get: (target, key) => ((seen += 1), Reflect.get(target, key)) }),
    );
    const scopeFor = policyIndex(all, NONE);
    for (let at = 0; at < rollouts; at += 1) {
      expect(scopeFor(subject('llm', `vllm-${at}`)).files).toHaveLength(50);
      expect(scopeFor(subject('talk', `vllm-${at}`)).files).toEqual([]);
    }
    return seen;
  };
  expect(of(100)).toBe(of(1));
});
