/** Which pods of a LeaderWorkerSet a selector takes in, by the manifests alone (reference: traffic.md, §4). */

import { at, type JsonObject } from '../../api/json.ts';
import { GROUP_INDEX, LWS_NAME, REVISION_KEY, WORKER_INDEX } from '../../api/lws-labels.ts';
import { stringsIn } from '../../api/service.ts';

/** `some`: it depends on the group or on the revision. */
type Match = 'yes' | 'no' | 'some';

/** The pods of one LeaderWorkerSet, by what LWS and its templates write on them. */
export type PodLabels = {
  readonly leader: Readonly<Record<string, string>>;
  /** undefined: its groups have no workers. */
  readonly worker: Readonly<Record<string, string>> | undefined;
};

/** The numbers of the leader: LWS's own word for it. */
export const LEADER_INDEX = '0';

/** Labels whose values are known in the cluster only, and differ from pod to pod or from revision to revision. */
const DYNAMIC: ReadonlySet<string> = new Set([
  GROUP_INDEX,
  REVISION_KEY,
  'leaderworkerset.sigs.k8s.io/group-key',
  'leaderworkerset.sigs.k8s.io/subgroup-index',
  'leaderworkerset.sigs.k8s.io/subgroup-key',
  'apps.kubernetes.io/pod-index',
  'statefulset.kubernetes.io/pod-name',
  'controller-revision-hash',
]);

/** Whether the values of a label are known in the cluster only. */
export function isDynamic(key: string): boolean {
  return DYNAMIC.has(key);
}

/** Whether a text has the name of such a label somewhere: only then a selector in it may have one. */
export function namesDynamic(text: string): boolean {
  return [...DYNAMIC].some((key) => text.includes(key));
}

/** The labels of the pods that `content` (what a release digest covers) gives the workload of this name. */
export function podLabels(
  content: JsonObject,
  { name, size }: { readonly name: string; readonly size: number },
): PodLabels {
  const template = (key: string) => at(content, ['leaderWorkerTemplate', key]);
  const worker = stringsIn(at(template('workerTemplate'), ['metadata', 'labels']));
  const leaderTemplate = template('leaderTemplate');
  const leader = leaderTemplate === undefined ? worker : stringsIn(at(leaderTemplate, ['metadata', 'labels']));
  return {
    // What LWS writes wins over labels of the same key.
    leader: { ...leader, [LWS_NAME]: name, [WORKER_INDEX]: LEADER_INDEX },
    worker: size > 1 ? { ...worker, [LWS_NAME]: name } : undefined,
  };
}

/** Whether the selector takes in these pods: every one of its keys must hold. An empty one takes in none. */
function matchOf(selector: Readonly<Record<string, string>>, labels: PodLabels[keyof PodLabels]): Match {
  const keys = Object.keys(selector);
  if (labels === undefined || keys.length === 0) return 'no';
  const answers = keys.map((key) => keyMatch(key, selector[key] ?? '', labels));
  if (answers.includes('no')) return 'no';
  return answers.includes('some') ? 'some' : 'yes';
}

/** Whether one key of a selector holds for these pods. */
export function keyMatch(key: string, value: string, labels: Readonly<Record<string, string>>): Match {
  if (isDynamic(key)) return 'some';
  // The workers of a group are numbered from 1.
  if (key === WORKER_INDEX && labels[key] === undefined) return /^[1-9][0-9]*$/.test(value) ? 'some' : 'no';
  return labels[key] === value ? 'yes' : 'no';
}

/** One row of the table: what a Service takes in of either side. */
export type SelectorRow = {
  readonly stableLeader: Match;
  readonly stableWorker: Match;
  readonly canaryLeader: Match;
  readonly canaryWorker: Match;
};

/** The row of a selector; without a second workload its columns are `no`. */
export function selectorRow(
  selector: Readonly<Record<string, string>>,
  { stable, canary }: { readonly stable: PodLabels; readonly canary: PodLabels | undefined },
): SelectorRow {
  return {
    stableLeader: matchOf(selector, stable.leader),
    stableWorker: matchOf(selector, stable.worker),
    canaryLeader: matchOf(selector, canary?.leader),
    canaryWorker: matchOf(selector, canary?.worker),
  };
}
