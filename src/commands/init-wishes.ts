/** What the options of `tranche init` ask for, with the files that come with this package. */

import { trimSlashes } from '../api/owners.ts';
import { type CommonOptions, UsageError } from '../options.ts';
import type { Identity } from '../ports/git.ts';
import type { Copied, Wishes } from '../reconcile/init/addition.ts';
import { FIRST_STRATEGIES } from '../reconcile/init/first-strategy.ts';
import { packageFile } from './package-files.ts';

export type InitOptions = CommonOptions & {
  /** What is read; not there: the desired branch. */
  readonly ref: string | undefined;
  /** The working tree whose files are read, and to which files are written. */
  readonly workingTree: string | undefined;
  readonly write: boolean;
  /** Not there: the files are not proposed. */
  readonly proposes: { readonly author: Identity | undefined } | undefined;
  readonly rollouts: string;
  readonly namespace: string | undefined;
  readonly strategy: string;
  readonly policy: string;
  readonly run: string;
  /** Of tranche, as your registry names it; undefined: the example stays. */
  readonly image: string | undefined;
  /** The address of the repository over http(s), as far as it is known. */
  readonly url: string | undefined;
  /** What the clone has in place of `main`; undefined: it has that. */
  readonly ownBranch: string | undefined;
};

type InitRepository = {
  /** Of files that may start tranche. */
  readonly texts: readonly (readonly [path: string, text: string])[];
  readonly isOnGitHub: boolean;
  /** Its address over https; undefined: nobody knows. */
  readonly url: string | undefined;
  /** Those of the workloads. */
  readonly namespaces: readonly string[];
  /** undefined: `main`, or what that names. */
  readonly branch: string | undefined;
};

/** Bundles that are of use as they stand; the others have numbers of somebody's own. */
const POLICIES = ['default', 'production', 'freeze', 'gpu-budget', 'none'];
const RUNS = ['auto', 'workflow', 'deployment', 'none'];
const DNS_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** `auto`: a workflow where the repository has a folder `.github`, else a Deployment. Throws UsageError for a word that is none of these. */
export function wishesOf(
  { policy, run, rollouts, namespace, strategy, image }: InitOptions,
  repository: InitRepository,
): Wishes {
  oneOf('--policy', policy, POLICIES);
  oneOf('--run', run, RUNS);
  const first = FIRST_STRATEGIES.find((one) => one === strategy);
  if (first === undefined) throw unknownWord('--strategy', strategy, FIRST_STRATEGIES);
  if (namespace !== undefined && !DNS_LABEL.test(namespace))
    throw new UsageError(`--namespace is ${JSON.stringify(namespace)}, wanted the name of a namespace`);
  const folder = trimSlashes(rollouts);
  // oxlint-disable-next-line no-control-regex -- control characters are exactly what must not be there
  if (/(^|\/)\.\.?(\/|$)|[\u0000-\u001f\\]/.test(folder))
    throw new UsageError(`--rollouts is ${JSON.stringify(rollouts)}, wanted a folder below the root of the repository`);
  const isStarted = repository.texts.some(startsPasses);
  const how = run === 'auto' ? (repository.isOnGitHub ? 'workflow' : 'deployment') : run;
  return {
    folder,
    namespace,
    strategy: first,
    policy: policy === 'none' ? undefined : policyFile(policy),
    run: isStarted
      ? []
      : how === 'workflow'
        ? [workflow(repository)]
        : how === 'deployment'
          ? deployment(repository, { routes: first !== 'partition', image: imageOf(image) })
          : [],
  };
}

function policyFile(name: string): Copied {
  const [, ...lines] = packageFile(`policies/${name}/policy.yaml`).split('\n');
  const [first = ''] = lines;
  return { path: `policies/${name}.yaml`, text: lines.join('\n'), why: `policy: ${first.replace(/^# /, '')}` };
}

