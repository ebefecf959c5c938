/** Prints what one pass of a story did, as people read it: commits with their changed lines, holds, and the groups. */

import { SENTINEL } from '../../../src/api/workload.ts';
import type { Outcome } from '../../../src/reconcile/outcome.ts';
import { readStatus, STATUS_REQUEST } from '../../../src/reconcile/status/record-store.ts';
import { printKey } from '../../../src/rollout/texts/key-text.ts';
import { count, type KubeObject, part, specOf } from '../../../src/simulator/objects/objects.ts';
import { LWS, PODS, STATEFUL_SETS } from '../../../src/simulator/objects/resource-table.ts';
import { type Look, STATUS } from './rehearse.ts';
import { tellRoutes } from './requests.ts';
import type { Stage } from './stage.ts';

const SIZE = 'leaderworkerset.sigs.k8s.io/size';
const REVISION = 'leaderworkerset.sigs.k8s.io/template-revision-hash';

/** Short names for commits of main, in the order in which they came: `c3`. */
export class CommitNames {
  private readonly names = new Map<string, string>();
  private readonly hasTemplate: (commit: string, digest: string) => boolean;

  constructor(hasTemplate: (commit: string, digest: string) => boolean) {
    this.hasTemplate = hasTemplate;
  }

  learn(oids: readonly string[]): void {
    for (const oid of oids) if (!this.names.has(oid)) this.names.set(oid, `c${this.names.size + 1}`);
  }

  of(oid: string): string {
    return this.names.get(oid) ?? '?';
  }

  /** Every object id in a template gives way to its name: texts then do not change with every word in a message. */
  in(text: string): string {
    return this.stableIn(text).replaceAll(/\b(?:[0-9a-f]{40}|[0-9a-f]{12})\b/g, (found) => {
      const known = [...this.names].find(([oid]) => oid.startsWith(found));
      return known?.[1] ?? (found.length === 40 ? 'c?' : found);
    });
  }

  /** A digest that is that of the template in the commit before it says nothing more; another one is shown. */
  private stableIn(text: string): string {
    return text.replaceAll(/\b([0-9a-f]{40})@([0-9a-f]{32})\b/g, (found, commit: string, digest: string) =>
      this.hasTemplate(commit, digest) ? commit : found,
    );
  }
}

/** The lines of one pass. */
export function tellLook(stage: Stage, { result, error, wroteStatus, withoutRecord }: Look): readonly string[] {
  const lines = stage.log.splice(0).map((line) => `log: ${line}`);
  if (result === undefined) return [...lines, `! ${error}`];
  lines.push(...result.outcomes.flatMap((outcome) => tellOutcome(outcome, result.outcomes.length > 1)));
  if (result.quiet) lines.push('nothing has moved and no audit is due: nothing is looked at');
  for (const issue of result.issues) lines.push(`issue ${issue.reason}: ${issue.file}:${issue.line}: ${issue.message}`);
  lines.push(...withoutRecord.map((said) => `(without the status branch: ${said})`));
  lines.push(...tellGroups(stage), ...tellRoutes(stage.cluster));
  if (wroteStatus) lines.push(...tellConditions(stage));
  return lines;
}

function tellOutcome({ key, plan, diff, written, error }: Outcome, named: boolean): readonly string[] {
  const lines: string[] = [];
  const commit = plan?.commit;
  if (commit !== undefined && written !== undefined) {
    const [subject = '', , ...body] = commit.message.trimEnd().split('\n');
    const why = body.slice(0, body.indexOf(''));
    lines.push(subject, ...why.map((line) => `    ${line}`), ...changedLines(diff).map((line) => `    ${line}`));
  }
  if (error !== undefined) lines.push(`! ${error}`);
  const prefix = named ? `${key.name} ` : '';
  for (const { reason, message } of plan?.holds ?? []) lines.push(`${prefix}waits: ${reason}. ${message}`);
  return lines;
}

/** Of a unified diff the file's name and the lines that change. */
function changedLines(diff: string): readonly string[] {
  return diff
    .split('\n')
    .filter((line) => /^[-+]/.test(line) && !line.startsWith('--- '))
    .map((line) => (line.startsWith('+++ b/') ? line.slice('+++ b/'.length) : line.replace('\r', '␍')));
}

