/** What a repository has that may be delivered: LeaderWorkerSets, what is in front of them, and what applies them. */

import { CARRIER, CARRIER_KIND } from '../../api/carrier.ts';
import { type Config, isBelow } from '../../api/config.ts';
import { gpusOfGroup } from '../../api/gpus.ts';
import { imagesOf } from '../../api/images.ts';
import type { Issue } from '../../api/issue.ts';
import { at } from '../../api/json.ts';
import { LWS_KIND, SERVICE_KIND } from '../../api/kinds.ts';
import { parseService } from '../../api/service.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import { TEMPLATED_HINT } from '../../manifests/templated.ts';
import { keyMatch, namesDynamic, podLabels } from '../../rollout/traffic/selectors.ts';
import type { Desired } from '../desired/desired-rollout.ts';
import { madeFor, namespaceOf } from '../documents/manifest-index.ts';
import { parsedFiles } from '../documents/parse-cache.ts';
import { readWorkload } from '../documents/read-workload.ts';
import { TRAFFIC_KINDS } from '../documents/traffic-index.ts';
import { carriedBy } from '../helm/carried-by.ts';
import { type Agent, agentsIn, agentsOf } from './agents.ts';
import { fluxFindings } from './flux-mends.ts';

/** An object in front of a workload. `name`: with its kind, for people. */
export type Place = {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly apiVersion: string;
  readonly kind: string;
  readonly object: string;
  /** Of an Ingress, by its field or the older annotation; empty: it names none. */
  readonly ingressClass: string;
};

export type FoundWorkload = {
  readonly document: ManifestDocument;
  readonly name: string;
  /** undefined: neither the file nor `tranche.yaml` says it. */
  readonly namespace: string | undefined;
  readonly groups: number;
  /** Whether the file says groups and pods: a template does not. */
  readonly saysSize: boolean;
  /** Pods of a group. */
  readonly size: number;
  readonly gpusOfGroup: number;
  readonly images: readonly string[];
  /** Services that select its leaders, and routes that name one of them. */
  readonly front: readonly Place[];
  readonly agents: readonly Agent[];
  /** The file of the Rollout that delivers it already. */
  readonly deliveredBy: string | undefined;
  /** Why it cannot be delivered as it is, each with the way out. */
  readonly refused: readonly Issue[];
};

export type Survey = {
  readonly config: Config;
  readonly workloads: readonly FoundWorkload[];
  readonly agents: readonly Agent[];
  /** Settings of agents that have to change. */
  readonly settings: readonly Issue[];
  /** LeaderWorkerSets in files that no YAML parser reads, as those of most charts. */
  readonly unreadable: readonly Issue[];
  readonly hasPolicy: boolean;
};

/** `texts`: of every file that may say something, those of agents among them. */
export function surveyOf(desired: Desired, texts: ReadonlyMap<string, string>): Survey {
  const { index, config, files } = desired;
  const agents = agentsIn(texts, config);
  const settings = agents.filter((agent) => !isCarrier(agent, desired)).flatMap((agent) => settingsOf(agent, desired));
  const own = index.workloads.filter((workload) => madeFor(workload) === undefined).map(readOf);
  const around = frontIn(desired, texts, own);
  const workloads = own.map((read) => found(read, { desired, agents, around }));
  const flux = workloads.flatMap(({ document }) => fluxFindings(index.fluxSettings(), document, texts));
  return {
    config,
    workloads,
    agents,
    settings: distinct([...settings, ...flux, ...carriedIn(desired)]),
    unreadable: unreadableIn(texts, new Set(index.workloads.map(({ file }) => file)), config),
    hasPolicy: files.some(({ documents }) => documents.some(({ object }) => object.kind === 'RolloutPolicy')),
  };
}

/** Whether it is a HelmRelease that a Rollout names: what is in the way of that is said field by field. */
function isCarrier({ file, line }: Agent, { rollouts }: Desired): boolean {
  return rollouts.some(({ workload }) => workload?.file === file && workload.firstLine === line);
}

/** Of a HelmRelease that kustomize changes only the name that comes out is one that a Rollout may say. */
function settingsOf({ file, line, settings }: Agent, { index }: Desired): readonly Issue[] {
  if (settings.length === 0) return [];
  const release = index.helmReleases().all.find((one) => one.file === file && one.firstLine === line);
  if (release === undefined || index.layoutOf(release).length === 0) return settings;
  const hint = `If there is one, set TRANCHE_KUSTOMIZE, the path of kustomize, and add a Rollout with the annotation ${CARRIER}: ${CARRIER_KIND}/<namespace>/<name>, both as the overlay builds them (kustomize build, docs/helm-releases.md#bases-and-overlays).`;
  return settings.map((issue) => ({ ...issue, hint }));
}

/** What is in the way of Rollouts whose workload a HelmRelease renders. */
function carriedIn({ rollouts, index, config }: Desired): readonly Issue[] {
  return rollouts.flatMap(({ rollout, reading }) => {
    if (rollout === undefined) return [];
    const read = reading.rollout?.rollout;
    const name = read?.workload.name ?? '';
    return carriedBy(rollout, { index, config, found: [], rollout: read, name })?.issues ?? [];
  });
}