/** GitHub starts it for pushes to the branch that is delivered, and the action delivers that one. */
function workflow({ branch }: InitRepository): Copied {
  const text = packageFile('policies/github/reconcile.yaml');
  const named = JSON.stringify(branch);
  return {
    path: '.github/workflows/tranche.yaml',
    text:
      branch === undefined
        ? text
        : text
            .replace('push: {branches: [main]}', () => `push: {branches: [${named}]}`)
            .replace(/^( +)mode: reconcile\n/m, (line, indent) => `${line}${indent}branch: ${named}\n`)
            .replaceAll(/# .*/g, (comment) => comment.replaceAll(/\bmain\b/g, () => branch)),
    why: `workflow: makes a pass when ${branch ?? 'main'} moves and every ten minutes`,
  };
}

/** Whether a file makes passes already: a workflow of tranche, or a Deployment or StatefulSet of it. */
function startsPasses([path, text]: readonly [string, string]): boolean {
  if (!text.includes('tranche')) return false;
  return (
    path.startsWith('.github/workflows/') || (/kind: (Deployment|StatefulSet)/.test(text) && text.includes('reconcile'))
  );
}

const INSTALLED = [
  'base/kustomization.yaml',
  'base/namespace.yaml',
  'base/service-account.yaml',
  'base/role.yaml',
  'base/deployment.yaml',
  'base/network-policy.yaml',
  'overlay/kustomization.yaml',
  'overlay/bindings.yaml',
];

type Installed = { readonly routes: boolean; readonly image: Image | undefined };

/** The base as it is, and an overlay with this repository, its namespaces and the image; without `routes`, without what only they need. */
function deployment({ url, namespaces, branch }: InitRepository, { routes, image }: Installed): readonly Copied[] {
  return INSTALLED.map((path) => {
    const text = packageFile(`policies/install/${path}`);
    const isBase = path.startsWith('base/');
    const imaged = image === undefined || isBase ? text : withImage(text, image);
    const own = isBase || url === undefined ? imaged : imaged.replaceAll(EXAMPLE_REPOSITORY, url);
    const called =
      branch === undefined
        ? own
        : own.replace(', --in-cluster,', `, --in-cluster, --branch, ${JSON.stringify(branch)},`);
    const written =
      path === 'overlay/bindings.yaml' ? bindings(own, namespaces) : routes ? called : withoutTraffic(called);
    return { path: `install/${path}`, text: written, why: `deployment: ${path.replace(/^.*\/|\.yaml$/g, '')}`, isBase };
  });
}

type Image = { readonly name: string; readonly version: string };

/** `NAME:TAG` or `NAME@sha256:…`, its version as an entry of kustomize. Throws UsageError for what is neither. */
function imageOf(given: string | undefined): Image | undefined {
  if (given === undefined) return undefined;
  const found = /^([a-z0-9][\w.:/-]*?)(?::([\w][\w.-]*)|@(sha256:[0-9a-f]{64}))$/.exec(given);
  const [, name = '', tag, digest = ''] = found ?? [];
  if (found === null)
    throw new UsageError(
      `--image is ${JSON.stringify(given)}, wanted REGISTRY/NAME:TAG or REGISTRY/NAME@sha256:DIGEST`,
    );
  return { name, version: tag === undefined ? `digest: ${digest}` : `newTag: ${JSON.stringify(tag)}` };
}

function withImage(text: string, { name, version }: Image): string {
  return text
    .replace(/^( +newName: ).*$/m, (_, start: string) => `${start}${name}`)
    .replace(/^( +)newTag: .*$/m, (_, start: string) => `${start}${version}`);
}

const EXAMPLE_REPOSITORY = 'https://github.com/example/models';

function withoutTraffic(text: string): string {
  return text.replace(/^components:\n(?: {2}- .*\n)+/m, '');
}

/** The first document of the file, for each namespace. A text that is no name could be more of the file than a name. */
function bindings(text: string, namespaces: readonly string[]): string {
  const [, first = ''] = /^#.*\n([^]*?)^---$/m.exec(text) ?? [];
  const named = namespaces.filter((namespace) => DNS_LABEL.test(namespace));
  return named.map((namespace) => first.replace('namespace: llm', `namespace: ${namespace}`)).join('---\n');
}

function oneOf(option: string, given: string, valid: readonly string[]): void {
  if (!valid.includes(given)) throw unknownWord(option, given, valid);
}

function unknownWord(option: string, given: string, valid: readonly string[]): UsageError {
  return new UsageError(`${option} is ${given}, wanted ${valid.join(', ')}`);
}
