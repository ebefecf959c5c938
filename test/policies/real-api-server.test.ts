/**
 * What people apply, in a real API server: what installs tranche, the admission policy, the manifests of the examples.
 * `.ci/real` gives KUBE_APISERVER, ETCD and LWS_CRD, the CustomResourceDefinition of LeaderWorkerSet as LWS ships it.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { JsonObject } from '../../src/api/json.ts';
import { resources } from '../../src/api/resources.ts';
import { type Answer, BREAK_GLASS, type RealApiServer, startApiServer } from '../support/real-api-server.ts';

const { KUBE_APISERVER, ETCD, LWS_CRD } = process.env;

type Manifest = JsonObject & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
};

/** The path of each kind that is applied, and whether it lies in a namespace. */
const PATHS: Readonly<Record<string, readonly [path: string, isNamespaced: boolean]>> = {
  Namespace: ['api/v1/namespaces', false],
  ServiceAccount: ['api/v1/serviceaccounts', true],
  Service: ['api/v1/services', true],
  Deployment: ['apis/apps/v1/deployments', true],
  StatefulSet: ['apis/apps/v1/statefulsets', true],
  NetworkPolicy: ['apis/networking.k8s.io/v1/networkpolicies', true],
  ClusterRole: ['apis/rbac.authorization.k8s.io/v1/clusterroles', false],
  Role: ['apis/rbac.authorization.k8s.io/v1/roles', true],
  ClusterRoleBinding: ['apis/rbac.authorization.k8s.io/v1/clusterrolebindings', false],
  RoleBinding: ['apis/rbac.authorization.k8s.io/v1/rolebindings', true],
  ValidatingAdmissionPolicy: ['apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies', false],
  ValidatingAdmissionPolicyBinding: ['apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings', false],
  CustomResourceDefinition: ['apis/apiextensions.k8s.io/v1/customresourcedefinitions', false],
  LeaderWorkerSet: ['apis/leaderworkerset.x-k8s.io/v1/leaderworkersets', true],
};

function pathOf({ kind, metadata }: Manifest): string {
  const [path, isNamespaced] = PATHS[kind] ?? [];
  if (path === undefined) throw new Error(`no path for ${kind}`);
  const cut = path.lastIndexOf('/');
  return isNamespaced === true
    ? `/${path.slice(0, cut)}/namespaces/${metadata.namespace ?? 'default'}${path.slice(cut)}`
    : `/${path}`;
}

function documentsIn(path: string): readonly Manifest[] {
  return parseAllDocuments(readFileSync(path, 'utf8')).flatMap((one) => (one.toJS() as Manifest | null) ?? []);
}

const INSTALL = readdirSync('policies/install', { recursive: true, encoding: 'utf8' })
  .filter((path) => /^(base|shards|overlay|traffic)\/.*\.yaml$/.test(path) && !path.endsWith('kustomization.yaml'))
  .flatMap((path) => documentsIn(`policies/install/${path}`).map((one) => [`${path}: ${one.kind}`, one] as const));

type Fixture = { readonly name: string; readonly says: string; readonly objects: readonly Manifest[] };

function fixtures(kind: 'pass' | 'fail'): readonly Fixture[] {
  const folder = `policies/admission/fixtures/${kind}`;
  return readdirSync(folder).map((name) => {
    const says = /^# Says: (.+)$/m.exec(readFileSync(`${folder}/${name}`, 'utf8'))?.[1] ?? '';
    return { name, says, objects: documentsIn(`${folder}/${name}`) };
  });
}

/** Listed, or of a kind that this cluster does not have: nothing is there, which is no refusal. */
const isThere = (status: number): boolean => status === 200 || status === 404;

