/** Tells clients what is served: groups, versions, resources, and the little of OpenAPI that kubectl insists on. */

import type { JsonObject } from '../../api/json.ts';
import { apiVersionOf, type ResourceKind } from '../../simulator/objects/resource-table.ts';
import { ok, pageNotFound, type Reply } from './reply.ts';
import { isNamespaced, subresourcesOf } from './route.ts';

const objectVerbs = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];
const shortNames: Readonly<Record<string, readonly string[]>> = {
  leaderworkersets: ['lws'],
  statefulsets: ['sts'],
  deployments: ['deploy'],
  pods: ['po'],
  services: ['svc'],
  configmaps: ['cm'],
  namespaces: ['ns'],
  serviceaccounts: ['sa'],
  networkpolicies: ['netpol'],
  horizontalpodautoscalers: ['hpa'],
  scaledobjects: ['so'],
};

/** The answer to a discovery path; undefined for every other path. */
export function discovery(path: string, kinds: readonly ResourceKind[]): Reply | undefined {
  if (path === '/version') return ok({ major: '1', minor: '36', gitVersion: 'v1.36.3', platform: 'linux/amd64' });
  if (['/healthz', '/livez', '/readyz'].includes(path)) return { status: 200, body: 'ok' };
  if (path === '/api') return ok({ kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] });
  if (path === '/apis') return ok({ kind: 'APIGroupList', apiVersion: 'v1', groups: groups(kinds) });
  if (path === '/openapi/v3') return ok({ paths: openApiPaths(kinds) });
  if (path.startsWith('/openapi/')) return openApi(path, kinds);
  const [root, first, second, ...rest] = path.split('/').slice(1);
  if (rest.length > 0) return undefined;
  if (root === 'api' && second === undefined) return resourceList(kinds, { group: '', version: first ?? '' });
  if (root !== 'apis' || first === undefined) return undefined;
  if (second !== undefined) return resourceList(kinds, { group: first, version: second });
  const group = groups(kinds).find(({ name }) => name === first);
  return group === undefined ? pageNotFound : ok({ kind: 'APIGroup', apiVersion: 'v1', ...group });
}

function groups(kinds: readonly ResourceKind[]): readonly JsonObject[] {
  const names = [...new Set(kinds.map(({ group }) => group))].filter((group) => group !== '');
  return names.map((name) => {
    const versions = [...new Set(kinds.filter(({ group }) => group === name).map(({ version }) => version))].map(
      (version) => ({ groupVersion: `${name}/${version}`, version }),
    );
    return { name, versions, preferredVersion: versions[0] ?? {} };
  });
}

function resourceList(
  kinds: readonly ResourceKind[],
  { group, version }: { readonly group: string; readonly version: string },
): Reply {
  const served = kinds.filter((kind) => kind.group === group && kind.version === version);
  if (served.length === 0) return pageNotFound;
  const groupVersion = apiVersionOf({ group, version });
  return ok({ kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: served.flatMap(resources) });
}

function resources(kind: ResourceKind): readonly JsonObject[] {
  const base = { name: kind.plural, namespaced: isNamespaced(kind), kind: kind.kind };
  const names = shortNames[kind.plural];
  return [
    {
      ...base,
      singularName: kind.kind.toLowerCase(),
      verbs: objectVerbs,
      ...(names === undefined ? {} : { shortNames: names }),
    },
    ...subresourcesOf(kind).map((name) => ({
      ...base,
      name: `${kind.plural}/${name}`,
      singularName: '',
      verbs: ['get', 'patch', 'update'],
      ...(name === 'scale' ? { group: 'autoscaling', version: 'v1', kind: 'Scale' } : {}),
    })),
  ];
}

/** `api/v1` or `apis/group/version`, with the address of its document. */
function openApiPaths(kinds: readonly ResourceKind[]): JsonObject {
  const paths = kinds.map((kind) => `${kind.group === '' ? 'api' : 'apis'}/${apiVersionOf(kind)}`);
  return Object.fromEntries(paths.map((path) => [path, { serverRelativeURL: `/openapi/v3/${path}?hash=1` }]));
}

/**
 * No schemas, but for each kind a PATCH with the parameter fieldValidation: kubectl looks for it to learn that the
 * server validates, and would download all schemas to do it itself otherwise.
 */
function openApi(path: string, kinds: readonly ResourceKind[]): Reply {
  const served = kinds.filter(
    (kind) => path === `/openapi/v3/${kind.group === '' ? 'api' : 'apis'}/${apiVersionOf(kind)}`,
  );
  if (served.length === 0) return pageNotFound;
  const operations = served.map((kind): [string, JsonObject] => {
    const scope = isNamespaced(kind) ? '/namespaces/{namespace}' : '';
    const patch = {
      'x-kubernetes-action': 'patch',
      'x-kubernetes-group-version-kind': { group: kind.group, kind: kind.kind, version: kind.version },
      parameters: [{ name: 'fieldValidation', in: 'query', schema: { type: 'string', uniqueItems: true } }],
      responses: { '200': { description: 'OK' } },
    };
    return [`${path.replace('/openapi/v3', '')}${scope}/${kind.plural}/{name}`, { patch }];
  });
  return ok({
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'v1.36.3' },
    paths: Object.fromEntries(operations),
    components: { schemas: {} },
  });
}
