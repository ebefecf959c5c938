/** The schemas that are published for kinds of routes, by API group. Loaded only by tests that name this file. */

import type { JsonObject } from '../../src/api/json.ts';

/** A class for each kind in a module for each version. */
const PACKAGES: Readonly<Record<string, string>> = {
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
  'networking.istio.io': '@kubernetes-models/istio',
  'traefik.io': '@kubernetes-models/traefik',
  'projectcontour.io': '@kubernetes-models/contour',
  'networking.k8s.io': 'kubernetes-models',
  'rbac.authorization.k8s.io': 'kubernetes-models',
  apps: 'kubernetes-models',
};

type Model = new (value: JsonObject) => { readonly validate: () => void };

/** The model of a document's kind; undefined: none is published. */
export async function modelOf(document: JsonObject): Promise<Model | undefined> {
  const [apiVersion, kind] = ['apiVersion', 'kind'].map((key) => document[key]);
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return undefined;
  const [group = '', version] = apiVersion.split('/');
  const name = version === undefined ? 'kubernetes-models' : PACKAGES[group];
  if (name === undefined) return undefined;
  const module = (await import(`${name}/${apiVersion}`)) as Record<string, Model>;
  return module[kind];
}
