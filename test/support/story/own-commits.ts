/** What must be true of every commit of ours, seen from outside: only planned lines change, and no step lets more go than it says. */

import type { JsonObject } from '../../../src/api/json.ts';
import type { CommitHeader } from '../../../src/ports/git.ts';
import { count, objects, part, specOf, text as textOf } from '../../../src/simulator/objects/objects.ts';
import { admissionVerdict } from '../admission.ts';
import type { FakeRepository } from '../fake-git.ts';
import { yamlValues } from '../yaml-values.ts';
import { isLadderCommit, ladderFault } from './ladder-commits.ts';
import { nameOf } from './stage.ts';

const SENTINEL = 1_000_000;
/** Reasons that put another template into the file; all others leave every line but the planned ones. */
const RESTORES = [
  'RecreateCreated',
  'Aborted',
  'Reverted',
  'Failed',
  'Undone',
  'RequestWithdrawn',
  'AbortedTemplateRemoved',
  'Retried',
  'Unpinned',
];
/** Lines that a step may change: marks, the two numbers, and parents that had to be inserted for them. */
const PLANNED =
  /^\s*["']?(tranche\.dev\/[a-z-]+["']?:|(partition|maxUnavailable)["']?:|(annotations|rolloutStrategy|rollingUpdateConfiguration)["']?:\s*$)/;

/** Reasons that start extra groups, or end them. */
const SURGES = ['Surged', 'SurgeReturned', 'Settled', 'Aborted', 'Reverted', 'Failed', 'Undone', 'RolledBack'];
const REPLICAS = /^ {2}["']?replicas["']?:/;

/** Checks the commits of main after `since`. */
export function checkOwnCommits(repository: FakeRepository, since: string): void {
  const line = repository.log('main');
  const fresh = line.slice(
    0,
    Math.max(
      0,
      line.findIndex((commit) => commit.oid === since),
    ),
  );
  for (const commit of fresh.filter(({ author }) => author.name === 'tranche')) {
    const parent = repository.files(commit.parents[0] ?? '');
    const files = repository.files(commit.oid);
    const changed = Object.keys(files).filter((path) => files[path] !== parent[path]);
    if (Object.keys(parent).some((path) => files[path] === undefined))
      throw new Error(`${subject(commit)} removes a file`);
    // Where its marks are gone nothing tells but the reason that it is a commit of routes.
    if (isLadderCommit(parent, files) || reasonOf(commit) === 'TrafficWithdrawn') {
      const fault = changed.length === 0 ? 'changes nothing' : ladderFault(parent, files);
      if (fault !== undefined) throw new Error(`${subject(commit)} ${fault}`);
      continue;
    }
    const most = reasonOf(commit).startsWith('Recreate') ? 2 : 1;
    if (changed.length < 1 || changed.length > most)
      throw new Error(`${subject(commit)} changes ${changed.join(', ') || 'nothing'}`);
    for (const path of changed) {
      const [before, after] = [parent[path] ?? '', files[path] ?? ''];
      const earlier = repository.log(commit.parents[0] ?? '').map((one) => repository.text(one.oid, path) ?? '');
      if (workloads(before).size > workloads(after).size) checkRemoved(commit, before, after);
      else checkLines(commit, { before: placeOf(before, after, earlier), after, earlier });
      checkObjects(commit, before, after);
      checkReach(commit, { before, after, files });
    }
  }
}

/** A document that comes back comes back as it was before it went. */
function placeOf(before: string, after: string, earlier: readonly string[]): string {
  if (workloads(before).size === workloads(after).size) return before;
  return earlier.find((text) => workloads(text).size === workloads(after).size) ?? before;
}

/** One document is gone, only where that is what the commit is about; all others are the same bytes. */
function checkRemoved(commit: CommitHeader, before: string, after: string): void {
  if (reasonOf(commit) !== 'RecreateRemoved') throw new Error(`${subject(commit)} removes a workload`);
  const documents = (text: string): readonly string[] => text.split(/^---.*\n/m);
  const [were, are] = [documents(before), documents(after)];
  const differing = were.filter((text, index) => text !== are[index]);
  if (were.length !== are.length || differing.length !== 1)
    throw new Error(`${subject(commit)} changes more than the document that it removes`);
}

function subject(commit: CommitHeader): string {
  return commit.message.split('\n')[0] ?? '';
}

function reasonOf(commit: CommitHeader): string {
  return /^Rollout-Reason: (\w+)$/m.exec(commit.message)?.[1] ?? '';
}

/** The user's bytes: line by line the same, or, where a template comes back, a block that the file has had before. */
function checkLines(
  commit: CommitHeader,
  texts: { readonly before: string; readonly after: string; readonly earlier: readonly string[] },
): void {
  const surges = SURGES.includes(reasonOf(commit));
  const kept = (text: string): string =>
    text
      .split('\n')
      .filter((line) => !PLANNED.test(line) && !(surges && REPLICAS.test(line)))
      .join('\n');
  if (kept(texts.before) === kept(texts.after)) return;
  if (!RESTORES.includes(reasonOf(commit))) throw new Error(`${subject(commit)} changes lines that no step plans`);
  if (kept(withoutTemplates(texts.before)) !== kept(withoutTemplates(texts.after)))
    throw new Error(`${subject(commit)} changes lines outside of the template`);
  const known = new Set(texts.earlier.flatMap(templates));
  if (!templates(texts.after).every((template) => known.has(template)))
    throw new Error(`${subject(commit)} writes a template that the file never had`);
}

const TEMPLATE = /^( *)leaderWorkerTemplate:.*\n(?:(?:\1 +.*|\s*)\n)*/gm;

function templates(text: string): readonly string[] {
  return text.match(TEMPLATE) ?? [];
}

function withoutTemplates(text: string): string {
  return text.replaceAll(TEMPLATE, '');
}

function workloads(text: string): ReadonlyMap<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  for (const value of yamlValues(text)) if (value['kind'] === 'LeaderWorkerSet') found.set(nameOf(value), value);
  return found;
}

/** The admission policy lets every commit of ours through, applied right after the one before it. */
function checkObjects(commit: CommitHeader, before: string, after: string): void {
  const old = workloads(before);
  for (const [name, workload] of workloads(after)) {
    const verdict = admissionVerdict(old.get(name), workload);
    if (!verdict.allowed) throw new Error(`${subject(commit)} is refused by the admission policy: ${verdict.message}`);
    const [partition, was] = [partitionOf(workload), partitionOf(old.get(name) ?? {})];
    const there = old.get(name);
    if (there !== undefined) checkReplicas(commit, there, workload);
    if (partition < was && was !== SENTINEL && reasonOf(commit) === 'Superseded')
      throw new Error(`${subject(commit)} lowers the partition while it stops a roll`);
  }
}

/** Only a surge changes the number of groups, never together with the partition on the way up, and by what it remembers. */
function checkReplicas(commit: CommitHeader, before: JsonObject, after: JsonObject): void {
  const [was, is] = [specOf(before)['replicas'], specOf(after)['replicas']];
  if (was === is) return;
  const forth = reasonOf(commit) === 'Surged';
  const surge = surgeOf(forth ? after : before);
  const wanted = forth ? [surge?.was, surge?.set] : [surge?.set, surge?.was];
  if (was !== wanted[0] || is !== wanted[1])
    throw new Error(`${subject(commit)} makes replicas ${JSON.stringify([was, is])}`);
  if (forth && partitionOf(before) !== partitionOf(after))
    throw new Error(`${subject(commit)} changes partition and replicas at once`);
}

function surgeOf(workload: JsonObject): { readonly was: number; readonly set: number } | undefined {
  const restore = part(part(workload, 'metadata'), 'annotations')['tranche.dev/restore'];
  const { replicas } = (typeof restore === 'string' ? JSON.parse(restore) : {}) as {
    replicas?: { was: number; set: number };
  };
  return replicas;
}

/** The groups that people want: without the extra ones. */
function wantedGroups(workload: JsonObject): number {
  const replicas = count(specOf(workload)['replicas'], 1);
  const surge = surgeOf(workload);
  return surge?.set === replicas ? surge.was : replicas;
}

function partitionOf(workload: JsonObject): number {
  const rolling = part(part(specOf(workload), 'rolloutStrategy'), 'rollingUpdateConfiguration');
  return count(rolling['partition'], 0);
}

/** Reasons that let groups go: each only as many as the step that it names allows, for the groups that Git asks for. */
const FORWARD = ['StepReady', 'Jumped', 'SizeChanged', 'StepsEdited', 'Superseded'];

function checkReach(
  commit: CommitHeader,
  of: { readonly before: string; readonly after: string; readonly files: Readonly<Record<string, string>> },
): void {
  // With an autoscaler only the cluster knows how many groups there are.
  if (!FORWARD.includes(reasonOf(commit)) || of.files['apps/vllm/hpa.yaml'] !== undefined) return;
  const [, name = ''] = /^Rollout: [^/]+\/[^/]+\/(.+)$/m.exec(commit.message) ?? [];
  const [, index = ''] = /^Rollout-Step: (\d+)\//m.exec(commit.message) ?? [];
  const rollout = rolloutOf(of.files, name);
  const target = textOf(part(rollout, 'workloadRef')['name']);
  const workload = workloads(of.after).get(target);
  if (workload === undefined) throw new Error(`${subject(commit)} is of no workload in the file`);
  const replicas = wantedGroups(workload);
  const step = stepsOf(rollout)[Number(index) - 1];
  const allowed = step?.endsWith('%') === true ? Math.ceil((parseInt(step, 10) * replicas) / 100) : Number(step);
  const [partition, was] = [partitionOf(workload), partitionOf(workloads(of.before).get(target) ?? {})];
  if (partition < was && replicas - partition > allowed)
    throw new Error(
      `${subject(commit)} lets ${replicas - partition} of ${replicas} groups go, step ${index} is ${step}`,
    );
}

/** The spec of a Rollout as it is in the files. */
function rolloutOf(files: Readonly<Record<string, string>>, name: string): JsonObject {
  const documents = Object.values(files)
    .filter((content) => content.includes('kind: Rollout'))
    .flatMap(yamlValues);
  return specOf(documents.find((value) => value['kind'] === 'Rollout' && nameOf(value) === name) ?? {});
}

/** The steps as they are written: `25%`, `3`. */
function stepsOf(rollout: JsonObject): readonly string[] {
  const canary = part(part(rollout, 'strategy'), 'canary');
  return objects(canary['steps']).map((step) => String(step['replicas'] as string | number));
}
