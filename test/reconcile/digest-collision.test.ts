/** Two templates of one digest have a name. No such pair is known: what is compared gets its digest from a table. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/api/json.ts';
import { DIGEST_DIGITS, isDigest, parseRelease } from '../../src/api/release.ts';
import { parseManifestFile } from '../../src/manifests/parse-file.ts';
import { collisionOf, fileCollision } from '../../src/reconcile/documents/digest-collision.ts';
import { changesDigest, factsDigest, releaseDigest, stepDigest } from '../../src/reconcile/documents/digests.ts';
import { readWorkload } from '../../src/reconcile/documents/read-workload.ts';
import { LWS_FILE, LWS_TEXT, NEW, OLD } from '../support/vllm.ts';

const [A, B]: readonly [JsonObject, JsonObject] = [{ image: 'a' }, { image: 'b' }];
const [ONE, TWO] = ['1'.repeat(32), '2'.repeat(32)];

test.each<
  readonly [string, readonly (readonly [digest: string, content: JsonObject])[], readonly string[] | undefined]
>([
  ['nothing', [], undefined],
  ['one template', [[ONE, A]], undefined],
  [
    'the same twice',
    [
      [ONE, A],
      [ONE, A],
    ],
    undefined,
  ],
  [
    'the same in another order of its fields',
    [
      [ONE, { a: 1, b: 2 }],
      [ONE, { b: 2, a: 1 }],
    ],
    undefined,
  ],
  [
    'two of two digests',
    [
      [ONE, A],
      [TWO, B],
    ],
    undefined,
  ],
  [
    'two of one digest',
    [
      [ONE, A],
      [ONE, B],
    ],
    ['0', '1'],
  ],
  [
    'two of one digest, others in between',
    [
      [ONE, A],
      [TWO, B],
      [ONE, A],
      [ONE, B],
    ],
    ['0', '3'],
  ],
])('%s', (_, templates, where) => {
  const named = templates.map(([digest, content], place) => ({ digest, content, where: `${place}` }));
  expect(collisionOf(named)?.where).toEqual(where);
});

const documentOf = (text: string) => parseManifestFile(LWS_FILE, text, ['LeaderWorkerSet']).documents[0]!;

test('the file and the release before: a finding with file and line, and none where digests differ', () => {
  const document = documentOf(LWS_TEXT);
  const file = readWorkload(document).workload!;
  const other = readWorkload(documentOf(LWS_TEXT.replaceAll(OLD, NEW))).workload!;
  const before = (digest: string) => ({
    commit: 'c'.repeat(40),
    release: { digest, serial: 1 },
    content: other.workload.content,
  });
  expect(fileCollision(document, file, before(other.digest))).toEqual([]);
  expect(fileCollision(document, file, undefined)).toEqual([]);
  expect(fileCollision(document, file, before(file.digest))).toEqual([
    expect.objectContaining({
      file: LWS_FILE,
      line: LWS_TEXT.split('\n').findIndex((line) => line.includes('leaderWorkerTemplate:')) + 1,
      reason: 'DigestCollision',
      message: expect.stringContaining('the templates of cccccccccccc and of the file differ'),
    }),
  ]);
});

test('digests of templates, facts, changes and steps have 128 bits, and nothing shorter is read as one', () => {
  expect(DIGEST_DIGITS * 4).toBe(128);
  const made = [releaseDigest(A), factsDigest(A), changesDigest([]), stepDigest({ replicas: 1 } as never)];
  expect(made.map((digest) => [isDigest(digest), digest.length])).toEqual(made.map(() => [true, 32]));
  expect([parseRelease(`${ONE.slice(1)}.1`), parseRelease(`${ONE}.1`)?.digest]).toEqual([undefined, ONE]);
});
