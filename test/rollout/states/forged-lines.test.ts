/** Shapes of history that somebody with the right to merge may make: parents in another order, many of them, dates, authors. */

import { expect, test } from 'vitest';
import type { Signature } from '../../../src/ports/git.ts';
import { digestOf } from '../../support/digest-of.ts';
import { EVIL, Forgery, saidOf } from '../../support/forgery.ts';
import { LWS_FILE, NEW, OLD } from '../../support/vllm.ts';

const evil = (text: string): string => text.replaceAll(NEW, EVIL).replaceAll(OLD, EVIL);
const stable = (text: string, commit: string): string =>
  text.replace(/tranche\.dev\/stable: .*/, `tranche.dev/stable: "${commit}@${digestOf(evil(text))}"`);
/** The template as if it were at rest, under a release of its own. */
const settled = (text: string): string =>
  text
    .replace(/tranche\.dev\/release: .*/, `tranche.dev/release: ${digestOf(text)}.2`)
    .replace(/\n.*tranche\.dev\/(step|restore|stable).*/g, '');
const by = (name: string, atSeconds: number): Signature => ({ name, email: `${name}@example.com`, atSeconds });
const ours = (at: Forgery, step: string): string =>
  `rollout(llm/vllm): ${step}\n\nRollout: llm/vllm\nRollout-Step: ${step}\nRollout-Release: ${digestOf(evil(at.text()))}.2\nRollout-Reason: Settled\nPlanned-From: ${at.world.repository.head('main')}`;
/** A merged commit of that text, and the one after it that takes it back and names it. */
function takenBack(
  at: Forgery,
  forged: string,
  how: { readonly message?: string; readonly signature?: Signature } = {},
) {
  const { repository } = at.world;
  const text = at.text();
  const commit = repository.commit('main', { writes: [{ path: LWS_FILE, text: forged }], ...how });
  repository.commit('main', { writes: [{ path: LWS_FILE, text: stable(text, commit) }], ...how });
}
/** A merge of main with these branches that takes the text which names `commit`. */
function merged(at: Forgery, sides: readonly string[], commit: string): void {
  const { repository } = at.world;
  const writes = [{ path: LWS_FILE, text: stable(at.text(), commit) }];
  repository.merge('main', [repository.head('main')!, ...sides], { writes });
}

const stepped = new Forgery().stepped();

type Row = readonly [what: string, forge: (at: Forgery) => void];

