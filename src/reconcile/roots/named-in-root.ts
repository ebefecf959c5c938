/** What a root builds as somebody asks for it: with its namespace, with the Rollouts that name it, and with what else builds it. */

import { CARRIER_KIND } from '../../api/carrier.ts';
import { mappedNamespace } from '../../api/config.ts';
import type { Issue } from '../../api/issue.ts';
import { LWS_KIND } from '../../api/kinds.ts';
import type { Root } from '../../manifests/kustomize-roots.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import { rootOfPatch } from '../../manifests/patch-place.ts';
import type { Desired } from '../desired/desired-rollout.ts';
import { carrierOf } from '../helm/named-releases.ts';
import type { Agent } from '../init/agents.ts';
import type { BuiltReading, BuiltWorkload } from './built-workload.ts';
import { twiceBuilt } from './root-issues.ts';

/** A LeaderWorkerSet of a root, with who delivers it. */
export type RootWorkload = BuiltWorkload & {
  /** Files of Rollouts that name it. */
  readonly rollouts: readonly string[];
};

/** A HelmRelease of a root, with who says that it renders a workload. */
export type RootRelease = {
  readonly document: ManifestDocument;
  readonly name: string;
  readonly namespace: string | undefined;
  /** Files of Rollouts that name it. */
  readonly rollouts: readonly string[];
};

/** Of a root, what somebody else may build as well. */
type InRoot = {
  readonly root: Root;
  readonly files: readonly string[];
  readonly workloads: readonly RootWorkload[];
  readonly releases: readonly RootRelease[];
  readonly issues: readonly Issue[];
};

type Of = { readonly desired: Desired; readonly agents: readonly Agent[] };

/** What a build has of both. */
export function foundIn(
  built: Pick<BuiltReading, 'workloads' | 'documents'>,
  root: Root,
  of: Of,
): Pick<InRoot, 'workloads' | 'releases'> {
  return {
    workloads: built.workloads.map((one) => workloadIn(one, root, of)),
    releases: built.documents.flatMap((one) => releaseIn(one, root, of)),
  };
}

function workloadIn(workload: BuiltWorkload, root: Root, of: Of): RootWorkload {
  const namespace = namespaceIn(workload.namespace, root, of);
  const rollouts = of.desired.index.rolloutsOf({ namespace, name: workload.name }).map(({ file }) => file);
  return { ...workload, namespace, rollouts };
}

/** None: it is no HelmRelease. */
function releaseIn(document: ManifestDocument, root: Root, of: Of): readonly RootRelease[] {
  const { kind, name } = document.object;
  if (kind !== CARRIER_KIND) return [];
  const namespace = namespaceIn(document.object.namespace, root, of);
  const rollouts = of.desired.rollouts.flatMap(({ rollout }) => {
    const carrier = carrierOf(rollout);
    const isIt = carrier?.name === name && carrier.namespace === namespace;
    return isIt && rollout !== undefined ? [rollout.file] : [];
  });
  return [{ document, name, namespace, rollouts }];
}

/** Whether a Rollout says that it renders a workload: most of them do not. */
export function isNamed({ rollouts }: RootRelease): boolean {
  return rollouts.length > 0;
}

/** As built, else as `tranche.yaml` maps the folder, else that of the agent. */
function namespaceIn(built: string | undefined, root: Root, { desired, agents }: Of): string | undefined {
  const of = agents.find(({ folders, namespace }) => namespace !== undefined && folders.includes(root.folder));
  const mapped = mappedNamespace(desired.config, root.document.file);
  return (built === '' ? undefined : built) ?? mapped ?? of?.namespace;
}

/** An object that two roots build, or a root and a plain file, is applied by two: whichever comes last wins. */
export function withTwins<T extends InRoot>(views: readonly T[], desired: Desired): readonly T[] {
  return views.map((view) => {
    const issues = objectsIn(view, desired).flatMap((object) => {
      const others = views.filter((other) => other !== view && objectsIn(other, desired).some(isSame(object)));
      const plain = object.plain.filter((file) => !view.files.includes(file) && rootOfPatch(file) !== view.root.folder);
      const places = [...others.map(({ root }) => root.document.file), ...plain];
      return places.length === 0 ? [] : [twiceBuilt(view.root, object, places)];
    });
    return issues.length === 0 ? view : { ...view, issues: [...view.issues, ...issues] };
  });
}

type Built = {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | undefined;
  /** Files that have one of that name. */
  readonly plain: readonly string[];
};

function isSame({ kind, name, namespace }: Built): (other: Built) => boolean {
  return (other) => other.kind === kind && other.name === name && other.namespace === namespace;
}

function objectsIn({ workloads, releases }: InRoot, desired: Desired): readonly Built[] {
  const { index } = desired;
  const named = releases.filter(isNamed);
  return [
    ...workloads.map(({ name, namespace }) => {
      const plain = index.workloadsCalled({ namespace, name }).map(({ file }) => file);
      return { kind: LWS_KIND, name, namespace, plain };
    }),
    ...named.map(({ name, namespace = '' }) => {
      const plain = desired.index.releasesCalled({ namespace, name }).map(({ file }) => file);
      return { kind: CARRIER_KIND, name, namespace, plain };
    }),
  ];
}
