/** Repositories and clusters that cannot be used as they are: what is said, how it ends, and that nothing is written. */

import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { pageNotFound, type Reply, statusReply } from '../../src/demo/api-server/reply.ts';
import type { ApiServerOptions } from '../../src/demo/api-server/start-api-server.ts';
import { resourceKinds } from '../../src/simulator/objects/resource-table.ts';
import { unauthorized } from '../support/api-refusals.ts';
import { type GitServer, type ServedRepository, startGitServer } from '../support/git-server.ts';
import { type Site, startSite, stopSites } from '../support/site.ts';
import { LWS_FILE, NEW, OLD } from '../support/vllm.ts';

const servers: GitServer[] = [];
afterEach(async () => {
  await stopSites();
  for (const server of servers.splice(0)) await server.stop();
});

type Interfere = ApiServerOptions['interfere'];

const onLists =
  (plural: string, reply: Reply): Interfere =>
  (_, target) =>
    target?.kind.plural === plural ? reply : undefined;
const forbidden = (plural: string): Reply =>
  statusReply(403, {
    reason: 'Forbidden',
    message: `${plural} is forbidden: User "system:serviceaccount:tranche:tranche" cannot list resource "${plural}" in API group "" in the namespace "llm"`,
  });

/** What the API server does, and how the hold starts that the pass and the status show. */
const clusters: readonly (readonly [what: string, interfere: Interfere, said: string])[] = [
  [
    'RBAC refuses pods',
    onLists('pods', forbidden('pods')),
    'ClusterUnreadable: List pods in llm: forbidden; needs verb list on pods in namespace llm: pods is forbidden',
  ],
  [
    'RBAC refuses the workloads themselves',
    onLists('leaderworkersets', forbidden('leaderworkersets')),
    'ClusterUnreadable: List leaderworkersets.leaderworkerset.x-k8s.io in llm: forbidden; needs verb list on leaderworkersets.leaderworkerset.x-k8s.io in namespace llm',
  ],
  [
    'credentials are not accepted',
    () => unauthorized,
    'ClusterUnreadable: List leaderworkersets.leaderworkerset.x-k8s.io in llm: the API server does not accept these credentials (401); log in again, or check the context',
  ],
  [
    'no LeaderWorkerSet is installed',
    onLists('leaderworkersets', pageNotFound),
    'ClusterUnreadable: The API server has no leaderworkersets.leaderworkerset.x-k8s.io: is LWS installed in this cluster?',
  ],
  [
    'something else answers',
    () => ({ status: 404, body: '<html>login</html>' }),
    'ClusterUnreadable: List leaderworkersets.leaderworkerset.x-k8s.io in llm: a web page came back (HTTP 404), so a proxy, a login page or an ingress answers in place of the API server',
  ],
];

