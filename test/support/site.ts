/** What a user of the command line has: a repository, a cluster with an agent on it, and a terminal that is read back. */

import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { JsonObject } from '../../src/api/json.ts';
import { runProgram } from '../../src/commands/program.ts';
import { type ApiServer, type ApiServerOptions, startApiServer } from '../../src/demo/api-server/start-api-server.ts';
import { syncCommit } from '../../src/simulator/agent/agent.ts';
import { Cluster, type ClusterOptions } from '../../src/simulator/cluster-model.ts';
import { bareRepository, createFilledRepository, headOf, type ServedRepository } from './git-server.ts';
import { checkedOutput, SCHEMAS } from './output-schemas.ts';
import { PATIENT } from './patient-git.ts';
import { START_SECONDS } from './simulated-cluster.ts';
import { privateHalf, statusKeysText } from './status-key.ts';
import { VLLM_FILES } from './vllm.ts';
import { frozen } from './yaml-values.ts';

export type SiteOptions = {
  readonly files?: Readonly<Record<string, string>>;
  readonly cluster?: Partial<ClusterOptions>;
  readonly api?: Partial<ApiServerOptions>;
  /** A repository that is there already, as one that is served over HTTP. */
  readonly repository?: Omit<ServedRepository, 'url'>;
  /** True: main names a key, and every call has it. */
  readonly signed?: boolean;
};

/** What one call of the command line did. */
export type Called = { readonly code: number; readonly out: string; readonly err: string };

const open: Site[] = [];

/** Stops what `startSite` started; call it after each test. */
export async function stopSites(): Promise<void> {
  for (const site of open.splice(0)) await site.stop();
  vi.useRealTimers();
}

/** A repository with these files, and a cluster at rest that has what is in `apps`. */
export async function startSite(options: SiteOptions = {}): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), 'tranche-site-'));
  const path = options.repository?.path ?? join(folder, 'repo.git');
  const given: Readonly<Record<string, string>> = options.files ?? VLLM_FILES;
  const config = `${given['tranche.yaml'] ?? ''}${statusKeysText()}`;
  const files = options.signed === true ? { ...given, 'tranche.yaml': config } : given;
  const repository = options.repository ?? (await createFilledRepository(path, files));
  if (options.repository !== undefined) await repository.commit('main', files, 'first files');
  const model = new Cluster({
    lws: '0.10',
    gate: 'off',
    nowSeconds: START_SECONDS,
    readiness: () => 20,
    ...options.cluster,
  });
  const api = await startApiServer({
    model,
    port: 0,
    kinds: undefined,
    interfere: undefined,
    isDated: true,
    ...options.api,
  });
  const key = options.signed === true ? { TRANCHE_STATUS_KEY: privateHalf() } : {};
  const env = { TRANCHE_GIT_TIMEOUT: `${PATIENT.passSeconds}`, ...key };
  const site = new Site({ folder, repository, model, api, env });
  open.push(site);
  await site.sync();
  model.tick(60);
  return site;
}

/** What an agent applies of a file. */
type Workloads = readonly JsonObject[] | 'not to be applied';

function workloadsIn(text: string): Workloads {
  const documents = parseAllDocuments(text);
  if (text.includes('{{') || documents.some((document) => document.errors.length > 0)) return 'not to be applied';
  const values = documents.map((document) => frozen(document.toJS() as JsonObject));
  return values.filter((value) => value?.['kind'] === 'LeaderWorkerSet');
}

/** By the name of the blob: most files are the same in all sites, which share them frozen. */
const workloadsOf = new Map<string, Workloads>();

export class Site {
  readonly folder: string;
  readonly repository: Omit<ServedRepository, 'url'>;
  readonly model: Cluster;
  readonly api: ApiServer;
  readonly kubeconfig: string;
  /** What every call finds in its environment, as well. */
  readonly env: Readonly<Record<string, string>>;

