/** The user's files in a simulated repository, and the edits that people make in them. */

import { statusKeysText } from '../support/status-key.ts';
import { Chance } from './chance.ts';
import type { ClientName } from './client-routes.ts';
import { WATCHED_FILE, watchedText } from './notified.ts';
import { anySaid, GATES_FILE, saidText } from './policy-said.ts';
import { neighbours, routedFiles, routingLines } from './routed-files.ts';
import type { Setup, StepSetup, WorkloadSetup } from './setup.ts';
import { REGISTRY, sizeOf, templateText } from './versions.ts';

const TEMPLATE = '  leaderWorkerTemplate:';

export function lwsFile(name: string): string {
  return `apps/${name}/lws.yaml`;
}

export function rolloutFile(name: string): string {
  return `rollouts/${name}.yaml`;
}

/** What people say in a Rollout; the file is written from it as a whole. */
export type RolloutState = {
  readonly steps: readonly StepSetup[];
  readonly paused: boolean;
  readonly disabled: boolean;
  readonly intents: Readonly<Record<string, string>>;
};

export function initialFiles(setup: Setup): Readonly<Record<string, string>> {
  const files: Record<string, string> = { 'README.md': '# Models\n' };
  if (setup.keyed === true || setup.hostile !== undefined) files['tranche.yaml'] = configText(setup);
  if (setup.hostile !== undefined) files[WATCHED_FILE] = watchedText(setup);
  if (setup.policies === true) files[GATES_FILE] = saidText(anySaid(new Chance(setup.seed).fork('gates')));
  for (const workload of setup.workloads) {
    const state = { steps: workload.steps, paused: false, disabled: false, intents: {} };
    files[rolloutFile(workload.name)] = rolloutText(workload, state);
    if (workload.surge !== undefined || workload.resizes === true)
      files[`policies/${workload.name}.yaml`] = policyText(workload);
    if (workload.poison !== 'no workload' && workload.root === undefined)
      files[lwsFile(workload.name)] = lwsText(workload);
    Object.assign(files, routedFiles(workload), neighbours(workload));
    const { autoscaled, scaler, name } = workload;
    if ((autoscaled && scaler !== 'live') || scaler === 'idle') files[scalerFile(name)] = hpaText(workload);
  }
  return files;
}

/** What is said outside of the folder of policies does not count where people from elsewhere have folders. */
export function configText({ keyed }: Setup): string {
  return `policyPaths: [policies]\n${keyed === true ? statusKeysText() : ''}`;
}

function lwsText(setup: WorkloadSetup): string {
  const lines = [
    `# The model server ${setup.name}.`,
    'apiVersion: leaderworkerset.x-k8s.io/v1',
    'kind: LeaderWorkerSet',
    'metadata:',
    `  name: ${setup.name}`,
    '  namespace: llm',
    'spec:',
    `  replicas: ${setup.replicas}`,
    '  rolloutStrategy:',
    '    type: RollingUpdate',
    '    rollingUpdateConfiguration:',
    `      maxUnavailable: ${setup.maxUnavailable}  # one group is 16 GPUs`,
    '      maxSurge: 0',
    '      partition: 0',
    TEMPLATE,
    templateText(0, sizeOf(setup, 0)),
  ];
  const text = lines.join('\n');
  return withLineEnds(setup.poison === 'broken yaml' ? text.replace('spec:', 'spec: [') : text, setup.lineEnd);
}

export function rolloutText(setup: WorkloadSetup, state: RolloutState): string {
  const annotations = Object.entries(state.intents).map(([key, value]) => `    ${key}: "${value}"`);
  const steps =
    setup.poison === 'steps down' ? [{ replicas: '100%', pause: 'none' } as const, ...state.steps] : state.steps;
  const lines = [
    'apiVersion: rollouts.kruise.io/v1beta1',
    'kind: Rollout',
    'metadata:',
    `  name: ${setup.name}`,
    '  namespace: llm',
    ...(annotations.length === 0 ? [] : ['  annotations:', ...annotations]),
    'spec:',
    ...(state.disabled ? ['  disabled: true'] : []),
    '  workloadRef:',
    '    apiVersion: leaderworkerset.x-k8s.io/v1',
    '    kind: LeaderWorkerSet',
    `    name: ${setup.name}`,
    '  strategy:',
    ...(state.paused ? ['    paused: true'] : []),
    `    ${setup.fills?.style ?? 'canary'}:`,
    ...routingLines(setup),
    '      steps:',
    ...steps.flatMap(stepLines),
    '',
  ];
  return lines.join('\n');
}

function stepLines(step: StepSetup): readonly string[] {
  const replicas = `        - replicas: ${step.replicas}`;
  const traffic = step.traffic === undefined ? [] : [`          traffic: ${step.traffic}%`];
  const matches =
    step.matches === undefined ? [] : [`          matches: [${step.matches.map((one) => MATCHES[one]).join(', ')}]`];
  if (step.pause === 'none') return [replicas, ...traffic, ...matches];
  const pause = step.pause === 'manual' ? '{}' : `{duration: ${step.pause}}`;
  return [replicas, ...traffic, ...matches, `          pause: ${pause}`];
}

/** As a step picks the clients of `client-routes.ts`. */
const MATCHES: Readonly<Record<ClientName, string>> = {
  header: '{headers: [{name: x-canary, value: "yes"}]}',
  query: '{queryParams: [{name: beta, value: "1"}]}',
  path: '{path: {type: PathPrefix, value: /v1/beta}}',
};

