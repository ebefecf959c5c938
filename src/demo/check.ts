/** Judges the end of the demo from the Git repository and the API alone: it shares no code with what made it. */

import type { CommitHeader, Git, Oid, Tree } from '../ports/git.ts';
import { CLUSTER, IMAGE, NAME, NAMESPACE, SERVICE_FILE } from './files.ts';
import { type Fleet, readFleet, readSecond } from './fleet.ts';
import { type Layout, OVERLAY_FILE } from './layouts.ts';

export type Finding = { readonly good: boolean; readonly what: string; readonly seen: string };

export type Wanted = {
  readonly firstCommit: Oid;
  /** The tag that all groups must be on, here and in Git. */
  readonly tag: string;
  readonly oldTag: string;
  /** The trailers `Rollout-Step`, oldest first. */
  readonly steps: readonly string[];
  /** The workload that serves. */
  readonly serves: string;
  /** The workload next to the user's own; undefined: there is none. */
  readonly second: string | undefined;
  readonly layout: Layout;
};

const HISTORY_MOST = 200;
const ALL = { paths: [''], suffixes: [], markers: [] } as const;

/** Reads both again. Every finding says what was wanted; `seen` what there is instead. */
export async function checkEnd(git: Git, api: string, wanted: Wanted): Promise<readonly Finding[]> {
  const [main, status] = await git.heads(['main', 'tranche-status']);
  const [start, end] = [await git.readAt(wanted.firstCommit, ALL), await git.readAt(main ?? '', ALL)];
  const log = await git.history(main ?? '', wanted.firstCommit, HISTORY_MOST);
  const records = status === undefined ? undefined : await git.readAt(status, ALL);
  const fleet = await readFleet(api, wanted.serves);
  return [
    ...fleetFindings(fleet, wanted),
    ...(await idleFindings(api, wanted)),
    ...fileFindings(textOf(start, wanted.layout.manifest), textOf(end, wanted.layout.ownFile), fleet),
    ...byteFindings(start, end, wanted),
    ...logFindings(log, wanted),
    recordFinding(records, fleet.replicas),
  ];
}

function fleetFindings(fleet: Fleet, { tag }: Wanted): readonly Finding[] {
  const image = `${IMAGE}:${tag}`;
  const wrong = fleet.groups.filter(
    (group) => !group.ready || group.images.length !== 1 || group.images[0] !== image || fleet.image !== image,
  );
  const marks = Object.keys(fleet.annotations).filter((key) => /^tranche\.dev\/(step|restore)$/.test(key));
  return [
    finding(
      `${fleet.groups.length} of ${fleet.replicas} groups on ${tag}, all pods ready`,
      wrong.map((group) => `group ${group.index}: ${group.images.join(', ')}, ready: ${group.ready}`).join('; '),
    ),
    finding('the leader StatefulSet has one revision', fleet.flipped ? '' : 'current and update revision differ'),
    finding(
      'locked in the cluster: partition 1000000, no step open',
      fleet.partition === 1_000_000 && marks.length === 0 ? '' : `${String(fleet.partition)} ${marks.join(' ')}`,
    ),
  ];
}

/** Of two workloads, the one that does not serve has no groups. */
async function idleFindings(api: string, { second, serves }: Wanted): Promise<readonly Finding[]> {
  if (second === undefined) return [];
  const idle = serves === NAME ? second : NAME;
  const fleet = await readSecond(api, idle);
  return [finding(`${idle} is at 0 groups`, fleet?.replicas === 0 ? '' : `${fleet?.replicas ?? 'no'} groups`)];
}

function fileFindings(start: string, end: string, fleet: Fleet): readonly Finding[] {
  const open = end.match(/tranche\.dev\/(step|restore)/g) ?? [];
  const release = /tranche\.dev\/release: "?[0-9a-f]{32}\.\d+"?/.test(end);
  const partition = numberIn(end, 'partition');
  const before = numberIn(start, 'maxUnavailable');
  // A patch says nothing of what people's own files say.
  const after = end.includes('maxUnavailable:') ? numberIn(end, 'maxUnavailable') : before;
  return [
    finding(
      'locked in Git: partition 1000000, a release, no step open',
      partition === '1000000' && release && open.length === 0
        ? ''
        : `partition ${partition}, release: ${release}, ${open.join(' ')}`,
    ),
    finding(
      `maxUnavailable is ${before}, as before`,
      before === after && String(fleet.maxUnavailable) === after
        ? ''
        : `${after} in Git, ${String(fleet.maxUnavailable)} in the cluster`,
    ),
  ];
}

