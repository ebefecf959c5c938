/** Every setting of the command line, once: names, defaults, environment. */

import type { Overrides, Shard } from './api/config.ts';

/** The words that all verbs which read the repository share. */
export type CommonOptions = {
  /** A URL or a path. */
  readonly repo: string;
  /** True where nobody named it, so that it is the folder where the command was called. */
  readonly repoIsDefault?: boolean;
  readonly kubeconfig: string | undefined;
  readonly context: string;
  readonly inCluster: boolean;
  readonly output: 'text' | 'json';
  readonly overrides: Overrides;
  /** The address of the API of the forge; `none`: Git alone; undefined: by the host of the repository. */
  readonly forge?: string | undefined;
  /** How long one pass may wait for the repository. */
  readonly gitTimeoutSeconds?: number | undefined;
  /** The program that builds kustomize folders: a path or a name; undefined: what is on PATH. */
  readonly kustomize?: string | undefined;
  /** Certificates, in PEM, of authorities that are trusted next to the usual ones. */
  readonly caFile?: string | undefined;
  /** How lines of a log are printed: with their time, as in a process that goes on, or as JSON. Not there: as they are. */
  readonly log?: 'dated' | 'json' | undefined;
};

/** What a verb may see of the process. Tests give their own. */
export type Io = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the command was called: relative paths start here. */
  readonly folder: string;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** What is piped into the command; not there: nothing is. */
  readonly input?: () => AsyncIterable<unknown>;
  /** True where someone watches and the screen can be redrawn. */
  readonly isTerminal: boolean;
  /** What that screen holds now; not there, or without numbers: nobody knows. */
  readonly size?: () => { readonly rows?: number | undefined; readonly columns?: number | undefined };
  /** Aborted when the process is asked to stop. */
  readonly signal: AbortSignal;
  /** Aborted where somebody wants the process to end, and not only its loops; not there: nobody can say so. */
  readonly interrupted?: AbortSignal;
};

/** As in package.json; a test holds the two together. */
export const VERSION = '0.1.0';

/** Exit codes: also in REFERENCE.md. */
export const EXIT = {
  ok: 0,
  /** Some rollout failed or is stalled. */
  failed: 1,
  /** Wrong usage or configuration: nothing was run. */
  usage: 2,
} as const;

/** The environment variables that are read. Tokens come only from here: an argument shows in every process list. */
export const ENV = {
  gitToken: 'TRANCHE_GIT_TOKEN',
  /** The one host that credentials for Git and the forge are for. */
  gitHost: 'TRANCHE_GIT_HOST',
  gitTimeout: 'TRANCHE_GIT_TIMEOUT',
  forge: 'TRANCHE_FORGE',
  forgeToken: 'TRANCHE_FORGE_TOKEN',
  appId: 'TRANCHE_APP_ID',
  appKey: 'TRANCHE_APP_KEY',
  statusKey: 'TRANCHE_STATUS_KEY',
  repo: 'TRANCHE_REPO',
  kustomize: 'TRANCHE_KUSTOMIZE',
  kubeconfig: 'KUBECONFIG',
} as const;

/** Wrong usage: said in one line, exit code 2. */
export class UsageError extends Error {}

/** What commander hands over, checked. */
export function commonOptions(given: Readonly<Record<string, unknown>>, io: Io): CommonOptions {
  const text = (key: string): string | undefined =>
    typeof given[key] === 'string' && given[key] !== '' ? given[key] : undefined;
  const output = text('output') ?? 'text';
  if (output !== 'text' && output !== 'json') throw new UsageError(`--output is ${output}, wanted text or json`);
  const log = text('log') ?? 'text';
  if (log !== 'text' && log !== 'json') throw new UsageError(`--log is ${log}, wanted text or json`);
  const paths = Array.isArray(given['path']) ? given['path'].filter((path) => typeof path === 'string') : [];
  return {
    repoIsDefault: text('repo') === undefined && (io.env[ENV.repo] ?? '') === '',
    repo: text('repo') ?? io.env[ENV.repo] ?? io.folder,
    kubeconfig: text('kubeconfig') ?? io.env[ENV.kubeconfig],
    context: text('context') ?? '',
    inCluster: given['inCluster'] === true,
    output,
    overrides: {
      branch: text('branch'),
      statusBranch: text('statusBranch'),
      cluster: text('cluster'),
      shard: shardOf(text('shard')),
      paths: paths.length === 0 ? undefined : paths,
    },
    forge: forgeOf(text('forge') ?? io.env[ENV.forge]),
    kustomize: text('kustomize') ?? nonEmpty(io.env[ENV.kustomize]),
    caFile: text('caFile'),
    log: log === 'json' ? log : given['watch'] === true ? 'dated' : undefined,
    gitTimeoutSeconds: secondsOf(text('gitTimeout') ?? io.env[ENV.gitTimeout], '--git-timeout'),
  };
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

/** `none`, or an address; anything that carries a credential would end up in logs. */
function forgeOf(given: string | undefined): string | undefined {
  if (given === undefined || given === '' || given === 'none') return given === '' ? undefined : given;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const isPlain = url !== undefined && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '';
  if (isPlain && url.username === '' && url.password === '') return given;
  throw new UsageError(
    '--forge is no plain http(s) URL, wanted that of the API, as https://github.example/api/v3, or none',
  );
}

const mostShards = 1000;

function shardOf(given: string | undefined): Shard | undefined {
  if (given === undefined) return undefined;
  const [, index = 0, of = 0] = (/^(0|[1-9][0-9]{0,3})\/([1-9][0-9]{0,3})$/.exec(given) ?? []).map(Number);
  if (index < of && of <= mostShards) return { index, of };
  throw new UsageError(`--shard is ${given}, wanted i/n, as 0/3: n from 1 to ${mostShards}, i from 0 to n - 1`);
}

const mostSeconds = 3600;

function secondsOf(given: string | undefined, name: string): number | undefined {
  if (given === undefined || given === '') return undefined;
  const seconds = Number(given);
  if (/^[1-9][0-9]*$/.test(given) && seconds <= mostSeconds) return seconds;
  throw new UsageError(`${name} is ${given}, wanted whole seconds from 1 to ${mostSeconds}`);
}