function policyText({ name, surge, resizes }: WorkloadSetup): string {
  return [
    'apiVersion: tranche.dev/v1alpha1',
    'kind: RolloutPolicy',
    `metadata: {name: ${name}}`,
    'spec:',
    `  rollouts: [llm/${name}]`,
    ...(surge === undefined ? [] : [`  surge: ${surge}`]),
    ...(resizes === true ? ['  sizeChange: Whole'] : []),
    '',
  ].join('\n');
}

export function scalerFile(name: string): string {
  return `apps/${name}/hpa.yaml`;
}

/** An autoscaler, in Git or made by hand. */
export function hpaText({ name }: WorkloadSetup): string {
  return [
    'apiVersion: autoscaling/v2',
    'kind: HorizontalPodAutoscaler',
    `metadata: {name: ${name}, namespace: llm}`,
    'spec:',
    '  maxReplicas: 8',
    '  scaleTargetRef: {apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, ',
    `    name: ${name}}`,
    '',
  ].join('\n');
}

function withLineEnds(text: string, lineEnd: '\n' | '\r\n'): string {
  return lineEnd === '\n' ? text : text.replaceAll('\n', '\r\n');
}

/** The document of the user's own workload, which is the first, and all after it. */
export function splitOwn(text: string): readonly [own: string, others: string] {
  const cut = text.search(/^---\r?$/m);
  return cut < 0 ? [text, ''] : [text.slice(0, cut), text.slice(cut)];
}

/** Where the template starts; the rest of the document, up to its end, is the template. */
export function templateStart(text: string): number {
  return text.indexOf(TEMPLATE) + TEMPLATE.length;
}

/** The version that a file asks for. */
export function versionInText(text: string): number | undefined {
  const found = new RegExp(`${REGISTRY}:(\\d+)`).exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** Another version's template in the place of the present one. */
export function withVersion(text: string, version: number, setup: WorkloadSetup): string {
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  const [own, others] = splitOwn(text);
  const template = withLineEnds(templateText(version, sizeOf(setup, version)), lineEnd);
  return `${own.slice(0, templateStart(own))}${lineEnd}${template}${others}`;
}

/** A number of the spec, by its key; every key that is asked for is there once. */
export function numberIn(text: string, key: string): number | undefined {
  const found = new RegExp(`^ +${key}: (\\d+)`, 'm').exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

export function withNumber(text: string, key: string, value: number): string {
  return text.replace(new RegExp(`^( +${key}: )\\d+`, 'm'), `$1${value}`);
}

/** What Git says of the workload that we made. */
export type SecondFields = {
  readonly replicas: number;
  readonly version: number | undefined;
  /** The release whose text it has. */
  readonly text: string | undefined;
};

/** undefined: the file has no such document. */
export function secondIn(text: string): SecondFields | undefined {
  const made = splitOwn(text)[1]
    .split(/^---\r?$/m)
    .find((one) => markIn(one, 'made-for') !== undefined);
  if (made === undefined) return undefined;
  return { replicas: numberIn(made, 'replicas') ?? 1, version: versionInText(made), text: markIn(made, 'template') };
}

/** What the marks in a file say, read by no code of the product. */
export type FileMarks = {
  readonly release: string;
  readonly step: string | undefined;
  /** The rung, where a second workload is filled. */
  readonly at: string | undefined;
  /** The colour that serves, where it is not the user's own. */
  readonly serves: string | undefined;
  readonly stable: string | undefined;
  readonly floor: number | undefined;
  readonly setBudget: number | undefined;
  /** What people had before that; undefined: nothing, or nothing was raised. */
  readonly peoplesBudget: number | undefined;
  /** Groups without and with those that are there for the delivery only. */
  readonly surge: { readonly was: number; readonly set: number } | undefined;
  /** How often a share was taken back because nothing of the new version served. */
  readonly withdrawn: number;
  /** The settled release that a rollback of two colours takes back; undefined: there is no such rollback. */
  readonly undone: string | undefined;
  readonly aborted: readonly string[];
};

export function marksIn(text: string): FileMarks | undefined {
  const release = markIn(text, 'release');
  if (release === undefined) return undefined;
  const restore = JSON.parse(markIn(text, 'restore') ?? '{}') as {
    floor?: number;
    maxUnavailable?: { was?: number; set: number };
    replicas?: { was: number; set: number };
    withdrawn?: number;
    undone?: string;
  };
  return {
    release,
    // `k/n@release`: without the release of this object it is a step of none, and no claim of a record has its text.
    step: markIn(text, 'step')?.replace(`@${release}`, ''),
    at: markIn(text, 'rung'),
    serves: markIn(text, 'serves'),
    stable: markIn(text, 'stable')?.split('@')[0],
    floor: restore.floor,
    setBudget: restore.maxUnavailable?.set,
    peoplesBudget: restore.maxUnavailable?.was,
    surge: restore.replicas,
    withdrawn: restore.withdrawn ?? 0,
    undone: restore.undone,
    aborted: (markIn(text, 'aborted') ?? '').split(',').filter((part) => part !== ''),
  };
}

function markIn(text: string, key: string): string | undefined {
  const found = new RegExp(`^ +tranche\\.dev/${key}: (.*?)\\r?$`, 'm').exec(text)?.[1];
  return found?.replace(/^["'](.*)["']$/, '$1');
}