/** What may differ is put aside on both sides; all other bytes must be the same. */
function byteFindings(start: Tree, end: Tree, wanted: Wanted): readonly Finding[] {
  const { layout } = wanted;
  const isOurs = (path: string): boolean => layout.isBuilt && path.startsWith(`${layout.folder}/tranche/`);
  const all = new Set([...start.files, ...end.files].map(({ path }) => path));
  const paths = [...all].filter((path) => !isOurs(path)).sort();
  const changed = paths.filter((path) => {
    const text = textOf(start, path);
    const before = path === layout.tagFile ? text.replaceAll(wanted.oldTag, wanted.tag) : text;
    if (layout.isBuilt && path === OVERLAY_FILE)
      return `${before}transformers:\n  - tranche/apply.yaml\n` !== textOf(end, path);
    return path === layout.ownFile || path === SERVICE_FILE || path.startsWith('rollouts/')
      ? withoutOurs(before, wanted) !== withoutOurs(textOf(end, path), wanted)
      : before !== textOf(end, path);
  });
  return [finding(`every other byte of ${paths.length} files is as it was`, changed.join(', '))];
}

/** It stays with the leaders once two versions have shared requests. */
const VERSION_LABEL = /, tranche\.dev\/version: "?[0-9a-f]{32}\.\d+"?/;

/** Without our documents, annotations and partition; and where the other colour serves, without what says so. */
function withoutOurs(text: string, { serves }: Wanted): string {
  const own = text.split(/^---\n/m).filter((document) => !/^ {4}tranche\.dev\/made-for: /m.test(document));
  return own
    .join('---\n')
    .split('\n')
    .filter((line) => !/^ {4}tranche\.dev\/[a-z-]+: /.test(line))
    .map((line) => line.replace(/^( +partition: )\d+/, '$1n').replace(VERSION_LABEL, ''))
    .map((line) => (serves === NAME ? line : line.replace(/^( {2}replicas: |.*worker.*\/name: )"?[\w-]+"?$/, '$1')))
    .join('\n');
}

function logFindings(log: readonly CommitHeader[], { steps }: Wanted): readonly Finding[] {
  const ours = log.filter(({ author }) => author.name === 'tranche').reverse();
  const key = `Rollout: ${CLUSTER}/${NAMESPACE}/${NAME}`;
  const bare = ours.filter(
    ({ message }) => !message.includes(`\n${key}\n`) || !/^Planned-From: [0-9a-f]{40}$/m.test(message),
  );
  // An order names the step that it was given at, and takes none.
  const moved = ours.filter(({ message }) => !/^Ordered-By: /m.test(message));
  const taken = moved.flatMap(({ message }) => message.match(/^Rollout-Step: (.+)$/m)?.[1] ?? []);
  return [
    finding(
      `each of ${ours.length} commits by tranche says which rollout it moved, and from where`,
      bare.map(({ oid }) => oid.slice(0, 7)).join(', '),
    ),
    finding(
      `the log has the steps ${steps.join(', ')}`,
      taken.join() === steps.join() ? '' : taken.join(', ') || 'none',
    ),
  ];
}

/** The record has the groups of the workload that serves. */
function recordFinding(records: Tree | undefined, replicas: number): Finding {
  const text = records === undefined ? '' : textOf(records, `rollouts/${CLUSTER}/${NAMESPACE}/${NAME}.json`);
  const settled = /^ {2}"settled": true,?$/m.test(text);
  const ready = text.match(/"ready": true/g)?.length ?? 0;
  return finding(
    'the record on tranche-status says settled, and every group ready',
    settled && ready === replicas ? '' : `settled: ${settled}, ${ready} of ${replicas} groups ready`,
  );
}

function finding(what: string, seen: string): Finding {
  return { good: seen === '', what, seen };
}

function numberIn(text: string, key: string): string {
  return new RegExp(`^ +${key}: (\\S+)`, 'm').exec(text)?.[1] ?? 'missing';
}

function textOf(tree: Tree, path: string): string {
  const content = tree.files.find((file) => file.path === path)?.content;
  return content?.kind === 'text' ? content.text : '';
}
