/** What a shell completes: verbs, options, choices and names; and the scripts that ask for it. */

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runProgram } from '../../src/commands/program.ts';
import { versionText } from '../../src/commands/version.ts';
import { VERSION } from '../../src/options.ts';
import { rolloutText } from '../../src/reconcile/init/steps.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tranche-complete-'));
  execFileSync('git', ['init', '-q', '-b', 'main', folder]);
  const names = [
    ['llm', 'vllm'],
    ['llm', 'chat'],
    ['eu', 'chat'],
  ] as const;
  const texts = names.map(([namespace, name]) =>
    rolloutText({ namespace, name }, { head: ['canary:'], steps: [{ replicas: '100%', pause: undefined }] }),
  );
  writeFileSync(join(folder, 'rollouts.yaml'), texts.join('---\n'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function call(words: readonly string[], at = folder): Promise<{ readonly code: number; readonly out: string }> {
  let out = '';
  const code = await runProgram(words, {
    env: { GIT_CONFIG_NOSYSTEM: '1' },
    folder: at,
    out: (text) => void (out += text),
    err: () => undefined,
    isTerminal: false,
    signal: new AbortController().signal,
  });
  return { code, out };
}

test.each<readonly [typed: string, words: readonly string[]]>([
  ['rec', ['reconcile']],
  ['complete', []],
  ['approve ', ['eu/chat', 'llm/chat', 'vllm']],
  ['approve v', ['vllm']],
  ['approve vllm ', []],
  ['abort --n', ['--namespace', '--now']],
  ['policy e', ['explain']],
  ['policy explain v', ['vllm']],
  ['demo --strategy ', ['blueGreen', 'canary', 'partition']],
  ['schema r', ['rollout', 'rollout-policy', 'route-provider']],
  ['plan ', []],
  ['nope ', []],
])('%j may become %j', async (typed, words) => {
  const { code, out } = await call(['complete', '--', ...typed.split(' ')]);
  expect({ code, found: out.split('\n').filter((word) => word !== '') }).toEqual({
    code: 0,
    found: typed === 'nope ' ? expect.arrayContaining(['plan', 'reconcile']) : words,
  });
});

test('where nothing can be read there are no names, and no error', async () => {
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  expect(await call(['complete', '--', 'approve', '--repo', join(empty, 'x'), ''])).toEqual({ code: 0, out: '' });
});

describe('the scripts', () => {
  test('that of bash fills in what the program says', async () => {
    const { out } = await call(['completion', 'bash']);
    const script = `${out}\ntranche() { printf '%s\\n' "$#" "$@"; }; COMP_WORDS=(tranche approve 'v x'); COMP_CWORD=2; _tranche; printf '<%s>' "\${COMPREPLY[@]}"`;
    expect(execFileSync('bash', ['-c', script], { encoding: 'utf8' })).toBe('<4><complete><--><approve><v x>');
  });

  test.each([
    ['zsh', '#compdef tranche\n'],
    ['fish', 'complete -c tranche -f -a '],
  ])('that of %s asks the program', async (shell, said) => {
    const { code, out } = await call(['completion', shell]);
    expect(code).toBe(0);
    expect(out).toContain(said);
    expect(out).toContain('tranche complete -- ');
  });

  // The shell itself, where it is installed; .ci/real installs both. Its editor is replaced, its own `complete` is asked.
  test.each([
    [
      'zsh',
      ['-f', '-c'],
      `tranche() { [[ "$*" = 'complete -- approve v' ]] && print -l vllm vllm-b; }; compdef() { print -r -- "$*"; }
compadd() { print -rl -- "\${(@P)2}"; }; SCRIPT; words=(tranche approve v); CURRENT=3; _tranche`,
      '_tranche tranche\nvllm\nvllm-b\n',
    ],
    [
      'fish',
      ['--no-config', '-c'],
      `function tranche; test "$argv" = 'complete -- approve v'; and printf '%s\\n' vllm vllm-b; end; SCRIPT; complete -C 'tranche approve v'`,
      'vllm\nvllm-b\n',
    ],
  ])('a real %s fills in what the program says', async (shell, flags, line, wanted) => {
    if (spawnSync(shell, ['--version']).error !== undefined) return;
    const { out } = await call(['completion', shell]);
    const { stdout, stderr } = spawnSync(shell, [...flags, line.replace('SCRIPT; ', () => `\n${out}\n`)], {
      encoding: 'utf8',
      env: { ...process.env, HOME: folder },
    });
    expect({ stdout, stderr }).toEqual({ stdout: wanted, stderr: '' });
  });

  test('there is none for another shell', async () => {
    expect((await call(['completion', 'tcsh'])).code).toBe(2);
  });
});

test('the version names the commit and the bytes of a bundle, and sources have neither', async () => {
  expect(await versionText()).toBe(VERSION);
  const dist = join(folder, 'dist');
  mkdirSync(dist);
  writeFileSync(join(dist, 'tranche.js'), 'a');
  writeFileSync(join(dist, 'package.json'), '{}');
  const first = await versionText(dist);
  expect(first).toMatch(/^[0-9.]+ \(build [0-9a-f]{12}\)$/);
  writeFileSync(join(dist, 'tranche.js'), 'b');
  writeFileSync(join(dist, 'package.json'), JSON.stringify({ commit: 'c'.repeat(40) }));
  expect(await versionText(dist)).toMatch(/ \(commit c{12}, build [0-9a-f]{12}\)$/);
  expect((await versionText(dist)).slice(-13)).not.toBe(first.slice(-13));
});
