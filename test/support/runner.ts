/** A runner of GitHub Actions, as far as the action sees one: its environment, its files, and the lines that it obeys. */

import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { runAction } from '../../src/commands/action.ts';
import type { Called, Site } from './site.ts';

export const TOKEN = 'ghs_canary%7f3a';

/** Variables, or inputs by their names. */
export type Env = Readonly<Record<string, string>>;
type Ran = Called & { readonly outputs: Readonly<Record<string, string>>; readonly summary: string };

/** The action as a runner starts it; inputs by their names. */
export async function act(site: Site, inputs: Env, env: Env = {}): Promise<Ran> {
  const [output, page] = [site.file('output', ''), site.file('summary', '')];
  const given = { token: TOKEN, repo: site.repository.path, kubeconfig: site.kubeconfig, ...inputs };
  let [out, err] = ['', ''];
  const code = await runAction({
    env: {
      GITHUB_EVENT_NAME: 'push',
      GITHUB_OUTPUT: output,
      GITHUB_STEP_SUMMARY: page,
      ...Object.fromEntries(Object.entries(given).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])),
      ...site.env,
      ...env,
    },
    folder: site.folder,
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    isTerminal: false,
    signal: new AbortController().signal,
  });
  return { code, out, err, outputs: outputsIn(readFileSync(output, 'utf8')), summary: readFileSync(page, 'utf8') };
}

/** As the runner reads its file: a name, a delimiter, lines until the delimiter stands alone. */
export function outputsIn(text: string): Readonly<Record<string, string>> {
  const values: Record<string, string> = {};
  const lines = text.split('\n');
  for (let at = 0; at < lines.length - 1; at += 1) {
    const [name = '', delimiter = ''] = lines[at]!.split('<<');
    const end = lines.indexOf(delimiter, at + 1);
    expect(delimiter).toMatch(/^tranche_[0-9a-f-]{36}$/);
    values[name] = lines.slice(at + 1, end).join('\n');
    at = end;
  }
  return values;
}

/** The lines that a runner obeys: `::command::` behind spaces, and `##[command]` anywhere. */
export const commands = (text: string): readonly string[] =>
  text.split('\n').filter((line) => line.trimStart().startsWith('::') || line.includes('##['));