type Around = {
  readonly services: readonly ManifestDocument[];
  readonly routes: readonly { readonly document: ManifestDocument; readonly text: string }[];
};

type ReadWorkload = {
  readonly document: ManifestDocument;
  readonly size: number;
  readonly leader: Readonly<Record<string, string>>;
} & ReturnType<typeof readWorkload>;

function readOf(document: ManifestDocument): ReadWorkload {
  const read = readWorkload(document);
  const { content = {}, size = 1 } = read.workload?.workload ?? {};
  return { ...read, document, size, leader: podLabels(content, { name: document.object.name, size }).leader };
}

/** Services that may select a leader, and routes that may name one of them; of thousands of files few are read for that. */
function frontIn({ trials }: Desired, texts: ReadonlyMap<string, string>, workloads: readonly ReadWorkload[]): Around {
  const documentsOf = (kinds: readonly string[], isMeant: (text: string) => boolean): readonly ManifestDocument[] => {
    const meant = [...texts].filter(([, text]) => kinds.some((kind) => text.includes(kind)) && isMeant(text));
    const files = meant.map(([path, text]) => ({ path, oid: '', text }));
    const read = parsedFiles(new Map(), files, { interests: kinds, known: trials.known });
    return read.flatMap((file) => file.documents).filter(({ object }) => kinds.includes(object.kind));
  };
  const labels = workloads.flatMap(({ leader }) => Object.entries(leader));
  const maySelect = (text: string): boolean =>
    labels.some(([key, value]) => text.includes(key) && text.includes(value)) || namesDynamic(text);
  const services = documentsOf([SERVICE_KIND], maySelect).filter(({ object }) => object.apiVersion === 'v1');
  const names = services.map(({ object }) => object.name);
  const routeKinds = TRAFFIC_KINDS.filter((kind) => kind !== SERVICE_KIND);
  const routes = documentsOf(routeKinds, (text) => names.some((name) => text.includes(name)));
  return {
    services,
    routes: routes.map((document) => ({ document, text: JSON.stringify(document.value['spec'] ?? null) })),
  };
}

/** What named the class before the field (Kubernetes 1.18); controllers still read it. */
const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';

type With = { readonly desired: Desired; readonly agents: readonly Agent[]; readonly around: Around };

function found(read: ReadWorkload, { desired, agents, around }: With): FoundWorkload {
  const { index, config } = desired;
  const { document, workload, issues, size, leader } = read;
  const { name } = document.object;
  const named = { namespace: namespaceOf(document, config), name };
  const content = workload?.workload.content ?? {};
  const layout = index.layoutOf(document);
  const services = around.services.filter(
    ({ value, object }) =>
      (object.namespace === '' || named.namespace === undefined || object.namespace === named.namespace) &&
      selects(parseService(value).selector, leader),
  );
  const routes = around.routes.filter(({ text }) => services.some(({ object }) => text.includes(`"${object.name}"`)));
  return {
    document,
    name,
    namespace: named.namespace,
    // LWS takes a missing number for one group.
    groups: workload?.workload.replicas ?? 1,
    saysSize: workload !== undefined && !issues.some(({ reason }) => reason === 'TemplatedValue'),
    size,
    gpusOfGroup: gpusOfGroup(content, size),
    images: imagesOf(content),
    front: [...services, ...routes.map((route) => route.document)].map(placeOf),
    agents: agentsOf(agents, document.file),
    deliveredBy: index.rolloutsOf(named)[0]?.file,
    // What is not what the cluster gets is judged no further.
    refused: layout.length > 0 ? layout : issues,
  };
}

function selects(selector: Readonly<Record<string, string>>, labels: Readonly<Record<string, string>>): boolean {
  const entries = Object.entries(selector);
  return entries.length > 0 && entries.every(([key, value]) => keyMatch(key, value, labels) !== 'no');
}

function placeOf({ object, file, firstLine, value }: ManifestDocument): Place {
  const { apiVersion, kind, name } = object;
  const named = at(value, ['spec', 'ingressClassName']) ?? at(value, ['metadata', 'annotations', CLASS_ANNOTATION]);
  const ingressClass = typeof named === 'string' ? named : '';
  return { name: `${kind} ${name}`, file, line: firstLine, apiVersion, kind, object: name, ingressClass };
}

/** Templates of charts are no YAML before they are rendered, so that no pass sees their LeaderWorkerSets. */
function unreadableIn(
  texts: ReadonlyMap<string, string>,
  read: ReadonlySet<string>,
  { paths }: Config,
): readonly Issue[] {
  return [...texts].flatMap(([file, text]) => {
    if (read.has(file) || !isBelow(paths, file) || !text.includes('{{')) return [];
    const line = text.split('\n').findIndex((one) => new RegExp(`^\\s*kind:\\s*["']?${LWS_KIND}\\b`).test(one));
    if (line < 0) return [];
    return [
      {
        file,
        line: line + 1,
        path: 'kind',
        reason: 'UnsupportedLayout',
        message: `${LWS_KIND}: the file is a template that Helm renders, so it is not what the cluster gets`,
        hint: TEMPLATED_HINT,
      },
    ];
  });
}

function distinct(issues: readonly Issue[]): readonly Issue[] {
  return [...new Map(issues.map((issue) => [JSON.stringify(issue), issue])).values()];
}
