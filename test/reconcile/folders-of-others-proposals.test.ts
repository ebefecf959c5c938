/** Files of another folder while each step is a pull request, open or merged: an abort and its rollback go through all the same. */

import { expect, test } from 'vitest';
import { Forgery, reasonsOf } from '../support/forgery.ts';
import { sampled } from '../support/sampled.ts';
import { LWS_FILE, LWS_TEXT, NEW, OLD, ROLLOUT_TEXT } from '../support/vllm.ts';

const ADA = { login: 'ada', isBot: false };

/** Step 1 is there, and step 2 is proposed. */
async function proposed(): Promise<Forgery> {
  const at = new Forgery(undefined, { pulls: true });
  await at.until('adopt');
  await at.round();
  at.write('tranche.yaml', 'promotion: pullRequest\n');
  at.edit(LWS_FILE, new RegExp(OLD, 'g'), NEW);
  await opened(at, 'vllm 1/3');
  at.mergeOpen();
  await opened(at, 'vllm 2/3');
  return at;
}

async function opened(at: Forgery, step: string): Promise<void> {
  for (let round = 0; round < 10; round += 1) {
    if (at.forge?.open.some(({ title }) => title.includes(step)) === true) return;
    await at.round();
  }
  throw new Error(
    `nobody proposes ${step}: ${at.forge?.open.map(({ title }) => title).join()} ${at.world.subject()} ${reasonsOf(await at.round()).join(' ')}`,
  );
}

const base = proposed();

const STANDS: Readonly<Record<string, (at: Forgery) => void>> = {
  open: () => undefined,
  merged: (at) => at.mergeOpen(),
  closed: (at) => {
    for (const pull of at.forge?.open ?? []) at.forge?.close(pull, ADA);
  },
};

const HOSTILE: Readonly<Record<string, readonly [path: string, text: string]>> = {
  'a LeaderWorkerSet of the name': ['teams/b/lws.yaml', LWS_TEXT],
  'one that is settled on the newer template': ['a.yaml', LWS_TEXT.replaceAll(OLD, NEW)],
  'a Rollout of the name': ['a.yaml', ROLLOUT_TEXT.replace('spec:\n', 'spec:\n  disabled: true\n')],
  'a file that is no YAML': ['teams/b/broken.yaml', `kind: LeaderWorkerSet\n  name: [vllm\n${LWS_TEXT}`],
  'a file that is too large': ['teams/b/huge.yaml', `${LWS_TEXT}${'# of no use to anybody\n'.repeat(60_000)}`],
  'a policy that cannot be read': ['teams/b/policy.yaml', 'kind: RolloutPolicy\n  spec: [\n'],
};

const CASES = Object.keys(STANDS).flatMap((stands) => Object.keys(HOSTILE).map((what) => [stands, what] as const));

test.each(sampled(CASES, 2))('the pull request is %s, and %s is there: an abort goes back', async (stands, what) => {
  const at = (await base).fork();
  STANDS[stands]?.(at);
  const [path, text] = HOSTILE[what] ?? ['', ''];
  const written = at.write(path, text);
  await at.round();
  const told = [at.world.groups(), await at.order({ kind: 'abort', keepNewer: false })];
  for (let round = 0; round < 10; round += 1) told.push(reasonsOf(await at.round()).join(' '), at.world.subject());
  expect(at.text(), told.join('\n')).not.toContain(NEW);
  const own = at.line().slice(at.line().findIndex(({ oid }) => oid === written));
  for (const { oid } of own) expect(at.world.repository.text(oid, path)).toBe(at.world.repository.text(written, path));
  expect(at.world.groups().match(/0\.10\.0\+/g), told.join('\n')).toHaveLength(4);
  expect(at.forge?.open.map(({ title }) => title)).toEqual([]);
});
