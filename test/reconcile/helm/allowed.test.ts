/** What tranche may write of a HelmRelease: annotations of ours, inputs, and its own entry as the last; nothing that looks like it. */

import { expect, test } from 'vitest';
import { patchText, type RendererEntry } from '../../../src/api/helm-release.ts';
import { notAllowed } from '../../../src/reconcile/write/allowed.ts';
import { RELEASE_FILE, RELEASE_TEXT } from '../../support/helm-files.ts';

const ENTRY: RendererEntry = { name: 'vllm', inputs: 'a'.repeat(32), partition: 3 };
const item = (entry: Partial<RendererEntry> = {}, more = ''): string =>
  `  - kustomize:\n      patches:\n      - patch: '${patchText({ ...ENTRY, ...entry })}'\n${more}`;
const PEOPLE = '  - kustomize: {images: [{name: a, newTag: "1"}]}\n';
const LIST = '  postRenderers:\n';
const OWN = `${RELEASE_TEXT}${LIST}${item()}`;
const BOTH = `${RELEASE_TEXT}${LIST}${PEOPLE}${item()}`;
const THEIRS = `${RELEASE_TEXT}${LIST}${PEOPLE}`;

const why = (before: string, after: string | undefined): string | undefined =>
  notAllowed([{ path: RELEASE_FILE, text: after }], { before: new Map([[RELEASE_FILE, before]]) })?.message;

test.each<readonly [what: string, before: string, after: string]>([
  ['the entry, with its list', RELEASE_TEXT, OWN],
  ['the entry behind one of people', THEIRS, BOTH],
  ['another partition', BOTH, BOTH.replace('"partition":3', '"partition":2')],
  ['a budget and groups', OWN, `${RELEASE_TEXT}${LIST}${item({ maxUnavailable: 2, replicas: 5 })}`],
  ['the entry that goes', BOTH, THEIRS],
  ['the entry that goes with its list', OWN, RELEASE_TEXT],
  ['the entry that becomes the last', `${RELEASE_TEXT}${LIST}${item()}${PEOPLE}`, BOTH],
  ['an entry of people that comes back', BOTH, BOTH.replace('newTag: "1"', 'newTag: "2"')],
  ['values that come back', OWN, OWN.replace('v0.10.0', 'v0.10.1')],
  ['the chart', OWN, OWN.replace('1.3.0', '1.4.0')],
  ['a mark', OWN, OWN.replace('  name: vllm\n', '  name: vllm\n  annotations: {tranche.dev/release: "x"}\n')],
])('%s is written', (_, before, after) => expect(why(before, after)).toBeUndefined());

test.each<readonly [what: string, before: string, after: string | undefined]>([
  ['an entry of people alone', RELEASE_TEXT, THEIRS],
  ['an entry of people that goes', THEIRS, RELEASE_TEXT],
  ['an entry of people that goes with ours', BOTH, RELEASE_TEXT],
  ['an entry that is not the last', THEIRS, `${RELEASE_TEXT}${LIST}${item()}${PEOPLE}`],
  ['two entries', OWN, `${OWN}${item()}`],
  ['an entry for another workload', OWN, OWN.replace('"name":"vllm"', '"name":"chat"')],
  ['an entry with a target', RELEASE_TEXT, `${OWN}        target: {kind: LeaderWorkerSet}\n`],
  ['an entry with a second patch', RELEASE_TEXT, `${OWN}      - patch: '{"kind":"Deployment"}'\n`],
  ['an entry with images', RELEASE_TEXT, `${OWN}      images: [{name: a, newTag: "2"}]\n`],
  ['an entry with a template', RELEASE_TEXT, OWN.replace('"spec":{', '"spec":{"leaderWorkerTemplate":{"size":9},')],
  ['an entry of another kind', RELEASE_TEXT, OWN.replace('"kind":"LeaderWorkerSet"', '"kind":"Deployment"')],
  ['a directive', RELEASE_TEXT, OWN.replace('"spec":{', '"$patch":"delete","spec":{')],
  ['an annotation of people in the patch', RELEASE_TEXT, OWN.replace('"annotations":{', '"annotations":{"team":"x",')],
  ['a suspended release', OWN, OWN.replace('  interval: 5m\n', '  interval: 5m\n  suspend: true\n')],
  ['another interval', OWN, OWN.replace('interval: 5m', 'interval: 1m')],
  ['how upgrades go', OWN, OWN.replace('  interval: 5m\n', '  interval: 5m\n  upgrade: {force: true}\n')],
  ['who applies it', OWN, OWN.replace('  interval: 5m\n', '  interval: 5m\n  serviceAccountName: root\n')],
  ['another cluster', OWN, OWN.replace('  interval: 5m\n', '  interval: 5m\n  kubeConfig: {secretRef: {name: a}}\n')],
  ['an annotation of people', OWN, OWN.replace('  name: vllm\n', '  name: vllm\n  annotations: {team: "x"}\n')],
  ['another name', OWN, OWN.replace('  name: vllm\n', '  name: chat\n')],
  ['a release that comes', RELEASE_TEXT, `${RELEASE_TEXT}---\n${RELEASE_TEXT.replace('name: vllm\n', 'name: chat\n')}`],
  ['a release that goes', `${RELEASE_TEXT}---\n${RELEASE_TEXT.replace('name: vllm\n', 'name: chat\n')}`, RELEASE_TEXT],
  ['a file that goes', OWN, undefined],
])('%s is not', (_, before, after) => {
  expect(after).not.toBe(before);
  expect(why(before, after)).toContain('tranche never writes');
});
