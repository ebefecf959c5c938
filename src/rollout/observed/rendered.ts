/** A workload that Flux renders from a chart, as the cluster has it: its template and its numbers are in no file. */

import { INPUTS_MARK, inputsText } from '../../api/helm-release.ts';
import { type Known, known } from '../../api/known.ts';
import type { LiveLws } from '../../api/live.ts';
import { shortDigest } from '../../api/release.ts';
import type { Live, Stable, WorkloadFile } from '../snapshot.ts';
import type { Difference } from './contest.ts';

/**
 * Whether the object is known to be rendered from the inputs that the file has: our entry names their digest, and comes with them
 * in one upgrade, or not at all. One that nobody has taken over yet says nothing of it.
 */
function isRendered({ carried, workload, digest }: WorkloadFile, { annotations }: LiveLws): boolean {
  if (carried === undefined || workload.marks === undefined) return true;
  const { entry } = carried.renderers;
  const named = entry?.inputs === digest ? inputsText(entry) : digest;
  return carried.between === undefined && annotations[INPUTS_MARK] === named;
}

/** How the object says that Flux has not rendered it from these inputs; undefined: it has, or nobody has to know. */
export function notRendered(file: WorkloadFile, lws: LiveLws): Difference | undefined {
  if (isRendered(file, lws)) return undefined;
  const { digest, carried } = file;
  const path = `metadata.annotations.${INPUTS_MARK}`;
  if (carried?.between !== undefined)
    return { path, text: betweenText(file.file, carried.between.commit), writers: [] };
  const seen = lws.annotations[INPUTS_MARK];
  const there = seen === undefined ? 'of none that tranche knows' : `of ${shortDigest(seen)}`;
  const isAsked = carried?.renderers.entry?.inputs === digest;
  const text = `${file.file} has the inputs ${shortDigest(digest)}, and the LeaderWorkerSet in the cluster is rendered ${there}`;
  return { path, text: isAsked ? text : `${text}; the entry of tranche does not name them yet`, writers: [] };
}

/** How one says that other inputs were there under the words that prove what is rendered. */
export function betweenText(file: string, between: string): string {
  return `${file} had other inputs in ${between.slice(0, 12)}, under the digest that its entry has now: what the cluster has may be rendered from those`;
}

/** The file with what the cluster has of it, where it was read; numbers that our entry says stay those of the entry. */
export function withRendered(file: WorkloadFile, { lws }: Pick<Live, 'lws'>, name: string): WorkloadFile {
  const { carried, workload } = file;
  if (carried === undefined) return file;
  const named = { ...file, carried: { ...carried, name } };
  if (lws.kind !== 'known') return named;
  const { replicas, partition, maxUnavailable, maxSurge, size, content } = lws.value;
  // Without an entry of ours the chart alone says it; a managed one that has lost it has none that counts.
  const isOpen = workload.marks === undefined && carried.renderers.places.length === 0;
  const seen = {
    replicas: workload.replicas ?? replicas,
    partition: workload.partition ?? (isOpen ? partition : undefined),
    maxUnavailable: workload.maxUnavailable ?? maxUnavailable,
    maxSurge,
    size,
    content,
  };
  return { ...named, workload: { ...workload, ...seen } };
}

/**
 * The version to go back to with the revision that holds it: that of the leader StatefulSet, where the object is rendered from its
 * inputs; else the oldest other one that groups are on; before the first step that of all groups. Its template is that revision's.
 */
export function stableRendered(
  stable: Known<Stable>,
  { workload: file, live }: { readonly workload?: WorkloadFile | undefined; readonly live: Live },
): Known<Stable> {
  if (stable.kind !== 'known' || stable.value.rendered === undefined || file === undefined) return stable;
  const key = stableRevision(stable.value, file, live);
  const { revision: _, ...rendered } = stable.value.rendered;
  const found = live.revisions.kind === 'known' ? live.revisions.value.find((one) => one.key === key) : undefined;
  // Without one the content that is there is as good as any: no group counts as being on it.
  const content = found?.content ?? file.workload.content;
  return known({
    ...stable.value,
    content,
    rendered: key === undefined ? rendered : { ...rendered, revision: key },
  });
}

function stableRevision({ release }: Stable, file: WorkloadFile, live: Live): string | undefined {
  const { lws, leaderSet, leaders, revisions } = live;
  if (lws.kind !== 'known' || leaderSet.kind !== 'known' || leaders.kind !== 'known' || revisions.kind !== 'known')
    return undefined;
  const newest = leaderSet.value.revisionKey;
  if (release.digest === file.digest && isRendered(file, lws.value)) return newest;
  const inUse = new Set(leaders.value.map(({ revisionKey }) => revisionKey));
  const others = revisions.value.filter(({ key }) => key !== newest && inUse.has(key));
  const [oldest] = others.sort((left, right) => left.revision - right.revision);
  const isBegun = file.workload.marks?.step !== undefined;
  return oldest?.key ?? (isBegun ? undefined : newest);
}
