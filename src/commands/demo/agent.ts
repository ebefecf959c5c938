/** A small GitOps agent: applies the head of a branch to the cluster over its API, as Argo CD and Flux do. */

import { parseAllDocuments } from 'yaml';
import { at } from '../../api/json.ts';
import type { Git } from '../../ports/git.ts';
import { apiVersionOf, resourceKinds } from '../../simulator/resource-table.ts';

export type AgentOptions = {
  readonly git: Git;
  /** URL of the API server. */
  readonly api: string;
  readonly branch: string;
  /** Only what is below it is applied. */
  readonly folder: string;
};

export type Agent = {
  /** The commit that the cluster was last given; undefined: none yet. */
  readonly applied: () => string | undefined;
  /** Applies the head of the branch where that is new; false: it was not. Throws where the API refuses an object. */
  readonly sync: () => Promise<boolean>;
};

const FIELD_MANAGER = 'gitops-agent';

/** An agent that has applied nothing yet. It deletes nothing: the demo never removes a file. */
export function startAgent(options: AgentOptions): Agent {
  let applied: string | undefined;
  return {
    applied: () => applied,
    sync: async () => {
      const [head] = await options.git.heads([options.branch]);
      if (head === undefined || head === applied) return false;
      for (const object of await objectsAt(options, head)) await apply(options.api, object);
      applied = head;
      return true;
    },
  };
}

async function objectsAt({ git, folder }: AgentOptions, commit: string): Promise<readonly unknown[]> {
  const tree = await git.readAt(commit, { paths: [folder], suffixes: ['.yaml'], markers: [] });
  return tree.files.flatMap(({ content }) =>
    content.kind === 'text' ? parseAllDocuments(content.text).map((document): unknown => document.toJS()) : [],
  );
}

/** Server-side apply with force: the fields of Git are the agent's. */
async function apply(api: string, object: unknown): Promise<void> {
  const kind = resourceKinds.find(
    (one) => one.kind === at(object, ['kind']) && apiVersionOf(one) === at(object, ['apiVersion']),
  );
  if (kind === undefined) throw new Error(`the agent knows no kind ${String(at(object, ['kind']))}`);
  const root = kind.group === '' ? `api/${kind.version}` : `apis/${kind.group}/${kind.version}`;
  const [namespace, name] = [at(object, ['metadata', 'namespace']), at(object, ['metadata', 'name'])].map(String);
  const path = `${root}/namespaces/${namespace}/${kind.plural}/${name}`;
  const response = await fetch(`${api}/${path}?fieldManager=${FIELD_MANAGER}&force=true`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: JSON.stringify(object),
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`the agent could not apply ${path}: ${response.status} ${answer.slice(0, 300)}`);
}
