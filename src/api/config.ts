/** `tranche.yaml`: where things are. Everything in it is optional; every default is here. */

import type { Issue } from './issue.ts';
import type { LwsVersion } from './lws-version.ts';
import type { Owners } from './owners.ts';
import type { Promotion } from './promotion.ts';
import type { StatusKey } from './status-keys.ts';

export const CONFIG_FILE = 'tranche.yaml';

/** What people call it as well. It is never read: of two files nobody knows which one counts. */
export const OTHER_CONFIG_FILE = 'tranche.yml';

export type Config = {
  /** Names the cluster in records and trailers. */
  readonly cluster: string;
  /** The branch that the agent applies. */
  readonly branch: string;
  readonly statusBranch: string;
  /** Files and folders that are read; `['']` is the whole tree. */
  readonly paths: readonly string[];
  /** On which line of the file the entries of these lists stand. Not there: the command line says which paths are read. */
  readonly lines?: EntryLines;
  /** Which namespace the manifests below a path are for, where they name none: longest path wins. */
  readonly namespaces: Readonly<Record<string, string>>;
  /** From which folders what is in a namespace counts; a namespace without any: from every one. */
  readonly owners: Owners;
  /** Workloads, as `namespace/name`, whose `replicas` something else than Git writes. */
  readonly autoscaled: readonly string[];
  /** ConfigMaps and Secrets, as `namespace/kind/name`, that may keep their name: nobody is warned of them. */
  readonly fixedReferences: readonly string[];
  /** Of the LeaderWorkerSet controller in the cluster; undefined: not declared, which counts as up to 0.10. */
  readonly lwsVersion: LwsVersion | undefined;
  /** How often a settled workload is compared with the cluster. */
  readonly auditSeconds: number;
  /** How often `--watch` looks where nothing asks for sooner. */
  readonly intervalSeconds: number;
  /** Names of policies that every Rollout must be governed by: without one no step goes forward. */
  readonly requiredPolicies: readonly string[];
  /** Where grants and exceptions of policies count; undefined: grants anywhere, exceptions nowhere. */
  readonly policyPaths: readonly string[] | undefined;
  /** Where `tranche stop` writes its policy. */
  readonly stopFile: string;
  /** `pullRequest`: of every Rollout; else of those whose policies ask for it. */
  readonly promotion: Promotion;
  /** Pull requests of ours that may be open at a time. */
  readonly maxProposals: number;
  /** Pages for people, by their labels: addresses with `{cluster}`, `{namespace}`, `{name}`, `{release}`. */
  readonly links: Readonly<Record<string, string>>;
  /** Public halves of the keys that sign the status branch; of a cluster without one, nothing is signed. */
  readonly statusKeys: readonly StatusKey[];
  /** The App that proposes for us, as the forge calls it; undefined: no pull request may bring annotations of tranche. */
  readonly app: string | undefined;
  readonly author: { readonly name: string; readonly email: string };
  /** What is wrong with the file of now: a pass goes on without steps forward, by what an earlier one says. Not there: nothing. */
  readonly faults?: readonly Issue[];
  /** What the command line says over this, as it is typed: `--cluster=eu --path=eu`. Not there: nothing. */
  readonly flags?: string;
};

/** Lines by list, in the order of its entries; none: the file does not have the list. */
export type EntryLines = Readonly<Record<'paths' | 'policyPaths' | 'namespaces', readonly number[]>>;

/** One of several processes that divide the Rollouts among them; counted from 0. */
export type Shard = { readonly index: number; readonly of: number };

/** What the command line says over `tranche.yaml`. */
export type Overrides = {
  readonly branch: string | undefined;
  readonly statusBranch: string | undefined;
  readonly cluster: string | undefined;
  /** undefined: as configured. */
  readonly paths: readonly string[] | undefined;
  /** undefined: this process does it all. */
  readonly shard?: Shard | undefined;
  /** Of people who look only, and want to see the cluster as it is: 0. */
  readonly auditSeconds?: number | undefined;
};

export const NO_OVERRIDES: Overrides = {
  branch: undefined,
  statusBranch: undefined,
  cluster: undefined,
  paths: undefined,
};

export const DEFAULT_CONFIG: Config = {
  cluster: 'default',
  branch: 'main',
  statusBranch: 'tranche-status',
  paths: [''],
  namespaces: {},
  owners: {},
  autoscaled: [],
  fixedReferences: [],
  lwsVersion: undefined,
  auditSeconds: 3600,
  intervalSeconds: 30,
  requiredPolicies: [],
  policyPaths: undefined,
  stopFile: 'policies/stop.yaml',
  promotion: 'commit',
  maxProposals: 10,
  links: {},
  statusKeys: [],
  app: undefined,
  author: { name: 'tranche', email: 'tranche@localhost' },
};

/** The longest that an interval or an audit may be. */
export const PERIOD_MOST_SECONDS = 86_400;

/** The namespace that a manifest without one is for; undefined: the configuration does not say. */
export function mappedNamespace(config: Config, file: string): string | undefined {
  const matches = Object.keys(config.namespaces).filter((path) => isBelow([path], file));
  const longest = matches.sort((a, b) => b.length - a.length)[0];
  return longest === undefined ? undefined : config.namespaces[longest];
}

/** Whether a file is one of these paths, or below one that is a folder; `''` is the whole tree. */
export function isBelow(paths: readonly string[], file: string): boolean {
  return paths.some((path) => path === '' || file === path || file.startsWith(`${path}/`));
}
