/** Plays every story below fixtures/scenarios and compares its transcript byte for byte; UPDATE_GOLDEN=1 writes it anew. */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { playStory, sharedOf } from '../support/story/play.ts';

const root = new URL('../../fixtures/scenarios/', import.meta.url).pathname;
const COMMON = 'common';

function foldersIn(folder: string): readonly string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
}

const names = foldersIn(root).filter((name) => name !== COMMON);

function filesBelow(folder: string, prefix = ''): Record<string, string> {
  const files: Record<string, string> = {};
  if (!existsSync(join(folder, prefix))) return files;
  for (const entry of readdirSync(join(folder, prefix), { withFileTypes: true })) {
    const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
    if (entry.isDirectory()) Object.assign(files, filesBelow(folder, path));
    else files[path] = readFileSync(join(folder, path), 'utf8');
  }
  return files;
}

function storyOf(name: string): string {
  return readFileSync(join(root, name, 'story.txt'), 'utf8');
}

function commonFiles(part: string): Record<string, string> {
  return filesBelow(join(root, COMMON, part));
}

function ownFiles(name: string): Record<string, string> {
  return filesBelow(join(root, name, 'repository'));
}

test.each(names)('%s', async (name) => {
  const folder = join(root, name);
  const story = storyOf(name);
  const files = Object.assign({}, ...sharedOf(story).map(commonFiles), ownFiles(name));
  const transcript = await playStory(story, files);
  const golden = join(folder, 'transcript.txt');
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(golden, transcript);
  expect(existsSync(golden), `${golden} is missing: run with UPDATE_GOLDEN=1`).toBe(true);
  expect(transcript).toBe(readFileSync(golden, 'utf8'));
});

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
