/** The stage table of the LWS rollout page: one row a state, one column a group. */

import type { Cluster } from '../cluster-model.ts';
import { judgedGroup } from '../lws/group-state.ts';
import { lwsView } from '../lws/lws-view.ts';
import { GROUP_INDEX, isLeader, LWS_NAME, revisionKeyOf } from '../objects/labels.ts';
import { count, type KubeObject, labelsOf, part, specOf } from '../objects/objects.ts';
import { LWS, PODS, STATEFUL_SETS } from '../objects/resource-table.ts';
import type { LwsName } from '../pods/kubelet.ts';

/** `updated`: on the newest revision and ready; `rolling`: on it and not ready yet; `old`: not on it. */
type StageCell = 'updated' | 'rolling' | 'old' | 'absent';

export type Stage = {
  /** Of the leader StatefulSet. */
  readonly partition: number;
  readonly replicas: number;
  /** By ordinal. */
  readonly groups: readonly StageCell[];
  readonly note: string;
};

export const stageMarks = { updated: '●', rolling: '~', old: '○', absent: '' } as const satisfies Record<
  StageCell,
  string
>;

/** What the cluster looks like now, without a note; undefined where there is no LWS or no leader StatefulSet. */
export function stageOf(cluster: Cluster, name: LwsName): Stage | undefined {
  const object = cluster.objects.get({ resource: LWS, ...name });
  const sts = cluster.objects.get({ resource: STATEFUL_SETS, ...name });
  if (object === undefined || sts === undefined) return undefined;
  const groups: StageCell[] = [];
  for (const pod of cluster.objects.list(PODS, name.namespace)) {
    if (labelsOf(pod)[LWS_NAME] !== name.name || !isLeader(pod)) continue;
    groups[Number(labelsOf(pod)[GROUP_INDEX])] = cellOf(cluster, { object, pod, key: revisionKeyOf(sts) });
  }
  const replicas = count(specOf(sts)['replicas'], 1);
  for (let index = 0; index < Math.max(groups.length, replicas); index++) groups[index] ??= 'absent';
  const rolling = part(part(specOf(sts), 'updateStrategy'), 'rollingUpdate');
  return { partition: count(rolling['partition'], 0), replicas, groups, note: '' };
}

function cellOf(
  cluster: Cluster,
  from: { readonly object: KubeObject; readonly pod: KubeObject; readonly key: string },
): StageCell {
  const state = judgedGroup(cluster, lwsView(from.object), { leader: from.pod, key: from.key });
  if (revisionKeyOf(from.pod) !== from.key) return 'old';
  return state?.ready === true && state.updated ? 'updated' : 'rolling';
}

/** The table in Markdown, as on the LWS page, with signs that look less alike. */
export function stageMarkdown(stages: readonly Stage[]): string {
  const width = Math.max(0, ...stages.map((stage) => stage.groups.length));
  const columns = Array.from({ length: width }, (_, index) => `R-${index}`);
  const header = ['', 'Partition', 'Replicas', ...columns, 'Note'];
  const rows = stages.map((stage, at) => [
    `Stage${at + 1}`,
    String(stage.partition),
    String(stage.replicas),
    ...columns.map((_, index) => stageMarks[stage.groups[index] ?? 'absent']),
    stage.note,
  ]);
  return [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
