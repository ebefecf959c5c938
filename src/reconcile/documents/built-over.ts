/** A LeaderWorkerSet, or the HelmRelease that renders one, that kustomize builds and a patch of ours changes: read from the build, written into the patch. */

import type { Issue } from '../../api/issue.ts';
import type { BuiltRecord } from '../../api/record.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import { type Patched, typeOf } from '../../manifests/patch-place.ts';
import type { BuildInput } from '../../ports/builder.ts';
import type { Beneath } from '../../rollout/edits/beneath.ts';

/** ConfigMaps and Secrets of one build, as `ConfigMap settings`. */
export type BuiltObjects = ReadonlyMap<
  string,
  {
    /** The agent keeps it when it is built no more. */
    readonly isKept: boolean;
    /** Of all that is built of it. */
    readonly digest: string;
  }
>;

/** Of a name that the folder builds: as the version to go back to had it, not so, or nobody knows. */
export type Compared = ReadonlyMap<string, 'same' | 'differs' | 'unknown'>;

export type BuiltOver = {
  /** The folder of the kustomization that is applied. */
  readonly root: string;
  /** There: files of Flux objects that apply it. */
  readonly flux?: readonly string[];
  /** Our patch; it need not be there yet. */
  readonly file: string;
  readonly named: Patched;
  /** That patch as main has it; not there: it has none yet. */
  readonly patch?: ManifestDocument | undefined;
  /** As built, under the name and at the place of the patch; undefined: not built, and `issues` say why. */
  readonly document: ManifestDocument | undefined;
  /**
   * There: the patch takes the workload out of what is built. The document as it is built without that line; undefined: nobody
   * knows. The issue counts where nothing is to be re-created.
   */
  readonly takenOut?: { readonly document: ManifestDocument | undefined; readonly issue: Issue };
  /** Nothing else is built. */
  readonly isAlone?: boolean;
  /** What is built without the patch. */
  readonly beneath: Beneath | undefined;
  /** What kustomize is given. */
  readonly input: BuildInput | undefined;
  /** Paths that the folder is built from. */
  readonly files: readonly string[];
  /** Of all that the folder is built from: equal keys, equal builds. */
  readonly key: string;
  /** ConfigMaps and Secrets that are built next to it. */
  readonly objects: BuiltObjects;
  /** What a signed record may keep of the folder; not there: nothing, or the record of another workload in it does. */
  readonly toKeep?: BuiltRecord | undefined;
  /** There: main builds it without the patch, or not at all; `issues` say why, and no step goes forward. */
  readonly isStandIn?: true;
  readonly issues: readonly Issue[];
};

/** What a folder has of its object among the documents of a commit: what it builds, or our patch while it builds nothing. */
export function standsFor({ document, patch }: BuiltOver): ManifestDocument | undefined {
  return document ?? patch;
}

/** Whether that is the patch alone. */
export function isStandIn({ document, patch }: BuiltOver): boolean {
  return document === undefined && patch !== undefined;
}

/** Whether a document is one that it is built from, or the patch: one without a namespace is in need of the build, or applied as it is. */
export function isPartOf(
  { named, file, files }: BuiltOver,
  document: ManifestDocument,
  own: string | undefined,
): boolean {
  const { kind, name } = document.object;
  const isCalled = kind === typeOf(named).kind && name === named.name;
  if (!isCalled || (own !== undefined && own !== named.namespace)) return false;
  return document.file === file || files.includes(document.file);
}

/** A workload that no patch of ours is for yet, and a folder that may build it and does not build. */
export type Unbuilt = {
  readonly named: BuiltOver['named'];
  /** The kustomization of the folder. */
  readonly root: string;
  /** Paths that it is built from, as far as they were found. */
  readonly files: readonly string[];
  /** Why, at the files that are wrong. */
  readonly issues: readonly Issue[];
};

/** Of all Rollouts of a commit. */
export type Builds = { readonly built: readonly BuiltOver[]; readonly unbuilt: readonly Unbuilt[] };
