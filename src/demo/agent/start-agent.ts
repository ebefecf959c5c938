/** The GitOps agent of the demo: a Flux of the model, fed with the head of a branch. Its Kustomization is served. */

import { parseAllDocuments } from 'yaml';
import { isBoundedJson } from '../../api/bounded-json.ts';
import { isJsonObject, type JsonObject } from '../../api/json.ts';
import { UsageError } from '../../options.ts';
import type { Builder } from '../../ports/builder.ts';
import type { Git } from '../../ports/git.ts';
import { readClosures } from '../../reconcile/roots/read-closures.ts';
import type { CommitManifests } from '../../simulator/agent/agent.ts';
import type { Cluster } from '../../simulator/cluster-model.ts';
import { NAMESPACE } from '../files.ts';
import { GitOpsAgent } from './gitops-agent.ts';

type AgentOptions = {
  readonly git: Git;
  readonly model: Cluster;
  readonly branch: string;
  /** Only what is below it is applied. */
  readonly folder: string;
  /** It is the folder of a kustomization, and what that builds is applied. */
  readonly isBuilt: boolean;
  readonly builder?: Builder | undefined;
};

export type Agent = {
  /** The commit that the cluster was last given; undefined: none yet. */
  readonly applied: () => string | undefined;
  /** When it gave this commit to the cluster, in seconds since the epoch; undefined: it has not, or not by itself. */
  readonly appliedAt: (commit: string) => number | undefined;
  /** Applies the head of the branch where that is new; false: it was not. Throws where the API refuses an object. */
  readonly sync: () => Promise<boolean>;
};

const FIELD_MANAGER = 'gitops-agent';
const OBJECT = { namespace: 'flux-system', name: 'fleet' } as const;

/** An agent that has applied nothing yet. It deletes nothing: the demo never removes a file. */
export function startAgent(options: AgentOptions): Agent {
  const { git, model, branch, folder } = options;
  const agent = new GitOpsAgent(model, {
    flavour: 'flux',
    object: OBJECT,
    manager: FIELD_MANAGER,
    namespace: NAMESPACE,
    branch,
    path: folder,
    pollSeconds: undefined,
    lagSeconds: 0,
    prune: false,
    selfHeal: true,
  });
  const times = new Map<string, number>();
  let applied: string | undefined;
  return {
    applied: () => applied,
    appliedAt: (commit) => times.get(commit),
    sync: async () => {
      const [head] = await git.heads([branch]);
      if (head === undefined || head === applied) return false;
      agent.offer(head, await manifestsAt(options, head));
      agent.tell();
      if (agent.tick() === 'failed') throw new Error(`the agent could not apply ${head}: ${agent.message()}`);
      applied = head;
      times.set(head, model.nowSeconds);
      return true;
    },
  };
}

async function manifestsAt(of: AgentOptions, commit: string): Promise<CommitManifests> {
  const { git, folder, isBuilt, builder } = of;
  if (isBuilt && builder !== undefined)
    return new Map([[folder, manifestsIn(await builtAt({ git, folder, builder }, commit))]]);
  const tree = await git.readAt(commit, { paths: [folder], suffixes: ['.yaml'], markers: [] });
  return new Map(
    tree.files.map(({ path, content }): [string, readonly JsonObject[]] => {
      return [path, content.kind === 'text' ? manifestsIn(content.text) : []];
    }),
  );
}

function manifestsIn(text: string): readonly JsonObject[] {
  return parseAllDocuments(text)
    .map((document): unknown => document.toJS())
    .filter(isManifest);
}

/** What kustomize prints of it. Throws UsageError where there is none, and where it builds nothing. */
async function builtAt(
  { git, folder, builder }: { readonly git: Git; readonly folder: string; readonly builder: Builder },
  commit: string,
): Promise<string> {
  const closure = (await readClosures(git, commit, [folder])).get(folder);
  if (closure?.kind !== 'whole') throw new Error(`${folder} of ${commit} is no folder that can be built`);
  const build = await builder.build(closure);
  if (build.kind === 'built') return build.text;
  throw new UsageError(`--layout kustomize: ${build.seen}. ${build.hint}`);
}

function isManifest(document: unknown): document is JsonObject {
  return isBoundedJson(document) && isJsonObject(document);
}
