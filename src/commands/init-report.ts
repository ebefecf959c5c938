/** What `tranche init` prints: what it found, what it would add, what has to change, what is refused, and what comes next. */

import type { Issue } from '../api/issue.ts';
import { issueLine } from '../api/issue-line.ts';
import { jsonText, oneLine } from '../api/printable.ts';
import { shellText, shellWord } from '../api/shell-word.ts';
import type { Io } from '../options.ts';
import type { Addition } from '../reconcile/init/addition.ts';
import type { FoundWorkload, Survey } from '../reconcile/init/survey.ts';
import type { RootView } from '../reconcile/roots/read-roots.ts';
import type { BranchProposed, NotProposed } from '../reconcile/write/propose-branch.ts';
import { inTurn, patchLines } from './patches.ts';
import { rootValue } from './roots-report.ts';

export type InitReport = {
  readonly read: string;
  readonly survey: Survey;
  /** Kustomize folders with LeaderWorkerSets that kustomize changes, and that are not taken over. */
  readonly folders: readonly RootView[];
  readonly files: readonly Addition[];
  /** Settings of agents that have to change. */
  readonly settings: readonly Issue[];
  readonly refused: readonly Issue[];
  /** `namespace/name` of LeaderWorkerSets that the cluster has and no file has. */
  readonly cluster: readonly string[];
  /** Lines about the rules of the forge. */
  readonly rules: readonly string[];
  /** Problems that `lint` finds with these files added. */
  readonly left: number;
  /** What it warns of then. */
  readonly warnings: number;
  /** Whether kustomize folders are to be taken over, which only a pass does that has the program named. */
  readonly takesFolders: boolean;
  /** undefined: nothing was to be written. */
  readonly written: readonly string[] | undefined;
  /** Of these, folders that were not there before in place of what is in them. */
  readonly toCommit: readonly string[];
  /** Not there: no pull request was asked for, or there is nothing to add. */
  readonly pull: BranchProposed | NotProposed | undefined;
  /** What each call has to name; undefined: `main`, or what that names. */
  readonly branch: string | undefined;
};

/** Prints it. */
export function printReport(report: InitReport, output: 'text' | 'json', io: Io): void {
  io.out(output === 'json' ? jsonText(valueOf(report)) : textOf(report));
}

function valueOf({ survey, folders, toCommit: _toCommit, ...report }: InitReport): unknown {
  return {
    ...report,
    folders: folders.map(rootValue),
    workloads: survey.workloads.map(({ document, agents, refused: _refused, ...found }) => ({
      ...found,
      file: document.file,
      line: document.firstLine,
      appliedBy: agents.map(({ name, file, line }) => ({ name, file, line })),
    })),
  };
}

function textOf(report: InitReport): string {
  const { survey, folders, files, settings, refused, cluster, rules } = report;
  const { workloads } = survey;
  const blocks: readonly (readonly string[])[] = [
    [`read: ${report.read}`],
    workloads.length === 0
      ? ['no LeaderWorkerSet found in a manifest. Where they are in another repository, name it with --repo.']
      : [`${count(workloads.length, 'LeaderWorkerSet')}:`, ...workloads.flatMap(workloadLines)],
    titled(
      'built by kustomize (tranche roots has more); with TRANCHE_KUSTOMIZE, the path of kustomize, init proposes their Rollouts:',
      folders.flatMap(folderLines),
    ),
    titled('in the cluster, and in no file that was read:', cluster),
    titled(titleOf(report), files.flatMap(fileLines)),
    settingsToChange(settings),
    titled(
      'the rules of the forge:',
      rules.map((line) => line.trimEnd()),
    ),
    titled('refused, with the way out:', refused.map(issueLine)),
    nextLines(report),
  ];
  return (
    blocks
      .filter((block) => block.length > 0)
      // A line end in the name of a file would be a line of the report.
      .map((block) => block.map((line) => `${oneLine(line)}\n`).join(''))
      .join('\n')
  );
}

/** A patch is not indented: so it can be handed to git apply. */
function settingsToChange(settings: readonly Issue[]): readonly string[] {
  if (settings.length === 0) return [];
  const lines = settings.flatMap((issue) => [`  ${issueLine(issue)}`, ...patchLines(issue)]);
  return ['to change, in what applies them:', ...lines, ...inTurn(settings, 'init')];
}

function titled(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];
}