describe('a cluster that does not let us look', () => {
  test.each(clusters)('%s: the rollout holds, says why, and the run is red', async (_, interfere, said) => {
    let on = false;
    const site = await startSite({
      api: { interfere: (request, target) => (on ? interfere?.(request, target) : undefined) },
    });
    await site.run('reconcile');
    await site.edit(LWS_FILE, OLD, NEW);
    await site.settle();
    on = true;
    const pass = await site.run('reconcile');
    expect(pass.code).toBe(1);
    expect(pass.out).toContain(`waits  ${said}`);
    expect(await site.subject(), 'nothing of ours').toBe(`edit ${LWS_FILE}`);
    expect((await site.run('status vllm')).out).toContain(`  ${said}`);
    const status = await site.head('tranche-status');
    expect((await site.run('reconcile')).code, 'as long as it lasts').toBe(1);
    expect(await site.head('tranche-status'), 'said once').toBe(status);
    on = false;
    expect(await site.run('reconcile')).toMatchObject({ code: 0 });
    expect(await site.subject()).toBe('rollout(llm/vllm): step 1/3, partition 1000000 → 3');
  });

  test('autoscalers that may not be read hold where somebody has scaled', async () => {
    const site = await startSite({ api: { interfere: onLists('horizontalpodautoscalers', forbidden('hpas')) } });
    expect(await site.run('reconcile'), 'live is what Git says: the same answer either way').toMatchObject({ code: 0 });
    await site.edit(LWS_FILE, OLD, NEW);
    await site.settle();
    site.model.scale({ namespace: 'llm', name: 'vllm' }, 5);
    site.model.tick(60);
    const pass = await site.run('reconcile');
    expect(pass.code).toBe(1);
    expect(pass.out).toContain(
      'waits  ScalerUnreadable: The number of groups is not known: list horizontalpodautoscalers.autoscaling in llm: forbidden; needs verb list on horizontalpodautoscalers.autoscaling in namespace llm',
    );
    expect(await site.subject()).toBe(`edit ${LWS_FILE}`);
  });

  test('a settled rollout is not looked at, so a cluster that is away is no failure until the audit', async () => {
    const site = await startSite({ signed: true });
    await site.run('reconcile');
    await site.settle();
    await site.run('reconcile');
    await site.api.close();
    expect(await site.run('reconcile')).toMatchObject({ code: 0, out: 'nothing has moved, all settled\n' });
  });

  test('what a credential command prints is neither on the status branch nor in the output', async () => {
    const site = await startSite();
    const command = join(site.folder, 'login');
    writeFileSync(command, '#!/bin/sh\necho "expired: s3cr3t" >&2\necho s3cr3t\nexit 3\n');
    chmodSync(command, 0o755);
    const config = { apiVersion: 'client.authentication.k8s.io/v1', command, args: ['--password', 's3cr3t'] };
    site.file('kubeconfig', site.api.kubeconfig.replace(/user:[^\n]*/, `user: ${JSON.stringify({ exec: config })}`));
    const pass = await site.run('reconcile --save-pass passes');
    expect(pass.code).toBe(1);
    expect(pass.out).toContain('no credentials: command login of the kubeconfig failed with exit code 3; run it by');
    const status = await site.repository.git('log', '-p', '--all');
    const saved = readFileSync(join(site.folder, 'passes/default_llm_vllm.json'), 'utf8');
    expect(status).toContain('command login of the kubeconfig failed with exit code 3');
    const everything = [pass.out, pass.err, saved, status].join('\n');
    expect(everything).not.toContain('s3cr3t');
  });

  const addresses: readonly (readonly [what: string, line: string, change: (site: Site) => void, said: string])[] = [
    [
      'nobody listens',
      'reconcile',
      (site) => void site.file('kubeconfig', site.api.kubeconfig.replace(/http:\/\/[0-9.:]+/, 'http://127.0.0.1:1')),
      'connection refused (ECONNREFUSED); check that an API server can be reached from here',
    ],
    [
      'no such kubeconfig',
      'reconcile --kubeconfig /nonexistent/config',
      () => undefined,
      "Cluster: cannot read /nonexistent/config: ENOENT: no such file or directory, stat '/nonexistent/config'. Name a kubeconfig that kubectl can read.",
    ],
    [
      'no such context',
      'reconcile --context other',
      () => undefined,
      'Cluster: the kubeconfig has no context "other" with a cluster; it has simulated. Choose one with --context.',
    ],
    [
      'not in a cluster',
      'reconcile --in-cluster',
      () => undefined,
      'Cluster: in-cluster was asked for, but KUBERNETES_SERVICE_HOST and _PORT are not set. Name a kubeconfig with --kubeconfig.',
    ],
  ];
  test.each(addresses)('%s', async (_, line, change, said) => {
    const site = await startSite();
    change(site);
    const pass = await site.run(line);
    expect(pass.code).toBe(1);
    expect(pass.out).toContain('waits  ClusterUnreadable: ');
    expect(pass.out).toContain(said);
    expect(pass.out.split('  waits  '), 'said once').toHaveLength(2);
    expect(await site.subject()).toBe('first files');
  });

  test('a cluster with LWS 0.8, whose status says less, gets its steps all the same', async () => {
    const site = await startSite({ cluster: { lws: '0.8' } });
    await site.run('reconcile');
    site.model.tick(30);
    await site.run('reconcile');
    expect(await site.subject()).toBe('rollout(llm/vllm): adopt, partition 0 → 1000000');
    await site.edit(LWS_FILE, OLD, NEW);
    await site.settle();
    // Without observedGeneration a change counts as seen at the second look.
    expect((await site.run('reconcile')).out).toContain('waits  NotObserved: ');
    site.model.tick(30);
    expect(await site.run('reconcile')).toMatchObject({ code: 0 });
    expect(await site.subject()).toBe('rollout(llm/vllm): step 1/3, partition 1000000 → 3');
  });
});

