/** Going back leads to what main's own line had before the delivery, whatever the marks, the record or a message say. */

import { expect, test } from 'vitest';
import { parseManifestFile } from '../../../src/manifests/parse-file.ts';
import { readWorkload } from '../../../src/reconcile/documents/read-workload.ts';
import { EVIL, Forgery, reasonsOf, saidOf } from '../../support/forgery.ts';
import { LWS_FILE, NEW, OLD } from '../../support/vllm.ts';

const digestOf = (text: string): string =>
  readWorkload(parseManifestFile(LWS_FILE, text, ['LeaderWorkerSet']).documents[0]!).workload?.digest ?? '';

/** As if this template were at rest. */
function settled(text: string): string {
  return text
    .replace(
      /tranche\.dev\/release: .*/,
      `tranche.dev/release: ${digestOf(text.replace(/\n.*tranche\.dev\/(?!release).*/g, ''))}.2`,
    )
    .replace(/\n.*tranche\.dev\/(step|restore).*/g, '');
}

const evil = (text: string): string => text.replaceAll(NEW, EVIL).replaceAll(OLD, EVIL);

/** The mark names the commit, and the template that it really has. */
const name = (at: Forgery, commit: string): void => void at.mark('stable', `${commit}@${digestOf(evil(at.text()))}`);

test.each<readonly [what: string, forge: (at: Forgery) => void]>([
  ['a commit that nobody has merged', (at) => name(at, at.unmerged(LWS_FILE, evil(at.text())))],
  [
    'a commit that was merged and taken back',
    (at) => {
      const text = at.text();
      const merged = at.write(LWS_FILE, evil(text));
      at.write(LWS_FILE, text);
      name(at, merged);
    },
  ],
  [
    'a merged branch that had it',
    (at) => {
      const { repository } = at.world;
      const side = at.unmerged(LWS_FILE, evil(at.text()));
      repository.merge('main', [repository.head('main')!, side], { writes: [{ path: 'notes.md', text: 'a\n' }] });
      name(at, side);
    },
  ],
  [
    'a commit that looks settled, between two steps of this delivery',
    (at) => {
      const text = at.text();
      const merged = at.write(LWS_FILE, settled(evil(text)));
      at.write(LWS_FILE, text);
      name(at, merged);
    },
  ],
  [
    'one of several that look settled',
    (at) => {
      const text = at.text();
      const merged = at.write(LWS_FILE, settled(evil(text)));
      at.write(LWS_FILE, settled(text));
      at.write(LWS_FILE, text);
      name(at, merged);
    },
  ],
])('forged: the stable version is %s: never delivered', async (_, forge) => {
  const at = await new Forgery().stepped();
  forge(at);
  expect(await at.order({ kind: 'abort', keepNewer: false })).toContain('abort');
  const result = await at.round();
  expect(saidOf(result)).toMatch(/tranche\.dev\/stable says .* main's own line had .* does not count/s);
  for (let round = 0; round < 12; round += 1) await at.round();
  expect([at.text().includes(EVIL), at.world.groups().includes('miner')]).toEqual([false, false]);
  // What main's own line had before is no secret: the rollback goes there, and waits for nobody.
  expect([at.text().includes(OLD), reasonsOf(result).includes('StableUnavailable')]).toEqual([true, false]);
});
