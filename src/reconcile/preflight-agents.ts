/** What the agents of a repository make of a delivery, by their objects in Git: said before one starts. */

import type { Config } from '../api/config.ts';
import type { Issue } from '../api/issue.ts';
import type { Git, Oid } from '../ports/git.ts';
import { fluxIssues } from './documents/flux-settings.ts';
import { writersIn } from './init/agent-writers.ts';
import { agentsIn, agentsOf } from './init/agents.ts';
import { readDesired } from './observe/read-main.ts';
import { newMemory } from './pass.ts';

/** Of agents that apply the file of a workload with a Rollout, each once. Throws PortError where Git fails for now. */
export async function agentIssues(
  git: Git,
  { commit, config }: { readonly commit: Oid; readonly config: Config },
): Promise<readonly Issue[]> {
  const desired = await readDesired(git, commit, { config, memory: newMemory() });
  const workloads = desired.rollouts.flatMap(({ workload }) => workload ?? []);
  const markers = ['argoproj.io', 'toolkit.fluxcd.io'];
  const { files } = await git.readAt(commit, { paths: [''], suffixes: ['.yaml', '.yml'], markers });
  const texts = new Map(
    files.flatMap(({ path, content }) => (content.kind === 'text' ? [[path, content.text] as const] : [])),
  );
  const agents = agentsIn(texts, config);
  const places = workloads.map(({ file }) => file);
  const found = [
    ...agents
      .filter((agent) => places.some((file) => agentsOf([agent], file).length > 0))
      .flatMap((one) => one.settings),
    ...workloads.flatMap((workload) => fluxIssues(desired.index.fluxSettings(), workload)),
    ...writersIn(texts, places, config),
  ];
  return [...new Map(found.map((issue) => [JSON.stringify(issue), issue])).values()];
}
