/** The files of a workload whose deliveries fill a second one: its Service, its route, and what we write in them. */

import { parseAllDocuments } from 'yaml';
import { isJsonObject, type Json } from '../../src/api/json.ts';
import { directTo, type Rules, rulesOf, shareIn } from './client-routes.ts';
import { Remembered } from './remembered/remembered.ts';
import { type RouteName, routeNames, routesText, routeTexts } from './route-texts.ts';
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

/** Kinds of the routes before the Service; none: clients ask the Service itself, or nobody asks. */
export function kindsOf({ fills, shares }: Omit<Named, 'name'>): readonly RouteName[] {
  if (fills?.routed !== true && shares === undefined) return [];
  return (fills ?? shares)?.kinds ?? ['HTTPRoute'];
}

/** Whether a Service is there that clients ask, by a route or without one. */
export function isAsked({ fills, shares }: Omit<Named, 'name'>): boolean {
  return fills?.routed === true || shares !== undefined;
}

/** How long the routes let a request take; undefined: one of them at least does not say. */
export function requestSecondsOf(workload: Omit<Named, 'name'>): number | undefined {
  const kinds = kindsOf(workload);
  const { requestSeconds } = workload.fills ?? workload.shares ?? {};
  return kinds.length > 0 && kinds.every((kind) => routeTexts[kind].timed) ? requestSeconds : undefined;
}

/** What is there next to the workload. */
export function routedFiles(workload: WorkloadSetup): Readonly<Record<string, string>> {
  if (!isAsked(workload)) return {};
  const { requestSeconds } = workload.fills ?? workload.shares ?? {};
  const [kinds, service] = [kindsOf(workload), serviceNames(workload).stable];
  const routes = routesText(kinds, { name: routeName(workload.name), service, requestSeconds });
  return {
    [serviceFile(workload.name)]: serviceText(workload),
    ...(kinds.length === 0 ? {} : { [routeFile(workload.name)]: routes }),
  };
}

/** What the routes send to as well: Contour takes up no part of a proxy of which one Service is not there. */
export function neighbours(workload: WorkloadSetup): Readonly<Record<string, string>> {
  if (!isAsked(workload) || !kindsOf(workload).includes('HTTPProxy')) return {};
  const lines = [
    'apiVersion: v1',
    'kind: Service',
    'metadata:',
    '  name: docs',
    '  namespace: llm',
    'spec:',
    '  ports:',
  ];
  return { 'apps/docs/service.yaml': [...lines, '    - port: 80', ''].join('\n') };
}

/** Of every kind. */
export function routeName(name: string): string {
  return `${name}-chat`;
}

/** The lines of a strategy above its steps. */
export function routingLines(workload: Named): readonly string[] {
  const { name, fills, shares } = workload;
  if (fills === undefined && shares === undefined) return [];
  const { style, routed, graceSeconds } = fills ?? { style: 'partition', routed: true, ...shares };
  const names = routeNames(kindsOf(workload), routeName(name));
  return [
    ...(style === 'canary' ? ['      enableExtraWorkloadForCanary: true'] : []),
    ...(routed ? ['      trafficRoutings:', `        - service: ${serviceNames({ name }).stable}`] : []),
    ...(routed ? names.map((line) => `          ${line}`) : []),
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

const routes = new Remembered<Rules>(600);

/** Where clients are sent by the files of a workload, as one of them has its routes. */
export function rulesIn(text: string | undefined, workload: Named): Rules {
  if (kindsOf(workload).length === 0) return isAsked(workload) ? directTo(serviceNames(workload).stable) : [];
  return routes.of(text ?? '', () => rulesOf(documentsIn(text ?? '')));
}

/** Of a hundred requests, those that the files send to the new version. */
export function shareSaid(text: string | undefined, workload: Named): number {
  return shareIn(rulesIn(text, workload), serviceNames(workload).canary);
}

function documentsIn(text: string) {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as Json)
    .filter((value) => isJsonObject(value));
}

/** The documents of a file that people wrote, without those that we made. */
export function ownDocuments(text: string): string {
  return text
    .split(/^---\n/m)
    .filter((one) => !/^ +tranche\.dev\/made-for: /m.test(one))
    .join('---\n');
}

/** The workload that a Service selects by the word of its file. */
export function selectedIn(text: string): string | undefined {
  return /leaderworkerset\.sigs\.k8s\.io\/name: "?([^"\s]+)"?/.exec(text)?.[1];
}
