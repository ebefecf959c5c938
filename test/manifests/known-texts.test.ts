/** Documents whose text is known read as they would afresh, wherever they stand; how many are parsed is counted. */

import { expect, test } from 'vitest';
import { type KnownTexts, newKnownTexts } from '../../src/manifests/known-texts.ts';
import { type ManifestFile, parseManifestFile } from '../../src/manifests/parse-file.ts';
import { climb, climbBack } from '../../src/reconcile/ladder/climb.ts';
import { ladderFiles, ladderRollout, partsIn } from '../support/ladder.ts';

const LWS = `apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata:
  name: vllm
spec:
  replicas: 0x4
  paused: yes
`;

/** Remembers what was parsed, one entry a time. */
function counted(): { readonly known: KnownTexts; readonly parsed: readonly string[] } {
  const parsed: string[] = [];
  const { get, set } = newKnownTexts();
  return { known: { get, set: (text, read) => (parsed.push(text), set(text, read)) }, parsed };
}

/** All that can be compared of a file. */
function comparable({ documents, others, issues }: ManifestFile): unknown {
  const lines = (one: ManifestFile['documents'][number]): readonly number[] =>
    [[], ['spec', 'replicas'], ['spec', 'missing']].map((path) => one.lineOf(path));
  return {
    documents: documents.map((one) => ({ ...one, lineOf: undefined })),
    lines: documents.map(lines),
    others,
    issues,
  };
}

test('a known text has the lines and the file of where it stands now', () => {
  const { known, parsed } = counted();
  const texts = [LWS, `# header\n\n---\n${LWS}`, `kind: Service\n---\n${LWS}---\n${LWS}`];
  for (const [at, text] of texts.entries()) {
    const file = `${at}.yaml`;
    const read = parseManifestFile(file, text, ['LeaderWorkerSet'], known);
    expect(comparable(read)).toEqual(comparable(parseManifestFile(file, text, ['LeaderWorkerSet'])));
  }
  expect(parsed).toEqual([LWS]);
});

test('a text that is known from a JSON file is refused in a YAML file where YAML reads it otherwise', () => {
  const known = newKnownTexts();
  const text = `{"apiVersion":"v1","kind":"Rollout","metadata":{"name":"a"},"note":"a\u2028b"}`;
  expect(parseManifestFile('a.json', text, ['Rollout'], known).issues).toEqual([]);
  expect(parseManifestFile('a.yaml', text, ['Rollout'], known).issues).toMatchObject([{ reason: 'UnclearLineBreak' }]);
});

test('what is wrong is remembered as well, and says the line of where it stands now', () => {
  const { known, parsed } = counted();
  const wrong = ['kind: Rollout\nkind: Rollout\n', 'kind: Rollout\na: [\n', 'kind: Rollout\na: *b\n'];
  for (const text of wrong)
    for (const before of ['', '# one\n---\n']) {
      const { issues } = parseManifestFile(`${before.length}.yaml`, before + text, ['Rollout'], known);
      expect(issues).toEqual(parseManifestFile(`${before.length}.yaml`, before + text, ['Rollout']).issues);
      expect(issues[0]?.line).toBeGreaterThan(before === '' ? 0 : 3);
    }
  expect(parsed).toEqual(wrong);
});

test('the older half is let go, but for what was asked for', () => {
  const known = newKnownTexts(120);
  const read = parseManifestFile('a.yaml', LWS, ['LeaderWorkerSet']).documents[0];
  if (read === undefined) throw new Error('not read');
  const entry = {
    kind: 'read' as const,
    root: read.root,
    value: read.value,
    ambiguous: [],
    twice: [],
    starts: [0],
    work: 1,
  };
  const text = (at: number): string => String(at).padEnd(30, 'x');
  for (const at of [1, 2, 3]) known.set(text(at), entry);
  expect(known.get(text(1))).toBeDefined();
  for (const at of [4, 5]) known.set(text(at), entry);
  expect([2, 5, 4, 1].map((at) => known.get(text(at)) !== undefined)).toEqual([false, true, true, true]);
});

test('a delivery and its rollbacks, tried together, parse no text twice', () => {
  const texts = ladderFiles(ladderRollout('canary', ['replicas: 1, traffic: 5%', 'replicas: 100%, traffic: 50%']));
  const parts = partsIn(texts);
  const { known, parsed } = counted();
  const { commits } = climb(texts, parts, known);
  for (const one of commits) expect(climbBack(one, parts, known).obstacle).toBeUndefined();
  expect(commits.length).toBeGreaterThan(6);
  expect(new Set(parsed).size).toBe(parsed.length);
});
