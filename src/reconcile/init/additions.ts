/** The files that a repository needs to be delivered by tranche, and why; what is there already is left as it is. */

import { CONFIG_FILE, type Config, isBelow } from '../../api/config.ts';
import type { Issue } from '../../api/issue.ts';
import { yamlWord } from '../../api/yaml-word.ts';
import { folderOf } from '../../manifests/paths.ts';
import { namespaceIssue } from '../documents/desired-issues.ts';
import { keyOf } from '../documents/rollout-names.ts';
import type { Addition, Copied, Files, Wishes } from './addition.ts';
import type { Agent } from './agents.ts';
import { agentsOf } from './agents.ts';
import { configText } from './config-text.ts';
import { type Drawn, strategyFor } from './first-strategy.ts';
import { rolloutText } from './steps.ts';
import type { FoundWorkload, Survey } from './survey.ts';

export type Proposal = {
  readonly files: readonly Addition[];
  readonly refused: readonly Issue[];
  /** Agents that would apply the Rollouts as well. */
  readonly settings: readonly Issue[];
  /** The Rollouts among the files, by `namespace/name`. */
  readonly rollouts: ReadonlyMap<string, FoundWorkload>;
};

/**
 * What to add. `without`: Rollouts, by `namespace/name`, that a pass over this proposal has found something wrong with: they
 * are not proposed again.
 */
export function proposal(survey: Survey, files: Files, wishes: Wishes, without: ReadonlySet<string>): Proposal {
  const placed = survey.workloads.map((found) => placedIn(found, survey, files, wishes));
  const refused = placed.flatMap(({ issues }) => issues);
  const wanted = placed.flatMap(({ drawn, ...one }) =>
    drawn === undefined || one.issues.length > 0 ? [] : [{ ...one, drawn }],
  );
  const names = wanted.map(({ found }) => found.name);
  const rollouts = wanted
    .filter(({ key }) => !without.has(key))
    .map((one) =>
      rolloutFile(one, { files, wishes, isShared: names.filter((name) => name === one.found.name).length > 1 }),
    );
  const taken = rollouts.filter(({ path }) => files.isThere(path));
  const unread = unreadIn(survey.config, files);
  const written = rollouts.filter(({ path }) => !files.isThere(path) && !unread(path));
  const isAdopted = written.length > 0 || survey.workloads.some(({ deliveredBy }) => deliveredBy !== undefined);
  const policy = wishes.policy === undefined || survey.hasPolicy ? [] : [wishes.policy];
  const around = [...policy.filter(({ path }) => !unread(path)), ...wishes.run]
    .filter(({ path }) => isAdopted && !files.isThere(path))
    .map(copied);
  // What nothing reads would be taken for in force.
  const lost = [...rollouts, ...(isAdopted ? policy : [])].filter(({ path }) => !files.isThere(path) && unread(path));
  const mapped = placed.filter(({ mapping, key }) => mapping !== undefined && written.some((one) => one.key === key));
  const config = configText({
    survey,
    files,
    wishes,
    mappings: mapped.flatMap(({ mapping }) => (mapping === undefined ? [] : [mapping])),
  });
  return {
    files: [
      ...written.map(({ path, text, why }) => ({ path, text, why, examples: [] })),
      ...(isAdopted && !files.isThere(CONFIG_FILE) ? [config] : []),
      ...around,
    ],
    refused: [
      ...refused,
      ...taken.map(takenIssue),
      ...lost.map((file) => unreadIssue(file, survey.config)),
      ...survey.unreadable,
    ],
    settings: written.slice(0, 1).flatMap(({ path }) => agentsOf(survey.agents, path).map(swallowIssue)),
    rollouts: new Map(written.map(({ key, found }) => [key, found])),
  };
}

type Placed = {
  readonly found: FoundWorkload;
  readonly namespace: string;
  /** `namespace/name`. */
  readonly key: string;
  readonly issues: readonly Issue[];
  /** Its strategy; not there: it is delivered already, or `issues` says why not. */
  readonly drawn?: Drawn;
  /** An entry of `namespaces`: a folder, and what its manifests are for. */
  readonly mapping?: readonly [folder: string, namespace: string];
};

