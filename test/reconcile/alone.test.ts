/** Which workloads are all that their folder has: there an agent that prunes may refuse to delete. */

import { expect, test } from 'vitest';
import { parseManifestFile } from '../../src/manifests/parse-file.ts';
import { aloneIn } from '../../src/reconcile/documents/alone.ts';
import { LWS_TEXT } from '../support/vllm.ts';

const two = `${LWS_TEXT}---\nkind: ConfigMap\n`;

test.each([
  ['nothing next to it', 'apps/vllm/lws.yaml', LWS_TEXT, [], true],
  [
    'a kustomization and notes',
    'apps/vllm/lws.yaml',
    LWS_TEXT,
    ['apps/vllm/kustomization.yaml', 'apps/vllm/a.md'],
    true,
  ],
  ['a manifest next to it', 'apps/vllm/lws.yaml', LWS_TEXT, ['apps/vllm/service.yaml'], false],
  ['one in a folder below', 'apps/vllm/lws.yaml', LWS_TEXT, ['apps/vllm/more/service.json'], false],
  ['one in the folder above', 'apps/vllm/lws.yaml', LWS_TEXT, ['apps/service.yaml'], true],
  ['one in a folder of a longer name', 'apps/vllm/lws.yaml', LWS_TEXT, ['apps/vllm-2/service.yaml'], true],
  ['a second document', 'apps/vllm/lws.yaml', two, [], false],
  ['no folder at all', 'lws.yaml', LWS_TEXT, [], true],
  ['no folder, and one deeper', 'lws.yaml', LWS_TEXT, ['apps/service.yml'], false],
] as const)('%s', (_what, file, text, beside, expected) => {
  const files = [parseManifestFile(file, text, ['LeaderWorkerSet'])];
  expect(aloneIn(files, () => [file, ...beside])(file)).toBe(expected);
});