/** How many groups have all their pods ready, by the cluster itself and not by what tranche reads of it. */
export function servingGroups(stage: Stage, name: string): number {
  const line = tellGroups(stage).find((told) => told.startsWith(`${name} `)) ?? '';
  return [...line.matchAll(/\d+ (✅|❎)/g)].length;
}

/** `vllm   0 ❎ v0.10.0   1 ✅ v0.10.1   2 ⏳ v0.10.1`: new and ready, old and ready, not ready. */
export function tellGroups({ cluster }: Stage): readonly string[] {
  return cluster.objects.list(LWS).map((lws) => {
    const rolling = part(part(specOf(lws), 'rolloutStrategy'), 'rollingUpdateConfiguration');
    const partition = count(rolling['partition'], 0);
    const groups = Array.from({ length: highest(cluster, lws) + 1 }, (_, index) => groupCell(cluster, lws, index));
    const budget = JSON.stringify(rolling['maxUnavailable']);
    const numbers = `N ${replicasOf(lws)}, P ${partition === SENTINEL ? 'M' : partition}, U ${budget}`;
    return `${lws.metadata.name}   ${groups.join('   ')}   (${numbers})`;
  });
}

type Objects = Stage['cluster'];

function leaderOf(cluster: Objects, lws: KubeObject, index: number): KubeObject | undefined {
  const { namespace, name } = lws.metadata;
  return cluster.objects.get({ resource: PODS, namespace, name: `${name}-${index}` });
}

function replicasOf(lws: KubeObject): number {
  return count(specOf(lws)['replicas'], 1);
}

function highest(cluster: Objects, lws: KubeObject): number {
  let last = replicasOf(lws) - 1;
  while (leaderOf(cluster, lws, last + 1) !== undefined) last += 1;
  return last;
}

function groupCell(cluster: Objects, lws: KubeObject, index: number): string {
  const leader = leaderOf(cluster, lws, index);
  if (leader === undefined) return `${index} ⏳`;
  const namespace = leader.metadata.namespace;
  const set = cluster.objects.get({ resource: STATEFUL_SETS, namespace, name: lws.metadata.name });
  const workers = cluster.objects.get({ resource: STATEFUL_SETS, namespace, name: leader.metadata.name });
  const key = leader.metadata.labels?.[REVISION];
  const image = (leader['spec'] as { containers: { image: string }[] }).containers[0]?.image ?? '';
  const size = count(part(specOf(lws), 'leaderWorkerTemplate')['size'], 1);
  const own =
    workers === undefined ? Number(leader.metadata.annotations?.[SIZE]) : count(specOf(workers)['replicas'], 1) + 1;
  const workersKey = own === 1 ? key : workers?.metadata.labels?.[REVISION];
  const fresh = key === set?.metadata.labels?.[REVISION] && key === workersKey;
  const pods = cluster
    .pods({ name: lws.metadata.name, namespace, group: index, pods: 'all' })
    .map((pod) => pod['status'] as { conditions?: { type: string; status: string }[] } | undefined);
  const ready =
    pods.length === own &&
    pods.every((status) => status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'));
  return `${index} ${ready ? (fresh ? '✅' : '❎') : '⏳'} ${image.slice(image.lastIndexOf(':') + 1)}${own === size ? '' : `×${own}`}`;
}

/** What the status branch says of each rollout now. */
function tellConditions(stage: Stage): readonly string[] {
  const head = stage.repository.head(STATUS);
  if (head === undefined) return [];
  const { records } = readStatus(stage.repository.readAt(head, STATUS_REQUEST));
  const lines = [...records.values()].flatMap((stored) => {
    if (stored.kind !== 'read') return [];
    const { record } = stored;
    const conditions = record.conditions.map(
      ({ type, status, reason }) => `${type}=${status}${reason === '' ? '' : ` ${reason}`}`,
    );
    return [`status ${printKey(record)}: ${record.phase}, ${record.currentStepState}; ${conditions.join(', ')}`];
  });
  const message = stage.repository.log(STATUS)[0]?.message ?? '';
  return [...lines, ...message.split('\n').filter((line) => line.startsWith('Rebuilt'))];
}
