/** The files of a workload whose deliveries fill a second one: its Service, its route, and what we write in them. */

import { parse } from 'yaml';
import { isJsonObject, type Json, type JsonObject } from '../../src/api/json.ts';
import { Remembered } from './remembered/remembered.ts';
import type { WorkloadSetup } from './setup.ts';

type Named = Pick<WorkloadSetup, 'name' | 'fills' | 'shares'>;

export function routeFile(name: string): string {
  return `apps/${name}/route.yaml`;
}

export function serviceFile(name: string): string {
  return `apps/${name}/service.yaml`;
}

/** The name of the workload that a delivery fills first; undefined: none is. */
export function secondName({ name, fills }: Named): string | undefined {
  return fills === undefined ? undefined : `${name}-${fills.style === 'canary' ? 'canary' : 'green'}`;
}

/** The same as a workload of its own; it is made by us. */
export function secondOf(workload: WorkloadSetup): WorkloadSetup | undefined {
  const name = secondName(workload);
  return name === undefined ? undefined : { ...workload, name };
}

/** The Services of both sides, as the route names them. */
export function serviceNames({ name }: Pick<Named, 'name'>): { readonly stable: string; readonly canary: string } {
  return { stable: `${name}-svc`, canary: `${name}-svc-canary` };
}

/** Whether a delivery has two sides: a second workload, or two versions that share the requests of one. */
export function hasSides({ fills, shares }: Named): boolean {
  return fills !== undefined || shares !== undefined;
}

/** What is there beside the workload. */
export function routedFiles(workload: WorkloadSetup): Readonly<Record<string, string>> {
  if (workload.fills?.routed !== true && workload.shares === undefined) return {};
  return {
    [serviceFile(workload.name)]: serviceText(workload),
    [routeFile(workload.name)]: routeText(workload),
  };
}

/** The lines of a strategy above its steps. */
export function routingLines({ name, fills, shares }: Named): readonly string[] {
  if (fills === undefined && shares === undefined) return [];
  const { style, routed, graceSeconds } = fills ?? { style: 'partition', routed: true, ...shares };
  return [
    ...(style === 'canary' ? ['      enableExtraWorkloadForCanary: true'] : []),
    ...(routed ? ['      trafficRoutings:', `        - service: ${serviceNames({ name }).stable}`] : []),
    ...(routed ? [`          gateway: {httpRouteName: ${name}-chat}`] : []),
    ...(routed && graceSeconds !== undefined ? [`          gracePeriodSeconds: ${graceSeconds}`] : []),
  ];
}

function serviceText({ name }: Named): string {
  return [
    `# Requests of ${name}.`,
    'apiVersion: v1',
    'kind: Service',
    'metadata:',
    `  name: ${serviceNames({ name }).stable}`,
    '  namespace: llm',
    'spec:',
    '  selector:',
    `    leaderworkerset.sigs.k8s.io/name: ${name}`,
    '    leaderworkerset.sigs.k8s.io/worker-index: "0"',
    '  ports:',
    '    - port: 80',
    '      targetPort: 8080',
    '',
  ].join('\n');
}

function routeText({ name, fills, shares }: Named): string {
  const { requestSeconds } = fills ?? shares ?? {};
  return [
    'apiVersion: gateway.networking.k8s.io/v1',
    'kind: HTTPRoute',
    'metadata:',
    `  name: ${name}-chat`,
    '  namespace: llm',
    'spec:',
    '  parentRefs: [{name: inference}]',
    '  rules:',
    '    - matches:',
    '        - path: {type: PathPrefix, value: /v1}',
    ...(requestSeconds === undefined ? [] : [`      timeouts: {request: ${requestSeconds}s}`]),
    '      backendRefs:',
    `        - name: ${serviceNames({ name }).stable} # the fleet`,
    '          port: 80',
    '',
  ].join('\n');
}

/** What a route sends where: a rule is a list of weights by the name of the Service. */
export type Rules = readonly (readonly { readonly service: string; readonly weight: number }[])[];

/** The rules of a route. */
export function rulesOf(route: JsonObject): Rules {
  const spec = isJsonObject(route['spec']) ? route['spec'] : {};
  return objectsIn(spec['rules']).map((rule) =>
    objectsIn(rule['backendRefs']).map(({ name, weight }) => ({
      service: typeof name === 'string' ? name : '',
      weight: typeof weight === 'number' ? weight : 1,
    })),
  );
}

/** The largest part of a rule that goes to one Service, in per cent. */
export function shareIn(rules: Rules, service: string): number {
  const parts = rules.map((rule) => {
    const total = rule.reduce((sum, { weight }) => sum + weight, 0);
    const own = rule.filter((one) => one.service === service).reduce((sum, { weight }) => sum + weight, 0);
    return total === 0 ? 0 : (own * 100) / total;
  });
  return Math.max(0, ...parts);
}

const routes = new Remembered<Rules>(600);

/** The rules of a route as a file has them. */
export function rulesIn(text: string): Rules {
  return routes.of(text, () => {
    const value = parse(text) as Json;
    return isJsonObject(value) ? rulesOf(value) : [];
  });
}

/** The workload that a Service selects by the word of its file. */
export function selectedIn(text: string): string | undefined {
  return /leaderworkerset\.sigs\.k8s\.io\/name: "?([^"\s]+)"?/.exec(text)?.[1];
}

function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((one): one is JsonObject => isJsonObject(one)) : [];
}
