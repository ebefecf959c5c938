/**
 * The Helm chart: made of what kustomize installs, and the same once it is rendered. With HELM=<path of the real one>, as
 * .ci/real has it, that is rendered and compared; without one only what needs none is looked at.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import type { JsonObject } from '../../src/api/json.ts';
import { modelOf } from '../support/published-schemas.ts';

const INSTALL = 'policies/install';
const CHART = `${INSTALL}/chart`;
const helm = process.env['HELM'] ?? '';
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tranche-chart-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const documentsIn = (text: string): readonly JsonObject[] =>
  parseAllDocuments(text)
    .map((document) => document.toJS() as JsonObject | null)
    .filter((value) => value !== null);

test('its templates are those that the script makes of the base, the shards, the role of routes and the bindings', () => {
  execFileSync(process.execPath, ['scripts/chart.mjs', folder]);
  const made = readdirSync(join(folder, 'templates'));
  expect(readdirSync(`${CHART}/templates`)).toEqual(made);
  for (const file of made)
    expect(readFileSync(`${CHART}/templates/${file}`, 'utf8'), file).toBe(
      readFileSync(join(folder, 'templates', file), 'utf8'),
    );
});

test('it has the version of the package', () => {
  expect(parse(readFileSync(`${CHART}/Chart.yaml`, 'utf8'))).toMatchObject({
    name: 'tranche',
    version: packageJson.version,
    appVersion: packageJson.version,
  });
});

const values: JsonObject = parse(readFileSync(`${CHART}/values.yaml`, 'utf8'));

/** What people get wrong, as the file of values has it. */
const WRONG: readonly (readonly [what: string, value: JsonObject])[] = [
  ['an unknown value', { repository: 'https://github.com/example/models' }],
  ['a credential in the address', { repo: 'https://user:token@github.com/example/models' }],
  ['an address by ssh', { repo: 'git@github.com:example/models.git' }],
  ['no namespace', { namespaces: [] }],
  ['a namespace that is none', { namespaces: ['LLM'] }],
  ['one namespace twice', { namespaces: ['llm', 'llm'] }],
  ['no process', { shards: 0 }],
  ['a number as a text', { shards: '3' }],
  ['a Secret that is none', { secret: 'a b' }],
  ['an image with a line of its own', { image: 'a\nb: c' }],
];

describe('values', () => {
  const isTaken = new Ajv({ strict: false }).compile(JSON.parse(readFileSync(`${CHART}/values.schema.json`, 'utf8')));

  test('those that are there are taken', () => {
    expect(isTaken(values)).toBe(true);
  });

  test.each(WRONG)('%s is refused', (_, value) => {
    expect(isTaken({ ...values, ...value })).toBe(false);
  });
});

/** All that kustomize installs of these folders, but for the Namespace: a release of Helm has one. */
function installed(paths: readonly string[]): readonly JsonObject[] {
  return paths
    .flatMap((path) => documentsIn(readFileSync(`${INSTALL}/${path}`, 'utf8')))
    .filter(({ kind }) => kind !== 'Namespace');
}

const COMMON = ['base/service-account.yaml', 'base/role.yaml', 'base/network-policy.yaml'];
const sorted = (documents: readonly JsonObject[]): readonly string[] =>
  documents.map((document) => JSON.stringify(document)).sort((left, right) => (left < right ? -1 : 1));

describe.skipIf(helm === '')('rendered by the real helm', () => {
  const render = (value: JsonObject, namespace = 'tranche') =>
    spawnSync(helm, ['template', 'tranche', CHART, '--namespace', namespace, '--values', '-'], {
      input: JSON.stringify(value),
      encoding: 'utf8',
    });
  const rendered = (value: JsonObject, namespace?: string): readonly JsonObject[] => {
    const { status, stdout, stderr } = render(value, namespace);
    expect([status, stderr]).toEqual([0, '']);
    return documentsIn(stdout);
  };

  test('with the values of the overlay it is what kustomize installs', () => {
    const [deployment, traffic] = ['base/deployment.yaml', 'traffic/role.yaml'];
    expect(sorted(rendered({}))).toEqual(sorted(installed([...COMMON, deployment, traffic, 'overlay/bindings.yaml'])));
  });

  test('with several processes it is the shards', () => {
    expect(sorted(rendered({ shards: 3, traffic: false }))).toEqual(
      sorted([
        ...installed([...COMMON, 'shards/stateful-set.yaml']),
        ...installed(['overlay/bindings.yaml']).slice(0, 1),
      ]),
    );
  });

  test('every value is where it belongs, in the namespace of the release, and the schemas take it', async () => {
    const own = { repo: 'https://git.example/a', image: 'registry.example/t@sha256:0', secret: 'mine', shards: 5 };
    const documents = rendered({ ...own, namespaces: ['a', 'b'] }, 'ops');
    const text = JSON.stringify(documents);
    for (const example of ['github.com/example', 'registry.example.com', 'tranche-git', '"llm"'])
      expect(text).not.toContain(example);
    expect(text).toContain('$(POD_INDEX)/5');
    expect(text).toContain('"--repo","https://git.example/a"');
    const kinds = documents
      .map(({ kind }) => (typeof kind === 'string' ? kind : ''))
      .sort((left, right) => (left < right ? -1 : 1));
    expect(kinds).toEqual(
      'ClusterRole ClusterRole NetworkPolicy RoleBinding RoleBinding RoleBinding RoleBinding ServiceAccount StatefulSet'.split(
        ' ',
      ),
    );
    for (const document of documents) {
      const Model = await modelOf(document);
      expect(() => new Model!(document).validate(), JSON.stringify(document['metadata'])).not.toThrow();
    }
    const named = documents.flatMap(({ kind, metadata }) =>
      kind === 'ClusterRole' ? [] : [(metadata as JsonObject)['namespace']],
    );
    expect(new Set(named)).toEqual(new Set(['ops', 'a', 'b']));
  });

  test.each(WRONG)('%s is refused', (_, value) => {
    const { status, stdout } = render(value);
    expect([status, stdout]).toEqual([1, '']);
  });

  test('helm lint has nothing to say', () => {
    expect(spawnSync(helm, ['lint', '--strict', CHART]).status).toBe(0);
  });
});
