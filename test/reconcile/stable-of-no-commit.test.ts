/** A mark whose commit is none, by real Git: zeros, a blob, a tree, a tag. A rollback puts back what main had. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { openGit } from '../../src/adapters/git/open.ts';
import { factsDigest } from '../../src/reconcile/documents/digests.ts';
import { order as giveOrder } from '../../src/reconcile/order.ts';
import { NO_OVERRIDES, type PassResult } from '../../src/reconcile/pass.ts';
import { runPass } from '../../src/reconcile/run.ts';
import { planIntent } from '../../src/rollout/orders/intent.ts';
import { saidOf } from '../support/forgery.ts';
import { type GitServer, type ServedRepository, startGitServer } from '../support/git-server.ts';
import { LWS_FILE, NEW, OLD, VLLM_FILES } from '../support/vllm.ts';
import { World } from '../support/world.ts';

let server: GitServer;
beforeAll(async () => {
  server = await startGitServer();
});
afterAll(() => server.stop());

/** A world whose passes and orders go to real Git; the agent and the tests follow its main. */
class Real {
  readonly world = new World({ files: VLLM_FILES });
  private readonly memory = this.world.memory();

  private readonly repository: ServedRepository;

  constructor(repository: ServedRepository) {
    this.repository = repository;
  }

  private ports() {
    return this.world.ports({ git: openGit({ location: this.repository.url, token: 't0ken' }) });
  }

  text(): Promise<string> {
    return this.repository.git('show', `main:${LWS_FILE}`);
  }

  async round(): Promise<PassResult> {
    const writes = [{ path: LWS_FILE, text: await this.text() }];
    this.world.repository.commit('main', { writes });
    this.world.sync();
    this.world.tick(60);
    return runPass(this.ports(), this.memory, { overrides: NO_OVERRIDES, write: true, only: [] });
  }

  async until(subject: string): Promise<void> {
    for (let round = 0; round < 10; round += 1) {
      if ((await this.repository.git('log', '-1', '--format=%s', 'main')).includes(subject)) return;
      await this.round();
    }
    throw new Error(`no commit says ${subject}`);
  }

  async abort(): Promise<string> {
    const at = { target: { name: 'vllm', namespace: 'llm' }, overrides: NO_OVERRIDES, by: 'ada' };
    const done = await giveOrder(this.ports(), at, ({ snapshot }) =>
      planIntent({ kind: 'abort', keepNewer: false }, { snapshot, digestOf: factsDigest }),
    );
    return done.kind === 'refused' ? done.why : done.what;
  }
}

test.each<readonly [what: string, name: (repository: ServedRepository) => Promise<string>]>([
  ['forty zeros', async () => '0'.repeat(40)],
  ['an object that is not there', async () => 'e'.repeat(40)],
  ['a blob', (repository) => repository.git('rev-parse', `main:${LWS_FILE}`)],
  ['a tree', (repository) => repository.git('rev-parse', 'main^{tree}')],
  [
    'a tag',
    async (repository) => {
      await repository.git('-c', 'user.name=a', '-c', 'user.email=a@a', 'tag', '-a', '-m', 'v1', 'v1', 'main');
      return repository.git('rev-parse', 'v1');
    },
  ],
])('a stable version that names %s: a pass ends, and an abort puts back what main had', async (what, name) => {
  const repository = await server.createRepository(`${what.replaceAll(' ', '-')}.git`);
  await repository.commit('main', VLLM_FILES);
  const at = new Real(repository);
  await at.until('adopt');
  await at.round();
  await repository.commit('main', { [LWS_FILE]: (await at.text()).replaceAll(OLD, NEW) });
  await at.until('step 1/');
  const forged = (await at.text()).replace(
    /(tranche\.dev\/stable: "?)[0-9a-f]{40}/,
    `$1${(await name(repository)).trim()}`,
  );
  await repository.commit('main', { [LWS_FILE]: forged });
  const held = await at.round();
  expect(held.outcomes[0]?.error).toBeUndefined();
  expect(await at.abort()).toContain('abort');
  const said: string[] = [];
  for (let round = 0; round < 6; round += 1) said.push(saidOf(await at.round()));
  expect(await at.text(), said.join('\n')).not.toContain(NEW);
  expect(await at.text()).toContain(OLD);
  expect(
    at.world
      .groups()
      .split(' ')
      .every((group) => group.includes('0.10.0')),
  ).toBe(true);
  // What ended is ended: a second look changes nothing.
  const [before] = [await repository.git('rev-parse', 'main')];
  await at.round();
  expect(await repository.git('rev-parse', 'main')).toBe(before);
});
