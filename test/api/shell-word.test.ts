/** Commands in messages name files that anyone may have named: copied into a shell they do what they say, and nothing else. */

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { shellWord } from '../../src/api/shell-word.ts';
import { brakeLine } from '../../src/reconcile/status/brakes.ts';

test.each([
  ['apps/vllm/lws.yaml', 'apps/vllm/lws.yaml'],
  ['apps/$(id)/lws.yaml', 'apps/$(id)/lws.yaml'],
  ['apps/`id`; rm -rf x', 'apps/`id`; rm -rf x'],
  ['apps/it\'s "$HOME"', 'apps/it\'s "$HOME"'],
  ['~/a*b?c', '~/a*b?c'],
  ['--output=theirs', './--output=theirs'],
])('a shell takes %s for one word', (path, word) => {
  expect(execFileSync('sh', ['-c', `printf '%s\\n' ${shellWord(path)}`], { encoding: 'utf8' })).toBe(`${word}\n`);
});

test('a brake that a file says names it for a shell', () => {
  const brake = { kind: 'stop', file: '$(id).yaml', ends: 'tranche line go' } as const;
  expect(brakeLine({ ...brake, rollout: undefined, note: undefined, until: undefined })).toContain(
    "(git log '$(id).yaml' says who and since when)",
  );
});

const BARE = /\bgit (log|show|add|diff|restore)( -[\w-]*)* \$\{(?!shell|written|commit\}:\$\{(oneLine\()?shell)/;

test('every command with a name in it that a message offers is one', () => {
  const bare = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('demo'))
    .flatMap((file) =>
      readFileSync(join('src', file), 'utf8')
        .split('\n')
        .filter((line) => BARE.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    );
  expect(bare).toEqual([]);
});
