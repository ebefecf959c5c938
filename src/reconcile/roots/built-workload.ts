/** Reads what a build printed: its LeaderWorkerSets, each with what people ask of it first, and the HelmReleases that may render some. */

import { createHash } from 'node:crypto';
import { CARRIER_KIND, HELM_GROUP } from '../../api/carrier.ts';
import { gpusOfGroup } from '../../api/gpus.ts';
import { imagesOf } from '../../api/images.ts';
import type { Issue } from '../../api/issue.ts';
import { at, type JsonObject } from '../../api/json.ts';
import { LWS_KIND } from '../../api/kinds.ts';
import { LWS_API_VERSION } from '../../api/rollout.ts';
import { eachOfKinds, headsOf, ofKinds } from '../../manifests/build-output.ts';
import { type ManifestDocument, parseManifestFile } from '../../manifests/parse-file.ts';
import type { BuiltObjects } from '../documents/built-over.ts';
import { readWorkload } from '../documents/read-workload.ts';
import { withOwnMarks } from './own-marks.ts';

export type BuiltWorkload = {
  /** Of the output of the build, which is no file of the repository. */
  readonly document: ManifestDocument;
  readonly name: string;
  /** As built; undefined: the build has none. */
  readonly namespace: string | undefined;
  /** LWS takes a missing number for one. */
  readonly groups: number;
  /** Pods of a group. */
  readonly size: number;
  readonly gpusOfGroup: number;
  readonly images: readonly string[];
  readonly content: JsonObject;
  /** Of its content; equal digests mean that no group restarts. */
  readonly digest: string;
};

/** Those of one build, in its order. An issue stands at the root: lines of an output help nobody. */
export function builtWorkloads(text: string, root: Pick<ManifestDocument, 'file'>): BuiltReading {
  const next = { objects: objectsIn(text, root), isAlone: !/^---$/m.test(text) };
  return workloadsOf(ofKinds(text, [LWS_KIND, CARRIER_KIND]), root, next);
}

/** What is known of a build. */
export type BuiltReading = {
  readonly workloads: readonly BuiltWorkload[];
  /** All of them, those that cannot be read as well, and behind them the HelmReleases. */
  readonly documents: readonly ManifestDocument[];
  readonly objects: BuiltObjects;
  /** It has one object. */
  readonly isAlone: boolean;
  readonly issues: readonly Issue[];
};

/** The same of a text that has these alone, and of what was built next to them. */
export function workloadsOf(
  text: string,
  root: Pick<ManifestDocument, 'file'>,
  next: Pick<BuiltReading, 'objects' | 'isAlone'>,
): BuiltReading {
  const output = parseManifestFile(root.file, text, [LWS_KIND]);
  const issues = [...output.issues];
  const workloads: BuiltWorkload[] = [];
  const documents = output.documents.filter(({ object }) => object.apiVersion === LWS_API_VERSION);
  for (const document of documents) {
    const marked = readWorkload(document);
    // Annotations of tranche that nobody can read are for who looks at its patch.
    const reading = marked.workload === undefined ? readWorkload(withOwnMarks(document, undefined)) : marked;
    issues.push(...reading.issues);
    if (reading.workload === undefined) continue;
    const { workload, digest } = reading.workload;
    const { namespace, name } = document.object;
    workloads.push({
      document,
      name,
      namespace: namespace === '' ? undefined : namespace,
      groups: workload.replicas ?? 1,
      size: workload.size,
      gpusOfGroup: gpusOfGroup(workload.content, workload.size),
      images: imagesOf(workload.content),
      content: workload.content,
      digest,
    });
  }
  return {
    workloads,
    documents: [...documents, ...releasesIn(text, root)],
    ...next,
    issues: issues.map((issue) => atRoot(issue, root)),
  };
}

/** What is wrong in one that cannot be read is Flux's to say: most of them render no workload. */
function releasesIn(text: string, { file }: Pick<ManifestDocument, 'file'>): readonly ManifestDocument[] {
  const { documents } = parseManifestFile(file, text, [CARRIER_KIND]);
  return documents.filter(({ object }) => object.apiVersion.startsWith(`${HELM_GROUP}/`));
}

const KEPT = ['ConfigMap', 'Secret'];

function objectsIn(text: string, { file }: Pick<ManifestDocument, 'file'>): BuiltObjects {
  return new Map(
    eachOfKinds(text, KEPT).flatMap((part) =>
      parseManifestFile(file, headsOf(part, KEPT), KEPT).documents.map(({ object, value }) => {
        const digest = createHash('sha256').update(part).digest('hex');
        return [`${object.kind} ${object.name}`, { isKept: isKept(value), digest }] as const;
      }),
    ),
  );
}

function isKept(value: JsonObject): boolean {
  const flux = at(value, ['metadata', 'annotations', 'kustomize.toolkit.fluxcd.io/prune']);
  const argo = at(value, ['metadata', 'annotations', 'argocd.argoproj.io/sync-options']);
  return flux === 'disabled' || (typeof argo === 'string' && /(^|,)\s*Prune=false\s*(,|$)/.test(argo));
}

function atRoot(issue: Issue, root: Pick<ManifestDocument, 'file'>): Issue {
  return { ...issue, file: root.file, line: 0, message: `as built: ${issue.message}` };
}
