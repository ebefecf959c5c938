/** Names of files that would like to act: in what is printed, in commits and pages, and in what people put back by hand. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { parseTrailers } from '../../src/rollout/commits/trailers.ts';
import { startSite, stopSites } from '../support/site.ts';
import { LWS_TEXT, NEW, OLD, ROLLOUT_TEXT } from '../support/vllm.ts';

afterEach(stopSites);

/** What a terminal or a runner obeys. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const ACTING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|^\s*::[a-z]|##\[|##vso\[/m;

const NAMES = [
  'a\nRollout-Step: 3/3\n\nRollout: default/llm/evil\nx',
  '\n---\nkind: ClusterRoleBinding\nname: evil\n---\n#',
  '\n::error file=x::owned\n::stop-commands::x ##[error]',
  '\u001b[2J\u2028\u202e\t"q" \'s\'\\',
  '-rf $(touch pwned)',
  'x|`y`<img src=x onerror=alert(1)>[a](javascript:alert(1))',
  // One letter in two spellings, and names that other systems take for one.
  '\u00e9',
  'e\u0301',
  'trailing. /F',
  'trailing. /f',
  'git~1/f',
];

const textOf = (name: string): string =>
  `${LWS_TEXT.replace('  name: vllm\n', `  name: ${name}\n`)}---\n${ROLLOUT_TEXT.replaceAll('name: vllm', `name: ${name}`)}`;
const FILES = Object.fromEntries(NAMES.map((name, at) => [`apps/${name}.yaml`, textOf(`odd-${at}`)]));

test('each of them is delivered from its own file, and none acts anywhere', async () => {
  const site = await startSite({ files: FILES });
  const printed: string[] = [];
  const run = async (line: string): Promise<string> => {
    const { out, err } = await site.run(line);
    printed.push(...`${out}\n${err}`.split('\n'));
    return out;
  };
  await run('reconcile');
  const adopted = Object.keys(FILES).map((path) => site.repository.git('cat-file', 'blob', `main:${path}`));
  for (const text of await Promise.all(adopted)) expect(text).toContain('tranche.dev/release');
  const newer = Object.keys(FILES).map(async (path) => {
    const text = await site.repository.git('cat-file', 'blob', `main:${path}`);
    return [path, `${text.replaceAll(OLD, NEW)}\n`] as const;
  });
  await site.repository.commit('main', Object.fromEntries(await Promise.all(newer)), 'newer');
  await site.settle();
  expect(await run('reconcile')).toContain('llm/odd-0): step 1/3');
  for (const line of ['lint', 'plan', 'status', 'status odd-0', 'history odd-0', 'page --out pages']) await run(line);

  const messages = (await site.repository.git('log', '-z', '--format=%B', 'main')).split('\0').map((one) => one.trim());
  for (const at of NAMES.keys()) {
    const own = messages.filter((message) => message.startsWith(`rollout(llm/odd-${at})`));
    expect(own.map((message) => parseTrailers(message)?.rollout)).toEqual(Array(2).fill(`default/llm/odd-${at}`));
  }
  // What people pipe into a file is the document that was delivered, and comments.
  const shown = parseAllDocuments(await run('show-stable odd-1')).map((one) => one.toJS());
  expect(shown).toEqual([expect.objectContaining({ metadata: expect.objectContaining({ name: 'odd-1' }) })]);
  expect(printed.filter((line) => ACTING.test(line))).toEqual([]);
  const pages = readdirSync(join(site.folder, 'pages'), { recursive: true, encoding: 'utf8' });
  const html = pages
    .filter((page) => page.endsWith('.html'))
    .map((page) => readFileSync(join(site.folder, 'pages', page), 'utf8'));
  expect(html.length).toBeGreaterThan(NAMES.length);
  expect(html.filter((page) => /<img|href="(?!https:|[\w./-]*"|#)/.test(page))).toEqual([]);
});
