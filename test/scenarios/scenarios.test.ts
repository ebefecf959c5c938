/** Plays every story below fixtures/scenarios and compares its transcript byte for byte; UPDATE_GOLDEN=1 writes it anew. */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { playStory } from '../support/story/play.ts';

const root = new URL('../../fixtures/scenarios/', import.meta.url).pathname;
const names = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)
  .sort();

function filesBelow(folder: string, prefix = ''): Record<string, string> {
  const files: Record<string, string> = {};
  for (const entry of readdirSync(join(folder, prefix), { withFileTypes: true })) {
    const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
    if (entry.isDirectory()) Object.assign(files, filesBelow(folder, path));
    else files[path] = readFileSync(join(folder, path), 'utf8');
  }
  return files;
}

test.each(names)('%s', async (name) => {
  const folder = join(root, name);
  const story = readFileSync(join(folder, 'story.txt'), 'utf8');
  const transcript = await playStory(story, filesBelow(join(folder, 'repository')));
  const golden = join(folder, 'transcript.txt');
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(golden, transcript);
  expect(existsSync(golden), `${golden} is missing: run with UPDATE_GOLDEN=1`).toBe(true);
  expect(transcript).toBe(readFileSync(golden, 'utf8'));
});
