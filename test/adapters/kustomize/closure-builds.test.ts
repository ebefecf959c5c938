/**
 * Holds the closure against a kustomize that builds: what it leaves out changes nothing, what it has is needed. KUSTOMIZE names
 * the program; skipped, with a message, where it is not set.
 */

import { describe, expect, test } from 'vitest';
import { kustomizeBuilder } from '../../../src/adapters/kustomize/kustomize-builder.ts';
import { type ClosureFile, closureOf } from '../../../src/manifests/closure.ts';
import { realKustomize } from '../../support/kustomize.ts';
import { llmD, SERVING_CATALOG, TRANSFORMED } from '../../support/kustomize-trees.ts';

if (realKustomize === '') console.warn('KUSTOMIZE is not set: the closure is not held against a build');

const builder = kustomizeBuilder({ named: realKustomize, searchPath: '' });

const built = async (files: ReadonlyMap<string, string>, root: string): Promise<string> => {
  const found = await builder.build({ files: [...files].map(([path, text]) => ({ path, text })), root });
  return found.kind === 'built' ? found.text : `${found.cause}: ${found.seen}`;
};

function closure(tree: ReadonlyMap<string, string>, root: string): readonly string[] {
  const files = new Map(
    [...tree].map(([path, text]): [string, ClosureFile] => [path, { kind: 'text', path, oid: path, text }]),
  );
  const paths = new Set<string>();
  for (;;) {
    const found = closureOf(root, { paths, files });
    if (found.kind === 'refused') throw new Error(JSON.stringify(found.issues));
    if (found.kind === 'whole') return found.files.map(({ path }) => path);
    for (const path of found.paths) paths.add(path);
  }
}

describe.skipIf(realKustomize === '')('the closure', () => {
  test.each<[string, Readonly<Record<string, string>>]>([
    ['guides/wide-ep/overlays/prod', llmD()],
    ['guides/wide-ep/overlays/stage', llmD()],
    ['core/lws/vllm/llama3-405b/gke', SERVING_CATALOG],
    ['app', TRANSFORMED],
  ])('of %s is enough, and no file of it is left over', async (root, files) => {
    const tree = new Map([
      ...Object.entries(files),
      [`${root}/unused.yaml`, 'kind: Unused\n'],
      ['unused/kustomization.yaml', 'namePrefix: x-\n'],
    ]);
    const whole = await built(tree, root);
    expect(whole).toContain('kind: LeaderWorkerSet\n');
    const paths = closure(tree, root);
    const alone = new Map([...tree].filter(([path]) => paths.includes(path)));
    expect(alone.size).toBeLessThan(tree.size);
    expect(await built(alone, root)).toBe(whole);
    for (const path of paths) {
      const without = new Map([...alone].filter(([other]) => other !== path));
      expect(await built(without, root), path).not.toBe(whole);
    }
  });
});

describe.skipIf(realKustomize === '')('what the closure refuses', () => {
  test.each([
    ['a field in another case is taken for the field itself', 'Resources: [a.yaml]\n', /kind: A\n/],
    [
      'a path without its host is fetched, though a file has that name',
      'resources: ["http:a.yaml"]\n',
      /proxyconnect|unsupported protocol|no Host|http:a\.yaml/,
    ],
    ['a repository is cloned', 'resources: ["git@example.com:a/b"]\n', /git/],
    [
      'a file of the machine is read without restrictions',
      'resources: ["../../../../../../../../etc/hostname"]\n',
      /etc\/hostname/,
    ],
    [
      'a patch that is no document is tried as a path',
      'patchesStrategicMerge: ["{/../../../../../../../../etc/hostname"]\n',
      /etc\/hostname/,
    ],
    [
      'a transformer takes the key in front of a merge',
      'transformers: ["{apiVersion: builtin, kind: PatchTransformer, metadata: {name: a}, path: /etc/hostname, <<: {path: a.yaml}}"]\n',
      /etc\/hostname/,
    ],
    [
      'a transformer takes a key with a long s',
      'transformers: ["{apiVersion: builtin, kind: PatchStrategicMergeTransformer, metadata: {name: a}, path\u017f: [/etc/hostname-of-nobody]}"]\n',
      /hostname-of-nobody/,
    ],
    [
      'a generator runs behind nothing',
      'generators: [null, "{apiVersion: builtin, kind: ConfigMapGenerator, metadata: {name: a}, files: [/etc/hostname]}"]\n',
      /hostname: /,
    ],
  ])('%s', async (_, text, seen) => {
    const files = new Map([
      ['kustomization.yaml', text],
      ['a.yaml', 'apiVersion: v1\nkind: A\nmetadata: {name: a}\n'],
    ]);
    expect(await built(files, '')).toMatch(seen);
  });
});
