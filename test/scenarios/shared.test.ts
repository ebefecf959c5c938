/** What stories share is in one place: nothing there twice, nothing that no story takes. */

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sharedOf } from '../support/story/play.ts';
import { COMMON, commonFiles, foldersIn, names, ownFiles, root, storyOf } from './check-stories.ts';

describe('what stories share', () => {
  test('is in common, and all of that is taken', () => {
    const taken = new Set(names.flatMap((name) => sharedOf(storyOf(name))));
    expect([...taken].sort()).toEqual(foldersIn(join(root, COMMON)));
  });
  test('is there once: a second copy belongs into common', () => {
    const sets = [
      ...foldersIn(join(root, COMMON)).map((part) => [`${COMMON}/${part}`, commonFiles(part)] as const),
      ...names.map((name) => [name, ownFiles(name)] as const),
    ];
    const places = new Map<string, string>();
    const copies = sets.flatMap(([place, files]) =>
      Object.entries(files).flatMap(([path, text]) => {
        const key = `${path}\n${text}`;
        const first = places.get(key) ?? place;
        places.set(key, first);
        return first === place ? [] : [`${place} has ${path} of ${first}`];
      }),
    );
    expect(copies).toEqual([]);
  });
});
