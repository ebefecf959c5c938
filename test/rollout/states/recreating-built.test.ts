/** The same rows where kustomize builds the workload: our patch takes it out of what is built, and lets it in again. */

import { expect, test } from 'vitest';
import { known } from '../../../src/api/known.ts';
import type { Beneath } from '../../../src/rollout/edits/beneath.ts';
import { editsOf } from '../../../src/rollout/edits/change-edits.ts';
import { plan } from '../../../src/rollout/plan.ts';
import type { Snapshot, WorkloadFile } from '../../../src/rollout/snapshot.ts';
import { digestOf } from '../../support/marks-notation.ts';
import { issueOf, type World, world } from '../../support/snapshot.ts';

const ENTRY = 'tranche/apply.yaml';
const OBJECT = { apiVersion: 'builtin', kind: 'PatchTransformer', name: 'tranche-llm-vllm', namespace: '' };
const APPLIED: Beneath['applied'] = {
  patch: '',
  transformer: { file: `apps/${ENTRY}`, object: OBJECT, text: '', isThere: true },
  kustomization: { file: 'apps/kustomization.yaml', object: { ...OBJECT, kind: 'Kustomization', name: '' } },
  entries: [ENTRY],
  entry: ENTRY,
  own: [0],
  isShared: false,
};

type Over = Partial<Beneath>;

function overBuild(file: WorkloadFile, more: Over): WorkloadFile {
  const { content, replicas, partition } = file.workload;
  const own = { root: 'apps', digest: file.digest, content, replicas, partition, maxUnavailable: undefined };
  const digest = more.digest ?? file.digest;
  return { ...file, digest, beneath: { ...own, isPinned: false, isAdopted: true, applied: APPLIED, ...more } };
}

/** The world over a folder: the workload at its patch, or what the patch takes out. */
function built(of: World, more: Over): Snapshot {
  const snapshot = world(of);
  if (snapshot.workload !== undefined) return { ...snapshot, workload: overBuild(snapshot.workload, more) };
  const { gone: _, left: __, intents: ___, ...there } = of;
  const file = world(there).workload;
  if (file === undefined) throw new Error('nothing that was taken out');
  const { recreateText: text } = snapshot;
  const takenOut = overBuild(file, more);
  return text.kind === 'known' ? { ...snapshot, recreateText: known({ ...text.value, takenOut }) } : snapshot;
}

/** The reason, and what becomes of the patch; or why it waits. */
function answer(snapshot: Snapshot): string {
  const { commit, holds } = plan(snapshot);
  if (commit === undefined) return `hold ${[...new Set(holds.map(({ reason }) => reason))].join(' ')}`;
  const [patch] = editsOf(commit.changes);
  expect(patch?.document).toBeUndefined();
  const shown = (patch?.edits ?? []).flatMap((edit) => {
    const key = edit.path.map(String).at(-1) ?? '';
    if (edit.path[0] === 'metadata') return [];
    return edit.kind === 'set' ? [`${key}=${String(edit.value)}`] : [`${edit.kind} ${key}`];
  });
  return `${commit.reason}: ${shown.join(', ')}`;
}

const A4 = '0:A+ 1:A+ 2:A+ 3:A+';
const B4 = '0:B+ 1:B+ 2:B+ 3:B+';
const asked: World = { text: 'B', claims: 'B', recreate: 'Allow', groups: A4, live: { setText: 'A' }, record: {} };
const up: World = { ...asked, marks: 'B.2 3/3 floor=0', groups: B4, live: {}, record: { doneAgo: 30 } };
const gone: World = { text: 'B', claims: 'B', gone: 'forward B.2', record: {} };
const LOST = { applied: { ...APPLIED, value: {} } };
const PIN = 'restore leaderWorkerTemplate, restore networkConfig, $patch=replace';

test.each<readonly [when: string, of: World, over: Over, then: string]>([
  ['requested, allowed', asked, {}, 'RecreateRemoved: $patch=delete'],
  ['requested, nothing else is built', { ...asked, argo: 'alone' }, {}, 'hold FolderEmptied'],
  [
    'requested, the entry is lost',
    { ...asked, issues: [issueOf('PatchNotApplied')] },
    LOST,
    'hold Stalled NotObserved',
  ],
  ['re-created, aborted', { ...up, intents: { abort: 'B.2' } }, {}, 'RecreateRemoved: $patch=delete'],
  ['re-created, aborted, the entry is lost', { ...up, intents: { abort: 'B.2' } }, LOST, 'hold Stalled'],
  [
    're-created, aborted, the folder does not build',
    { ...up, intents: { abort: 'B.2' } },
    { isEarlier: true },
    'hold Stalled',
  ],
  ['gone: back', gone, {}, 'RecreateCreated: remove $patch'],
  ['still there', { ...gone, live: { text: 'A' } }, {}, 'hold AwaitingRemoval'],
  [
    'gone, the files ask for another template',
    gone,
    { digest: digestOf('C') },
    `RecreateCreated: remove $patch, ${PIN}`,
  ],
  ['gone, aborted', { ...gone, intents: { abort: 'B.2' } }, {}, `RecreateCreated: partition=0, remove $patch, ${PIN}`],
])('over a folder, %s', (_, of, over, then) => expect(answer(built(of, over))).toBe(then));
