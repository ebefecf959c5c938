/** Planted bugs of workloads that kustomize builds: in the patch, in its pin, and in what is known of a build. */

import type { Mutant } from './mutants.ts';

/** Schedules within which a law must be broken. */
const ALLOWANCE = 120;

function mutant(name: string, file: string, from: string, to: string): Mutant {
  return { name: `kustomize: ${name}`, file: `src/${file}`, from, to, allowance: ALLOWANCE, world: 'built' };
}

export const builtMutants: readonly Mutant[] = [
  mutant(
    'a build is known by the names of its files',
    'reconcile/roots/read-closures.ts',
    'files.map(({ path, oid }) => [path, oid])',
    'files.map(({ path }) => path)',
  ),
  mutant(
    'a pin goes while people still say what was aborted',
    'rollout/events/unpinning.ts',
    'if (given !== undefined && beneath.digest !== digest)',
    'if (given !== undefined && beneath.digest === digest)',
  ),
  mutant(
    'the patch is applied before what people transform',
    'rollout/edits/workload-change.ts',
    "path: ['transformers', String(entries.length)]",
    "path: ['transformers', '0']",
  ),
  mutant(
    'a folder that another lists is stepped through',
    'reconcile/roots/read-roots.ts',
    '...root.listedBy.map((by) => baseIssue(root, by)),',
    '',
  ),
];
