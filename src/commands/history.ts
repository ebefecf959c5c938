/** `tranche history` and `tranche verify-history`: what was delivered, and whether main bears that out. From Git alone. */

import type { Command } from 'commander';
import { jsonText, printableLine } from '../api/printable.ts';
import { type CommonOptions, EXIT, type Io, UsageError } from '../options.ts';
import type { AllowedSigner } from '../reconcile/log/allowed-signers.ts';
import type { Ports } from '../reconcile/pass.ts';
import { withFaults } from './config-faults.ts';
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
  verb('verify-history', 'whether the files of main bear out what its commits say, and who wrote past tranche')
    .option('--allowed-signers <file>', 'verify signatures by the keys of this file, as ssh-keygen reads it (Ed25519)')
    .action(async (name: unknown, given: Given) => {
      const asked = { ...named(name, given), since: textOf(given, 'since'), signers: textOf(given, 'allowedSigners') };
      await run((common, ports) => verifyVerb({ ...common, ...asked }, ports, io))(given);
    });
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
  if (typeof found === 'string') {
    io.err(`${found}\n`);
    return EXIT.failed;
  }
  const ended = withFaults(found.faults, io);
  const print = {
    text: historyText,
    json: (of: typeof found) => jsonText(historyJson(of)),
    csv: historyCsv,
    md: historyMarkdown,
  }[asked.format];
  io.out(print(found));
  return ended(EXIT.ok);
}

/** Exit code 1 where something is not as the commits say, nothing of it could be looked at, or a signature is of nobody who may. */
async function verifyVerb(
  asked: Asked & { readonly signers: string | undefined },
  ports: Ports,
  io: Io,
): Promise<number> {
  const since = sinceOf(asked.since, ports.clock.now());
  const allowed = asked.signers === undefined ? undefined : await signersIn(asked.signers, io);
  const { verifyHistory } = await import('../reconcile/log/verify-history.ts');
  const { chainJson, chainLines, isUnseen } = await import('../reconcile/log/chain-text.ts');
  const chain = await verifyHistory(ports, asked.overrides, { ...asked, since, allowed });
  if (typeof chain === 'string') {
    io.err(`${chain}\n`);
    return EXIT.failed;
  }
  const ended = withFaults(chain.configFaults, io);
  if (asked.output === 'json') io.out(jsonText(chainJson(chain)));
  else
    io.out(
      chainLines(chain)
        .map((line) => `${printableLine(line)}\n`)
        .join(''),
    );
  return ended(chain.faults.length > 0 || isUnseen(chain) ? EXIT.failed : EXIT.ok);
}

const WANTED_SIGNERS =
  'wanted a file with a line for each key, as "ada@example.com ssh-ed25519 AAAA…": that which git config gpg.ssh.allowedSignersFile names';

/** The keys of a file of allowed signers. Throws UsageError: with a key passed over the answer would be wrong. */
async function signersIn(place: string, io: Io): Promise<readonly AllowedSigner[]> {
  const { fileAt } = await import('./text-files.ts');
  const { parseAllowedSigners } = await import('../reconcile/log/allowed-signers.ts');
  const found = await fileAt(place, io).then(parseAllowedSigners, (error: unknown) => {
    if (error instanceof UsageError) return { fault: error.message };
    throw error;
  });
  if (!('fault' in found)) return found;
  throw new UsageError(`--allowed-signers ${place}: ${found.fault}; ${WANTED_SIGNERS}`);
}
