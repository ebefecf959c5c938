/** Text of repositories, clusters and servers that would like to act: on terminals, CI runners, Markdown, trailers, prototypes. */

import { afterEach, describe, expect, test } from 'vitest';
import { jsonText, printable, printableLine } from '../../src/api/printable.ts';
import { code } from '../../src/reconcile/status/markdown-code.ts';
import { badge, statusPage } from '../../src/reconcile/status/status-page.ts';
import { parseTrailers } from '../../src/rollout/commits/trailers.ts';
import { emptyRecord } from '../support/record.ts';
import { startSite, stopSites } from '../support/site.ts';
import { LWS_FILE, LWS_TEXT, NEW, OLD, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';

afterEach(stopSites);

/** What a terminal or a runner obeys. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const ACTING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u202a-\u202e\u2066-\u206f]|^\s*::[a-z]|##\[|##vso\[/m;

const texts: readonly (readonly [what: string, text: string, shown: string])[] = [
  ['plain text, with a table and signs', 'a\tb ✅ ❎ → ü\n', 'a\tb ✅ ❎ → ü\n'],
  ['colours', '\u001b[31mred\u001b[0m', ' [31mred [0m'],
  ['a title of the window', '\u001b]0;owned\u0007', ' ]0;owned '],
  ['one character for the two of an escape', '\u009b2J', ' 2J'],
  ['a line that is written over', 'bad\rgood', 'bad good'],
  ['words that run backwards', 'a\u202eb\u2066c', 'a b c'],
  ['a mark of direction for Arabic', 'a\u061cb\u206ac', 'a b c'],
  ['a command of GitHub', '::error file=a::b', ':\u200b:error file=a::b'],
  ['the same behind spaces, on a later line', 'a\n \u00a0::stop-commands::x', 'a\n \u00a0:\u200b:stop-commands::x'],
  ['a command that a runner sees anywhere', 'a ##[error]b ##vso[task.x]', 'a ##\u200b[error]b ##\u200bvso[task.x]'],
  ['an address', 'http://[::1]:80 a::b', 'http://[::1]:80 a::b'],
];
test.each(texts)('printable: %s', (_, text, shown) => {
  expect(printable(text)).toBe(shown);
  expect(printable(text)).not.toMatch(ACTING);
  expect(printable(printable(text)), 'once is enough').toBe(shown);
  expect(printableLine(`${text}\n${text}`)).not.toContain('\n');
});

test.each(texts)('JSON keeps the value, and shows nothing that acts: %s', (_, text) => {
  const json = jsonText({ text, '##[key]': [text] });
  expect(JSON.parse(json)).toEqual({ text, '##[key]': [text] });
  expect(printable(json), 'nothing is left to be changed').toBe(json);
  expect(json).not.toMatch(ACTING);
});

test('the status branch shows by its number what nobody sees', () =>
  expect(code('a\u00adb\u200bc\u{e0041}')).toBe("`a'u00adb'u200bc'u{e0041}`"));

const EVIL = '\u001b[2J\n::error::owned\n##[command]owned | `owned` @everyone\nRollout-Step: 3/3';

describe('words of the cluster', () => {
  test('reach someone, and act nowhere: pass, plan, status, status branch, JSON', async () => {
    let on = false;
    const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Forbidden', message: EVIL, code: 403 };
    const site = await startSite({
      api: {
        interfere: (_, target) => (on && target?.kind.plural === 'pods' ? { status: 403, body } : undefined),
      },
    });
    await site.run('reconcile');
    await site.edit(LWS_FILE, OLD, NEW);
    await site.settle();
    on = true;
    const lines = [
      'reconcile',
      'plan',
      'status',
      'status vllm',
      'status vllm --live',
      'plan --output json',
      'status --output json',
    ];
    for (const line of lines) {
      const { out, err } = await site.run(line);
      expect(out, line).toContain('owned');
      expect(`${out}${err}`, line).not.toMatch(ACTING);
    }
    const page = await site.text('README.md', 'tranche-status');
    const row = page.split('\n').find((line) => line.includes('owned')) ?? '';
    expect(row.match(/(?<!\\)\|/g), 'one row of seven cells').toHaveLength(8);
    expect(row).toMatch(/\| `[^`|]*owned[^`|]*` \|$/);
    expect(page).not.toMatch(ACTING);
  });
});

describe('words of the repository', () => {
  test('a diff with escapes and commands in the lines around the edit', async () => {
    const evil = LWS_TEXT.replace('      maxSurge: 0\n', '      maxSurge: 0  # \u202e ##[error]x\n').replace(
      'spec:\n  replicas',
      'spec:\n  # a\n  ::error::: owned\n  replicas',
    );
    const site = await startSite({ files: { ...VLLM_FILES, [LWS_FILE]: evil } });
    for (const line of ['plan', 'lint', 'reconcile', 'plan --output json', 'pause vllm']) {
      const { out, err } = await site.run(line);
      expect(`${out}${err}`, line).not.toMatch(ACTING);
    }
  });

  test('argv itself, and the names of files', async () => {
    const site = await startSite({
      files: { ...VLLM_FILES, 'apps/\u001b[2Jevil.yaml': 'kind: LeaderWorkerSet\na: [' },
    });
    for (const line of [['\u001b[2J'], ['reconcile', '--only', '\u001b[2J'], ['status', '::error::'], ['lint']]) {
      const { out, err } = await site.run(line);
      expect(`${out}${err}`).not.toMatch(ACTING);
    }
  });

  test('keys that name a prototype change nothing', async () => {
    const key = '__proto__: {polluted: true, paused: true}\nconstructor: {prototype: {polluted: true}}\n';
    const site = await startSite({
      files: {
        ...VLLM_FILES,
        'apps/evil/lws.yaml': `${LWS_TEXT.replaceAll('name: vllm', 'name: evil')}${key}`,
        'rollouts/evil.yaml': `${ROLLOUT_TEXT.replaceAll('vllm', 'evil')}${key}`,
      },
    });
    const pass = await site.run('reconcile');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(pass.code).toBe(1);
    expect(pass.out).toContain('rollout(llm/vllm): adopt');
    for (const file of ['apps/evil/lws.yaml', 'rollouts/evil.yaml'])
      expect(pass.out).toMatch(new RegExp(`${file}:[0-9]+: the key __proto__ is never read`));
    for (const text of [key, 'namespaces: {__proto__: llm}\n', 'namespaces: {constructor: llm}\n']) {
      const config = await startSite({ files: { ...VLLM_FILES, 'tranche.yaml': text } });
      const refused = await config.run('reconcile');
      expect(refused.code).toBe(2);
      expect(refused.err).toMatch(/tranche\.yaml:1: the key (__proto__|constructor) is never read/);
    }
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('who orders something cannot add a trailer', async () => {
    const site = await startSite();
    await site.run('reconcile');
    await site.run(['pause', 'vllm', '--by', 'Ada\n\nRollout: default/llm/other\nRollout-Step: 3/3']);
    const message = await site.repository.git('log', '-1', '--format=%B', 'main');
    expect(message).toContain('\nOrdered-By: Ada Rollout: default/llm/other Rollout-Step: 3/3 (claim)\n');
    expect(await site.repository.git('log', '-1', '--format=%(trailers:key=Rollout,valueonly)', 'main')).toBe(
      'default/llm/vllm',
    );
    expect(parseTrailers(message)).toBeUndefined();
  });
});

describe('the pages of the status branch', () => {
  const record = emptyRecord({
    name: 'a|b](https://evil)<img src=x>',
    namespace: '`x`',
    message: EVIL,
    currentStepState: 'StepUpgrade',
  });
  test('every cell keeps to itself', () => {
    const page = statusPage([record]);
    const row = page.split('\n').findLast((line) => line.startsWith('| ')) ?? '';
    expect(row.match(/\|/g)).toHaveLength(8);
    const outside = row.replace(/`[^`]*`/g, '').replace(/\]\([^)]*\)/g, ']');
    expect(outside).toBe('| [] | not adopted |  |  |  |  |  |');
  });
  test('the section of a Rollout has no markup, link or mention but ours', () => {
    const [, section = ''] = statusPage([{ ...record, holds: [{ reason: 'Drift', message: EVIL }] }]).split('### ');
    const outside = section.replace(/`[^`]*`/g, '').replace(/\[the record\]\([^)\s]*\)/g, '');
    expect(outside).not.toMatch(/[<>[\]@|]/);
  });
  test('the badge is one image and no script', () => {
    expect(badge(record)).not.toMatch(/<img|<script/);
    expect(badge(record)).toContain('&lt;img src=x&gt;');
  });
});
