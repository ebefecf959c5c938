/** Reads what a real API server once answered, from fixtures/api-objects. */

import { readdirSync, readFileSync } from 'node:fs';
import { at } from '../../src/api/json.ts';
import { WORKER_INDEX } from '../../src/api/lws-labels.ts';

const folder = new URL('../../fixtures/api-objects/', import.meta.url);

export type RecordedKind = 'lws' | 'statefulsets' | 'pods' | 'controllerrevisions';

export type RecordedError = {
  readonly name: string;
  readonly request: { readonly method: string; readonly path: string; readonly body?: unknown };
  readonly httpStatus: number;
  readonly body: unknown;
};

/** The names of the recorded states, as `mid-canary`. */
export const recordedStates: readonly string[] = readdirSync(folder)
  .filter((name) => name !== 'errors')
  .sort();

/** A list as it came over the wire, with its envelope. */
export function recordedList(state: string, kind: RecordedKind): unknown {
  return JSON.parse(readFileSync(new URL(`${state}/${kind}.json`, folder), 'utf8'));
}

export function recordedItems(state: string, kind: RecordedKind): readonly unknown[] {
  const items = at(recordedList(state, kind), ['items']);
  if (!Array.isArray(items)) throw new Error(`no items in ${state}/${kind}`);
  return items;
}

/** Every refusal that was recorded, with the request that got it. */
export const recordedErrors: readonly RecordedError[] = readdirSync(new URL('errors/', folder))
  .sort()
  .map((file) => ({
    name: file.replace('.json', ''),
    ...(JSON.parse(readFileSync(new URL(`errors/${file}`, folder), 'utf8')) as Omit<RecordedError, 'name'>),
  }));

/** True for the pod that LWS made the leader of its group. */
export function isLeader(pod: unknown): boolean {
  return at(pod, ['metadata', 'labels', WORKER_INDEX]) === '0';
}
