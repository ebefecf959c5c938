/** What `tranche.yaml` may say, and every fault of it. Apart from the defaults, which each pass needs at once. */

import { type Config, DEFAULT_CONFIG, PERIOD_MOST_SECONDS } from './config.ts';
import { readLinks, readLwsVersion } from './config-fields.ts';
import { type FieldFault, FieldReader } from './field-reader.ts';
import { isOwnBranch } from './own-branches.ts';
import { readOwners, trimSlashes } from './owners.ts';
import { PROMOTIONS } from './promotion.ts';
import { readStatusKeys } from './status-keys.ts';

export const PATHS_LIMIT = 200;
export const AUTOSCALED_LIMIT = 1000;
export const REQUIRED_LIMIT = 50;
export const PROPOSALS_LIMIT = 100;
export const DNS_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
export const WORKLOAD = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\/[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;
export const REFERENCES_LIMIT = 1000;
export const REFERENCE =
  /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\/(ConfigMap|Secret)\/[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;
/** What GitHub makes of the name of an App. */
export const APP = /^[a-z0-9][a-z0-9-]{0,99}$/;
export const BRANCH = /^(?!-)(?!.*(\.\.|\/\/|@\{|\.lock(\/|$)))[A-Za-z0-9._/-]{1,200}(?<![./])$/;
// oxlint-disable-next-line no-control-regex -- control characters are exactly what must not be there
const PATH = /^(?!\/)(?!.*(^|\/)\.\.?(\/|$))[^\u0000-\u001f\\]{0,1000}$/;

/** All of them, in the order in which a message lists them. */
const FIELDS =
  'cluster branches paths namespaces owners autoscaled fixedReferences lwsVersion auditSeconds intervalSeconds requiredPolicies policyPaths stopFile promotion maxProposals links statusKeys app author'.split(
    ' ',
  );

/** Without a value these would ask for less than anyone who wrote their keys has meant. */
const LIMITING = ['requiredPolicies', 'policyPaths', 'promotion', 'owners', 'statusKeys'];

/** When a step goes forward, from which folder, and how soon a pass looks again: no rollback hangs on one of these. */
const OF_STEPS = [
  'fixedReferences',
  'auditSeconds',
  'intervalSeconds',
  'requiredPolicies',
  'owners',
  'stopFile',
  'promotion',
  'maxProposals',
  'links',
  'statusKeys',
  'app',
];

/** Whether this key at the root is of steps forward alone. One that nobody knows may be any other, misspelt. */
export function isOfSteps(key: string): boolean {
  return OF_STEPS.includes(key);
}

/** Reads the configuration; every fault is reported, and any fault means that no step goes forward. */
export function parseConfig(value: unknown): { readonly config: Config; readonly faults: readonly FieldFault[] } {
  const root = new FieldReader(value ?? {}, '');
  root.allow(FIELDS);
  root.refuseEmpty(LIMITING);
  const branches = root.has('branches') ? root.object('branches') : new FieldReader({}, 'branches', root);
  branches.allow(['desired', 'status']);
  const author = root.has('author') ? root.object('author') : new FieldReader({}, 'author', root);
  author.allow(['name', 'email']);
  const paths = root.texts('paths', PATHS_LIMIT);
  const cluster = root.optionalText('cluster', DEFAULT_CONFIG.cluster);
  const config: Config = {
    cluster,
    branch: branches.optionalText('desired', DEFAULT_CONFIG.branch),
    statusBranch: branches.optionalText('status', DEFAULT_CONFIG.statusBranch),
    paths: paths.length === 0 ? DEFAULT_CONFIG.paths : paths.map(trimSlashes),
    namespaces: Object.fromEntries(
      Object.entries(root.stringMap('namespaces')).map(([path, name]) => [trimSlashes(path), name]),
    ),
    owners: readOwners(root),
    autoscaled: root.texts('autoscaled', AUTOSCALED_LIMIT),
    fixedReferences: root.texts('fixedReferences', REFERENCES_LIMIT),
    lwsVersion: readLwsVersion(root),
    auditSeconds: root.integer('auditSeconds', { min: 60, max: PERIOD_MOST_SECONDS }) ?? DEFAULT_CONFIG.auditSeconds,
    intervalSeconds:
      root.integer('intervalSeconds', { min: 1, max: PERIOD_MOST_SECONDS }) ?? DEFAULT_CONFIG.intervalSeconds,
    requiredPolicies: root.texts('requiredPolicies', REQUIRED_LIMIT),
    policyPaths: root.has('policyPaths') ? root.texts('policyPaths', PATHS_LIMIT).map(trimSlashes) : undefined,
    stopFile: root.optionalText('stopFile', DEFAULT_CONFIG.stopFile),
    promotion: root.word('promotion', PROMOTIONS) ?? DEFAULT_CONFIG.promotion,
    maxProposals: root.integer('maxProposals', { min: 1, max: PROPOSALS_LIMIT }) ?? DEFAULT_CONFIG.maxProposals,
    links: readLinks(root),
    statusKeys: readStatusKeys(root, cluster),
    app: root.has('app') ? root.text('app') : undefined,
    author: {
      name: author.optionalText('name', DEFAULT_CONFIG.author.name),
      email: author.optionalText('email', DEFAULT_CONFIG.author.email),
    },
  };
  checkNames(root, config);
  checkStopFile(root, config);
  checkReferences(root, config);
  return { config, faults: root.faults };
}

function checkStopFile(root: FieldReader, config: Config): void {
  if (!PATH.test(config.stopFile) || !/[^/]\.ya?ml$/.test(config.stopFile))
    root.fault(
      'stopFile',
      'BadPath',
      `is "${config.stopFile}", wanted a path from the root of the repository that ends with .yaml`,
      'Write for example policies/stop.yaml.',
    );
}

function checkReferences(root: FieldReader, config: Config): void {
  for (const one of config.fixedReferences) {
    if (!REFERENCE.test(one))
      root.fault(
        'fixedReferences',
        'BadName',
        `has "${one}", wanted namespace/kind/name`,
        'Write for example llm/Secret/hf-token.',
      );
  }
}

function checkNames(root: FieldReader, config: Config): void {
  // An empty one is reported as no text.
  if (config.cluster !== '' && !DNS_LABEL.test(config.cluster))
    root.fault(
      'cluster',
      'BadName',
      `is "${config.cluster}", wanted a DNS label`,
      'Use lower-case letters, digits and -.',
    );
  checkBranches(root, config);
  if (config.app !== undefined && !APP.test(config.app))
    root.fault(
      'app',
      'BadName',
      `is "${config.app}", wanted the name of an App as it stands in its address`,
      'Write it without [bot], as acme-tranche of github.com/apps/acme-tranche.',
    );
  checkPaths(root, 'paths', [...config.paths, ...Object.keys(config.namespaces)]);
  checkPaths(root, 'policyPaths', config.policyPaths ?? []);
  checkPaths(root, 'owners', Object.values(config.owners).flat());
  for (const namespace of Object.values(config.namespaces)) {
    if (!DNS_LABEL.test(namespace))
      root.fault(
        'namespaces',
        'BadName',
        `has "${namespace}", wanted the name of a namespace`,
        'Map the path to one, of lower-case letters, digits and -, as apps: llm.',
      );
  }
  for (const name of config.autoscaled) {
    if (!WORKLOAD.test(name))
      root.fault('autoscaled', 'BadName', `has "${name}", wanted namespace/name`, 'Name the LeaderWorkerSet.');
  }
}

function checkBranches(root: FieldReader, config: Config): void {
  for (const branch of [config.branch, config.statusBranch]) {
    if (!BRANCH.test(branch))
      root.fault(
        'branches',
        'BadName',
        `has "${branch}", wanted the name of a branch as git takes it`,
        'Write it without refs/heads/, as main or release/eu.',
      );
  }
  if (isOwnBranch(config.branch))
    root.fault(
      'branches',
      'OwnBranch',
      `has "${config.branch}" as the desired one, which tranche makes for itself`,
      'Name the branch that people merge into and the agent applies.',
    );
  if (config.branch === config.statusBranch)
    root.fault(
      'branches',
      'SameBranch',
      `has "${config.branch}" twice, wanted two branches`,
      'Keep the status on a branch of its own, which no agent applies.',
    );
}

function checkPaths(root: FieldReader, key: string, paths: readonly string[]): void {
  for (const path of paths)
    if (!PATH.test(path))
      root.fault(
        key,
        'BadPath',
        `has "${path}", wanted a path from the root of the repository`,
        'Remove leading /, "." and "..".',
      );
}
