/** Plays every story below fixtures/scenarios and compares its transcript byte for byte; UPDATE_GOLDEN=1 writes it again. */

import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkedWay, playStory, sharedOf } from '../support/story/play.ts';
import type { Rehearsed } from '../support/story/rehearse.ts';

/** The folder of all stories. */
export const root = new URL('../../fixtures/scenarios/', import.meta.url).pathname;
/** The folder in it of what stories share. */
export const COMMON = 'common';

/** The names of the folders right below a folder. */
export function foldersIn(folder: string): readonly string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
}

/** Every story. */
export const names = foldersIn(root).filter((name) => name !== COMMON);

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

/** The lines of a story. */
export function storyOf(name: string): string {
  return readFileSync(join(root, name, 'story.txt'), 'utf8');
}

/** The files of one part of what stories share. */
export function commonFiles(part: string): Record<string, string> {
  return filesBelow(join(root, COMMON, part));
}

/** The files that a story brings itself. */
export function ownFiles(name: string): Record<string, string> {
  return filesBelow(join(root, name, 'repository'));
}

type Share = { readonly first: number; readonly of: number };

/** The share of one test file, or of those that `STORIES` names every `of`th story from `first` on. */
export function checkStories(share: Share): void {
  const given = process.env['STORIES'];
  if (given === undefined) {
    const rehearsed: Rehearsed = new Map();
    test.each(shareOf(share))('%s', (name) => check(name, rehearsed));
  } else {
    const mine = storiesIn(given).filter((_, at) => at % share.of === share.first);
    describe.skipIf(mine.length === 0)(given, () => test.each(mine)('%s', play));
  }
}

/** Stories that start alike are in one share, which rehearses that start once; the shares are as long as each other. */
function shareOf({ first, of }: Share): readonly string[] {
  const alike = new Map<string, string[]>();
  for (const name of names) {
    const start = startOf(name);
    alike.set(start, [...(alike.get(start) ?? []), name]);
  }
  const lengths = new Map(
    [...alike].map(([start, some]) => [start, some.reduce((sum, name) => sum + lengthOf(name), 0)]),
  );
  const shares = Array.from({ length: of }, () => ({ names: [] as string[], length: 0 }));
  for (const [start, length] of [...lengths].sort((left, right) => right[1] - left[1])) {
    const shortest = shares.reduce((least, share) => (share.length < least.length ? share : least));
    shortest.names.push(...(alike.get(start) ?? []));
    shortest.length += length;
  }
  return [...(shares[first]?.names ?? [])].sort();
}

/** What a story has before its first sentence. */
function startOf(name: string): string {
  const given = storyOf(name)
    .split('\n')
    .filter((line) => /^(In Git|Given LWS)/.test(line));
  return JSON.stringify([given, ownFiles(name)]);
}

/** About what a story costs: passes are lines of its transcript. */
function lengthOf(name: string): number {
  const golden = join(root, name, 'transcript.txt');
  return existsSync(golden) ? statSync(golden).size : 0;
}

/** What a story starts with that does not say it. */
const UNSAID = ['vllm', 'approval-each'];

/** A file, or all that end in .txt in a folder. Throws where there is none. */
function storiesIn(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [path];
  const found = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?<!transcript)\.txt$/.test(name),
  );
  if (found.length === 0) throw new Error(`${path} has no story`);
  return found.sort().map((name) => join(path, name));
}

/** Plays a story from anywhere, and writes what came of it: into the folder that `TRANSCRIPTS` names, else to the screen. */
async function play(path: string): Promise<void> {
  const story = readFileSync(path, 'utf8');
  const shared = sharedOf(story);
  const files = Object.assign({}, ...(shared.length === 0 ? UNSAID : shared).map(commonFiles));
  const folder = process.env['TRANSCRIPTS'];
  const write = (transcript: string): void => {
    if (folder === undefined) process.stdout.write(`${path}\n${transcript}\n`);
    else writeFileSync(join(folder, `${basename(path, '.txt')}.transcript.txt`), transcript);
  };
  try {
    write(await playStory(story, files, commonFiles, checkedWay(new Map())));
  } catch (error) {
    if (error instanceof Error) write(error.message);
    throw error;
  }
}

async function check(name: string, rehearsed: Rehearsed): Promise<void> {
  const folder = join(root, name);
  const story = storyOf(name);
  const files = Object.assign({}, ...sharedOf(story).map(commonFiles), ownFiles(name));
  const transcript = await playStory(story, files, commonFiles, checkedWay(rehearsed));
  // A name of people starts no sentence with a capital.
  expect(transcript).not.toMatch(/\bVllm\b/);
  const golden = join(folder, 'transcript.txt');
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(golden, transcript);
  expect(existsSync(golden), `${golden} is missing: run with UPDATE_GOLDEN=1`).toBe(true);
  expect(transcript).toBe(readFileSync(golden, 'utf8'));
}
