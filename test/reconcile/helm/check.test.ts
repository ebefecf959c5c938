/** The last check before a push of a commit into a HelmRelease: each planted difference is found, and what is planned is none. */

import { expect, test } from 'vitest';
import { patchText } from '../../../src/api/helm-release.ts';
import { parseManifestFile } from '../../../src/manifests/parse-file.ts';
import { readWorkload } from '../../../src/reconcile/documents/read-workload.ts';
import { checkStep } from '../../../src/reconcile/write/check-step.ts';
import { render } from '../../../src/reconcile/write/render.ts';
import { editsOf } from '../../../src/rollout/edits/change-edits.ts';
import { workloadEdit } from '../../../src/rollout/edits/workload-change.ts';
import { RELEASE_FILE, RELEASE_TEXT } from '../../support/helm-files.ts';
import { marksOf } from '../../support/snapshot.ts';

const ENTRY = { name: 'vllm', inputs: 'a'.repeat(32), partition: 3 };
const TEXT = `${RELEASE_TEXT}  postRenderers:\n    - kustomize: {images: [{name: a, newTag: "1"}]}\n    - kustomize:\n        patches:\n          - patch: '${patchText(ENTRY)}'\n`;
const BEFORE = new Map([[RELEASE_FILE, TEXT]]);

function planned(): { readonly text: string; readonly wrong: (text: string) => string | undefined } {
  const [document] = parseManifestFile(RELEASE_FILE, TEXT, ['HelmRelease']).documents;
  const file = document === undefined ? undefined : readWorkload(document).workload;
  const marks = marksOf('B.2 1/3 floor=2 stable=-');
  if (file === undefined || marks === undefined) throw new Error('not read');
  const change = workloadEdit(file, { marks, partition: 2, maxUnavailable: 2 });
  const made = render(editsOf([change]), BEFORE);
  if (made.kind === 'refused') throw new Error(made.issue.message);
  const text = made.writes[0]?.text ?? '';
  const wrong = (tampered: string): string | undefined =>
    checkStep([change], { before: BEFORE, writes: [{ path: RELEASE_FILE, text: tampered }] })?.message;
  return { text, wrong };
}

test('what is planned is written, and nothing else', () => {
  const { text, wrong } = planned();
  expect(wrong(text)).toBeUndefined();
  expect(text).toContain('"partition":2,"maxUnavailable":2');
});

test.each<readonly [what: string, from: string, to: string, said: string]>([
  ['another partition', '"partition":2', '"partition":1', 'its entry is'],
  ['another budget', '"maxUnavailable":2', '"maxUnavailable":4', 'its entry is'],
  ['groups', '"rolloutStrategy"', '"replicas":9,"rolloutStrategy"', 'its entry is'],
  ['another digest', '"tranche.dev/inputs":"', '"tranche.dev/inputs":"0', 'its entry is missing'],
  ['another workload', '"name":"vllm"', '"name":"chat"', 'its entry is'],
  ['an entry of people', 'newTag: "1"', 'newTag: "2"', 'the template is'],
  ['a value', 'v0.10.0', 'v0.10.1', 'the template is'],
  ['how often it is looked at', 'interval: 5m', 'interval: 1m', 'a field would change'],
  ['a mark', 'tranche.dev/step: "1/3', 'tranche.dev/step: "2/3', 'tranche.dev/step'],
])('%s is found', (_, from, to, said) => {
  const { text, wrong } = planned();
  expect(text).toContain(from);
  expect(wrong(text.replace(from, to))).toContain(said);
});

test('an entry that is not the last is found', () => {
  const { text, wrong } = planned();
  expect(wrong(`${text.trimEnd()}\n    - kustomize: {}\n`)).toContain('its entry is');
  expect(patchText(ENTRY)).toContain('"partition":3');
});
