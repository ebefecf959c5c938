/** The files of worlds that kustomize builds: two folders over one base and one component, and the edits of people in them. */

import { lwsFile, withNumber } from './files.ts';
import type { Setup, WorkloadSetup } from './setup.ts';
import { imageOf, REGISTRY, templateText } from './versions.ts';

export type BuiltWorkload = WorkloadSetup & { readonly root: string };

export function isBuilt(workload: WorkloadSetup): workload is BuiltWorkload {
  return workload.root !== undefined;
}

const BASE = 'apps/vllm/base';
export const COMPONENT = 'components/images/kustomization.yaml';
/** What one folder lists another in: a step in the one would be a step in the other. */
export const LISTING = 'apps/vllm/other/kustomization.yaml';
const ENTRY = 'tranche/apply.yaml';
const PLACEHOLDER = 'MODEL_SERVER';

export const overlayFile = ({ root }: BuiltWorkload): string => `${root}/kustomization.yaml`;
export const sizeFile = ({ root }: BuiltWorkload): string => `${root}/size.yaml`;
export const applyFile = ({ root }: BuiltWorkload): string => `${root}/${ENTRY}`;
export const patchFile = ({ root, name }: BuiltWorkload): string => `${root}/tranche/llm-${name}.yaml`;

/** Every file where tranche writes. */
export function ownFiles(workload: WorkloadSetup): readonly string[] {
  return isBuilt(workload)
    ? [patchFile(workload), applyFile(workload), overlayFile(workload)]
    : [lwsFile(workload.name)];
}

export function builtFiles({ workloads, base }: Setup): Readonly<Record<string, string>> {
  const built = workloads.filter(isBuilt);
  const [first] = built;
  if (first === undefined) return {};
  const files: Record<string, string> = {
    [`${BASE}/kustomization.yaml`]: 'resources: [lws.yaml, service.yaml]\n',
    [`${BASE}/lws.yaml`]: baseText(base ?? 'silent', first.size),
    [`${BASE}/service.yaml`]: 'apiVersion: v1\nkind: Service\nmetadata: {name: vllm}\nspec: {ports: [{port: 80}]}\n',
    [COMPONENT]: componentText(),
  };
  for (const workload of built) {
    files[overlayFile(workload)] = overlayText(workload);
    files[sizeFile(workload)] = sizeText(workload);
    files[`${workload.root}/labels.yaml`] = LABELS;
  }
  return files;
}

const LABELS = `apiVersion: builtin
kind: LabelTransformer
metadata: {name: team}
labels: {team: search}
fieldSpecs: [{path: metadata/labels, create: true}]
`;

/** `locked`: as `tranche lint` asks for; `open`: all groups follow an edit where no patch of ours says otherwise. */
function baseText(base: NonNullable<Setup['base']>, size: number): string {
  const partition = { locked: 1_000_000, open: 0, silent: undefined }[base];
  return [
    'apiVersion: leaderworkerset.x-k8s.io/v1',
    'kind: LeaderWorkerSet',
    'metadata:',
    '  name: vllm',
    'spec:',
    '  replicas: 1',
    ...(partition === undefined
      ? []
      : ['  rolloutStrategy:', '    rollingUpdateConfiguration:', `      partition: ${partition}`]),
    '  leaderWorkerTemplate:',
    templateText(0, size).replaceAll(imageOf(0), PLACEHOLDER),
  ].join('\n');
}

function componentText(): string {
  return `apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
images:
  - name: ${PLACEHOLDER}
    newName: ${REGISTRY}
    newTag: "0"
`;
}

function overlayText(workload: BuiltWorkload): string {
  const prefix = workload.name.replace(/vllm$/, '');
  const lines = [
    `# The model servers of ${prefix}`,
    'apiVersion: kustomize.config.k8s.io/v1beta1',
    'kind: Kustomization',
    'namespace: llm',
    `namePrefix: ${prefix}`,
    'resources:',
    '  - ../base',
    'components:',
    '  - ../../../components/images',
    'patches:',
    '  - path: size.yaml',
    'configMapGenerator:',
    '  - name: notes',
    '    literals:',
    '      - note=first',
    ...(workload.labels === true ? ['transformers:', '  - labels.yaml'] : []),
    '',
  ];
  return lines.join(workload.lineEnd);
}

function sizeText({ replicas, maxUnavailable }: WorkloadSetup): string {
  return `apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata:
  name: vllm
spec:
  replicas: ${replicas}
  rolloutStrategy:
    type: RollingUpdate
    rollingUpdateConfiguration:
      maxUnavailable: ${maxUnavailable}  # one group is 16 GPUs
`;
}

const TAG = /newTag: "\d+"/;
const OWN_TAG = new RegExp(`(\r?\n)images:\r?\n  - name: ${REGISTRY}\r?\n    newTag: "\\d+"`);

/** The component gives every folder this version that has none of its own. */
export function withSharedVersion(component: string, version: number): string {
  return component.replace(TAG, `newTag: "${version}"`);
}

/** The folder has a version of its own; undefined: that of the component. */
export function withOwnVersion(overlay: string, version: number | undefined): string {
  const plain = overlay.replace(OWN_TAG, '');
  if (version === undefined) return plain;
  const end = overlay.includes('\r\n') ? '\r\n' : '\n';
  const lines = ['', 'images:', `  - name: ${REGISTRY}`, `    newTag: "${version}"`, 'configMapGenerator:'];
  return plain.replace(`${end}configMapGenerator:`, () => lines.join(end));
}

export function hasOwnVersion(overlay: string): boolean {
  return OWN_TAG.test(overlay);
}

export function withNote(overlay: string, note: string): string {
  return overlay.replace(/- note=.*?(\r?\n)/, `- note=${note}$1`);
}

const ENTRY_LINE = new RegExp(`\r?\n  - ${ENTRY}`);

/** Without our entry, and without `transformers` where nothing is left of it. */
export function withoutEntry(overlay: string): string {
  return overlay.replace(ENTRY_LINE, '').replace(/\r?\ntransformers:(?=\r?\n(\S|$)|$)/, '');
}

/** With our entry as the last. */
export function withEntry(overlay: string): string {
  const end = overlay.includes('\r\n') ? '\r\n' : '\n';
  const plain = overlay.replace(ENTRY_LINE, '');
  if (!/^transformers:/m.test(plain)) return `${plain}transformers:${end}  - ${ENTRY}${end}`;
  return plain.replace(/^transformers:\r?\n(?: {2}- .*\r?\n)*/m, (list) => `${list}  - ${ENTRY}${end}`);
}

/** Somebody's labels come behind our entry. */
export function withLabelsLast(overlay: string): string {
  const end = overlay.includes('\r\n') ? '\r\n' : '\n';
  const line = `${end}  - ${ENTRY}`;
  return overlay.replace(`${end}  - labels.yaml`, '').replace(line, () => `${line}${end}  - labels.yaml`);
}

/** Whether our entry is there and nothing comes after it. */
export function isEntered(overlay: string): boolean {
  return new RegExp(`\n  - ${ENTRY}\r?\n(?!  - )`).test(overlay);
}

/** What applies the patch. */
export function applyText({ name }: BuiltWorkload): string {
  return `# For kustomize: what tranche changes of ${name} is done last.
apiVersion: builtin
kind: PatchTransformer
metadata:
  name: tranche-llm-${name}
path: tranche/llm-${name}.yaml
`;
}

export function withSize(text: string, key: string, value: number): string {
  return withNumber(text, key, value);
}
