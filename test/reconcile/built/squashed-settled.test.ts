/** A squash that leaves a delivery as one that has settled, where no file has the LeaderWorkerSet: no abort takes groups on to it. */

import { expect, test } from 'vitest';
import { type BuiltLayout, LAYOUTS } from '../../support/built-layouts.ts';
import { NEW_TAG, OLD_TAG } from '../../support/built-world.ts';
import { HelmWorld } from '../../support/helm-world.ts';

const ABORT = { kind: 'abort', keepNewer: false, from: undefined } as const;

type Files = Readonly<Record<string, string>>;

/** Main as a line of these trees, and no status branch. */
function rewrite({ world: { repository } }: BuiltLayout, trees: readonly Files[]): void {
  let last: Files = {};
  repository.setHead('main', undefined);
  for (const [place, tree] of trees.entries()) {
    const paths = [...new Set([...Object.keys(last), ...Object.keys(tree)])];
    const writes = paths.map((path) => ({ path, text: tree[path] }));
    repository.commit('main', { writes, message: `squash ${place}`, orphan: place === 0 });
    last = tree;
  }
  repository.setHead('tranche-status', undefined);
}

/** The files of now without what says that a delivery is open, and those of before it. */
function squashed(at: BuiltLayout): { readonly before: Files; readonly open: Files; readonly now: Files } {
  const { repository } = at.world;
  const adopted = repository.log('main').findLast(({ message }) => message.includes('adopt'))?.oid ?? '';
  const files = repository.files('main');
  const text = (files[at.marked] ?? '').replace(/\n.*tranche\.dev\/(step|restore|stable): .*/g, '');
  return { before: repository.files(adopted), open: files, now: { ...files, [at.marked]: text } };
}

const onNew = (at: BuiltLayout): number => at.groups().match(/v0\.10\.1/g)?.length ?? 0;

/** Passes, in which no group more goes to the new tag. */
async function play(at: BuiltLayout, rounds: number): Promise<string> {
  const seen: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    seen.push(`${at.groups()} | ${await at.world.step()}`);
    expect(onNew(at), seen.join('\n')).toBeLessThanOrEqual(1);
  }
  return seen.join('\n');
}

test.each(Object.keys(LAYOUTS))('%s, squashed to what had settled and now: an abort goes back', async (layout) => {
  const at = await LAYOUTS[layout]!();
  const { before, now } = squashed(at);
  rewrite(at, [before, now]);
  expect(await play(at, 3)).toMatch(/GroupsBehind: .*To go back to that: tranche abort vllm;/);
  await at.world.order(ABORT);
  const said = await play(at, 8);
  expect(at.groups(), said).toBe(at.old);
});

const LINES: readonly (readonly [name: string, of: (files: ReturnType<typeof squashed>) => readonly Files[]])[] = [
  ['one commit', ({ now }) => [now]],
  ['the delivery and what has settled', ({ open, now }) => [open, now]],
];

test.each(Object.keys(LAYOUTS).flatMap((layout) => LINES.map((line) => [layout, ...line] as const)))(
  '%s, squashed to %s: an abort waits, and a commit that has the earlier template is gone back to',
  async (layout, _, lineOf) => {
    const at = await LAYOUTS[layout]!();
    const files = squashed(at);
    const { before } = files;
    rewrite(at, lineOf(files));
    expect(await play(at, 3)).toMatch(/GroupsBehind: .*nobody can tell .*tranche abort vllm --from COMMIT/);
    await at.world.order(ABORT);
    expect(await play(at, 3)).not.toContain('AbortRefused');
    const { repository } = at.world;
    const change = (from: Files, to: Files) =>
      Object.keys(to).flatMap((path) =>
        from[path] === to[path] || path.startsWith('rollouts/') ? [] : [{ path, text: to[path] }],
      );
    const late = repository.files('main');
    const earlier = repository.commit('main', { writes: change(late, before), message: 'the files of before' });
    repository.commit('main', { writes: change(before, late), message: 'and those of now' });
    expect(await at.world.order({ ...ABORT, from: earlier })).toContain('back to the template');
    const said = await play(at, 8);
    expect(at.groups(), said).toBe(at.old);
  },
);

test('a HelmRelease, squashed to one commit: the earlier tag by hand', async () => {
  const at = await LAYOUTS['a HelmRelease']!();
  rewrite(at, [squashed(at).now]);
  await play(at, 3);
  at.world.edit(at.tagged, NEW_TAG, OLD_TAG);
  if (at.world instanceof HelmWorld) await at.world.deploy();
  const said = await play(at, 12);
  expect(at.groups(), said).toBe(at.old);
});
