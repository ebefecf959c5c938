/** What the options of `tranche init` ask for, with the files that come with this package. */

import { trimSlashes } from '../api/owners.ts';
import { type CommonOptions, UsageError } from '../options.ts';
import type { Copied, Wishes } from '../reconcile/init/addition.ts';
import { packageFile } from './package-files.ts';

export type InitOptions = CommonOptions & {
  /** What is read; not there: the desired branch. */
  readonly ref: string | undefined;
  /** The working tree whose files are read, and to which files are written. */
  readonly workingTree: string | undefined;
  readonly write: boolean;
  readonly rollouts: string;
  readonly namespace: string | undefined;
  readonly policy: string;
  readonly run: string;
};

/** Bundles that are of use as they stand; the others have numbers of somebody's own. */
const POLICIES = ['default', 'production', 'freeze', 'gpu-budget', 'none'];
const RUNS = ['auto', 'workflow', 'none'];
const DNS_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** `auto`: a workflow where the repository has a folder `.github`. Throws UsageError for a word that is none of these. */
export function wishesOf(
  { policy, run, rollouts, namespace }: InitOptions,
  repository: { readonly workflows: readonly string[]; readonly isOnGitHub: boolean },
): Wishes {
  oneOf('--policy', policy, POLICIES);
  oneOf('--run', run, RUNS);
  if (namespace !== undefined && !DNS_LABEL.test(namespace))
    throw new UsageError(`--namespace is ${JSON.stringify(namespace)}, wanted the name of a namespace`);
  const folder = trimSlashes(rollouts);
  // oxlint-disable-next-line no-control-regex -- control characters are exactly what must not be there
  if (/(^|\/)\.\.?(\/|$)|[\u0000-\u001f\\]/.test(folder))
    throw new UsageError(`--rollouts is ${JSON.stringify(rollouts)}, wanted a folder below the root of the repository`);
  const isStarted = repository.workflows.some((text) => text.includes('tranche'));
  const wantsWorkflow = run === 'workflow' || (run === 'auto' && repository.isOnGitHub);
  return {
    folder,
    namespace,
    policy: policy === 'none' ? undefined : policyFile(policy),
    run: wantsWorkflow && !isStarted ? [workflow()] : [],
  };
}

function policyFile(name: string): Copied {
  const [, ...lines] = packageFile(`policies/${name}/policy.yaml`).split('\n');
  const [first = ''] = lines;
  return { path: `policies/${name}.yaml`, text: lines.join('\n'), why: `policy: ${first.replace(/^# /, '')}` };
}

function workflow(): Copied {
  return {
    path: '.github/workflows/tranche.yaml',
    text: packageFile('policies/github/reconcile.yaml'),
    why: 'workflow: makes a pass when main moves and every ten minutes',
  };
}

function oneOf(option: string, given: string, valid: readonly string[]): void {
  if (!valid.includes(given)) throw new UsageError(`${option} is ${given}, wanted ${valid.join(', ')}`);
}
