/**
 * What every forge must do, on the simulated one, and on a scratch repository of a real one where someone names it:
 * TRANCHE_TEST_FORGE_REPO=https://github.com/me/scratch TRANCHE_TEST_FORGE_TOKEN=… npx vitest run test/adapters/forge
 * The token may write contents, pull requests, statuses and checks. What the suite makes there it closes and deletes.
 */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { forgeAddress } from '../../../src/adapters/forge/github/address.ts';
import { forgeLimits } from '../../../src/adapters/forge/github/limits.ts';
import { openGithub } from '../../../src/adapters/forge/github/open-github.ts';
import { openGit } from '../../../src/adapters/git/open.ts';
import { plainNetwork } from '../../../src/adapters/network/proxy.ts';
import { systemClock } from '../../../src/adapters/system/clock.ts';
import { systemTimers } from '../../../src/adapters/system/timers.ts';
import type { Forge, NewPull } from '../../../src/ports/forge.ts';
import type { Git } from '../../../src/ports/git.ts';
import { startForge } from '../../support/forge/start-forge.ts';
import { PATIENT } from '../../support/patient-git.ts';
import { forgeSite, TOKEN, value } from './site.ts';

type Scene = {
  readonly forge: Forge;
  /** Another process with the same credential. */
  readonly other: Forge;
  readonly git: Git;
  /** What this run calls its branches, so that two runs do not meet. */
  readonly prefix: string;
  readonly stop: () => Promise<void>;
};

async function simulated(): Promise<Scene> {
  const forge = await startForge();
  const { open, url } = await forgeSite(forge, 'contract');
  const stop = async () => {
    expect(forge.violations).toEqual([]);
    await forge.stop();
  };
  return {
    forge: open(),
    other: open(),
    git: openGit({ location: `${url}.git`, token: TOKEN, limits: PATIENT }),
    prefix: 'tranche/x/',
    stop,
  };
}

async function real(repository: string, token: string): Promise<Scene> {
  const address = forgeAddress(repository, process.env['TRANCHE_TEST_FORGE_API']);
  if (address === undefined) throw new Error(`${repository} is no repository of a GitHub`);
  const open = () =>
    openGithub({
      address,
      credential: { kind: 'token', token, from: 'TRANCHE_TEST_FORGE_TOKEN' },
      network: plainNetwork,
      clock: systemClock,
      timers: systemTimers,
      limits: forgeLimits,
      userAgent: 'tranche-contract',
    });
  const prefix = `tranche/contract-${process.pid}-${systemClock.now()}/`;
  return {
    forge: open(),
    other: open(),
    git: openGit({ location: repository, token }),
    prefix,
    stop: async () => undefined,
  };
}

const { TRANCHE_TEST_FORGE_REPO: repository, TRANCHE_TEST_FORGE_TOKEN: token } = process.env;
const scenes: readonly (readonly [name: string, make: () => Promise<Scene>])[] = [
  ['the simulated forge', simulated],
  ...(repository === undefined || token === undefined
    ? []
    : [['a real forge', () => real(repository, token)] as const]),
];

