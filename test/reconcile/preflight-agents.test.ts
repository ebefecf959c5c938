/**
 * What of agents and other writers in Git stands in the way of a delivery: [files] → findings with their places. Each patch is
 * applied, as git does it, and what it mends is not found any more.
 */

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { DEFAULT_CONFIG } from '../../src/api/config.ts';
import type { Issue } from '../../src/api/issue.ts';
import { agentIssues } from '../../src/reconcile/preflight-agents.ts';
import { FakeRepository } from '../support/fake-git.ts';
import { type Files, patchedFiles } from '../support/patch.ts';
import { LWS_FILE, LWS_TEXT, ROLLOUT_FILE, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';

async function found(files: Files): Promise<readonly Issue[]> {
  const git = FakeRepository.withFiles(files).open();
  const commit = (await git.heads(['main']))[0] ?? '';
  return agentIssues(git, { commit, config: DEFAULT_CONFIG });
}

const placeOf = ({ reason, file, line }: Issue): string => `${reason} ${file}:${line}`;

/** Patch after patch until nothing has one: a patch may bring no finding of its own. */
async function mended(files: Files): Promise<readonly string[]> {
  const issues = await found(files);
  const patch = issues.find((issue) => issue.patch !== undefined)?.patch;
  if (patch === undefined) return issues.map(placeOf);
  const after = patchedFiles(files, patch);
  expect((await found(after)).length).toBeLessThan(issues.length);
  return mended(after);
}

const application = (rest = '', policy = '    automated: {selfHeal: true, prune: true}'): Files => ({
  ...VLLM_FILES,
  'app.yaml': `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: vllm
spec:
  source: {path: apps/vllm, targetRevision: main}
  syncPolicy:
${policy}
${rest}`,
});
const hydrated = (to: string): Files => ({
  ...VLLM_FILES,
  'app.yaml': `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: vllm}
spec:
  sourceHydrator:
    drySource: {repoURL: r, path: apps/vllm, targetRevision: main}
    syncSource: {targetBranch: env/prod, path: vllm}
${to}  syncPolicy: {automated: {selfHeal: true, prune: true}}
`,
});
const flux = (rest: string): Files => ({
  ...VLLM_FILES,
  'flux.yaml': `apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: vllm}\nspec:\n  path: ./apps/vllm\n${rest}`,
});
/** A second workload is taken out of Git in the end. */
const canary = {
  [ROLLOUT_FILE]: ROLLOUT_TEXT.replace('    canary:\n', '    canary:\n      enableExtraWorkloadForCanary: true\n'),
};
const annotated = (annotation: string, text = LWS_TEXT): Files => ({
  [LWS_FILE]: text.replace('  namespace: llm\n', `  namespace: llm\n  annotations:\n    ${annotation}\n`),
});
const ignoring = (entry: string): Files => application(`  ignoreDifferences:\n    - ${entry}\n`);
const SERVICE = `apiVersion: v1\nkind: Service\nmetadata:\n  name: vllm\n  annotations: {argocd.argoproj.io/sync-wave: "5"}\n`;
const HOOK = `apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: smoke\n  annotations: {argocd.argoproj.io/hook: PostSync}\n`;
const updater = (method = ''): Files => ({
  ...application(),
  'app.yaml': (application()['app.yaml'] ?? '').replace(
    '  name: vllm\n',
    `  name: vllm\n  annotations:\n    argocd-image-updater.argoproj.io/image-list: a=b\n${method}`,
  ),
});

type Row = readonly [what: string, files: Files, places: readonly string[], left?: readonly string[]];

const rows: readonly Row[] = [
  ['an Application and a Kustomization that fit', { ...application(), ...flux('  prune: true\n') }, []],
  ['without prune, where nothing is taken out', { ...application('', '    automated: {}'), ...flux('') }, []],
  [
    'an Application that does not prune',
    { ...application('', '    automated: {selfHeal: true}'), ...canary },
    ['NotPruned app.yaml:8'],
  ],
  [
    'one that says so',
    { ...application('', '    automated:\n      prune: false'), ...canary },
    ['NotPruned app.yaml:9'],
  ],
  ['a Kustomization that does not prune', { ...flux('  prune: false\n'), ...canary }, ['NotPruned flux.yaml:6']],
  [
    'a workload that Argo CD keeps',
    { ...application(), ...canary, ...annotated('argocd.argoproj.io/sync-options: Prune=false') },
    [`NotPruned ${LWS_FILE}:8`],
  ],
  [
    'the same of another order of options',
    {
      ...application(),
      ...canary,
      ...annotated('argocd.argoproj.io/sync-options: "Prune=confirm, Replace=true,Validate=false"'),
    },
    [`NotPruned ${LWS_FILE}:8`, `ForcedApply ${LWS_FILE}:8`],
  ],
  [
    'a workload that Flux keeps',
    { ...flux('  prune: true\n'), ...canary, ...annotated('kustomize.toolkit.fluxcd.io/prune: disabled') },
    [`NotPruned ${LWS_FILE}:8`],
  ],
  [
    'a workload that Flux does not apply',
    { ...flux(''), ...annotated('kustomize.toolkit.fluxcd.io/reconcile: disabled') },
    [`IgnoredDifference ${LWS_FILE}:8`],
  ],
  [
    'a workload that Flux only creates',
    { ...flux(''), ...annotated('kustomize.toolkit.fluxcd.io/ssa: IfNotPresent') },
    [`IgnoredDifference ${LWS_FILE}:8`],
  ],
  [
    'ignored replicas of LeaderWorkerSets',
    ignoring('{kind: LeaderWorkerSet, jsonPointers: [/spec/replicas]}'),
    ['IgnoredDifference app.yaml:10'],
  ],
  [
    'next to a field that may be ignored',
    ignoring(
      '{kind: LeaderWorkerSet, jsonPointers: [/spec/replicas, /spec/startupPolicy], jqPathExpressions: [.spec.replicas]}',
    ),
    ['IgnoredDifference app.yaml:10'],
  ],
  [
    'of every kind, which is for people to part',
    ignoring('{kind: "*", jsonPointers: [/spec/replicas]}'),
    ['IgnoredDifference app.yaml:10'],
    ['IgnoredDifference app.yaml:10'],
  ],
  [
    'options that replace',
    application('', '    automated: {prune: true}\n    syncOptions: [ServerSideApply=true, Replace=true]'),
    ['ForcedApply app.yaml:9'],
  ],
  [
    'one that waits for someone',
    application('', '    syncOptions: [ServerSideApply=true]'),
    ['NotAutomated app.yaml:7'],
  ],
  [
    'one that is switched off',
    application('', '    automated: {enabled: false, prune: true}'),
    ['NotAutomated app.yaml:7'],
  ],
  [
    'a suspended Kustomization that forces',
    flux('  suspend: true\n  force: true\n'),
    ['NotAutomated flux.yaml:6', 'ForcedApply flux.yaml:7'],
  ],
  [
    'a health gate of Flux',
    flux(
      '  wait: true\n  healthCheckExprs:\n    - apiVersion: leaderworkerset.x-k8s.io/v1\n      kind: LeaderWorkerSet\n      failed: status.readyReplicas == 0\n      current: status.readyReplicas == spec.replicas\n',
    ),
    ['HealthGate flux.yaml:8'],
  ],
  ['a later wave of Argo CD', { ...application(), 'apps/vllm/service.yaml': SERVICE }, [`HealthGate ${LWS_FILE}:4`]],
  ['a later wave that another Application has', { ...application(), 'apps/web/service.yaml': SERVICE }, []],
  [
    'a hook after the sync, which is for people to move',
    { ...application(), 'apps/vllm/smoke.yaml': HOOK },
    ['HealthGate apps/vllm/smoke.yaml:5'],
    ['HealthGate apps/vllm/smoke.yaml:5'],
  ],
  ['what is hydrated', hydrated(''), []],
  ['the same to the branch that is applied', hydrated('    hydrateTo: {targetBranch: env/prod}\n'), []],
  [
    'the same to another branch, from which a promoter merges: for people to choose',
    hydrated('    hydrateTo: {targetBranch: env/prod-next}\n'),
    ['PromotionWaits app.yaml:8'],
    ['PromotionWaits app.yaml:8'],
  ],
  [
    'what is hydrated from another branch',
    {
      ...hydrated(''),
      'app.yaml': (hydrated('')['app.yaml'] ?? '').replace('targetRevision: main', 'targetRevision: dry'),
    },
    ['OtherBranch app.yaml:6'],
  ],
  ['the image updater of Argo CD', updater(), ['ImageWriter app.yaml:6']],
  [
    'the same that writes to Git',
    updater('    argocd-image-updater.argoproj.io/write-back-method: git:secret:a/b\n'),
    [],
  ],
  [
    'the one of Flux',
    {
      ...flux(''),
      'images.yaml':
        'apiVersion: image.toolkit.fluxcd.io/v1\nkind: ImageUpdateAutomation\nmetadata: {name: tags}\nspec:\n  git: {checkout: {ref: {branch: main}}}\n  update: {path: ./apps}\n',
    },
    ['ImageWriter images.yaml:6'],
  ],
];

test.each(rows.map(([what, files, places, left = []]) => ({ what, files, places, left })))(
  '$what',
  async ({ files, places, left }) => {
    expect((await found(files)).map(placeOf)).toEqual(places);
    expect(await mended(files)).toEqual(left);
  },
);

const renovate = (text: string, file = 'renovate.json'): Files => ({ ...VLLM_FILES, [file]: text });
const managed = '"kubernetes": {"managerFilePatterns": ["/^apps/.+\\\\.yaml$/"]}';
const rule = (rest: string): string => `"packageRules": [{${rest}}]`;

const renovates: readonly Row[] = [
  ['that merges by itself', renovate(`{\n  ${managed},\n  "automerge": true\n}\n`), ['ImageWriter renovate.json:3']],
  ['whose pull requests people merge', renovate(`{\n  ${managed}\n}\n`), []],
  [
    'of other files',
    renovate('{"kubernetes": {"managerFilePatterns": ["/^web/.+\\\\.yaml$/", "web/**"]}, "automerge": true}'),
    [],
  ],
  [
    'by a pattern of names',
    renovate('{"kubernetes": {"managerFilePatterns": ["apps/**"]}, "automerge": true}'),
    ['ImageWriter renovate.json:1'],
  ],
  [
    'by the older word, in a rule of some updates',
    renovate(
      `{\n  "kubernetes": {"fileMatch": ["^apps/"]},\n  "packageRules": [\n    {"matchUpdateTypes": ["minor"], "automerge": true}\n  ]\n}\n`,
    ),
    ['ImageWriter renovate.json:4'],
  ],
  [
    'by a manager of its own',
    renovate(
      '{"customManagers": [{"customType": "regex", "managerFilePatterns": ["/\\\\.yaml$/"]}], "automerge": true}',
    ),
    ['ImageWriter renovate.json:1'],
  ],
  [
    'by a preset that merges',
    renovate(`{\n  "extends": ["config:recommended", ":automergeMinor"],\n  ${managed}\n}\n`),
    ['ImageWriter renovate.json:2'],
  ],
  [
    'by a preset that is not in the repository',
    renovate('{\n  "extends": ["github>acme/renovate"]\n}\n'),
    ['ImageWriter renovate.json:2'],
  ],
  ['with only the presets of its own', renovate('{"extends": ["config:recommended"]}'), []],
  ['of another manager alone', renovate(`{${managed}, "enabledManagers": ["npm"], "automerge": true}`), []],
  ['that is off', renovate(`{${managed}, "enabled": false, "automerge": true}`), []],
  ['that ignores them', renovate(`{${managed}, "ignorePaths": ["apps/**"], "automerge": true}`), []],
  [
    'whose last rule leaves them to people',
    renovate(`{${managed}, "automerge": true, ${rule('"matchFileNames": ["apps/**"], "automerge": false')}}`),
    [],
  ],
  [
    'whose last rule leaves some updates to people',
    renovate(`{${managed}, "automerge": true, ${rule('"matchUpdateTypes": ["major"], "automerge": false')}}`),
    ['ImageWriter renovate.json:1'],
  ],
  [
    'whose last rule merges again',
    renovate(
      `{${managed}, "packageRules": [{"automerge": false}, {"matchFileNames": ["apps/**"], "automerge": true}]}`,
    ),
    ['ImageWriter renovate.json:1'],
  ],
  [
    'by a pattern that is not tried',
    renovate('{"kubernetes": {"managerFilePatterns": ["/(a+)+$/"]}, "automerge": true}'),
    ['ImageWriter renovate.json:1'],
  ],
  [
    'in JSON5',
    renovate(
      `{\n\t// a comment with "packageRules": [\n\tkubernetes: {managerFilePatterns: ['apps/**'],}, /* and "*/\n\tautomerge: true,\n\tpackageRules: [\n\t\t{matchUpdateTypes: ['pin'], automerge: true},\n\t],\n}\n`,
      '.github/renovate.json5',
    ),
    ['ImageWriter .github/renovate.json5:6'],
  ],
  [
    'without a file of its own',
    renovate(
      `{\n  "name": "models",\n  "renovate": {\n    ${managed},\n    "automerge": true\n  }\n}\n`,
      'package.json',
    ),
    ['ImageWriter package.json:5'],
  ],
  ['whose package.json is of something else', renovate('{"name": "models"}', 'package.json'), []],
  [
    'the first of two that counts',
    {
      ...renovate('{"extends": ["config:recommended"]}'),
      ...renovate(`{${managed}, "automerge": true}`, '.renovaterc'),
    },
    [],
  ],
  ['that cannot be read', renovate('{"automerge": true,'), []],
  ['that is no map', renovate('[1]'), []],
];

test.each(renovates.map(([what, files, places]) => ({ what, files, places })))(
  'a Renovate $what',
  async ({ files, places }) => {
    expect((await found(files)).map(placeOf)).toEqual(places);
    expect(await mended(files)).toEqual([]);
  },
);

test('no pattern of a repository takes long, and no comment without an end', async () => {
  const deep = `apps/${'a'.repeat(200)}.yaml`;
  const files = { [ROLLOUT_FILE]: ROLLOUT_TEXT, [deep]: LWS_TEXT };
  for (const pattern of ['/(a|a)*$/', '/(a*)*b/', '/.*.*.*.*.*.*x/', '/[/', '!/a/'])
    expect(
      await found({
        ...files,
        'renovate.json': JSON.stringify({ kubernetes: { managerFilePatterns: [pattern] }, automerge: true }),
      }),
    ).toHaveLength(1);
  expect(await found({ ...files, 'renovate.json5': `{"a": 1, ${'/*'.repeat(50_000)}` })).toEqual([]);
});

test('git apply takes the first patch of each of them, and makes the same of the files', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tranche-patches-'));
  const whole = new Map<string, string>();
  for (const [what, files] of rows) {
    const patch = (await found(files)).find((issue) => issue.patch !== undefined)?.patch;
    if (patch === undefined) continue;
    const where = join(folder, String(whole.size));
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(where, path)), { recursive: true });
      writeFileSync(join(where, path), text);
    }
    const { stderr } = spawnSync('git', ['apply'], { cwd: where, input: patch, encoding: 'utf8' });
    whole.set(what, stderr);
    const after = Object.keys(files).map((path) => [path, readFileSync(join(where, path), 'utf8')]);
    expect(Object.fromEntries(after), what).toEqual(patchedFiles(files, patch));
  }
  rmSync(folder, { recursive: true });
  expect(whole.size).toBeGreaterThan(10);
  expect([...whole].filter(([, stderr]) => stderr !== '')).toEqual([]);
});
