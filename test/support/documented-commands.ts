/** The commands that documents show: the lines of shell blocks, and what stands between backticks and starts with a program. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

const BLOCK = /^ *```(?:sh|bash|shell|console)\n([^]*?)^ *```/gm;
/** Programs that documents call; a verb that is only named, as `tranche abort`, is another matter: its own section says how it is called. */
const CALLED = /`((?:source|git|npm|npx|node|kubectl|helm|docker|kind|flux|curl|tranche) [^`]+)`/g;
/** Comments, and lines that go on. */
const commandsOf = (text: string): readonly string[] =>
  text
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .map((line) => line.replace(/\s+#.*$/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('#'));

/** Each command once, as it is written, and where it stands first. */
export function documentedCommands(documents: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const document of documents) {
    const text = readFileSync(join(ROOT, document), 'utf8');
    const fenced = [...text.matchAll(BLOCK)].flatMap(([, block = '']) => commandsOf(block));
    const prose = text.replace(/^ *```[^]*?^ *```/gm, '');
    const inline = [...prose.matchAll(CALLED)].map(([, command = '']) => command.replace(/\s+/g, ' '));
    for (const command of [...fenced, ...inline])
      for (const part of command.split(' && ')) if (!found.has(part)) found.set(part, document);
  }
  return found;
}
