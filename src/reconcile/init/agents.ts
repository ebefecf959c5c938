/** What applies the files of a repository, as far as the repository says: Argo CD Applications, and Flux's objects. */

import type { Config } from '../../api/config.ts';
import { isBelow } from '../../api/config.ts';
import type { Issue } from '../../api/issue.ts';
import { at, type Json } from '../../api/json.ts';
import { mapsAt } from '../../api/weighted-routes.ts';
import { type ManifestDocument, parseManifestFile } from '../../manifests/parse-file.ts';
import { DRY_SOURCE } from './agent-hydrated.ts';
import { unpruned } from './agent-prune.ts';
import { settingsToChange } from './agent-settings.ts';

/** An object that applies a folder to a namespace. */
export type Agent = {
  readonly kind: string;
  /** `Application vllm`, as people call it. */
  readonly name: string;
  readonly file: string;
  readonly line: number;
  /** Folders of this repository that it applies, empty for the root; none where that is made by a chart, or in another place. */
  readonly folders: readonly string[];
  /** Where its objects without a namespace go; undefined: it does not say. */
  readonly namespace: string | undefined;
  /** Its settings that stand in the way of a delivery, each with its line and what to do. */
  readonly settings: readonly Issue[];
  /** The same where a delivery takes objects out of Git: they stay in the cluster. */
  readonly unpruned: readonly Issue[];
};

const KINDS = ['Application', 'ApplicationSet', 'Kustomization', 'HelmRelease'] as const;
const GROUPS = /^(argoproj\.io|kustomize\.toolkit\.fluxcd\.io|helm\.toolkit\.fluxcd\.io)\//;

/** All of them, in the order of the files. Files that cannot be read say nothing: `lint` reports those. */
export function agentsIn(texts: ReadonlyMap<string, string>, config: Config): readonly Agent[] {
  return [...texts].flatMap(([file, text]) => {
    if (!/argoproj\.io|toolkit\.fluxcd\.io/.test(text)) return [];
    const { documents } = parseManifestFile(file, text, KINDS);
    return documents
      .filter(({ object }) => GROUPS.test(object.apiVersion) && KINDS.some((kind) => kind === object.kind))
      .map((document) => agentOf(document, config, text));
  });
}

/** The agents that apply a file. */
export function agentsOf(agents: readonly Agent[], file: string): readonly Agent[] {
  return agents.filter(({ folders }) => folders.length > 0 && isBelow(folders, file));
}

function agentOf(document: ManifestDocument, config: Config, text: string): Agent {
  const { object, file, firstLine } = document;
  const spec = specPath(document);
  const value = at(document.value, spec);
  const isFlux = object.kind === 'Kustomization';
  const namespace = isFlux ? at(value, ['targetNamespace']) : at(value, ['destination', 'namespace']);
  return {
    kind: object.kind,
    name: `${object.kind} ${object.name}`,
    file,
    line: firstLine,
    folders: isFlux ? [folderIn(at(value, ['path']))] : sourcesOf(value),
    namespace: typeof namespace === 'string' && namespace !== '' ? namespace : undefined,
    settings: settingsToChange(document, { spec, config, text }),
    unpruned: unpruned(document, { spec, text }),
  };
}

/** An ApplicationSet has the spec of its Applications in a template. */
function specPath({ object }: ManifestDocument): readonly string[] {
  return object.kind === 'ApplicationSet' ? ['spec', 'template', 'spec'] : ['spec'];
}

/** A path with a placeholder of an ApplicationSet leads to the folder above it. */
function sourcesOf(spec: Json | undefined): readonly string[] {
  const source = at(spec, ['source', 'path']);
  const dry = at(spec, [...DRY_SOURCE, 'path']);
  const several = mapsAt(spec, ['sources']).map(({ path }) => path);
  return [source, dry, ...several].flatMap((path) =>
    typeof path === 'string' ? [folderIn(path.replace(/\/?[^/]*\{\{.*$/, ''))] : [],
  );
}

function folderIn(path: Json | undefined): string {
  const folder = (typeof path === 'string' ? path : '').replace(/^(\.?\/)+/, '').replace(/\/+$/, '');
  return folder === '.' ? '' : folder;
}
