/** A folder with very many documents: what is said of each does not grow with how many others there are. */

import { expect, test } from 'vitest';
import { DEFAULT_CONFIG } from '../../src/api/config.ts';
import { parseManifestFile } from '../../src/manifests/parse-file.ts';
import { desiredOf } from '../../src/reconcile/desired/desired.ts';
import { settleDocuments } from '../../src/reconcile/documents/claims.ts';
import { LWS_TEXT, ROLLOUT_TEXT } from '../support/vllm.ts';

function issuesAmong(texts: readonly string[]): readonly string[] {
  const files = texts.map((text, index) => ({
    path: `apps/${index}.yaml`,
    oid: String(index),
    mode: '100644' as const,
    content: { kind: 'text' as const, text },
  }));
  const tree = { commit: 'c', folders: [], skipped: () => [], files };
  const { rollouts, issues } = desiredOf(tree, DEFAULT_CONFIG, new Map());
  return [...issues, ...rollouts.flatMap((one) => one.issues)].map(({ message }) => message);
}

const named = (text: string, at: number): string => text.replace('  name: vllm\n', `  name: vllm${at}\n`);

test.each<readonly [what: string, textOf: (at: number) => string, issues: number, said: string]>([
  [
    'Rollouts of other names for one workload',
    (at) => named(ROLLOUT_TEXT, at),
    400,
    'Rollout vllm7: vllm is also named by Rollout vllm0 in apps/0.yaml:1, Rollout vllm1 in apps/1.yaml:1, Rollout vllm2 in apps/2.yaml:1, Rollout vllm3 in apps/3.yaml:1, Rollout vllm4 in apps/4.yaml:1 and 194 more',
  ],
  [
    'Rollouts of one name',
    () => ROLLOUT_TEXT,
    400,
    'Rollout vllm: the same object is also in apps/1.yaml:1, apps/2.yaml:1, apps/3.yaml:1, apps/4.yaml:1, apps/5.yaml:1 and 194 more; wanted it once',
  ],
  [
    'Rollouts that name a workload that is there as often',
    (at) => `${named(ROLLOUT_TEXT, at)}---\n${LWS_TEXT}`,
    400,
    'LeaderWorkerSet vllm: the same object is also in apps/1.yaml:21, apps/2.yaml:21, apps/3.yaml:21, apps/4.yaml:21, apps/5.yaml:21 and 194 more; wanted it once',
  ],
])('two hundred %s', (_, textOf, count, said) => {
  const issues = issuesAmong([...Array(200).keys()].map(textOf));
  expect(issues).toContain(said);
  expect(issues).toHaveLength(count);
  expect(Math.max(...issues.map(({ length }) => length))).toBeLessThan(400);
});

test('as many of one name as fit into what a pass takes in end no pass', () => {
  const [document] = parseManifestFile('apps/a.yaml', ROLLOUT_TEXT, ['Rollout']).documents;
  if (document === undefined) throw new Error('no document');
  const all = [...Array(300_000).keys()].map((at) => ({ ...document, file: `apps/${at % 2}.yaml` }));
  const { losers, open } = settleDocuments(all, DEFAULT_CONFIG, new Map());
  expect(losers).toHaveLength(2 * 149_999);
  expect(open.map(({ files }) => files)).toEqual(expect.arrayContaining([['apps/0.yaml', 'apps/1.yaml']]));
});
