/** A workload and its Rollout that were moved to other files keep their past: an undo and an abort go by it. */

import { describe, expect, test } from 'vitest';
import { Forgery } from '../support/forgery.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, VLLM_FILES } from '../support/vllm.ts';

const FILES = {
  ...VLLM_FILES,
  [ROLLOUT_FILE]: VLLM_FILES[ROLLOUT_FILE].replace('pause: {}', 'pause: {duration: 0}'),
  'policies/undo.yaml':
    'apiVersion: tranche.dev/v1alpha1\nkind: RolloutPolicy\nmetadata: {name: undo}\nspec: {undoWithinSeconds: 86400}\n',
};

function moved(at: Forgery, moves: Readonly<Record<string, string>>): void {
  const writes = Object.entries(moves).flatMap(([from, to]) => [
    { path: to, text: at.text(from) },
    { path: from, text: undefined },
  ]);
  at.world.repository.commit('main', { writes, message: 'other folders' });
}

const TWIN = 'teams/lws.yaml';
/** By the file that the workload is in at the end. */
const MOVES: readonly (readonly [what: string, file: string, move: (at: Forgery) => unknown])[] = [
  [
    'both by one commit',
    'apps/new/lws.yaml',
    (at) => moved(at, { [LWS_FILE]: 'apps/new/lws.yaml', [ROLLOUT_FILE]: 'apps/new/rollout.yaml' }),
  ],
  [
    'one after the other, and a pass between',
    'apps/new/lws.yaml',
    async (at) => {
      moved(at, { [LWS_FILE]: 'apps/new/lws.yaml' });
      await at.round();
      moved(at, { [ROLLOUT_FILE]: 'apps/new/rollout.yaml' });
    },
  ],
  [
    'three times',
    'apps/c.yaml',
    (at) => {
      moved(at, { [LWS_FILE]: 'apps/a.yaml' });
      at.write('notes.md', 'in between\n');
      moved(at, { 'apps/a.yaml': 'apps/b.yaml' });
      moved(at, { 'apps/b.yaml': 'apps/c.yaml' });
    },
  ],
  [
    'into one file',
    'apps/all.yaml',
    (at) => {
      const text = `${at.text(LWS_FILE)}---\n${at.text(ROLLOUT_FILE)}`;
      const writes = [LWS_FILE, ROLLOUT_FILE].map((path) => ({ path, text: undefined }));
      at.world.repository.commit('main', { writes: [...writes, { path: 'apps/all.yaml', text }], message: 'one file' });
    },
  ],
  [
    'next to a twin in the folder of others',
    'apps/new/lws.yaml',
    (at) => {
      at.write(TWIN, at.text().replaceAll(NEW, 'evil.example/miner:v1'));
      moved(at, { [LWS_FILE]: 'apps/new/lws.yaml', [ROLLOUT_FILE]: 'apps/new/rollout.yaml' });
    },
  ],
];

describe.each(MOVES)('%s', (_what, file, move) => {
  test('a settled release is undone', async () => {
    const at = new Forgery(FILES);
    await at.until('adopt');
    await at.round();
    at.edit(LWS_FILE, new RegExp(OLD, 'g'), NEW);
    await at.until('settled');
    await move(at);
    expect(await at.order({ kind: 'undo', to: undefined })).toMatch(/^undo .* back to /);
    await at.until('rolled back', 8);
    expect(at.text(file)).toContain(OLD);
    expect(at.text(file)).not.toContain(NEW);
  });

  test('a delivery in progress is aborted', async () => {
    const at = await new Forgery(FILES).stepped();
    await move(at);
    expect(await at.order({ kind: 'abort', keepNewer: false })).toContain('abort');
    await at.until('rolled back', 8);
    expect(at.text(file)).toContain(OLD);
    expect(at.text(file)).not.toContain(NEW);
  });
});
