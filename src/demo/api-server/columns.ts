/** The columns that `kubectl get` prints for each kind, and what stands in them. */

import { at, isJsonObject, type Json, type JsonObject } from '../../api/json.ts';
import type { KubeObject } from '../../simulator/objects/objects.ts';

type Column = {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly cell: (object: KubeObject, nowSeconds: number) => Json;
  /** Shown by `-o wide` only. */
  readonly wide?: true;
};

const name: Column = { name: 'Name', type: 'string', cell: ({ metadata }) => metadata.name };
const age: Column = {
  name: 'Age',
  type: 'date',
  cell: ({ metadata }, now) => shortDuration(now - Date.parse(metadata.creationTimestamp) / 1000),
};

const byKind: Readonly<Record<string, readonly Column[]>> = {
  // The printer columns of the CRD of LWS 0.10.
  LeaderWorkerSet: [
    number('Ready', ['status', 'readyReplicas']),
    number('Desired', ['spec', 'replicas']),
    number('Up-to-date', ['status', 'updatedReplicas']),
  ],
  StatefulSet: [
    text('Ready', (object) => `${count(object, ['status', 'readyReplicas'])}/${count(object, ['spec', 'replicas'])}`),
  ],
  Pod: [
    text('Ready', readyContainers),
    text('Status', podStatus),
    number('Restarts', ['status', 'containerStatuses', '0', 'restartCount']),
  ],
  ControllerRevision: [
    text('Controller', (object) => {
      const owner = object.metadata.ownerReferences?.find(({ controller }) => controller);
      const group = owner?.apiVersion.includes('/') === true ? `.${owner.apiVersion.split('/')[0]}` : '';
      return owner === undefined ? '<none>' : `${owner.kind.toLowerCase()}${group}/${owner.name}`;
    }),
    number('Revision', ['revision']),
  ],
  Service: [
    text('Type', (object) => string(object, ['spec', 'type'], 'ClusterIP')),
    text('Cluster-IP', (object) => string(object, ['spec', 'clusterIP'], 'None')),
  ],
  // The printer columns of Argo CD's and Flux's own CRDs.
  Application: [
    text('Sync Status', (object) => string(object, ['status', 'sync', 'status'], '')),
    text('Health Status', (object) => string(object, ['status', 'health', 'status'], '')),
  ],
  Kustomization: readyColumns(),
  GitRepository: readyColumns(),
};

const wideByKind: Readonly<Record<string, readonly Column[]>> = {
  StatefulSet: [
    wide('Containers', (object) => templateTexts(object, 'name')),
    wide('Images', (object) => templateTexts(object, 'image')),
  ],
  Pod: [
    wide('IP', (object) => string(object, ['status', 'podIP'], '<none>')),
    wide('Node', (object) => string(object, ['spec', 'nodeName'], '<none>')),
    wide('Nominated Node', (object) => string(object, ['status', 'nominatedNodeName'], '<none>')),
    wide('Readiness Gates', () => '<none>'),
  ],
};

/** Name, what the kind adds, age; then what only `-o wide` shows. */
export function columnsOf(kind: string): readonly Column[] {
  return [name, ...(byKind[kind] ?? []), age, ...(wideByKind[kind] ?? [])];
}

function wide(title: string, cell: (object: KubeObject) => string): Column {
  return { name: title, type: 'string', cell, wide: true };
}

function templateTexts(object: KubeObject, key: string): string {
  const found = at(object, ['spec', 'template', 'spec', 'containers']);
  const list: readonly unknown[] = Array.isArray(found) ? found : [];
  return list.map((container) => textAt(container, key)).join(',');
}

function textAt(object: unknown, key: string): string {
  const value = at(object, [key]);
  return typeof value === 'string' ? value : '';
}

function readyColumns(): readonly Column[] {
  const ready = (object: KubeObject, key: string): string => {
    const list = at(object, ['status', 'conditions']);
    const found: readonly unknown[] = Array.isArray(list) ? list : [];
    const condition = found.find((one) => at(one, ['type']) === 'Ready');
    return textAt(condition, key);
  };
  return [text('Ready', (object) => ready(object, 'status')), text('Status', (object) => ready(object, 'message'))];
}

function number(title: string, path: readonly string[]): Column {
  return { name: title, type: 'integer', cell: (object) => count(object, path) };
}

function text(title: string, cell: (object: KubeObject) => string): Column {
  return { name: title, type: 'string', cell };
}

function count(object: KubeObject, path: readonly string[]): number {
  const value = at(object, path);
  return typeof value === 'number' ? value : 0;
}

function string(object: KubeObject, path: readonly string[], otherwise: string): string {
  const value = at(object, path);
  return typeof value === 'string' ? value : otherwise;
}

function containers(object: KubeObject): readonly JsonObject[] {
  const statuses = isJsonObject(object['status']) ? object['status']['containerStatuses'] : undefined;
  return Array.isArray(statuses) ? statuses.filter(isJsonObject) : [];
}

function readyContainers(object: KubeObject): string {
  const spec = at(object, ['spec', 'containers']);
  const all = Array.isArray(spec) ? spec.length : containers(object).length;
  return `${containers(object).filter(({ ready }) => ready === true).length}/${all}`;
}

function podStatus(object: KubeObject): string {
  if (object.metadata.deletionTimestamp !== undefined) return 'Terminating';
  const waiting = containers(object)
    .map((status) => at(status, ['state', 'waiting', 'reason']))
    .find((reason) => typeof reason === 'string');
  return typeof waiting === 'string' ? waiting : string(object, ['status', 'phase'], 'Unknown');
}

/** As kubectl writes ages: `45s`, `7m30s`, `3h12m`, `2d5h`, `40d`. */
export function shortDuration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const [minutes, hours, days] = [Math.floor(whole / 60), Math.floor(whole / 3600), Math.floor(whole / 86_400)];
  const two = (large: number, unit: string, small: number, part: string): string =>
    small === 0 ? `${large}${unit}` : `${large}${unit}${small}${part}`;
  if (whole < 120) return `${whole}s`;
  if (minutes < 10) return two(minutes, 'm', whole % 60, 's');
  if (hours < 3) return `${minutes}m`;
  if (hours < 8) return two(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  return days < 8 ? two(days, 'd', hours % 24, 'h') : `${days}d`;
}
