/** Main's own line is followed past commits that say nothing of the workload, and no further where there is no kustomize. */

import { expect, test } from 'vitest';
import { parseManifestFile } from '../../../src/manifests/parse-file.ts';
import { PortError } from '../../../src/ports/port-error.ts';
import { ownLine } from '../../../src/reconcile/history/own-line.ts';
import { printTrailers } from '../../../src/rollout/commits/trailers.ts';
import { lwsOf } from '../../support/kustomize-trees.ts';

const NOBODY = async (): Promise<undefined> => undefined;

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
  const own = ownLine(
    line,
    async (commit) => {
      if (commit.startsWith('b') || commit.startsWith('c')) throw failing(operation);
      const tag = commit.startsWith('a') ? '1' : '2';
      return parseManifestFile('lws.yaml', lwsOf('vllm', `example.com/vllm:${tag}`), ['LeaderWorkerSet']).documents;
    },
    NOBODY,
  );
  const entry = { key: { cluster: '', namespace: 'llm', name: 'vllm' }, identity: { file: 'lws.yaml' } } as never;
  const walked = await own.walk(entry, {
    keyOf: (version) => (version.kind === 'read' ? version.workload.digest : version.kind),
    visit: ({ version, commit }) =>
      version.kind === 'read' && version.document.text.includes('vllm:1') ? commit : undefined,
  });
  expect(walked).toEqual(expected);
});

const RELEASE = `${'0'.repeat(32)}.1`;
const ADOPTS = `adopt\n\n${printTrailers({ rollout: '/llm/vllm', release: RELEASE, step: 'settled', reason: 'Adopted', plannedFrom: 'main' })}`;
const PLAIN = lwsOf('vllm', 'example.com/vllm:1');
const MARKED = PLAIN.replace('  name: vllm\n', `  name: vllm\n  annotations: {tranche.dev/release: "${RELEASE}"}\n`);

// Newest first; the strides of a walk from k on look at j, i, g and c, which all have no annotations.
test.each([
  ['a hand took the annotations out', { h: MARKED, i: PLAIN, j: PLAIN, k: PLAIN }, 'h'],
  ['the folder was not built without our patch', { h: MARKED, i: undefined, j: undefined, k: undefined }, 'h'],
  ['only its message says so', { h: PLAIN, i: PLAIN, j: PLAIN, k: PLAIN }, undefined],
])('between two stretches without annotations: %s', async (_title, later, found) => {
  const files: Readonly<Record<string, string | undefined>> = later;
  const before = found === 'h' && files['k'] === undefined ? undefined : PLAIN;
  const commits = 'k j i h g f e d c b a'.split(' ').map((letter) => ({
    oid: letter.repeat(40),
    parents: [],
    message: letter === 'h' ? ADOPTS : letter,
    committedAt: 0,
  }));
  const line = {
    commitAt: async (place: number) => commits[place] as never,
    length: () => commits.length,
    isWhole: () => true,
  };
  const own = ownLine(
    line,
    async (commit) => {
      const text = commit[0] !== undefined && commit[0] in files ? files[commit[0]] : before;
      if (text === undefined) throw failing('build');
      return parseManifestFile('lws.yaml', text, ['LeaderWorkerSet']).documents;
    },
    NOBODY,
  );
  const entry = { key: { cluster: '', namespace: 'llm', name: 'vllm' }, identity: { file: 'lws.yaml' } } as never;
  const walked = await own.walk(entry, {
    keyOf: (version) => `${version.kind} ${version.kind === 'read' && version.workload.workload.marks !== undefined}`,
    visit: ({ version, commit }) =>
      version.kind === 'read' && version.workload.workload.marks !== undefined ? commit : undefined,
  });
  expect(walked).toEqual(found === undefined ? { kind: 'ended' } : { kind: 'found', value: found.repeat(40) });
});
