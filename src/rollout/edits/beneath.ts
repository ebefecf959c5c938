/** A workload that kustomize builds: what people's own files say of it below our patch, and what applies the patch. */

import type { Renderers } from '../../api/helm-release.ts';
import type { IntOrPercent } from '../../api/int-or-percent.ts';
import type { Json, JsonObject } from '../../api/json.ts';
import type { ChangedFile } from '../texts/changed-files.ts';
import type { ObjectRef } from './edit.ts';

/** What kustomize builds of a workload without our patch: what people's own files say. */
export type Beneath = {
  /** The folder of the kustomization that is applied. */
  readonly root: string;
  readonly digest: string;
  readonly content: JsonObject;
  readonly replicas: number | undefined;
  readonly partition: number | undefined;
  readonly maxUnavailable: IntOrPercent | undefined;
  /** The patch has a template of its own, which stands in the place of people's. */
  readonly isPinned: boolean;
  /** The kustomization applies the patch already; else the next commit makes it do so. */
  readonly isAdopted: boolean;
  /** There: an earlier commit is what was built, main does not build: what people's own files say now is not known. */
  readonly isEarlier?: true;
  /** There: the patch is of a HelmRelease that renders the workload. */
  readonly release?: BeneathRelease;
  readonly applied: Applied;
  /** Files of people's own that are not as the stable commit has them. Not there: nothing hangs on it, or nobody knows. */
  readonly changed?: readonly ChangedFile[];
};

/** Of `spec.postRenderers`, which a patch has as a whole or not at all. */
type BeneathRelease = {
  /** As kustomize prints what people's own files say. */
  readonly text: string;
  /** What that has. */
  readonly renderers: Renderers;
  /** What the patch has; undefined: no list. */
  readonly inPatch: Renderers | undefined;
};

/** What applies our patch: it comes with the first commit, and goes with the patch. */
export type Applied = {
  /** The patch before it changes anything. */
  readonly patch: string;
  /** The document that applies it, and whether it is there. */
  readonly transformer: {
    readonly file: string;
    readonly object: ObjectRef;
    readonly text: string;
    readonly isThere: boolean;
  };
  /** The kustomization that lists the file of those. */
  readonly kustomization: { readonly file: string; readonly object: ObjectRef };
  /** The entries of `transformers` as they are now, and ours among them. */
  readonly entries: readonly Json[];
  readonly entry: string;
  /** Places of ours among the entries, however it is written. */
  readonly own: readonly number[];
  /** All of the kustomization, where a commit adds the entry. */
  readonly value?: JsonObject;
  /** The file has documents of other workloads: its entry stays for them. */
  readonly isShared: boolean;
};
