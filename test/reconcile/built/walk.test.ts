/** Main's own line is followed past commits that kustomize did not build, and no further where there is no kustomize. */

import { expect, test } from 'vitest';
import { parseManifestFile } from '../../../src/manifests/parse-file.ts';
import { PortError } from '../../../src/ports/port-error.ts';
import { ownLine } from '../../../src/reconcile/history/own-line.ts';
import { lwsOf } from '../../support/kustomize-trees.ts';

const COMMITS = ['d', 'c', 'b', 'a'].map((letter) => ({
  oid: letter.repeat(40),
  parents: [],
  message: letter,
  committedAt: 0,
}));

function failing(operation: string): PortError {
  return new PortError('not built', { port: 'builder', operation, retryable: false, hint: '' });
}

test.each([
  ['build', { kind: 'found', value: 'a'.repeat(40) }],
  ['start', { kind: 'cut', why: 'not built' }],
])('%s', async (operation, expected) => {
  const line = {
    commitAt: async (place: number) => COMMITS[place] as never,
    length: () => COMMITS.length,
    isWhole: () => true,
  };
  const own = ownLine(line, async (commit) => {
    if (commit.startsWith('b') || commit.startsWith('c')) throw failing(operation);
    const tag = commit.startsWith('a') ? '1' : '2';
    return parseManifestFile('lws.yaml', lwsOf('vllm', `example.com/vllm:${tag}`), ['LeaderWorkerSet']).documents;
  });
  const entry = { key: { cluster: '', namespace: 'llm', name: 'vllm' }, identity: { file: 'lws.yaml' } } as never;
  const walked = await own.walk(entry, {
    keyOf: (version) => (version.kind === 'read' ? version.workload.digest : version.kind),
    visit: ({ version, commit }) =>
      version.kind === 'read' && version.document.text.includes('vllm:1') ? commit : undefined,
  });
  expect(walked).toEqual(expected);
});