/** The namespace of a workload: its own, that of its agent, or that which was asked for; and why it has none. */
function placedIn(found: FoundWorkload, { config }: Survey, files: Files, wishes: Wishes): Placed {
  const { document, name, refused } = found;
  const agent = found.agents.find(({ namespace }) => namespace !== undefined);
  const namespace = found.namespace ?? agent?.namespace ?? wishes.namespace;
  if (namespace === undefined || (found.namespace === undefined && files.isThere(CONFIG_FILE)))
    return {
      found,
      namespace: '',
      key: '',
      issues: refused.length > 0 ? refused : [withoutNamespace(found, namespace)],
    };
  const folder = agent?.folders.find((one) => document.file.startsWith(one)) ?? folderOf(document.file);
  const named = keyOf(document, { ...config, namespaces: { ...config.namespaces, [document.file]: namespace } });
  const mapping = found.namespace === undefined ? ([folder, namespace] as const) : undefined;
  const strategy = found.deliveredBy === undefined ? strategyFor(found, wishes.strategy) : undefined;
  return {
    found,
    namespace,
    key: `${namespace}/${name}`,
    issues: [
      ...refused,
      ...('reason' in named ? [named] : []),
      ...(strategy?.kind === 'wrong' ? [strategy.issue] : []),
    ],
    ...(strategy?.kind === 'drawn' ? { drawn: strategy } : {}),
    ...(mapping === undefined ? {} : { mapping }),
  };
}

function withoutNamespace({ document }: FoundWorkload, namespace: string | undefined): Issue {
  const folder = folderOf(document.file);
  const hint =
    namespace === undefined
      ? 'Say which one with --namespace NAME, or add metadata.namespace to the manifest.'
      : `${CONFIG_FILE} is there, and not edited: add namespaces: {${JSON.stringify(folder)}: ${yamlWord(namespace)}} to it, and call this again.`;
  return { ...namespaceIssue(document), hint };
}

type RolloutFile = Placed & Copied;

function rolloutFile(
  one: Placed & { readonly drawn: Drawn },
  { files, wishes, isShared }: { readonly files: Files; readonly wishes: Wishes; readonly isShared: boolean },
): RolloutFile {
  const { found, namespace, drawn } = one;
  const { steps } = drawn;
  const folder = wishes.folder === '' ? '' : `${wishes.folder}/`;
  const plain = `${folder}${found.name}.yaml`;
  const path = isShared || files.isThere(plain) ? `${folder}${namespace}-${found.name}.yaml` : plain;
  const sizes = steps.map(({ replicas }) => replicas).join(', ');
  const why = `Rollout of ${one.key} (${found.document.file}): ${found.groups} ${found.groups === 1 ? 'group' : 'groups'} in ${steps.length === 1 ? '1 step' : `${steps.length} steps`}, ${sizes}`;
  return { ...one, path, text: rolloutText({ namespace, name: found.name }, drawn), why };
}

function takenIssue({ path, found }: RolloutFile): Issue {
  return {
    file: path,
    line: 1,
    path: '',
    reason: 'FileTaken',
    message: `the Rollout of ${found.name} would be written here, and the file is there already`,
    hint: 'Name another folder with --rollouts, or write the Rollout by hand.',
  };
}

/** Whether no pass would read a file: the `tranche.yaml` that is there, which is not edited, has paths without it. */
function unreadIn({ paths }: Config, files: Files): (path: string) => boolean {
  return (path) => files.isThere(CONFIG_FILE) && !isBelow(paths, path);
}

function unreadIssue({ path, why }: Copied, { paths, lines }: Config): Issue {
  const folder = folderOf(path);
  return {
    file: CONFIG_FILE,
    line: lines?.paths[0] ?? 1,
    path: 'paths',
    reason: 'NotOnPaths',
    message: `${path} (${why.split(/[:(]/)[0]?.trim()}) would not be read: paths has ${paths.join(', ')}`,
    hint: `Add ${folder === '' ? path : folder} to paths, and call this again.`,
  };
}

/** An agent that applies the folder of Rollouts sends them to a cluster where their controller must not be. */
function swallowIssue({ name, file, line, folders }: Agent): Issue {
  const what = folders.includes('') ? 'the whole repository' : folders.join(', ');
  return {
    file,
    line,
    path: 'spec',
    reason: 'RolloutsApplied',
    message: `${name}: it applies ${what}, and the Rollouts with it`,
    hint: 'Let it apply the folder of the LeaderWorkerSets alone, or name another folder for Rollouts with --rollouts.',
  };
}

/** What stands in examples: a repository, an account, a registry and a commit that nobody has. */
const EXAMPLE = /example[./]|0{12}|123456789012/;

/** What names the example of the base, so that the line below it can replace that. */
const KEPT = 'as the base has it';

function copied({ path, text, why, isBase = false }: Copied): Addition {
  const lines = isBase ? [] : text.split('\n');
  const examples = lines.flatMap((line, at) => (EXAMPLE.test(line) && !line.includes(KEPT) ? [at + 1] : []));
  return { path, text, why, examples };
}
