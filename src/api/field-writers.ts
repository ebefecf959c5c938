/** Who has written a field of a live object, by what the API server notes of it in managedFields. */

import { at, isRecord } from './json.ts';
import { printableLine } from './printable.ts';
import { type Instant, parseInstant } from './time.ts';

/** The API server keeps fewer; a longer list is cut, because nothing but words depends on it. */
const ENTRIES_MAX = 100;
const WRITERS_MAX = 3;
const NAME_CHARACTERS = 64;

/**
 * The managers that own the field now, newest entry last: those whose value it has. `['spec', 'replicas']` gives
 * `['kube-controller-manager through scale']`. Empty where the object tells nothing.
 */
export function writersOf(object: unknown, path: readonly string[]): readonly string[] {
  const entries = at(object, ['metadata', 'managedFields']);
  if (!Array.isArray(entries)) return [];
  const own = entries.slice(0, ENTRIES_MAX).flatMap((entry: unknown) => {
    const owned = at(entry, ['fieldsV1', ...path.map((key) => `f:${key}`)]) !== undefined;
    return owned && isRecord(entry) && typeof entry['manager'] === 'string' ? [nameOf(entry['manager'], entry)] : [];
  });
  return [...new Set(own)].slice(0, WRITERS_MAX);
}

/**
 * When a field of the object was last changed, but for its status, in seconds: the API server dates an entry again only where it
 * changes something. undefined: the object does not tell.
 */
export function lastWritten(object: unknown): Instant | undefined {
  const entries = at(object, ['metadata', 'managedFields']);
  if (!Array.isArray(entries)) return undefined;
  const times = entries.slice(0, ENTRIES_MAX).flatMap((entry: unknown) => {
    const time = isRecord(entry) && entry['subresource'] !== 'status' ? entry['time'] : undefined;
    const written = typeof time === 'string' ? parseInstant(time) : undefined;
    return written === undefined ? [] : [written];
  });
  return times.length === 0 ? undefined : Math.max(...times);
}

function nameOf(manager: string, entry: Readonly<Record<string, unknown>>): string {
  const name = printableLine(manager).slice(0, NAME_CHARACTERS);
  const { subresource } = entry;
  return subresource === 'scale' || subresource === 'status' ? `${name} through ${subresource}` : name;
}

const FLUX = 'kustomize.toolkit.fluxcd.io';
const ARGO = 'argocd.argoproj.io/tracking-id';

/** The agents that have put their mark on an object, for people. */
export function agentsOf(object: unknown): readonly string[] {
  const flux = mark(at(object, ['metadata', 'labels', `${FLUX}/name`]));
  const namespace = mark(at(object, ['metadata', 'labels', `${FLUX}/namespace`]));
  // `application:group/kind:namespace/name`
  const argo = mark(at(object, ['metadata', 'annotations', ARGO])).split(':')[0] ?? '';
  return [
    ...(flux === '' ? [] : [`the Flux Kustomization ${namespace === '' ? '' : `${namespace}/`}${flux}`]),
    ...(argo === '' ? [] : [`the Argo CD Application ${argo}`]),
  ];
}

/** Owners of one object that are looked at. */
const OWNERS_MOST = 50;

/** The object that owns this one as its controller, by kind and name; undefined: none does. */
export function controllerOf(object: unknown): { readonly kind: string; readonly name: string } | undefined {
  const owners = at(object, ['metadata', 'ownerReferences']);
  if (!Array.isArray(owners)) return undefined;
  const owner = owners.slice(0, OWNERS_MOST).find((one) => at(one, ['controller']) === true);
  if (owner === undefined) return undefined;
  return { kind: mark(at(owner, ['kind'])) || 'another object', name: mark(at(owner, ['name'])) };
}

/** Names of Kubernetes; anything else is somebody's free text and is not shown. */
function mark(value: unknown): string {
  return typeof value === 'string' && /^[A-Za-z0-9]([-A-Za-z0-9_.:/]{0,250})$/.test(value) ? value : '';
}
