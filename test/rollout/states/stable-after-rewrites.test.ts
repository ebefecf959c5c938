/** A rollback finds the stable version by its digest where the commit that the mark names is no ancestor any more. */

import { expect, test } from 'vitest';
import { parseManifestFile } from '../../../src/manifests/parse-file.ts';
import { readWorkload } from '../../../src/reconcile/documents/read-workload.ts';
import { EVIL, Forgery, reasonsOf, saidOf } from '../../support/forgery.ts';
import { LWS_FILE, NEW, OLD, VLLM_FILES } from '../../support/vllm.ts';

type Files = Readonly<Record<string, string>>;

const trees = (at: Forgery): readonly Files[] => at.line().map(({ oid }) => at.world.repository.files(oid));

const moved = (files: Files): Files => {
  const { [LWS_FILE]: text = '', ...others } = files;
  return { ...others, 'apps/vllm/moved/lws.yaml': text };
};

/** Has been aborted, and what the file says some passes later. */
async function abandoned(at: Forgery): Promise<{ readonly said: string; readonly reasons: readonly string[] }> {
  const ordered = await at.order({ kind: 'abort', keepNewer: false });
  const said: string[] = [ordered];
  const reasons: string[] = [];
  for (let round = 0; round < 14; round += 1) {
    const result = await at.round();
    said.push(saidOf(result));
    reasons.push(...reasonsOf(result));
  }
  return { said: said.join('\n'), reasons };
}

const textsOf = (at: Forgery): string => Object.values(at.world.repository.files('main')).join('\n');

test.each<readonly [what: string, rewrite: (at: Forgery) => void]>([
  [
    'a squash of everything before the delivery',
    (at) => {
      const [settled, ...delivery] = trees(at).slice(-3);
      at.rewrite([settled!, ...delivery], 'squashed');
    },
  ],
  ['a force-push of the same trees', (at) => at.rewrite(trees(at), 'rewritten')],
  [
    'a force-push in which the delivery is one commit',
    (at) => at.rewrite([trees(at).at(-3)!, trees(at).at(-1)!], 'rewritten'),
  ],
  ...(
    [
      ['which is put back', ''],
      ['under another serial, and both are put back', '$1.9"'],
    ] as const
  ).map(
    ([how, release]) =>
      [
        `a squash that lost the annotation of the step, ${how}`,
        (at: Forgery) => {
          const [settled, now] = [trees(at).at(-3)!, trees(at).at(-1)!];
          const text = (now[LWS_FILE] ?? '').replace(/\n.*tranche\.dev\/step: .*/, '');
          const other = release === '' ? text : text.replace(/(tranche\.dev\/release: "[0-9a-f]+)\.\d+"/, release);
          at.rewrite([settled, { ...now, [LWS_FILE]: other }, now], 'squashed');
        },
      ] as const,
  ),
  ['a move of the file after a force-push', (at) => at.rewrite([...trees(at), moved(trees(at).at(-1)!)], 'moved')],
  [
    'a file that had been moved before the delivery',
    (at) => at.rewrite([trees(at).at(-3)!, moved(trees(at).at(-3)!), moved(trees(at).at(-1)!)], 'moved'),
  ],
])('%s: the rollback goes to what main had, by its digest', async (_, rewrite) => {
  const at = await new Forgery().stepped();
  rewrite(at);
  const { said, reasons } = await abandoned(at);
  expect([textsOf(at).includes(OLD), textsOf(at).includes(NEW), at.world.groups().includes('v2')]).toEqual([
    true,
    false,
    false,
  ]);
  expect(reasons).not.toContain('StableUnavailable');
  expect(said).not.toContain('does not count');
});

test.each<readonly [what: string, cut: (at: Forgery) => void]>([
  ['a squash of everything, the delivery too', (at) => at.rewrite([trees(at).at(-1)!], 'squashed')],
  [
    'a shallow clone of the last commit',
    (at) =>
      at.lose(
        at
          .line()
          .slice(0, -1)
          .map(({ oid }) => oid),
      ),
  ],
])('%s: a signed copy serves; without a key the pass says how to name a commit', async (_, cut) => {
  const signed = await new Forgery(VLLM_FILES, { signed: true }).stepped();
  cut(signed);
  const back = await abandoned(signed);
  expect([textsOf(signed).includes(OLD), textsOf(signed).includes(NEW)]).toEqual([true, false]);
  expect(back.reasons).not.toContain('StableUnavailable');

  const keyless = await new Forgery().stepped();
  cut(keyless);
  const held = await abandoned(keyless);
  expect([textsOf(keyless).includes(NEW), held.reasons.includes('StableUnavailable')]).toEqual([true, true]);
  expect(held.said).toContain('--from');
});

const digestIn = (text: string): string =>
  readWorkload(parseManifestFile(LWS_FILE, text, ['LeaderWorkerSet']).documents[0]!).workload?.digest ?? '';

test('forged and seen by a signed pass: the copy is still of what main had, and a shallow clone does not deliver it', async () => {
  const at = await new Forgery(VLLM_FILES, { signed: true }).stepped();
  const text = at.text();
  const commit = at.unmerged(LWS_FILE, text.replaceAll(NEW, EVIL));
  at.mark('stable', `${commit}@${'e'.repeat(32)}`);
  await at.round();
  at.mark('stable', `${commit}@${digestIn(text.replaceAll(NEW, EVIL))}`);
  await at.round();
  at.lose(
    at
      .line()
      .slice(0, -2)
      .map(({ oid }) => oid),
  );
  const { said } = await abandoned(at);
  expect(textsOf(at)).not.toContain(EVIL);
  expect(said).toContain('--from');
});
