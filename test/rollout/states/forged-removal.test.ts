/** A document comes back into its file only where main's own line took it out of it: `tranche.dev/recreating` proves nothing. */

import { expect, test } from 'vitest';
import { parseManifestFile } from '../../../src/manifests/parse-file.ts';
import { readWorkload } from '../../../src/reconcile/documents/read-workload.ts';
import { noteOf } from '../../../src/rollout/edits/out-of-file.ts';
import { EVIL, Forgery, reasonsOf, saidOf } from '../../support/forgery.ts';
import { LWS_FILE, LWS_TEXT, OLD, ROLLOUT_FILE, ROLLOUT_TEXT } from '../../support/vllm.ts';

const CONFIG = 'tranche.yaml';
const POLICY = 'policies/recreate.yaml';
const POLICY_TEXT = `apiVersion: tranche.dev/v1alpha1
kind: RolloutPolicy
metadata:
  name: recreate
spec:
  recreate: Allow
`;
const FILES = {
  [CONFIG]: 'paths: [apps, rollouts, policies]\n',
  [ROLLOUT_FILE]: ROLLOUT_TEXT,
  [POLICY]: POLICY_TEXT,
  'apps/other/lws.yaml': LWS_TEXT.replace('name: vllm', 'name: other'),
  'README.md': 'For people.\n',
};
const MINER = LWS_TEXT.replaceAll(OLD, EVIL);
const { digest } = readWorkload(parseManifestFile(LWS_FILE, MINER, ['LeaderWorkerSet']).documents[0]!).workload!;

type Kept = Readonly<Record<'way' | 'release' | 'text' | 'stable' | 'file', string>> & {
  readonly aborted: readonly string[];
};

/** The Rollout as if its workload were out of this file. */
function keeping(at: Forgery, commit: string, more: Partial<Kept> = {}): string {
  const kept = {
    way: 'forward',
    release: `${digest}.2`,
    text: commit,
    stable: `${commit}@${digest}`,
    aborted: [],
    file: LWS_FILE,
    ...more,
  };
  const annotation = `  annotations:\n    tranche.dev/recreating: '${JSON.stringify(kept)}'\n`;
  return at.write(ROLLOUT_FILE, ROLLOUT_TEXT.replace('  namespace: llm\n', `  namespace: llm\n${annotation}`));
}

/** Nothing is written by some passes, and it is said where and why. */
async function holds(at: Forgery, why: RegExp): Promise<void> {
  const head = at.world.repository.head('main');
  const result = await at.round();
  await at.round();
  expect(at.world.repository.head('main')).toBe(head);
  expect(reasonsOf(result)).toContain('MarkNotBorneOut');
  expect(saidOf(result)).toMatch(why);
  const [issue] = result.outcomes[0]?.plan?.issues.filter(({ reason }) => reason === 'MarkNotBorneOut') ?? [];
  expect([issue?.file, (issue?.line ?? 0) > 1]).toEqual([ROLLOUT_FILE, true]);
}

test.each([
  ['the configuration', CONFIG],
  ['the other name of the configuration', 'tranche.yml'],
  ['a workflow', '.github/workflows/deploy.yaml'],
  ['a workflow on its paths', 'apps/.github/deploy.yaml'],
  ['a page for people', 'README.md'],
  ['a page on its paths', 'apps/README.md'],
  ['a file out of the repository', 'apps/../../up.yaml'],
  ['a file that no path covers', 'elsewhere/lws.yaml'],
])('forged on a new Rollout, it never writes %s', async (_, file) => {
  const at = new Forgery(FILES);
  keeping(at, at.unmerged(file, MINER), { file });
  await holds(at, /no file which a workload can come back to/);
});

test.each<readonly [what: string, forge: (at: Forgery) => void, why: RegExp]>([
  [
    'a file of another team',
    (at) => void keeping(at, at.unmerged('apps/other/lws.yaml', MINER), { file: 'apps/other/lws.yaml' }),
    /main's own line never took it out of that file/,
  ],
  [
    'a new file, from a commit that nobody has merged',
    (at) => void keeping(at, at.unmerged(LWS_FILE, MINER)),
    /main's own line never took it out of that file/,
  ],
  [
    'a commit of a merged branch',
    (at) => {
      const { repository } = at.world;
      const side = at.unmerged(LWS_FILE, MINER);
      repository.merge('main', [repository.head('main')!, side], { writes: [{ path: 'notes.md', text: 'a\n' }] });
      keeping(at, side);
    },
    /main's own line never took it out of that file/,
  ],
  [
    'one that somebody took out of another file',
    (at) => {
      const there = at.write('apps/vllm/there.yaml', MINER);
      at.write('apps/vllm/there.yaml', undefined);
      keeping(at, there);
    },
    /main's own line never took it out of that file/,
  ],
  [
    'one that somebody took out without a note',
    (at) => {
      const there = at.write(LWS_FILE, MINER);
      at.write(LWS_FILE, undefined);
      keeping(at, there);
    },
    /left no note in its place/,
  ],
  [
    'one that was taken out before the annotation was there',
    (at) => {
      const there = at.write(LWS_FILE, MINER);
      at.write(LWS_FILE, noteText());
      keeping(at, there);
    },
    /did not write it/,
  ],
  [
    'another template than the one that was taken out',
    (at) => removed(at, LWS_TEXT),
    /the template before .* is [0-9a-f]{8}, not that of [0-9a-f]{8}/,
  ],
  [
    'a template that no policy allowed to delete for',
    (at) => {
      at.write(POLICY, undefined);
      removed(at, MINER);
    },
    /no RolloutPolicy allowed that/,
  ],
  [
    'a rollback where no delivery was in progress',
    (at) => removed(at, MINER, { way: 'back' }),
    /no delivery was in progress/,
  ],
])('forged, it names %s: nothing is written', async (_, forge, why) => {
  const at = new Forgery(FILES);
  forge(at);
  await holds(at, why);
});

function noteText(): string {
  const [document] = parseManifestFile(LWS_FILE, MINER, ['LeaderWorkerSet']).documents;
  return `# ${noteOf(document!.object)}\n`;
}

/** Somebody does in one commit what a removal of ours does. */
function removed(at: Forgery, text: string, more: Partial<Kept> = {}): void {
  const there = at.write(LWS_FILE, text);
  const { repository } = at.world;
  keeping(at, there, more);
  const rollout = repository.text('main', ROLLOUT_FILE) ?? '';
  repository.setHead('main', there);
  repository.commit('main', {
    writes: [
      { path: LWS_FILE, text: noteText() },
      { path: ROLLOUT_FILE, text: rollout },
    ],
    message: 'take it out',
  });
}

test('on a workload that is there it is nothing, and an abort goes on', async () => {
  const at = await new Forgery({ ...FILES, [LWS_FILE]: LWS_TEXT }).stepped();
  const release = /tranche\.dev\/release: "?([^"\n]+)/.exec(at.text())?.[1] ?? '';
  keeping(at, at.unmerged(LWS_FILE, MINER), { release });
  expect(reasonsOf(await at.round())).toContain('MarkNotBorneOut');
  expect(await at.order({ kind: 'abort', keepNewer: false })).toContain('abort');
  await at.until('rolled back');
  expect(at.text()).not.toContain(EVIL);
  expect(at.text()).toContain(OLD);
});
