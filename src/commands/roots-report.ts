/** What `tranche roots` prints: each kustomize folder, its LeaderWorkerSets, what is in the way, and what a merge changes. */

import { issueLine } from '../api/issue-line.ts';
import { at } from '../api/json.ts';
import { jsonText, oneLine } from '../api/printable.ts';
import { isKustomizationFile } from '../manifests/parse-file.ts';
import { folderOf } from '../manifests/paths.ts';
import type { Io } from '../options.ts';
import { isNamed, type RootRelease, type RootWorkload } from '../reconcile/roots/named-in-root.ts';
import type { RootView } from '../reconcile/roots/read-roots.ts';
import type { RootChange } from '../reconcile/roots/root-changes.ts';

export type RootsReport = {
  readonly read: string;
  readonly roots: readonly RootView[];
  /** What was compared with; undefined: nothing. */
  readonly base: string | undefined;
  readonly changes: readonly RootChange[];
};

const UNNAMED = [
  'No Rollout names some of these. To deliver one in steps, as its folder builds it: add a Rollout of its name and namespace (tranche init writes one), and set TRANCHE_KUSTOMIZE where tranche runs.',
];

/** Prints it. */
export function printRoots(report: RootsReport, output: 'text' | 'json', io: Io): void {
  io.out(output === 'json' ? jsonText(valueOf(report)) : textOf(report));
}

function valueOf({ roots, ...report }: RootsReport): unknown {
  return {
    ...report,
    roots: roots.map(rootValue),
  };
}

/** One folder as JSON. */
export function rootValue({ root, agents, files, workloads, releases, issues }: RootView): unknown {
  return {
    folder: root.folder,
    file: root.document.file,
    files,
    appliedBy: agents.map(({ name, file, line }) => ({ name, file, line })),
    listedBy: root.listedBy.map(({ file }) => file),
    workloads: workloads.map(({ document: _document, content: _content, ...workload }) => workload),
    ...releasesValue(releases),
    issues,
  };
}

/** Not there: no Rollout names one, as in most folders. */
function releasesValue(releases: RootView['releases']): { readonly releases?: unknown } {
  const named = releases.filter(isNamed).map(({ document: _document, ...release }) => release);
  return named.length === 0 ? {} : { releases: named };
}

function textOf({ read, roots, base, changes }: RootsReport): string {
  const workloads = roots.flatMap((view) => view.workloads);
  const releases = roots.flatMap((view) => view.releases.filter(isNamed));
  const blocks = [
    // A line end in the name of a file would be a line of the report.
    ...roots.map((view) => rootLines(view).map(oneLine)),
    ...changes.map(changeLines),
    ...(base !== undefined && changes.length === 0 ? [[`no folder builds anything else than at ${base}`]] : []),
    [
      ...(workloads.every(({ rollouts }) => rollouts.length > 0) ? [] : UNNAMED),
      `${count(roots.length, 'kustomize folder')} with LeaderWorkerSets, ${count(workloads.length, 'LeaderWorkerSet')} built${releases.length === 0 ? '' : `, ${count(releases.length, 'HelmRelease')} that ${releases.length === 1 ? 'renders' : 'render'} one`}`,
      `read: ${read}${base === undefined ? '' : `, compared with ${base}`}`,
    ],
  ];
  return blocks.map((lines) => lines.map((line) => `${line}\n`).join('')).join('\n');
}

function rootLines({ root, agents, files, workloads, releases, issues }: RootView): readonly string[] {
  const by = agents.map(({ name, file, line }) => `applied by ${name} (${file}:${line})`);
  const parts = files.filter((file) => isKustomizationFile(file) && file !== root.document.file).map(folderOf);
  return [
    `${root.document.file}  built from ${count(files.length, 'file')}${by.length === 0 ? '' : `, ${by.join(', ')}`}`,
    ...(parts.length === 0 ? [] : [`  with ${parts.map((part) => (part === '' ? '.' : part)).join(', ')}`]),
    ...workloads.flatMap(workloadLines),
    ...releases.filter(isNamed).flatMap(releaseLines),
    ...issues.map((issue) => `  refused  ${issueLine(issue)}`),
  ];
}

function workloadLines(workload: RootWorkload): readonly string[] {
  const { namespace, name, groups, size, gpusOfGroup, images, rollouts } = workload;
  const gpus = gpusOfGroup === 0 ? '' : `, ${count(gpusOfGroup, 'GPU')} a group`;
  return [
    `  ${namespace ?? '?'}/${name}  ${count(groups, 'group')} of ${count(size, 'pod')}${gpus}  ${images.join(', ')}`.trimEnd(),
    ...rollouts.map((file) => `    named by the Rollout in ${file}`),
  ];
}

function releaseLines({ namespace, name, document, rollouts }: RootRelease): readonly string[] {
  const { chart, version } = chartIn(document);
  return [
    `  HelmRelease ${namespace ?? '?'}/${name}  ${chart} ${version}`.trimEnd(),
    ...rollouts.map((file) => `    named by the Rollout in ${file}`),
  ];
}

function chartIn({ value }: RootRelease['document']): { readonly chart: string; readonly version: string } {
  const [chart, version] = ['chart', 'version'].map((key) => at(value, ['spec', 'chart', 'spec', key]));
  return { chart: typeof chart === 'string' ? chart : '', version: typeof version === 'string' ? version : '' };
}

function changeLines({ folder, workload, kind, restarts, diff }: RootChange): readonly string[] {
  const where = folder === '' ? '.' : folder;
  const said = {
    new: `${where} builds ${workload} for the first time`,
    gone: `${where} no longer builds ${workload}`,
    template: `${where} builds another template of ${workload}: applied as it is, ${restarts === 1 ? '1 group restarts' : `${restarts} groups restart`}`,
    inputs: `${where} builds other inputs of ${workload}: Flux renders its workload again when that is applied`,
    fields: `${where} builds other fields of ${workload}: its template is the same`,
    unknown: `${where} is not built on both sides: what changes in it is not known`,
  }[kind];
  const isShown = kind === 'template' || kind === 'inputs' || kind === 'fields';
  return [said, ...(isShown ? diff.trimEnd().split('\n') : [])];
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