describe('an LWS of a version to come', () => {
  test('fields and conditions that we do not know are left alone', async () => {
    const site = await startSite({
      api: {
        interfere: (request, target) => {
          if (target?.kind.plural !== 'leaderworkersets' || request.method !== 'GET') return undefined;
          const items = site.model.objects.list('leaderworkersets.leaderworkerset.x-k8s.io', 'llm').map((object) => {
            const status = object['status'] as Record<string, unknown>;
            const conditions = [
              ...(status['conditions'] as unknown[]),
              {
                type: 'Sharded',
                status: 'Unknown',
                reason: 'New',
                message: '',
                lastTransitionTime: '2030-01-01T00:00:00Z',
              },
            ];
            return {
              ...object,
              spec: { ...(object['spec'] as object), networkTopology: { mode: 'hard' } },
              status: { ...status, conditions, shards: [1, 2], groupHealth: { good: 4 } },
            };
          });
          const body = {
            kind: 'LeaderWorkerSetList',
            apiVersion: 'leaderworkerset.x-k8s.io/v1',
            metadata: { resourceVersion: '7' },
            items,
          };
          return { status: 200, body: JSON.parse(JSON.stringify(body)) };
        },
      },
    });
    expect(await site.run('reconcile')).toMatchObject({ code: 0 });
    expect(await site.subject()).toBe('rollout(llm/vllm): adopt, partition 0 → 1000000');
  });
});

const SECRET = 'canary-7f3a';

describe('a repository that cannot be used', () => {
  type Row = readonly [line: string, code: number, said: string];
  const rows: readonly Row[] = [
    [
      'reconcile --branch nope',
      2,
      'error: git: read: the repository has no branch nope. Create it, or name the one that the agent applies in each call: --branch NAME (lint and roots: --ref NAME). A branch main may name it as well: branches.desired in its tranche.yaml, and in that of the other.\n',
    ],
    ...['reconcile --status-branch main', 'abort vllm --status-branch main'].map(
      (line): readonly [string, number, string] => [
        line,
        2,
        expect.stringMatching(/^tranche\.yaml:1: main is both the desired branch and that of the status, .*\n$/),
      ],
    ),
    ['reconcile --branch -x', 2, 'error: git: heads: "-x" is no branch name that git accepts\n'],
    [
      'plan --repo /nonexistent',
      2,
      'error: git: open: /nonexistent is not a Git repository. Give the URL or the path of one as --repo or TRANCHE_REPO, or call tranche in a clone.\n',
    ],
    [
      'plan --repo github.com/a/b',
      2,
      expect.stringMatching(
        /^error: git: open: \/\S+\/github\.com\/a\/b is .* The URL of that is https:\/\/github\.com\/a\/b\.\n$/,
      ),
    ],
    [
      'plan --repo git.example.com:a/b.git',
      2,
      expect.stringMatching(/ is https:\/\/git\.example\.com\/a\/b\.git\.\n$/),
    ],
    [
      'plan --repo /etc.local/../etc/a/b',
      2,
      'error: git: open: /etc/a/b is not a Git repository. Give the URL or the path of one as --repo or TRANCHE_REPO, or call tranche in a clone.\n',
    ],
    [
      `status --repo https://ada:${SECRET}@127.0.0.1:1/x.git`,
      2,
      'error: git: open: the URL of 127.0.0.1:1/x.git has credentials in it. Take them out of the URL and set TRANCHE_GIT_TOKEN; URLs end up in logs and commits.\n',
    ],
    [
      'lint --repo git@github.com:a/b.git',
      2,
      'error: git: open: git@github.com:a/b.git cannot be opened. Give an http(s) URL or a path; ssh is not spoken.\n',
    ],
    ...[`ada:${SECRET}@github.com:a/b.git`, `${SECRET}@github.com:a/b.git`].map(
      (repo): Row => [
        `lint --repo ${repo}`,
        2,
        'error: git: open: github.com:a/b.git cannot be opened. Give an http(s) URL or a path; ssh is not spoken.\n',
      ],
    ),
    [
      `lint --repo /work.none/ada:${SECRET}@github.com/b.git`,
      2,
      expect.stringMatching(/^error: git: open: \/work\.none\/\*\*\*@github\.com\/b\.git is not a Git repository\. /),
    ],
    [
      `approve vllm --repo ssh://ada:${SECRET}@github.com/b.git`,
      2,
      'error: git: open: ssh://github.com/b.git cannot be opened. Give an http(s) URL or a path; ssh is not spoken.\n',
    ],
  ];
  test.each(rows)('%s', async (line, code, said) => {
    const site = await startSite();
    expect(await site.run(line)).toEqual({ code, out: '', err: said });
    expect(await site.subject()).toBe('first files');
  });

  test('a server that nobody reaches may be back: exit code 1', async () => {
    const site = await startSite();
    const called = await site.run('reconcile --repo http://127.0.0.1:1/x.git');
    expect(called.code).toBe(1);
    expect(called.err).toContain(
      'error: git: heads: http://127.0.0.1:1/x.git: connect ECONNREFUSED 127.0.0.1:1. Check the address of the repository, HTTPS_PROXY and NO_PROXY, and the network between here and there.\n',
    );
  });
});

