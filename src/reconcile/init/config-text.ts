/** The text of a first `tranche.yaml`: namespaces that files do not name, and what a large repository need not read. */

import { CONFIG_FILE } from '../../api/config.ts';
import { yamlWord } from '../../api/yaml-word.ts';
import type { Addition, Files, Wishes } from './addition.ts';
import type { Survey } from './survey.ts';

/** From this number of files on it is worth the care to name the folders that a pass reads. */
const MANY_FILES = 1000;

/** `mappings`: folders whose manifests name no namespace, with the one that they are for. */
export function configText(of: {
  readonly survey: Survey;
  readonly files: Files;
  readonly wishes: Wishes;
  readonly mappings: readonly (readonly [folder: string, namespace: string])[];
}): Addition {
  const { survey, files, wishes } = of;
  const paths = files.count > MANY_FILES ? pathsOf(survey, wishes) : [];
  const mappings = [...new Map(of.mappings)];
  const policies = survey.hasPolicy ? undefined : wishes.policy?.path.split('/')[0];
  const lines = [
    '# What tranche reads, and from where: all fields are in REFERENCE.md.',
    'cluster: default # its name in records and trailers',
    ...(paths.length === 0
      ? []
      : ['paths: # a pass reads these alone', ...paths.map((path) => `  - ${yamlPath(path)}`)]),
    ...(mappings.length === 0 ? [] : ['namespaces: # of manifests that name none']),
    ...mappings.map(([folder, namespace]) => `  ${yamlPath(folder)}: ${yamlWord(namespace)}`),
    ...(policies === undefined
      ? []
      : [`policyPaths: [${yamlPath(policies)}] # grants and exceptions count from here alone`]),
    '',
  ];
  const what = [
    ...(mappings.length === 0
      ? []
      : [`the namespace of ${mappings.length === 1 ? 'a folder' : `${mappings.length} folders`}`]),
    ...(paths.length === 0 ? [] : [`the folders to read, of ${files.count} files`]),
    ...(policies === undefined ? [] : ['where policies are']),
  ];
  const why = `configuration: ${what.length === 0 ? 'the name of the cluster' : what.join(', ')}`;
  return { path: CONFIG_FILE, text: lines.join('\n'), why, examples: [] };
}

/** The first folders on the way to what is delivered, to its agents, and to what is added; nothing where one is at the root. */
function pathsOf({ workloads, agents }: Survey, { folder, policy }: Wishes): readonly string[] {
  const files = [...workloads.map(({ document }) => document.file), ...agents.map(({ file }) => file)];
  if (folder === '' || files.some((file) => !file.includes('/'))) return [];
  const delivered = workloads.flatMap(({ deliveredBy }) => (deliveredBy === undefined ? [] : [deliveredBy]));
  const all = [...files, ...delivered, `${folder}/`, ...(policy === undefined ? [] : [policy.path])];
  return [...new Set(all.map((path) => path.split('/')[0] ?? ''))].sort();
}

/** A path as YAML reads it back as a text. */
function yamlPath(path: string): string {
  return /^[A-Za-z][A-Za-z0-9._/-]*$/.test(path) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(path)
    ? path
    : JSON.stringify(path);
}