  constructor(parts: Pick<Site, 'folder' | 'repository' | 'model' | 'api' | 'env'>) {
    this.env = parts.env;
    this.folder = parts.folder;
    this.repository = parts.repository;
    this.model = parts.model;
    this.api = parts.api;
    this.kubeconfig = this.file('kubeconfig', parts.api.kubeconfig);
  }

  /** Writes a file next to the repository. */
  file(name: string, text: string): string {
    const path = join(this.folder, name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  }

  /** Calls the command line as `tranche …` in this folder or another, with the repository and the cluster in the environment. */
  async run(
    line: string | readonly string[],
    env: Readonly<Record<string, string>> = {},
    folder = this.folder,
  ): Promise<Called> {
    // The clock of the machine is that of the cluster; timers stay real, for sockets.
    vi.useFakeTimers({ toFake: ['Date'], now: this.model.nowSeconds * 1000 });
    let [out, err] = ['', ''];
    const words = typeof line === 'string' ? line.split(' ') : line;
    const code = await runProgram(words, {
      env: { TRANCHE_REPO: this.repository.path, KUBECONFIG: this.kubeconfig, ...this.env, ...env },
      folder,
      out: (text) => void (out += text),
      err: (text) => void (err += text),
      isTerminal: false,
      signal: new AbortController().signal,
    });
    const output = SCHEMAS.find((verb) => verb === words[0]);
    if (output !== undefined && out !== '' && words.join(' ').includes('--output json')) checkedOutput(output, out);
    return { code, out, err };
  }

  /** Left running by `stopSites`: copies are made of it, and anyone who keeps it stops it. */
  keep(): this {
    open.splice(open.indexOf(this), 1);
    return this;
  }

  /** Another site in the same state; what happens to one does not reach the other. */
  async copy(): Promise<Site> {
    const folder = mkdtempSync(join(tmpdir(), 'tranche-site-'));
    const path = join(folder, 'repo.git');
    cpSync(this.repository.path, path, { recursive: true });
    const model = this.model.fork();
    const api = await startApiServer({ model, port: 0, kinds: undefined, interfere: undefined, isDated: true });
    const site = new Site({ folder, repository: bareRepository(path), model, api, env: this.env });
    open.push(site);
    return site;
  }

  /** The text of a file of main. */
  text(path: string, at = 'main'): Promise<string> {
    return this.repository.git('show', `${at}:${path}`);
  }

  async head(branch = 'main'): Promise<string> {
    return headOf(this.repository.path, `refs/heads/${branch}`);
  }

  async subject(): Promise<string> {
    return this.repository.git('log', '-1', '--format=%s', 'main');
  }

  async edit(path: string, from: string, to: string): Promise<void> {
    const text = await this.text(path);
    if (!text.includes(from)) throw new Error(`${path} does not contain ${from}`);
    await this.repository.commit('main', { [path]: `${text.replaceAll(from, to)}\n` }, `edit ${path}`);
  }

  /** The agent applies main, and a minute passes. */
  async sync(): Promise<void> {
    // With -z names stand as they are, whatever is in them.
    const files = (await this.repository.git('ls-tree', '-r', '-z', 'main')).split('\0');
    const manifests = new Map<string, readonly JsonObject[]>();
    for (const file of files) {
      const [, oid = '', path = ''] = /^\S+ blob (\S+)\t([^]+)$/.exec(file) ?? [];
      if (!/^apps\/.*\.(ya?ml|json)$/s.test(path)) continue;
      const workloads = workloadsOf.get(oid) ?? workloadsIn(await this.repository.git('cat-file', 'blob', oid));
      workloadsOf.set(oid, workloads);
      if (workloads !== 'not to be applied') manifests.set(path, workloads);
    }
    syncCommit(this.model.store, manifests, { manager: 'kustomize-controller', namespace: 'llm', prune: true });
    this.model.settle();
  }

  /** The agent applies main, and the groups have time to start. */
  async settle(): Promise<void> {
    await this.sync();
    this.model.tick(120);
  }

  async stop(): Promise<void> {
    await this.api.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
