/** Git, forge, cluster, metrics and a target of notifications all say back each credential that they get, in every form: nothing that is left holds one. */

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import http, { type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type SimulatedForge, startForge } from '../support/forge/start-forge.ts';
import { APP } from '../support/forge-world.ts';
import { ANALYSIS, ANALYSIS_FILE } from '../support/measured.ts';
import { metricsServer, stopMetricsServers } from '../support/metrics-server.ts';
import { type Site, startSite, stopSites } from '../support/site.ts';
import { LWS_FILE, NEW, OLD, VLLM_FILES } from '../support/vllm.ts';

/** Signs that base64 and addresses spell in their own ways are among them. */
const SECRETS = {
  git: 'ghs_Git+s3cret/0f~Repository==',
  forge: 'ghs_Forge+s3cret/0f~Pulls==',
  cluster: 'eyJhbGciOi.Cluster-s3cret_0f~Pods',
  metrics: 'glc_Metrics+s3cret/0f~Series==',
  notify: 'xoxb-Notify+s3cret/0f~Channel==',
} as const;
type Place = keyof typeof SECRETS;
const PLACES: readonly Place[] = ['git', 'forge', 'cluster', 'metrics', 'notify'];
const FILES = {
  ...VLLM_FILES,
  'policies/told.yaml':
    'apiVersion: tranche.dev/v1alpha1\nkind: RolloutPolicy\nmetadata: {name: told}\nspec:\n  rollouts: ["*"]\n  analyses: [chat]\n  notify:\n    - {to: prod, as: webhook}\n',
  [ANALYSIS_FILE]: ANALYSIS,
};

/** Every form in which somebody may read a secret again. */
function formsOf(secret: string): readonly string[] {
  const base64 = ['', 'x-access-token:', 'a'].map((head) => Buffer.from(`${head}${secret}`).toString('base64'));
  const percent = Array.from(secret, (sign) => `%${sign.charCodeAt(0).toString(16)}`).join('');
  return [
    secret,
    encodeURIComponent(secret),
    percent,
    ...base64,
    encodeURIComponent(base64[0] ?? ''),
    Buffer.from(secret).toString('base64url'),
  ];
}

/** Twelve signs of any form are enough to say that it is there. */
function leaked(text: string): readonly string[] {
  const plain = text.replace(/\s/g, '');
  return Object.entries(SECRETS).flatMap(([place, secret]) =>
    formsOf(secret).flatMap((form) =>
      // What every credential starts with in base64 says nothing.
      [form.slice(-12), form.slice(20, 32)]
        .filter((part) => part.length === 12 && plain.includes(part))
        .map((part) => `${place}: ${part}`),
    ),
  );
}

type Echo = { readonly status: number; readonly form: number };
/** Which server answers so, and how; the others do their work, and say back in headers what they got. */
let echo: (Echo & { readonly place: Place }) | undefined;
const heard = new Set<Place>();
const told: string[] = [];
const servers: http.Server[] = [];
let forge: SimulatedForge;
let site: Site;
let env: Readonly<Record<string, string>> = {};

function credentialIn({ headers: { authorization = '' } }: IncomingMessage): string {
  const [scheme = '', sent = ''] = authorization.split(' ');
  return /^basic$/i.test(scheme)
    ? Buffer.from(sent, 'base64')
        .toString()
        .replace(/^[^:]*:/, '')
    : sent;
}

/** What a server says that repeats a credential: in its headers, where it leads to, and in its words. */
function echoOf(secret: string, { status, form }: Echo) {
  const said = formsOf(secret)[form] ?? secret;
  const headers: OutgoingHttpHeaders = {
    'www-authenticate': `Bearer realm="${said}"`,
    'x-accepted-github-permissions': said,
    'x-echo': said,
    ...(status < 400 ? { location: `/moved/${said}/info/refs?token=${said}` } : {}),
  };
  const message = `admission webhook "w" denied ${said}: bad ${said} here`;
  const body = {
    kind: 'Status',
    status: 'Failure',
    message,
    details: { name: said },
    errors: [{ message }],
    error: message,
  };
  return { headers, body: JSON.stringify(body) };
}

/** As the clock of the cluster has it. */
const now = (): string => new Date(site.model.nowSeconds * 1000).toUTCString();

