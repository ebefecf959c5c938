/** `tranche history` and `tranche verify-history`: what was delivered, and whether main bears that out. From Git alone. */

import type { Command } from 'commander';
import { jsonText, printableLine } from '../api/printable.ts';
import { printInstant } from '../api/time.ts';
import { type CommonOptions, EXIT, type Io, UsageError } from '../options.ts';
import type { Ports } from '../reconcile/pass.ts';
import { type Given, gitFlags, ROLLOUT_NAME, targetFlags, targetOf, textOf } from './flags.ts';
import { sinceOf } from './since.ts';

type Run = (
  verb: (common: CommonOptions, ports: Ports, given: Given) => Promise<number>,
) => (given: Given) => Promise<void>;

const FORMATS = ['text', 'json', 'csv', 'md'] as const;
type Format = (typeof FORMATS)[number];

/** Adds both verbs. */
export function addHistory(program: Command, io: Io, run: Run): void {
  const verb = (name: string, description: string): Command =>
    targetFlags(gitFlags(program.command(name).description(description)))
      .argument('[name]', ROLLOUT_NAME)
      .option('--since <when>', 'no further back, as 1h, 7d, 2026-12-20 (default: all that is there)');
  const named = (name: unknown, given: Given) => targetOf(typeof name === 'string' ? name : '', given);
  verb('history', 'what became of each release, from Git alone: --output text, json, csv or md').action(
    async (name: unknown, given: Given) => {
      const format = formatOf(textOf(given, 'output'));
      await run((common, ports) =>
        history({ ...common, ...named(name, given), format, since: textOf(given, 'since') }, ports, io),
      )({
        ...given,
        output: 'text',
      });
    },
  );
  verb('verify-history', 'whether the files of main bear out what its commits say, and who wrote past tranche').action(
    async (name: unknown, given: Given) =>
      run((common, ports) =>
        verifyVerb({ ...common, ...named(name, given), since: textOf(given, 'since') }, ports, io),
      )(given),
  );
}

function formatOf(text = 'text'): Format {
  const found = FORMATS.find((format) => format === text);
  if (found !== undefined) return found;
  throw new UsageError(`--output is ${text}, wanted text, json, csv or md`);
}

type Asked = CommonOptions & { readonly name: string; readonly namespace: string; readonly since: string | undefined };

/** Exit code 1 where nothing of that name is on main or in its log. */
async function history(asked: Asked & { readonly format: Format }, ports: Ports, io: Io): Promise<number> {
  const since = sinceOf(asked.since, ports.clock.now());
  const { readHistory } = await import('../reconcile/log/history.ts');
  const { historyJson } = await import('../reconcile/log/history-json.ts');
  const { historyCsv, historyMarkdown, historyText } = await import('../reconcile/log/history-text.ts');
  const found = await readHistory(ports, asked.overrides, { ...asked, since });
  if (found.others.length > 0) {
    io.err(`main has no Rollout ${asked.name}. There is: ${found.others.join(', ')}\n`);
    return EXIT.failed;
  }
  const print = {
    text: historyText,
    json: (of: typeof found) => jsonText(historyJson(of)),
    csv: historyCsv,
    md: historyMarkdown,
  }[asked.format];
  io.out(print(found));
  return EXIT.ok;
}

/** Exit code 1 where something is not as the commits say. */
async function verifyVerb(asked: Asked, ports: Ports, io: Io): Promise<number> {
  const since = sinceOf(asked.since, ports.clock.now());
  const { verifyHistory } = await import('../reconcile/log/verify-history.ts');
  const chain = await verifyHistory(ports, asked.overrides, { ...asked, since });
  const { faults, steps, read, main } = chain;
  if (asked.output === 'json') io.out(jsonText(chain));
  else {
    const lines = faults.map(
      ({ reason, rollout, commit, at, by, message }) =>
        `${reason}  ${rollout}  ${commit.slice(0, 12)}  ${printInstant(at)}  by ${by}: ${message}`,
    );
    const verdict = faults.length === 0 ? 'The chain is whole' : `${faults.length} not as the commits say`;
    const cut = read.end === 'cut' ? '; what was before is not in this clone, or beyond what is read' : '';
    lines.push(`${verdict}: ${steps} steps in ${read.commits} commits of main at ${main.slice(0, 12)}${cut}.`);
    io.out(lines.map((line) => `${printableLine(line)}\n`).join(''));
  }
  return faults.length === 0 ? EXIT.ok : EXIT.failed;
}