const ROWS: readonly Row[] = [
  [
    'an octopus merge whose third parent has it',
    (at) => {
      const one = at.unmerged('notes.md', 'a\n');
      const two = at.unmerged(LWS_FILE, evil(at.text()));
      merged(at, [one, two], two);
    },
  ],
  [
    'a merge that brings the mark which an ancestor on its side had',
    (at) => {
      const { repository } = at.world;
      const first = at.unmerged(LWS_FILE, settled(evil(at.text())));
      const text = stable(at.text(), first);
      const side = repository.commit('evil', { writes: [{ path: LWS_FILE, text }] });
      repository.merge('main', [repository.head('main')!, side], { writes: [{ path: LWS_FILE, text }] });
    },
  ],
  [
    'a merge of a line that has nothing in common with main',
    (at) => {
      const { repository } = at.world;
      const writes = [{ path: LWS_FILE, text: settled(evil(at.text())) }];
      const side = repository.commit('elsewhere', { writes, orphan: true });
      merged(at, [side], side);
    },
  ],
  [
    'a merge that names its side twice',
    (at) => {
      const side = at.unmerged(LWS_FILE, settled(evil(at.text())));
      merged(at, [side, side], side);
    },
  ],
  [
    'a commit with the name of tranche as author',
    (at) => takenBack(at, evil(at.text()), { signature: by('tranche', at.world.now) }),
  ],
  [
    'a commit with the name and the message of tranche',
    (at) =>
      takenBack(at, settled(evil(at.text())), { message: ours(at, 'settled'), signature: by('tranche', at.world.now) }),
  ],
  [
    'commits that are dated before all others',
    (at) => takenBack(at, settled(evil(at.text())), { signature: by('eve', 1) }),
  ],
  [
    'commits that are dated in a hundred years',
    (at) => takenBack(at, settled(evil(at.text())), { signature: by('eve', at.world.now + 3_155_760_000) }),
  ],
  [
    'one of fifty releases that look settled',
    (at) => {
      const text = at.text();
      for (let at50 = 0; at50 < 50; at50 += 1)
        at.write(LWS_FILE, settled(text.replaceAll(NEW, `${EVIL}-${at50}`).replaceAll(OLD, `${EVIL}-${at50}`)));
      takenBackTo(at, text);
    },
  ],
  [
    'a commit in which the document is in another file as well',
    (at) => {
      const { repository } = at.world;
      const text = at.text();
      const writes = [
        { path: LWS_FILE, text: undefined },
        { path: 'apps/evil.yaml', text: settled(evil(text)) },
      ];
      const commit = repository.commit('main', { writes });
      repository.commit('main', {
        writes: [
          { path: 'apps/evil.yaml', text: undefined },
          { path: LWS_FILE, text: stable(text, commit) },
        ],
      });
    },
  ],
  [
    'our first step reverted, merged again with another mark',
    (at) => {
      const text = at.text();
      at.write(LWS_FILE, settled(text.replaceAll(NEW, OLD)), 'Revert "rollout(llm/vllm): step 1/3"');
      const side = at.unmerged(LWS_FILE, evil(text));
      at.write(LWS_FILE, stable(text, side), 'Reapply "rollout(llm/vllm): step 1/3"');
    },
  ],
  [
    'the head of the status branch',
    (at) => {
      const { repository } = at.world;
      repository.commit('tranche-status', { writes: [{ path: LWS_FILE, text: evil(at.text()) }] });
      at.mark('stable', `${repository.head('tranche-status')}@${digestOf(evil(at.text()))}`);
    },
  ],
];

function takenBackTo(at: Forgery, text: string): void {
  const commit = at.world.repository.head('main') ?? '';
  at.write(LWS_FILE, stable(text, commit));
}

test.each(ROWS)('forged: the stable version is that of %s: never delivered', async (_, forge) => {
  const at = (await stepped).fork();
  forge(at);
  await at.order({ kind: 'abort', keepNewer: false });
  const said: string[] = [];
  for (let round = 0; round < 12; round += 1) said.push(saidOf(await at.round()));
  const end = at.world.repository.head('main');
  await at.round();
  expect(at.world.repository.head('main')).toBe(end);
  expect([at.text().includes(EVIL), at.world.groups().includes('miner')], said.join('\n')).toEqual([false, false]);
  expect(at.text(), said.join('\n')).toContain(OLD);
});

test('a foxtrot push, by which main is the second parent: no group moves, and an abort follows the line that main has now', async () => {
  const at = (await stepped).fork();
  const { repository } = at.world;
  const [head, text] = [repository.head('main')!, at.text()];
  repository.setHead('evil', at.line()[0]!.oid);
  const first = repository.commit('evil', { writes: [{ path: LWS_FILE, text: settled(evil(text)) }] });
  repository.merge('main', [first, head], { writes: [{ path: LWS_FILE, text: stable(text, first) }] });
  const said: string[] = [];
  for (let round = 0; round < 6; round += 1) said.push(saidOf(await at.round()));
  expect([at.text().includes(EVIL), at.world.groups().includes('miner')], said.join('\n')).toEqual([false, false]);
  // Who may push this may push the template itself: nothing in Git tells it from a line that was always so.
  await at.order({ kind: 'abort', keepNewer: false });
  await at.round();
  expect(at.text()).toContain(EVIL);
});
