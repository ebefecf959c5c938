/** What the agents of a repository make of a delivery, by their objects in Git: said before one starts. */

import type { Config } from '../api/config.ts';
import type { Issue } from '../api/issue.ts';
import { isOneWorkload } from '../api/styles.ts';
import type { Git, Oid } from '../ports/git.ts';
import { workloadSettings } from './init/agent-prune.ts';
import { writersIn } from './init/agent-writers.ts';
import { agentsIn, agentsOf } from './init/agents.ts';
import { argoGates } from './init/argo-gates.ts';
import { fluxFindings } from './init/flux-mends.ts';
import { renovateIssues } from './init/renovate.ts';
import { RENOVATE_FILES } from './init/renovate-file.ts';
import { readDesired } from './observe/read-main.ts';
import { newMemory } from './pass.ts';

/** Of agents that apply the file of a workload with a Rollout, each once. Throws PortError where Git fails for now. */
export async function agentIssues(
  git: Git,
  { commit, config }: { readonly commit: Oid; readonly config: Config },
): Promise<readonly Issue[]> {
  const desired = await readDesired(git, commit, { config, memory: newMemory() });
  const delivered = desired.rollouts.flatMap(({ workload, reading, policy }) => {
    const style = reading.rollout?.rollout.style;
    const hasSecond = style !== undefined && !isOneWorkload(style);
    const isTakenOut = hasSecond || policy.rules.recreate === 'Allow';
    return workload === undefined ? [] : [{ workload, isTakenOut }];
  });
  const texts = await agentTexts(git, commit);
  const agents = agentsIn(texts, config);
  const found = delivered.flatMap(({ workload, isTakenOut }) => {
    const own = agentsOf(agents, workload.file);
    const text = texts.get(workload.file) ?? desired.texts.get(workload.file) ?? '';
    const folders = own.filter(({ name }) => name.startsWith('Application')).flatMap((agent) => agent.folders);
    return [
      ...own.flatMap((agent) => [...agent.settings, ...(isTakenOut ? agent.unpruned : [])]),
      ...workloadSettings(workload, { text, isTakenOut }),
      ...(folders.length === 0 ? [] : argoGates({ workload, text, folders, texts })),
      ...fluxFindings(desired.index.fluxSettings(), workload, texts),
    ];
  });
  const files = delivered.map(({ workload }) => workload.file);
  const all = [...found, ...writersIn(texts, files, config), ...renovateIssues(texts, files)];
  return [...new Map(all.map((issue) => [JSON.stringify(issue), issue])).values()];
}

/** Everything that speaks of an agent, and the configuration of Renovate. */
async function agentTexts(git: Git, commit: Oid): Promise<ReadonlyMap<string, string>> {
  const markers = ['argoproj.io', 'toolkit.fluxcd.io'];
  const { files } = await git.readAt(commit, { paths: [''], suffixes: ['.yaml', '.yml'], markers });
  const renovate = await git.readAt(commit, { paths: RENOVATE_FILES, suffixes: [], markers: [] });
  return new Map(
    [...files, ...renovate.files].flatMap(({ path, content }) =>
      content.kind === 'text' ? [[path, content.text] as const] : [],
    ),
  );
}
