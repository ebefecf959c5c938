/** S13: an undo brings back every field of a release that had settled, and nothing else. */

import { splitOwn, templateStart } from './files.ts';
import type { OurCommit } from './our-commit.ts';
import type { WorkloadSetup } from './setup.ts';

/** The template of the user's own workload, without the label by which requests find the version. */
export function templateIn(text: string, { shares }: Pick<WorkloadSetup, 'shares'>): string {
  const [own] = splitOwn(text);
  const template = own.slice(templateStart(own)).trimEnd();
  return shares === undefined ? template : template.replaceAll(/(, )?"?tranche\.dev\/version"?: "?[0-9a-z.-]+"?/g, '');
}

/** Our annotations, and what a rollback may move: the partition, and the budget that broken groups have spent. */
const MOVED = /^\s+(tranche\.dev\/[\w-]+:|annotations:|partition:|maxUnavailable:)/;
/** Of two colours the one that serves has the groups. */
const REPLICAS = /^ {2}replicas: \d+/;

/** All that people have written around it. */
export function restIn(text: string, { fills }: Pick<WorkloadSetup, 'fills'>): string {
  const [own] = splitOwn(text);
  const lines = own.slice(0, templateStart(own)).split('\n');
  return lines.filter((line) => !MOVED.test(line) && !(fills?.style === 'blueGreen' && REPLICAS.test(line))).join('\n');
}

/** What its first commit says: which release comes back, by whose word, and byte for byte from where it had settled. */
export function undoneWhole({
  universe,
  workload,
  before,
  after,
  reason,
  parent,
  plan,
}: OurCommit): string | undefined {
  if (reason !== 'Undone') return undefined;
  const [from, to] = [before.marks?.release, after.marks?.release];
  const order = plan.annotations['tranche.dev/undo'] ?? '';
  if (!order.startsWith(`${from} `) || !order.endsWith(` to ${to}`)) return `${from} → ${to}: ordered was "${order}"`;
  if (after.marks?.aborted.includes(from ?? '') !== true) return `${from} is undone and does not count as aborted`;
  const settled = universe.repository
    .log(parent)
    .map(({ oid }) => universe.lws(workload.name, oid) ?? '')
    .filter((text) => isSettledOn(text, to));
  if (settled.length === 0) return `${to} comes back, and main has never had it settled`;
  if (!settled.some((text) => templateIn(text, workload) === templateIn(after.text, workload)))
    return `${to} comes back, and its template is another than when it had settled`;
  return restIn(before.text, workload) === restIn(after.text, workload)
    ? undefined
    : `${to} comes back, and more changes`;
}

/** By its annotations alone: they name the release, and no step. */
function isSettledOn(text: string, release: string | undefined): boolean {
  return (
    release !== undefined && text.includes(`tranche.dev/release: "${release}"`) && !text.includes('tranche.dev/step')
  );
}