function workloadLines(found: FoundWorkload): readonly string[] {
  const { document, name, namespace, images, front, agents, deliveredBy } = found;
  const place = namespace ?? agents.find((agent) => agent.namespace !== undefined)?.namespace ?? '?';
  const by = agents.map((agent) => `applied by ${agent.name} (${agent.file}:${agent.line})`);
  return [
    `  ${[`${place}/${name}`, `${document.file}:${document.firstLine}`, sizeOf(found), images.join(', ')].filter((part) => part !== '').join('  ')}`,
    ...(deliveredBy === undefined ? [] : [`    delivered already, by ${deliveredBy}`]),
    ...front.map((one) => `    ${one.name} (${one.file}:${one.line}) sends it requests`),
    ...(by.length === 0
      ? ['    nothing in these files applies it: see "Agents" in REFERENCE.md for its settings']
      : by.map((line) => `    ${line}`)),
  ];
}

function sizeOf({ saysSize, groups, size, gpusOfGroup }: FoundWorkload): string {
  if (!saysSize) return '';
  const gpus = gpusOfGroup === 0 ? '' : `, ${count(gpusOfGroup, 'GPU')} a group`;
  return `${count(groups, 'group')} of ${count(size, 'pod')}${gpus}`;
}

/** One a LeaderWorkerSet; where the folder is not built, why. */
function folderLines({ root, workloads, issues }: RootView): readonly string[] {
  const built = workloads.map(({ namespace, name, groups, size, images }) =>
    `${namespace ?? '?'}/${name}  ${root.document.file}  ${count(groups, 'group')} of ${count(size, 'pod')}  ${images.join(', ')}`.trimEnd(),
  );
  return workloads.length > 0 ? built : issues.map(issueLine);
}

function fileLines({ path, why, examples }: Addition): readonly string[] {
  return [
    `${path}  ${why}`,
    ...(examples.length === 0 ? [] : [`  put your own in place of the examples: ${placesOf(path, examples)}`]),
  ];
}

function placesOf(path: string, lines: readonly number[]): string {
  return lines.map((line) => `${path}:${line}`).join(', ');
}

function titleOf({ written, pull }: InitReport): string {
  if (pull?.kind === 'proposed') return 'proposed:';
  return written === undefined ? 'to add:' : 'written:';
}

/** What became of the pull request, and what is left to do. */
function pullLines(pull: BranchProposed | NotProposed): readonly string[] {
  if (pull.kind === 'refused') return [`not proposed: ${pull.why}`];
  const { branch, url, unopened } = pull;
  if (url !== undefined) return [`pull request ${url}: nothing happens before it is merged`];
  return [
    ...(unopened === undefined ? [] : [`the pull request was not opened: ${unopened}`]),
    `branch ${branch}: open a pull request from it. Nothing happens before that is merged`,
  ];
}

function nextLines(report: InitReport): readonly string[] {
  const { files, written, toCommit, survey, pull, branch } = report;
  const plan = ['tranche plan', ...flagsFor(branch)].join(' ');
  const problems = lintLine(report);
  if (files.length === 0) {
    const isDone = survey.workloads.some(({ deliveredBy }) => deliveredBy !== undefined);
    return isDone ? [`nothing to add: ${problems}`, `next: ${plan}`] : ['nothing to add'];
  }
  if (pull !== undefined) return [...pullLines(pull), problems];
  if (written === undefined) return [`next: tranche init --write, with the same options; ${problems}`];
  return [
    ...startLines(report, written),
    `next: git add ${shellWords(toCommit)}, commit, push; then ${plan}; ${problems}`,
    ...branchLines(branch),
  ];
}

function shellWords(paths: readonly string[]): string {
  return paths.map(shellWord).join(' ');
}

function lintLine({ left, warnings }: InitReport): string {
  const found =
    left === 0
      ? 'tranche lint finds nothing wrong with them'
      : `tranche lint finds ${count(left, 'problem')} in the files`;
  return warnings === 0 ? found : `${found}, and warns of ${count(warnings, 'thing')}`;
}

function startLines({ takesFolders }: InitReport, written: readonly string[]): readonly string[] {
  if (!written.some((path) => path.startsWith('install/'))) return [];
  const lines = [
    ...(takesFolders
      ? [
          'add {name: TRANCHE_KUSTOMIZE, value: kustomize} to env in install/base/deployment.yaml: without it no kustomize folder is taken over',
        ]
      : []),
    'kubectl apply -k install/overlay',
    'kubectl create secret generic tranche-git --namespace tranche --from-file=token=/dev/stdin, a token that may push',
  ];
  return lines.map((line, at) => `${at === 0 ? 'to start it:' : ' '.repeat(12)} ${line}`);
}

/** A pass looks at `main` for the configuration: without one, nothing in a file can name the branch. */
function branchLines(branch: string | undefined): readonly string[] {
  return flagsFor(branch).map(
    (flag) => `this repository has no main: say ${flag} in each call of tranche, and in what runs it`,
  );
}

function flagsFor(branch: string | undefined): readonly string[] {
  return branch === undefined ? [] : [`--branch ${shellText(branch)}`];
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
