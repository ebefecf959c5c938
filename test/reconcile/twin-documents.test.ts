/** A second document of the same name, in the same file or next to it, in the middle of a delivery: which one counts is said, and an abort goes to its end. */

import { expect, test } from 'vitest';
import { Forgery } from '../support/forgery.ts';
import { LWS_FILE, LWS_TEXT, NEW, OLD, ROLLOUT_FILE } from '../support/vllm.ts';

const ABORT = { kind: 'abort', keepNewer: false } as const;
const plain = (at: Forgery): string => at.text(LWS_FILE).replace(/ {2}annotations:\n(?: {4}.*\n)+/, '');

/** What the file has then, or which other file there is. */
const TWINS: Readonly<Record<string, (at: Forgery) => readonly [file: string, text: string]>> = {
  'behind it, without annotations': (at) => [LWS_FILE, `${at.text(LWS_FILE)}---\n${plain(at)}`],
  'before it, without annotations': (at) => [LWS_FILE, `${plain(at)}---\n${at.text(LWS_FILE)}`],
  'behind it, of another template': (at) => [LWS_FILE, `${at.text(LWS_FILE)}---\n${LWS_TEXT.replaceAll(OLD, 'x/y:1')}`],
  'behind it, as it is': (at) => [LWS_FILE, `${at.text(LWS_FILE)}---\n${at.text(LWS_FILE)}`],
  'behind it, twice': (at) => [LWS_FILE, [at.text(LWS_FILE), plain(at), plain(at)].join('---\n')],
  'in another file of its folder': (at) => ['apps/vllm/a.yaml', at.text(LWS_FILE)],
  'in another file of its folder, without annotations': (at) => ['apps/vllm/a.yaml', plain(at)],
  'a second Rollout behind its own': (at) => [ROLLOUT_FILE, `${at.text(ROLLOUT_FILE)}---\n${at.text(ROLLOUT_FILE)}`],
};

test.each(Object.entries(TWINS))('%s', async (_what, twin) => {
  const at = await new Forgery().stepped();
  const [file, text] = twin(at);
  at.write(file, text);
  const head = at.world.repository.head('main');
  for (let round = 0; round < 3; round += 1) {
    const { outcomes, issues } = await at.round();
    const own = outcomes[0]?.plan?.issues.filter(({ reason }) => reason === 'DuplicateObject') ?? [];
    expect(own).toEqual([expect.objectContaining({ message: expect.stringContaining('this one counts') })]);
    expect(own[0]?.hint).toMatch(new RegExp(`^Remove ${file}:\\d+`));
    expect(
      issues.filter(({ reason }) => reason === 'DuplicateObject').map((one) => `${one.file} ${one.message}`),
    ).toEqual([expect.stringMatching(new RegExp(`^${file} .*so this one does not count`))]);
  }
  expect(at.world.repository.head('main')).toBe(head);
  expect(await at.order(ABORT)).toContain('abort');
  await at.until('rollback', 8);
  // An agent that applies all of a file gets the twin as well: what it makes of that is not tranche's.
  const [own, ...twins] = documentsOf(at.text(LWS_FILE));
  expect(own).toContain(OLD);
  expect(own).not.toContain(NEW);
  expect(twins).toEqual(file === LWS_FILE ? documentsOf(text).slice(1) : []);
  if (file !== LWS_FILE && file !== ROLLOUT_FILE) expect(at.text(file)).toBe(text);
});

/** Those of a file, the first with annotations in front. */
function documentsOf(text: string): readonly string[] {
  const all = text.split('---\n').map((one) => one.trim());
  const own = all.find((one) => one.includes('tranche.dev/')) ?? '';
  return [own, ...all.filter((_, at) => at !== all.indexOf(own))];
}
