/** `tranche lint` of policies that ask for an Analysis that is not there: no step of their Rollouts would go forward. */

import { expect, test } from 'vitest';
import { linted } from '../support/linted.ts';
import { VLLM_FILES } from '../support/vllm.ts';
import { World } from '../support/world.ts';

const CHAT = `apiVersion: tranche.dev/v1alpha1
kind: Analysis
metadata: {name: chat}
spec:
  provider: prod
  metrics:
    - use: vllm/errors
`;

function policy(analyses: string, rollouts = "['*']"): string {
  return `apiVersion: tranche.dev/v1alpha1
kind: RolloutPolicy
metadata: {name: measured}
spec:
  rollouts: ${rollouts}
  analyses: ${analyses}
`;
}

async function wrong(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const world = new World({ files: { ...VLLM_FILES, ...files } });
  const { code, out } = await linted(world);
  const lines = out.split('\n').filter((line) => /^\S+\.yaml:\d+: /.test(line));
  expect(code).toBe(lines.length === 0 ? 0 : 1);
  return lines;
}

const NOBODY =
  'policies/measured.yaml:6: RolloutPolicy measured asks for the Analysis chat of every step, and no file has one: no step of its Rollouts goes forward (AnalysisMissing). Write one of that name, or take it out of analyses.';

test.each<readonly [what: string, files: Readonly<Record<string, string>>, says: readonly string[]]>([
  ['is there', { 'policies/measured.yaml': policy('[chat]'), 'policies/chat.yaml': CHAT }, []],
  ['is nowhere', { 'policies/measured.yaml': policy('[chat]') }, [NOBODY]],
  [
    'has another name',
    { 'policies/measured.yaml': policy('[caht]'), 'policies/chat.yaml': CHAT },
    [NOBODY.replace('Analysis chat', 'Analysis caht').replace('Write', 'Did you mean chat? Write')],
  ],
  [
    'is wrong: that alone is said',
    { 'policies/measured.yaml': policy('[chat]'), 'policies/chat.yaml': CHAT.replace('vllm/errors', 'vllm/erors') },
    [expect.stringMatching(/^policies\/chat.yaml:7: .*\(UnknownPreset\)/)],
  ],
  [
    'is outside of policyPaths',
    {
      'tranche.yaml': 'cluster: prod\npolicyPaths: [policies]\n',
      'policies/measured.yaml': policy('[chat, talk]'),
      'policies/chat.yaml': CHAT,
      'apps/talk.yaml': CHAT.replace('chat', 'talk'),
    },
    [expect.stringMatching(/^apps\/talk.yaml:4: .*\(OutsidePolicyPaths\)/)],
  ],
  ['is asked for by a policy that means no Rollout', { 'policies/measured.yaml': policy('[chat]', '[other/*]') }, []],
])('an Analysis that %s', async (_, files, says) => {
  expect(await wrong(files)).toEqual(says);
});