/** In front of a server that does its work. */
async function before(placeOf: (url: string) => Place, target: () => string): Promise<string> {
  const server = http.createServer((request, response) => {
    const place = placeOf(request.url ?? '');
    const secret = credentialIn(request);
    if (secret === SECRETS[place]) heard.add(place);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      response.setHeader('date', now());
      if (place === 'notify') told.push(body.toString(), JSON.stringify(request.headers['idempotency-key']));
      const answer = echoOf(secret, echo?.place === place ? echo : { status: 200, form: 0 });
      if (echo?.place === place || place === 'notify') {
        const status = echo?.place === place ? echo.status : 200;
        response.writeHead(status, { 'content-type': 'application/json', ...answer.headers }).end(answer.body);
        return;
      }
      const passed = http.request(
        new URL(request.url ?? '', target()),
        { method: request.method, headers: request.headers },
        (from) => {
          const { date: _, ...kept } = from.headers;
          response.writeHead(from.statusCode ?? 500, { ...kept, 'x-echo': secret });
          from.pipe(response);
        },
      );
      passed.end(body);
    });
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  forge = await startForge();
  const repository = await forge.createRepository('team', 'gitops');
  const permissions = { contents: 'write', pull_requests: 'write', statuses: 'write', checks: 'write' } as const;
  for (const token of [SECRETS.git, SECRETS.forge])
    forge.tokens.set(token, { account: APP, permissions, repositories: ['team/gitops'] });
  repository.permissions.set('ada', 'write');
  site = await startSite({ files: FILES, repository: repository.git, signed: true });
  const work = await before(
    (url) => (url.startsWith('/api/') ? 'forge' : 'git'),
    () => forge.url,
  );
  const cluster = await before(
    () => 'cluster',
    () => /server: (\S+)/.exec(site.api.kubeconfig)?.[1] ?? '',
  );
  const { url } = await metricsServer(() => 1);
  const metrics = await before(
    () => 'metrics',
    () => url,
  );
  const notify = await before(
    () => 'notify',
    () => '',
  );
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'dev',
    clusters: [{ name: 'c', cluster: { server: cluster } }],
    users: [{ name: 'u', user: { token: SECRETS.cluster } }],
    contexts: [{ name: 'dev', context: { cluster: 'c', user: 'u' } }],
  };
  env = {
    TRANCHE_REPO: `${work}/team/gitops.git`,
    TRANCHE_FORGE: `${work}/api/v3`,
    TRANCHE_GIT_TOKEN: SECRETS.git,
    TRANCHE_FORGE_TOKEN: SECRETS.forge,
    KUBECONFIG: site.file('echoing', JSON.stringify(config)),
    TRANCHE_METRICS_PROD: metrics,
    TRANCHE_METRICS_PROD_TOKEN: SECRETS.metrics,
    TRANCHE_METRICS_ALLOW_PRIVATE: 'true',
    TRANCHE_NOTIFY_PROD: notify,
    TRANCHE_NOTIFY_PROD_TOKEN: SECRETS.notify,
    TRANCHE_NOTIFY_ALLOW_PRIVATE: 'true',
  };
  const round = async (): Promise<void> => {
    forge.now = site.model.nowSeconds;
    await site.run('reconcile', env);
    await site.settle();
  };
  await round();
  site.model.tick(9 * 86_400);
  await site.edit(LWS_FILE, OLD, NEW);
  for (let count = 0; count < 3; count += 1) await round();
  // Groups have warmed up.
  site.model.tick(1200);
  // The second step is proposed, while metrics of the first one are asked.
  await site.edit('policies/told.yaml', 'analyses', 'promotion: pullRequest\n  analyses');
  for (let count = 0; count < 3; count += 1) await round();
});
afterAll(async () => {
  stopMetricsServers();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await stopSites();
  await forge.stop();
});
afterEach(() => {
  echo = undefined;
});

test('each of them gets its credential', async () => {
  await site.run('reconcile', env);
  expect([...heard].toSorted()).toEqual([...PLACES].toSorted());
});

const STATUSES: Readonly<Record<Place, readonly number[]>> = {
  git: [302, 307, 401, 403, 404],
  forge: [302, 401, 403, 404, 422],
  cluster: [302, 400, 401, 403, 409],
  metrics: [302, 400, 401, 422, 500],
  notify: [302, 400, 401, 403, 500],
};
const PASS = 'reconcile --save-pass saved';
const VERBS = [PASS, PASS, PASS, PASS, PASS, PASS, PASS, PASS, 'plan', 'status --live', 'preflight', 'pause vllm'];

test.each(PLACES)('%s', { timeout: 120_000 }, async (place) => {
  for (const [at, verb] of VERBS.entries()) {
    const statuses = STATUSES[place];
    const status = statuses[at % statuses.length] ?? 400;
    echo = { place, status, form: at % formsOf('').length };
    const { out, err } = await site.run(verb, env);
    expect(leaked(`${out}\n${err}`), `${verb}, HTTP ${status}\n${out}${err}`).toEqual([]);
  }
  echo = undefined;
  await site.run('reconcile', env);
});

test('nor does any commit, any page, any saved pass and any notification', async () => {
  await site.run('page --out pages', env);
  const objects = execFileSync('git', ['-C', site.repository.path, 'cat-file', '--batch-all-objects', '--batch'], {
    maxBuffer: 1 << 28,
  }).toString();
  const written = ['pages', 'saved'].flatMap((folder) =>
    readdirSync(join(site.folder, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8')),
  );
  expect(written.length).toBeGreaterThan(2);
  expect(told.length).toBeGreaterThan(2);
  expect(leaked([objects, ...written, ...told].join('\n'))).toEqual([]);
});
