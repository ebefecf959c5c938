/** `tranche init` in a repository of 50,000 files: what it asks of Git is bounded, and no other file is parsed. */

import { expect, test } from 'vitest';
import { NO_OVERRIDES } from '../../src/api/config.ts';
import { init } from '../../src/commands/init.ts';
import { Cluster } from '../../src/simulator/cluster-model.ts';
import { fakeCluster } from '../support/fake-cluster.ts';
import { type FakeOperation, FakeRepository } from '../support/fake-git.ts';
import { LWS_FILE, LWS_TEXT } from '../support/vllm.ts';

/** What it prints, and what it asked of Git for that. `text`: of each of the other files. */
async function looked(count: number, text: string) {
  const others = Array.from({ length: count }, (_, at) => [`teams/t${at % 250}/${at}.yaml`, `${text}# ${at}\n`]);
  const asked: FakeOperation[] = [];
  const before = (operation: FakeOperation): undefined => void asked.push(operation);
  const git = FakeRepository.withFiles({ [LWS_FILE]: LWS_TEXT, ...Object.fromEntries(others) }).open({ before });
  const cluster = fakeCluster({ model: new Cluster({ lws: '0.10', gate: 'off', nowSeconds: 0, readiness: () => 0 }) });
  const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
  let out = '';
  const code = await init(
    {
      repo: 'memory',
      kubeconfig: undefined,
      context: '',
      inCluster: false,
      output: 'text',
      overrides: NO_OVERRIDES,
      ref: undefined,
      workingTree: undefined,
      write: false,
      proposes: undefined,
      rollouts: 'rollouts',
      namespace: undefined,
      strategy: 'partition',
      policy: 'default',
      run: 'auto',
      url: undefined,
      image: undefined,
      ownBranch: undefined,
    },
    { git, cluster, clock: { now: () => 0, sleep: async () => undefined }, log: quiet },
    {
      env: {},
      folder: '.',
      out: (more) => void (out += more),
      err: () => undefined,
      isTerminal: false,
      signal: new AbortController().signal,
    },
  );
  return { code, out, asked: asked.map(({ kind }) => kind) };
}

test('Git is asked no more often than with 50 files, and no other file is parsed: no reader of YAML takes these', async () => {
  const [few, many] = [await looked(50, 'kind: Deployment\n'), await looked(50_000, 'a: [\n')];
  expect(many.asked).toEqual(few.asked);
  expect(few.asked.length).toBeLessThan(20);
  // Of many files it proposes to read the folders with workloads alone.
  const said = ({ out }: { readonly out: string }): string =>
    out.replace(/[0-9a-f]{12}/, 'HEAD').replace(' the folders to read, of 50001 files,', '');
  expect(many.out).toContain('of 50001 files');
  expect(said(many)).toBe(said(few));
  expect(many).toMatchObject({ code: 0, out: expect.stringContaining('llm/vllm') });
});
