/** Which files have the Flux objects that apply a kustomize folder. */

import type { Agent } from '../init/agents.ts';

/** Sorted, each once. A HelmRelease applies no folder. */
export function fluxFiles(agents: readonly Agent[], folder: string): readonly string[] {
  const own = agents.filter(({ name, folders }) => name.startsWith('Kustomization ') && folders.includes(folder));
  return [...new Set(own.map(({ file }) => file))].sort();
}
