/** What installs tranche in a cluster: held against published schemas, and all of it of one mind. */

import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import type { JsonObject } from '../../src/api/json.ts';
import { resources, routeResources, trafficResources } from '../../src/api/resources.ts';
import { reference } from '../support/documents.ts';
import { modelOf } from '../support/published-schemas.ts';

const ROOT = 'policies/install';
const read = (path: string): string => readFileSync(`${ROOT}/${path}`, 'utf8');
const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.yaml') && !path.startsWith('chart/'),
);
const documents = files.flatMap((path) =>
  parseAllDocuments(read(path)).map((document) => [path, document.toJS() as JsonObject] as const),
);

/** Kinds of kustomize, Argo CD and Flux, of which no schema is at hand. */
const UNPUBLISHED = /kustomize\.config\.k8s\.io|argoproj\.io|toolkit\.fluxcd\.io/;

test('is what the published schemas take', async () => {
  const known = documents.filter(([, value]) => !UNPUBLISHED.test(JSON.stringify(value['apiVersion'])));
  expect(known.length).toBeGreaterThan(8);
  for (const [path, value] of known) {
    const Model = await modelOf(value);
    expect(Model, path).toBeDefined();
    expect(() => new Model!(value).validate(), path).not.toThrow();
    expect(() => new Model!({ ...value, metadata: 'x' }).validate(), `${path}, broken`).toThrow();
  }
});

test('is listed by its kustomizations, which list nothing that is not there', () => {
  for (const folder of ['base', 'traffic', 'overlay', 'shards']) {
    const { resources: listed } = parse(read(`${folder}/kustomization.yaml`)) as { readonly resources: string[] };
    const own = files.filter((path) => path.startsWith(`${folder}/`)).map((path) => path.slice(folder.length + 1));
    expect(listed.filter((path) => path.endsWith('.yaml')).sort()).toEqual(
      own.filter((path) => path !== 'kustomization.yaml').sort(),
    );
    for (const path of listed.filter((one) => one.startsWith('../')))
      expect(files).toContain(`${path.slice(3)}/kustomization.yaml`);
  }
});

type Rule = { readonly apiGroups: string[]; readonly resources: string[]; readonly verbs: string[] };
const rulesIn = (text: string): readonly Rule[] => parse(text).rules;
const granted = (rules: readonly Rule[]): readonly string[] =>
  rules.flatMap(({ apiGroups, resources: plurals, verbs }) =>
    plurals.map((plural) => `${verbs.join()} ${plural}.${apiGroups.join()}`),
  );
const listing = (all: readonly { readonly group: string; readonly plural: string }[]): readonly string[] =>
  all.map(({ group, plural }) => `list ${plural}.${group}`);

test('lists what a pass lists, as the reference prints it, and nothing else', () => {
  const rules = rulesIn(read('base/role.yaml'));
  const shown = /```yaml\n(apiVersion: rbac[^]*?)```/.exec(reference())?.[1] ?? '';
  expect(rules).toEqual(rulesIn(shown));
  expect([...granted(rules)].sort()).toEqual([...listing(Object.values(resources))].sort());
  expect(granted(rulesIn(read('traffic/role.yaml')))).toEqual(
    listing([...Object.values(trafficResources), ...routeResources]),
  );
});

test('runs the same pod in a shard, with its number', () => {
  const [deployment, set] = [parse(read('base/deployment.yaml')), parse(read('shards/stateful-set.yaml'))];
  const [pod, shard] = [deployment, set].map(({ spec }) => spec.template);
  const [container, own] = [pod, shard].map((template) => template.spec.containers[0]);
  expect(own.args).toEqual([...container.args, '--shard', `$(POD_INDEX)/${set.spec.replicas}`]);
  expect(own.env.slice(0, container.env.length)).toEqual(container.env);
  expect(own.env.slice(container.env.length).map(({ name }: { name: string }) => name)).toEqual(['POD_INDEX']);
  const same = { ...own, args: container.args, env: container.env };
  expect({ ...shard, spec: { ...shard.spec, containers: [same] } }).toEqual(pod);
  expect(set.spec.selector).toEqual(deployment.spec.selector);
});

test('has a folder to build in: the rest of its files cannot be written', () => {
  const { containers, volumes } = parse(read('base/deployment.yaml')).spec.template.spec;
  const [{ securityContext, volumeMounts }] = containers;
  expect(securityContext.readOnlyRootFilesystem).toBe(true);
  const { name } = volumeMounts.find(({ mountPath }: { mountPath: string }) => mountPath === '/tmp');
  expect(volumes.find((volume: { name: string }) => volume.name === name).emptyDir).toBeDefined();
});

test("is made one's own where the base has its examples, with the Secret that the README makes", () => {
  const { spec } = parse(read('base/deployment.yaml'));
  const [container] = spec.template.spec.containers;
  const { patches, images } = parse(read('overlay/kustomization.yaml'));
  const [operation] = parse(patches[0].patch);
  const place = Number(operation.path.split('/').at(-1));
  expect([container.args[place - 1], container.args[place]]).toEqual(['--repo', operation.value]);
  expect(container.image).toBe(`${images[0].name}:${images[0].newTag}`);
  const [, name = '', namespace = '', key = ''] =
    /create secret generic (\S+) --namespace (\S+) --from-file=(\w+)=/.exec(read('README.md')) ?? [];
  expect(name).toBe(spec.template.spec.volumes[0].secret.secretName);
  expect(namespace).toBe('tranche');
  expect(container.env[0].value).toBe(`${container.volumeMounts[0].mountPath}/${key}`);
});