describe.runIf(KUBE_APISERVER !== undefined && ETCD !== undefined && LWS_CRD !== undefined)('a real API server', () => {
  let server: RealApiServer;
  beforeAll(async () => {
    server = await startApiServer({ server: KUBE_APISERVER ?? '', etcd: ETCD ?? '' });
    await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'llm' } });
    for (const [, manifest] of INSTALL) if (manifest.kind === 'Namespace') await create(manifest);
    const [definition] = documentsIn(LWS_CRD ?? '');
    await create(definition!);
    await vi.waitFor(
      async () =>
        expect((await server.ask('GET', '/apis/leaderworkerset.x-k8s.io/v1/leaderworkersets')).status).toBe(200),
      { timeout: 60_000 },
    );
  });
  afterAll(() => server?.stop());

  async function create(manifest: Manifest, query = ''): Promise<void> {
    const { status, body } = await server.ask('POST', `${pathOf(manifest)}?fieldValidation=Strict${query}`, manifest);
    expect(status, `${manifest.kind} ${manifest.metadata.name}: ${body.message ?? ''}`).toBe(201);
  }

  test.each(INSTALL.filter(([, { kind }]) => kind !== 'Namespace'))(
    'is taken by a strict dry run: %s',
    async (_, manifest) => {
      await create(manifest, '&dryRun=All');
    },
  );

  test('who runs tranche may list what a pass reads, and nothing else', async () => {
    const rights = INSTALL.map(([, manifest]) => manifest).filter(({ kind }) => /Role|ServiceAccount/.test(kind));
    for (const manifest of rights) await create(manifest);
    const token = await tokenOf('tranche');
    for (const { group, version, plural } of Object.values(resources)) {
      const path = `/${group === '' ? 'api' : `apis/${group}`}/${version}/namespaces/llm/${plural}`;
      // Of a kind that the cluster does not have there is nothing: 404, and no refusal.
      expect((await server.ask('GET', path, undefined, token)).status, path).toSatisfy(isThere);
      expect((await server.ask('POST', path, {}, token)).status, path).toBe(403);
    }
    for (const path of ['secrets', 'configmaps']) {
      expect((await server.ask('GET', `/api/v1/namespaces/llm/${path}`, undefined, token)).status).toBe(403);
    }
  });

  async function tokenOf(name: string): Promise<string> {
    const path = `/api/v1/namespaces/tranche/serviceaccounts/${name}/token`;
    const { body } = await server.ask('POST', path, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {},
    });
    return (body['status'] as { readonly token: string }).token;
  }

  describe('with the admission policy in force', () => {
    beforeAll(async () => {
      for (const file of ['policy', 'binding'])
        for (const manifest of documentsIn(`policies/admission/${file}.yaml`)) await create(manifest);
      // A policy counts once the server has compiled it.
      const [probe] = fixtures('fail').filter(({ objects }) => objects.length === 1);
      await vi.waitFor(async () => expect((await applied(probe!)).status).not.toBe(201), { timeout: 60_000 });
    });

    test('its expressions fit the kind that LWS has', async () => {
      const [policy] = documentsIn('policies/admission/policy.yaml');
      const { body } = await server.ask('GET', `${pathOf(policy!)}/${policy!.metadata.name}`);
      expect((body['status'] as JsonObject | undefined)?.['typeChecking'] ?? {}).toEqual({});
    });

    test.each(fixtures('pass'))('pass: $name', async (fixture) => {
      const { status, body } = await applied(fixture);
      expect([status, body.message]).toEqual([fixture.objects.length === 1 ? 201 : 200, undefined]);
    });

    test.each(fixtures('fail'))('fail: $name', async (fixture) => {
      const { status, body } = await applied(fixture);
      expect(status).toBe(403);
      expect(body.message).toContain(fixture.says);
    });
  });

  /** One document is a creation; two are what was there and what comes. Nothing of it stays. */
  async function applied({ objects }: Fixture): Promise<Answer> {
    const [first, second] = objects;
    if (second === undefined) return await server.ask('POST', `${pathOf(first!)}?dryRun=All`, first);
    const place = `${pathOf(first!)}/${first!.metadata.name}`;
    const there = await server.ask('POST', pathOf(first!), first, BREAK_GLASS);
    expect(there.status, there.body.message).toBe(201);
    const { resourceVersion } = there.body['metadata'] as { readonly resourceVersion: string };
    const answer = await server.ask('PUT', `${place}?dryRun=All`, {
      ...second,
      metadata: { ...second.metadata, resourceVersion },
    });
    expect((await server.ask('DELETE', place)).status).toBe(200);
    return answer;
  }
});
