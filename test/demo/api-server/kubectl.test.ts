/** The real kubectl against the simulated cluster; skipped, with a message, where there is no kubectl. */

import { execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiServer, startApiServer } from '../../../src/demo/api-server/start-api-server.ts';
import type { Cluster } from '../../../src/simulator/cluster-model.ts';
import { lwsManifest, restingCluster } from '../../support/simulated-cluster.ts';

const kubectl = spawnSync('kubectl', ['version', '--client'], { encoding: 'utf8' });
const missing = kubectl.status !== 0;
if (missing) console.warn('kubectl is not installed: its tests against the simulated API server are skipped');

describe.skipIf(missing)('kubectl', () => {
  let server: ApiServer;
  let model: Cluster;
  let folder = '';
  let watchStarted = (): void => {};
  beforeAll(async () => {
    model = restingCluster();
    server = await startApiServer({
      model,
      port: 0,
      kinds: undefined,
      interfere: ({ query }) => {
        if (query.has('watch')) watchStarted();
        return undefined;
      },
    });
    folder = mkdtempSync(path.join(tmpdir(), 'kubectl-'));
    writeFileSync(path.join(folder, 'config'), server.kubeconfig);
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  // The cache of discovery lives below HOME: each run has its own.
  const env = () => ({ ...process.env, KUBECONFIG: path.join(folder, 'config'), HOME: folder });

  function run(
    ...args: readonly string[]
  ): Promise<{ readonly out: string; readonly err: string; readonly code: number }> {
    return new Promise((resolve) => {
      execFile('kubectl', [...args], { env: env() }, (error, out, err) => {
        resolve({ out, err, code: error === null ? 0 : Number(error.code) });
      });
    });
  }

  function manifestFile(name: string, manifest: unknown): string {
    const file = path.join(folder, name);
    writeFileSync(file, JSON.stringify(manifest));
    return file;
  }

  const words = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/));

  test('get lws, sts, pods, controllerrevisions', async () => {
    const lws = await run('get', 'lws', '-n', 'llm');
    expect(lws.err).toBe('');
    expect(words(lws.out)).toEqual([
      ['NAME', 'READY', 'DESIRED', 'UP-TO-DATE', 'AGE'],
      ['vllm', '4', '4', '4', '60s'],
    ]);
    expect(words((await run('get', 'sts', '-n', 'llm')).out)[1]).toEqual(['vllm', '4/4', '60s']);
    expect(
      words((await run('get', 'pods', '-n', 'llm', '-l', 'leaderworkerset.sigs.k8s.io/worker-index=0')).out),
    ).toHaveLength(5);
    expect(words((await run('get', 'pod', 'vllm-0', '-n', 'llm')).out)[1]).toEqual([
      'vllm-0',
      '1/1',
      'Running',
      '0',
      '60s',
    ]);
    expect((await run('get', 'controllerrevisions', '-A')).out).toContain(
      'leaderworkerset.leaderworkerset.x-k8s.io/vllm',
    );
    expect((await run('get', 'lws', '-n', 'nowhere')).err).toContain('No resources found in nowhere namespace');
  });

  test('get -o yaml, by name and as a list; describe', async () => {
    expect((await run('get', 'lws', '-n', 'llm', '-o', 'yaml')).out).toContain('partition: 1000000');
    expect((await run('get', 'lws', 'vllm', '-n', 'llm', '-o', 'jsonpath={.status.readyReplicas}')).out).toBe('4');
    expect((await run('describe', 'lws', 'vllm', '-n', 'llm')).out).toContain('AllGroupsReady');
    expect(await run('get', 'lws', 'nope', '-n', 'llm')).toMatchObject({
      code: 1,
      err: 'Error from server (NotFound): leaderworkersets.leaderworkerset.x-k8s.io "nope" not found\n',
    });
  });

  test('apply --server-side creates, changes, conflicts and is refused', async () => {
    const apply = (manifest: unknown, ...more: readonly string[]) =>
      run('apply', '--server-side', '-f', manifestFile('lws.json', manifest), ...more);
    expect((await apply(lwsManifest({ name: 'new' }))).err).toBe('');
    expect((await run('get', 'lws', 'new', '-n', 'llm')).out).toContain('new');
    expect((await apply(lwsManifest({ name: 'new', replicas: 2 }))).out).toContain('new serverside-applied');
    expect(model.store.objects.get({ resource: 'statefulsets.apps', namespace: 'llm', name: 'new' })).toMatchObject({
      spec: { replicas: 2 },
    });
    const conflict = await apply(lwsManifest({ name: 'new', replicas: 3 }), '--field-manager=other');
    expect(conflict.err).toContain('conflict with "kubectl": .spec.replicas');
    const forced = await apply(lwsManifest({ name: 'new', replicas: 3 }), '--field-manager=other', '--force-conflicts');
    expect(forced.code).toBe(0);
    expect((await apply(lwsManifest({ name: 'new', partition: -1 }), '--force-conflicts')).err).toContain(
      'must be greater than or equal to 0',
    );
    const dry = await apply(lwsManifest({ name: 'dry' }), '--dry-run=server');
    expect(dry).toMatchObject({ code: 0, err: '' });
    expect((await run('get', 'lws', 'dry', '-n', 'llm')).code).toBe(1);
  });

  test('patch, scale, annotate, delete', async () => {
    await run('apply', '--server-side', '-f', manifestFile('toy.json', lwsManifest({ name: 'toy', replicas: 1 })));
    const spec = async () => JSON.parse((await run('get', 'lws', 'toy', '-n', 'llm', '-o', 'json')).out);
    expect((await run('scale', 'lws', 'toy', '-n', 'llm', '--replicas=3')).out).toContain('scaled');
    expect(
      (await run('patch', 'lws', 'toy', '-n', 'llm', '--type=merge', '-p', '{"metadata":{"labels":{"x":"y"}}}')).out,
    ).toContain('patched');
    expect(
      (
        await run(
          'patch',
          'lws',
          'toy',
          '-n',
          'llm',
          '--type=json',
          '-p',
          '[{"op":"replace","path":"/spec/rolloutStrategy/rollingUpdateConfiguration/partition","value":2}]',
        )
      ).out,
    ).toContain('patched');
    expect((await run('annotate', 'lws', 'toy', '-n', 'llm', 'tranche.dev/step=1/4')).out).toContain('annotated');
    expect(await spec()).toMatchObject({
      metadata: { labels: { x: 'y' }, annotations: { 'tranche.dev/step': '1/4' } },
      spec: { replicas: 3, rolloutStrategy: { rollingUpdateConfiguration: { partition: 2 } } },
    });
    expect((await run('patch', 'lws', 'toy', '-n', 'llm', '-p', '{"spec":{}}')).err).toContain('strategic');
    expect((await run('delete', 'lws', 'toy', '-n', 'llm', '--timeout=10s')).out).toContain('deleted');
    expect((await run('get', 'lws', 'toy', '-n', 'llm')).code).toBe(1);
    expect((await run('get', 'pods', '-n', 'llm')).out).not.toContain('toy');
  });

  test('wait, wide columns, typos, and the three cascades', async () => {
    const of = ['-n', 'llm'];
    await run('apply', '--server-side', '-f', manifestFile('cascade.json', lwsManifest({ name: 'cas', replicas: 1 })));
    const started = new Promise<void>((resolve) => {
      watchStarted = resolve;
    });
    const waiting = run('wait', '--for=condition=Available', 'lws/cas', ...of, '--timeout=20s');
    await started;
    model.tick(60);
    expect((await waiting).out).toContain('cas condition met');
    expect(words((await run('get', 'pods', ...of, '-o', 'wide')).out)[0]).toContain('NODE');
    expect((await run('get', 'sts', ...of, '-o', 'wide')).out).toContain('vllm/vllm-openai');
    const typo = { ...lwsManifest({ name: 'cas' }), spec: { paused: true } };
    const refused = await run('apply', '--server-side', '-f', manifestFile('typo.json', typo));
    expect(refused.err).toContain('.spec.paused: field not declared in schema');
    const pods = async () => (await run('get', 'pods', ...of, '-o', 'name')).out;
    expect((await run('delete', 'sts', 'cas', ...of, '--cascade=orphan')).out).toContain('deleted');
    expect(await pods()).toContain('pod/cas-0');
    expect((await run('delete', 'lws', 'cas', ...of, '--cascade=foreground', '--timeout=10s')).out).toContain(
      'deleted',
    );
    expect(await pods()).not.toContain('pod/cas-0');
  });

  test('get -w follows what happens in the model', async () => {
    // kubectl drops the first event of a watch of one object: what happens before the watch would be lost.
    const started = new Promise<void>((resolve) => {
      watchStarted = resolve;
    });
    const watching = spawn('kubectl', ['get', 'lws', 'vllm', '-n', 'llm', '-w'], { env: env() });
    const lines: string[] = [];
    const line = (wanted: RegExp) =>
      new Promise<void>((resolve, reject) => {
        const late = setTimeout(() => reject(new Error(lines.join(''))), 20_000);
        const look = (): void => {
          if (!wanted.test(lines.join(''))) return;
          clearTimeout(late);
          resolve();
        };
        watching.stdout.on('data', look);
        look();
      });
    watching.stdout.on('data', (chunk: Buffer) => lines.push(chunk.toString()));
    await line(/vllm +4 +4 +4/);
    await started;
    model.kill({ namespace: 'llm', name: 'vllm', group: 3, pods: 'leader' });
    await line(/vllm +3 +4 +4/);
    model.tick(60);
    await line(/vllm +3 +4 +4[^]*vllm +4 +4 +4/);
    watching.kill();
    await new Promise((resolve) => watching.on('close', resolve));
  });
});
