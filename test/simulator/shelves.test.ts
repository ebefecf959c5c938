/** Places of objects in the model: what is listed in which order, and what copies share. */

import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/simulator/objects/objects.ts';
import { ObjectShelves } from '../../src/simulator/objects/shelves.ts';

function object(place: string, turn = 1): KubeObject {
  const [namespace = '', name = ''] = place.split('/');
  const metadata = { namespace, name, uid: place, resourceVersion: String(turn), creationTimestamp: '' };
  return { apiVersion: 'v1', kind: 'Pod', metadata };
}

function filled(...places: readonly string[]): ObjectShelves {
  const shelves = new ObjectShelves();
  for (const place of places) shelves.set('pods', object(place));
  return shelves;
}

const placesOf = (objects: Iterable<KubeObject>): readonly string[] => [...objects].map(({ metadata }) => metadata.uid);

test('a list of all namespaces is ordered as an API server orders it: by the whole key', () => {
  const shelves = filled('team/b', 'team-a/x', 'team/a', 'a/z');
  expect(placesOf(shelves.list('pods'))).toEqual(['a/z', 'team-a/x', 'team/a', 'team/b']);
  expect(placesOf(shelves.list('pods', 'team'))).toEqual(['team/a', 'team/b']);
  expect(placesOf(shelves.unordered('pods', 'team'))).toEqual(['team/b', 'team/a']);
  expect(placesOf(shelves.unordered('pods')).toSorted()).toEqual(['a/z', 'team-a/x', 'team/a', 'team/b']);
});

test('what is in no place is no error', () => {
  const shelves = filled('a/x');
  expect(shelves.list('services')).toEqual([]);
  expect(shelves.list('pods', 'b')).toEqual([]);
  expect(placesOf(shelves.unordered('services', 'b'))).toEqual([]);
  expect(shelves.get({ resource: 'pods', namespace: 'b', name: 'x' })).toBeUndefined();
  shelves.delete('pods', { ...object('b/x').metadata });
  expect(placesOf(shelves.list('pods'))).toEqual(['a/x']);
});

test('neither of two copies sees what becomes of the other, whichever changes first', () => {
  const first = filled('a/x', 'b/x');
  const second = first.copy();
  second.set('pods', object('a/y'));
  first.delete('pods', object('b/x').metadata);
  first.set('pods', object('a/x', 2));
  const third = first.copy();
  third.set('services', object('a/s'));
  third.delete('pods', object('a/x').metadata);
  first.set('pods', object('c/x'));
  expect(placesOf(second.list('pods'))).toEqual(['a/x', 'a/y', 'b/x']);
  expect(second.get({ resource: 'pods', namespace: 'a', name: 'x' })?.metadata.resourceVersion).toBe('1');
  expect(placesOf(first.list('pods'))).toEqual(['a/x', 'c/x']);
  expect(first.resources()).toEqual(['pods']);
  expect(placesOf(third.list('pods'))).toEqual([]);
  expect(third.resources()).toEqual(['pods', 'services']);
});