describe('a token', () => {
  const TOKEN = 'right-token';
  const expected = `Basic ${Buffer.from(`x-access-token:${TOKEN}`).toString('base64')}`;

  async function guarded(): Promise<{ readonly site: Site; readonly repository: ServedRepository }> {
    const server = await startGitServer();
    servers.push(server);
    const repository = await server.createRepository('team/repo.git');
    const site = await startSite({ repository });
    // A server that repeats what it was sent must not get a token into our logs.
    server.fault = ({ authorization }) =>
      authorization === expected
        ? undefined
        : { kind: 'answer', status: 401, body: `Bad credentials: ${authorization ?? 'none'}` };
    return { site, repository };
  }

  test.each([
    ['none', undefined],
    ['a wrong one', SECRET],
  ])('%s is configuration: exit code 2, never shown', async (_, token) => {
    const { site, repository } = await guarded();
    const called = await site.run(
      `reconcile --repo ${repository.url}`,
      token === undefined ? {} : { TRANCHE_GIT_TOKEN: token },
    );
    expect(called).toMatchObject({ code: 2, out: '' });
    expect(called.err).toContain(`error: git: heads: ${repository.url} answered HTTP 401 (wants a valid token)`);
    expect(called.err).toContain(
      'Set TRANCHE_GIT_TOKEN to a token that may read and write the contents of this repository.',
    );
    expect(called.err).not.toContain(SECRET);
    expect(called.err).not.toContain(Buffer.from(`x-access-token:${SECRET}`).toString('base64'));
    expect(await site.subject()).toBe('first files');
  });

  test('the right one writes over smart HTTP, and stands nowhere', async () => {
    const { site, repository } = await guarded();
    const env = { TRANCHE_GIT_TOKEN: TOKEN, TRANCHE_REPO: repository.url };
    const pass = await site.run('reconcile --output json --save-pass passes', env);
    expect(pass).toMatchObject({ code: 0, err: '' });
    expect(await site.subject()).toBe('rollout(llm/vllm): adopt, partition 0 → 1000000');
    const saved = await site.run('replay passes', env);
    const everything = await repository.git('log', '-p', '--all');
    for (const text of [pass.out, saved.out, everything]) expect(text).not.toContain(TOKEN);
  });

  test('a main that is protected: the step is refused with the rule, the status is written, exit code 1', async () => {
    const { site, repository } = await guarded();
    const env = { TRANCHE_GIT_TOKEN: TOKEN, TRANCHE_REPO: repository.url };
    repository.hook(
      'update',
      'if [ "$1" = refs/heads/main ]; then echo "main is protected: open a pull request" >&2; exit 1; fi',
    );
    const pass = await site.run('reconcile', env);
    expect(pass.code).toBe(1);
    expect(pass.out).toContain('PushRefused: The push to main was refused: ');
    expect(pass.out).toContain('main is protected: open a pull request');
    expect(pass.out).toContain('Allow the identity of tranche to push there, or change the rule');
    expect(await site.subject()).toBe('first files');
    expect((await site.run('status vllm', env)).out).toContain('PushRefused');
    const pause = await site.run('pause vllm', env);
    expect(pause).toMatchObject({ code: 1, out: '' });
    expect(pause.err).toContain('refused: the push to main was refused: ');
    expect(pause.err, 'for a pull request by hand').toContain('\n+    paused: true');
  });
});

test('the resources that nothing of ours reads may be missing', async () => {
  const kinds = resourceKinds.filter(({ plural }) => plural !== 'scaledobjects');
  const site = await startSite({ api: { kinds } });
  expect(await site.run('reconcile')).toMatchObject({ code: 0 });
});
