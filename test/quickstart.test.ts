/** The quickstart with kind, as far as it goes without docker and a network: its files, its commands, and what it pins. */

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { startSite, stopSites } from './support/site.ts';

const SCRIPT = 'scripts/quickstart.sh';
const script = readFileSync(SCRIPT, 'utf8');
const EXAMPLE = 'fixtures/examples/plain-flux';
const LWS = 'apps/vllm/lws.yaml';

let folder = '';
const models = (): string => join(folder, 'models');
const git = (...args: readonly string[]): string =>
  execFileSync('git', ['-C', models(), ...args], { encoding: 'utf8' });

const filesIn = (root: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes('.git'))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(root.length + 1), readFileSync(path, 'utf8')]),
  );

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tranche-quickstart-'));
  execFileSync('bash', [SCRIPT, 'files', models()]);
});
afterEach(stopSites);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('is read by bash, and by shellcheck where there is one', () => {
  execFileSync('bash', ['-n', SCRIPT]);
  const checked = spawnSync('shellcheck', [SCRIPT], { encoding: 'utf8' });
  if (checked.error !== undefined) console.warn('shellcheck is not installed: the quickstart is not looked at by it');
  else expect(checked.stdout).toBe('');
  expect(spawnSync('bash', [SCRIPT, 'nonsense']).status).toBe(2);
});

test('its repository is the example, but for an image that needs no GPU and shorter waits', () => {
  const [ours, theirs] = [filesIn(models()), filesIn(EXAMPLE)];
  expect(Object.keys(ours).sort()).toEqual(Object.keys(theirs).sort());
  const lines = (text: string | undefined): readonly string[] => (text ?? '').split('\n');
  const changed = Object.keys(theirs).flatMap((path) =>
    lines(theirs[path]).filter((line) => !lines(ours[path]).includes(line)),
  );
  for (const line of changed)
    expect(line).toMatch(/^ +(image|args|resources|pause|soakSeconds|- replicas): |duration: 600/);
  expect(ours[LWS]).not.toMatch(/gpu|vllm-openai/);
});

test('lint finds nothing in it; it is adopted, and the release of the script goes by steps', async () => {
  const before = filesIn(models());
  const site = await startSite({ files: before });
  expect((await site.run('lint')).out).toMatch(/^1 Rollout, 0 problems\n/);
  expect((await site.run('reconcile')).code).toBe(0);
  await site.settle();
  execFileSync('bash', [SCRIPT, 'release', models()]);
  expect(git('log', '--format=%s')).toBe('vllm: 2.52 to 2.53\nvllm: four groups\n');
  expect(git('show', '--format=', '--numstat')).toBe(`2\t2\t${LWS}\n`);
  expect(git('status', '--porcelain')).toBe('');
  await site.edit(LWS, 'agnhost:2.52', 'agnhost:2.53');
  await site.settle();
  await site.run('reconcile');
  expect(await site.subject()).toBe('rollout(llm/vllm): step 1/3, partition 1000000 → 3');
});

test('calls verbs that there are', async () => {
  const verbs = [...script.matchAll(/^ +tranche ([a-z-]+)(.*)$|tranche\.js ([a-z-]+) /gm)].map(
    ([, verb, , other]) => verb ?? other ?? '',
  );
  expect(new Set(verbs)).toEqual(new Set(['lint', 'plan', 'reconcile', 'approve']));
  const site = await startSite();
  const { out } = await site.run('--help');
  for (const verb of verbs) expect(out).toMatch(new RegExp(`^ {2}${verb} `, 'm'));
  expect((await site.run('reconcile --help')).out).toContain('--watch');
});

test('what it fetches has a version, and what it applies fits together', () => {
  for (const [, url = ''] of script.matchAll(/(https:\/\/[^"\s]+)/g)) expect(url).toMatch(/\/download\/\$(lws|flux)\//);
  expect(script).toMatch(/^lws=v[\d.]+\nflux=v[\d.]+$/m);
  const applied = [...script.matchAll(/\$root\/(fixtures\/quickstart\/[\w-]+\.yaml)/g)].map(([, path = '']) => path);
  expect(applied.sort()).toEqual(readdirSync('fixtures/quickstart').map((name) => `fixtures/quickstart/${name}`));
  const documents = [...applied, `${EXAMPLE}/clusters/prod/vllm.yaml`].flatMap((path) =>
    parseAllDocuments(readFileSync(path, 'utf8')).map((document) => document.toJS()),
  );
  const of = (kind: string) => documents.find((document) => document.kind === kind);
  const [server, service, source] = ['Deployment', 'Service', 'GitRepository'].map(of);
  expect(server.spec.template.spec.containers[0].image).toMatch(/:\d+\.\d+\.\d+-rootless$/);
  expect(service.spec.selector).toEqual(server.spec.template.metadata.labels);
  const { name, namespace } = service.metadata;
  expect(source.spec.url).toBe(`http://${name}.${namespace}.svc:${service.spec.ports[0].port}/quickstart/models.git`);
  expect(of('Kustomization').spec.sourceRef).toEqual({ kind: 'GitRepository', name: source.metadata.name });
});
