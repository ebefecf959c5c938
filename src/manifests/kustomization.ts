/** Finds out which kustomizations build a manifest, and what they and the agents above them change in it. */

import { type AgentBuild, agentBuildsIn } from './agent-builds.ts';
import { type BuildPart, changesOf, list, type Question, type Transformation } from './kustomize-changes.ts';
import { isKustomizationFile, type ManifestDocument, type ManifestFile } from './parse-file.ts';
import { folderOf, resolvePath } from './paths.ts';

/** Kustomization documents by the folder they are in. */
type ByFolder = ReadonlyMap<string, ManifestDocument>;

/** What was read of the repository. */
export type Layout = {
  /** Every file that was read, kustomizations included. */
  readonly files: readonly ManifestFile[];
  /** Their texts, and those of other files that were kept. */
  readonly texts: ReadonlyMap<string, string>;
  /** Whether a file is known to be there, read or not. */
  readonly isThere: (path: string) => boolean;
};

/** Asked of an object: everything that the kustomizations which build it, directly or as a base, change in it. */
export function transformationsIn(layout: Layout): (object: ManifestDocument) => readonly Transformation[] {
  const { files, texts, isThere } = layout;
  const byFolder = new Map<string, ManifestDocument>();
  for (const { file, documents } of files) {
    const document = isKustomizationFile(file) ? documents[0] : undefined;
    if (document !== undefined) byFolder.set(folderOf(file), document);
  }
  const builders = buildersIn(byFolder);
  const byPath = new Map(files.map((one) => [one.file, one]));
  let agents: readonly AgentBuild[] | undefined;
  return (object) => {
    const question: Question = { object, files: byPath, isThere };
    agents ??= agentBuildsIn(texts);
    const built = builders(object.file);
    const parts = [
      ...built.flatMap((document) => withComponents(byFolder, partOf(document))),
      ...agents
        .filter((build) => isBuiltBy(build, object, built))
        .flatMap(({ part }) => withComponents(byFolder, part)),
    ];
    const found = parts.flatMap((part) => changesOf(question, part));
    // A component that several kustomizations include is one place to mend.
    return [...new Map(found.map((one) => [`${one.document.file} ${one.path.join('/')}`, one])).values()];
  };
}

/** Who changes an object where a kustomization in a file of its own does. */
export const IN_FOLDER = 'the kustomization';

/** That. */
function partOf(document: ManifestDocument): BuildPart {
  const { file, value } = document;
  return { document, under: [], value, folder: folderOf(file), by: IN_FOLDER };
}

/**
 * Whether what an agent applies holds the object: its folder has a kustomization that builds it, or, for Flux, has none and
 * the object's file below it (Flux then lists every file itself; Argo CD refuses such settings without a kustomization).
 */
function isBuiltBy(build: AgentBuild, object: ManifestDocument, builders: readonly ManifestDocument[]): boolean {
  const inFolder = (file: string): boolean => folderOf(file) === build.part.folder;
  if (builders.some(({ file }) => (build.isPattern ? file.startsWith(build.part.folder) : inFolder(file)))) return true;
  const { folder } = build.part;
  return build.lists && (folder === '' || object.file.startsWith(`${folder}/`));
}

/**
 * Asked of a file: the kustomizations that build it, in the order of the files. They list it, or a folder whose kustomization does.
 * Upwards from the file: a chain of folders has as many pairs as the square of its length.
 */
function buildersIn(byFolder: ByFolder): (file: string) => readonly ManifestDocument[] {
  const places = new Map([...byFolder.values()].map((document, place) => [document, place]));
  const listing = new Map<string, ManifestDocument[]>();
  for (const document of places.keys()) {
    for (const path of new Set(listedIn(partOf(document), ['resources', 'bases']))) {
      const there = listing.get(path);
      if (there === undefined) listing.set(path, [document]);
      else there.push(document);
    }
  }
  return (file) => {
    const found = new Set(listing.get(file));
    for (const document of found) for (const above of listing.get(folderOf(document.file)) ?? []) found.add(above);
    return [...found].sort((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
  };
}

/** A component's changes apply to what the kustomization that includes it builds. */
function withComponents(byFolder: ByFolder, first: BuildPart): readonly BuildPart[] {
  const found = new Map([[first.document, first]]);
  for (const part of found.values()) {
    for (const path of listedIn(part, ['components'])) {
      const component = byFolder.get(path);
      if (component !== undefined && !found.has(component)) found.set(component, partOf(component));
    }
  }
  return [...found.values()];
}

/** Paths that a list of a kustomization names, from the root of the repository. */
function listedIn({ value, folder }: BuildPart, keys: readonly string[]): readonly string[] {
  const entries = keys.flatMap((key) => list(value[key]));
  return entries.filter((entry) => typeof entry === 'string').map((entry) => resolvePath(folder, entry));
}