describe.each(scenes)('%s', (_name, make) => {
  let scene: Scene;
  let wanted: NewPull;
  let number: number;
  beforeAll(async () => {
    scene = await make();
    const [base] = await scene.git.heads(['main']);
    const branch = `${scene.prefix}one`;
    const signature = { name: 'tranche', email: 'tranche@example.com', atSeconds: 1_800_000_000 };
    const commits = [{ writes: [{ path: `${branch}.txt`, text: 'one\n' }], message: 'contract', signature }];
    const pushed = await scene.git.push([{ branch, expectedOld: undefined, base, commits }]);
    if (pushed.kind !== 'pushed') throw new Error(JSON.stringify(pushed));
    const head = pushed.heads[0] ?? '';
    wanted = {
      branch,
      head,
      base: 'main',
      title: 'contract',
      body: 'By `tranche`.\n',
    };
  });
  afterAll(() => scene.stop());

  test('opens a pull request, and adopts it in another process', async () => {
    const { pull, isAdopted } = value(await scene.forge.create(wanted));
    number = pull.number;
    expect(pull).toMatchObject({ branch: wanted.branch, head: wanted.head, base: 'main', isSameRepository: true });
    expect([isAdopted, pull.state]).toEqual([false, { kind: 'open', isDraft: false }]);
    expect(value(await scene.other.create(wanted))).toMatchObject({ pull: { number }, isAdopted: true });
  });

  test('names whom the forge does not ask for a review', async () => {
    const reviewers = ['nobody-of-this-name-9f2c'];
    const unasked = value(await scene.forge.attach({ number, labels: [], reviewers }));
    expect(unasked.map(({ name }) => name)).toEqual(reviewers);
  });

  test('says who we are, and which App, if any', async () => {
    const self = value(await scene.forge.self());
    expect(self.login).not.toBe('');
    expect(self.app.kind).toBe(self.isBot ? 'known' : 'absent');
  });

  test('lists it by its prefix and by its number', async () => {
    expect(
      value(await scene.forge.pulls({ prefix: scene.prefix, numbers: [number] })).map((pull) => pull.number),
    ).toEqual([number]);
    expect(value(await scene.forge.pulls({ prefix: `${scene.prefix}none`, numbers: [] }))).toEqual([]);
  });

  test('says what it waits for, with our status', async () => {
    const status = {
      oid: wanted.head,
      context: 'tranche/contract',
      state: 'success',
      description: 'ok',
      url: undefined,
    } as const;
    value(await scene.forge.setStatus(status));
    const [waiting] = value(await scene.forge.waiting([number]));
    expect(waiting).toMatchObject({ number, head: wanted.head });
    expect(waiting?.statuses).toContainEqual({
      isRequired: false,
      context: 'tranche/contract',
      state: 'success',
      description: 'ok',
    });
  });

  test('shows a check run where it is an App, in the way of nothing', async () => {
    const check = { oid: wanted.head, name: 'tranche/contract-progress', title: 'contract', summary: 'Seen.\n' };
    const { isBot } = value(await scene.forge.self());
    for (const summary of ['Seen.\n', 'Seen.\n', 'Seen again.\n'])
      expect((await scene.forge.showCheck({ ...check, summary })).kind).toBe(isBot ? 'done' : 'refused');
    const [waiting] = value(await scene.forge.waiting([number]));
    expect(waiting?.on.flatMap(({ names }) => names)).not.toContain(check.name);
  });

  test('has no reviews, and rules that are known or say why not', async () => {
    expect(value(await scene.forge.reviews(number))).toEqual([]);
    const rules = Object.values(value(await scene.forge.rules('main')));
    expect(rules.map(({ kind }) => kind).filter((kind) => kind === 'absent')).toEqual([]);
  });

  test('writes text and comment, then closes it, each once', async () => {
    const text = { title: 'contract, changed', body: 'Other.\r\nLines.\n' };
    for (const port of [scene.forge, scene.other]) {
      value(await port.update(number, text));
      value(await port.comment({ number, key: 'contract', body: 'Seen.' }));
      value(await port.close(number, 'The contract is fulfilled.'));
    }
    const [pull] = value(await scene.forge.pulls({ prefix: scene.prefix, numbers: [number] }));
    expect(pull).toMatchObject({ number, title: 'contract, changed', state: { kind: 'closed' } });
    if (pull?.state.kind === 'closed') expect(pull.state.by?.login).toBe(pull.author.login);
    expect(value(await scene.forge.waiting([number]))).toEqual([]);
  });

  test('keeps nothing: the branch is ours to delete', async () => {
    const expectedOld = wanted.head;
    const deleted = await scene.git.push([{ branch: wanted.branch, expectedOld, isDeleted: true }]);
    expect(deleted).toMatchObject({ kind: 'pushed' });
  });
});
