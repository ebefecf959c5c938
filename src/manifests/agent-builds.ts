/**
 * Finds what GitOps agents add to the kustomization that they apply: fields of a Flux Kustomization, of the source of an
 * Argo CD Application, and of the files that Argo CD's Image Updater writes. None of it stands in a kustomization.
 */

import { at, isJsonObject, type Json } from '../api/json.ts';
import type { FieldPath } from '../rollout/edits/edit.ts';
import { type BuildPart, list } from './kustomize-changes.ts';
import { type ManifestDocument, parseManifestFile } from './parse-file.ts';
import { folderOf, resolvePath } from './paths.ts';

const FLUX_GROUP = 'kustomize.toolkit.fluxcd.io';
const ARGO_GROUP = 'argoproj.io';
/** A Flux Kustomization without any of these adds nothing, and most have none: it is not parsed. */
const FLUX_ADDS = /patches|images|namePrefix|nameSuffix|targetNamespace|components|postBuild|commonMetadata/;
/** Argo CD merges these into the source of an Application: `.argocd-source.yaml`, `.argocd-source-<application>.yaml`. */
const ARGO_SOURCE_FILE = /(^|\/)\.argocd-source(-[^/]+)?\.ya?ml$/;

/** What one object of an agent adds. */
export type AgentBuild = {
  /** Its folder is what the agent applies. */
  readonly part: BuildPart;
  /** The agent lists the files of a folder without a kustomization itself. */
  readonly lists: boolean;
  /** The folder is the fixed beginning of one that a generator fills in. */
  readonly isPattern: boolean;
};

/** Every one in these texts that adds anything. Files that cannot be read say nothing. */
export function agentBuildsIn(texts: ReadonlyMap<string, string>): readonly AgentBuild[] {
  const found: AgentBuild[] = [];
  for (const [file, text] of texts) {
    if (ARGO_SOURCE_FILE.test(file)) {
      const [document] = parseManifestFile(file, text, 'everything').documents;
      if (document !== undefined) found.push(...argoSource(document, ['kustomize'], folderOf(file)));
    } else if (
      (text.includes(FLUX_GROUP) && FLUX_ADDS.test(text)) ||
      (text.includes(ARGO_GROUP) && text.includes('kustomize'))
    ) {
      const kinds = ['Kustomization', 'Application', 'ApplicationSet'];
      for (const document of parseManifestFile(file, text, kinds).documents) found.push(...buildsOf(document));
    }
  }
  return found;
}

function buildsOf(document: ManifestDocument): readonly AgentBuild[] {
  const { apiVersion, kind } = document.object;
  if (apiVersion.startsWith(`${FLUX_GROUP}/`)) return fluxBuild(document);
  if (!apiVersion.startsWith(`${ARGO_GROUP}/`)) return [];
  const spec = kind === 'ApplicationSet' ? ['spec', 'template', 'spec'] : ['spec'];
  const sources = list(at(document.value, [...spec, 'sources'])).map((_, place) => [...spec, 'sources', String(place)]);
  return [[...spec, 'source'], ...sources].flatMap((path) =>
    argoSource(document, [...path, 'kustomize'], at(document.value, [...path, 'path'])),
  );
}

/** Flux appends the fields of `spec` to the kustomization of its path, or to one that lists all files below it. */
function fluxBuild(document: ManifestDocument): readonly AgentBuild[] {
  const spec = document.value['spec'];
  if (!isJsonObject(spec)) return [];
  const { namespace: _, ...value } = spec;
  const folder = pathOf(spec['path'] ?? '');
  const by = `the Flux Kustomization ${document.object.name}`;
  return folder === undefined
    ? []
    : [{ part: { document, under: ['spec'], value, folder, by }, lists: true, isPattern: false }];
}

function argoSource(document: ManifestDocument, under: FieldPath, path: Json | undefined): readonly AgentBuild[] {
  const value = at(document.value, under);
  const folder = pathOf(path);
  if (!isJsonObject(value) || folder === undefined) return [];
  const { kind, name } = document.object;
  const by = kind === '' ? 'the source that Argo CD merges' : `the Argo CD ${kind} ${name}`;
  const brace = folder.indexOf('{{');
  const isPattern = brace >= 0;
  return [
    {
      part: { document, under, value, folder: isPattern ? folder.slice(0, brace) : folder, by },
      lists: false,
      isPattern,
    },
  ];
}

/** Whether what it applies is built from this kustomize folder: that itself, one of its pattern, or one below that Flux lists. */
export function reachesRoot(
  { part, lists, isPattern }: AgentBuild,
  folder: string,
  hasKustomization: (folder: string) => boolean,
): boolean {
  if (part.folder === folder) return true;
  if (isPattern) return folder.startsWith(part.folder);
  const isBelow = part.folder === '' || folder.startsWith(`${part.folder}/`);
  return lists && isBelow && !hasKustomization(part.folder);
}

/** From the root of the repository; undefined: no path is written. */
function pathOf(path: Json | undefined): string | undefined {
  return typeof path === 'string' ? resolvePath('', path) : undefined;
}
