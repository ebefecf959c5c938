/** The options of `tranche page`. */

import type { Command } from 'commander';
import { type CommonOptions, type Io, UsageError } from '../options.ts';
import type { Ports } from '../reconcile/pass.ts';
import { type Given, gitFlags, textOf } from './flags.ts';

type Run = (
  verb: (common: CommonOptions, ports: Ports, given: Given) => Promise<number>,
) => (given: Given) => Promise<void>;

/** Adds the verb. With `--status` it opens neither the repository nor anything else that takes a credential. */
export function addPage(
  program: Command,
  io: Io,
  { run, done }: { readonly run: Run; readonly done: (code: number) => void },
): void {
  gitFlags(program.command('page'))
    .description('pages of all Rollouts to look at in a browser, as files: no server, no script')
    .option('--out <dir>', 'the folder to write: a new one, an empty one, or one that this verb has written')
    .option('--status <file>', 'what status --output json has printed, instead of a look at the repository')
    .option('--history <file>', 'with --status: what history --output json has printed')
    .action(async (given: Given) => {
      const [out, status, history] = ['out', 'status', 'history'].map((key) => textOf(given, key));
      if (out === undefined || out === '') throw new UsageError('page needs --out DIR: the folder to write');
      if (history !== undefined && status === undefined) throw new UsageError('--history needs --status as well');
      const { pageFromFiles, pageFromGit } = await import('./page.ts');
      if (status !== undefined) done(await pageFromFiles({ out, status, history }, io));
      else await run((common, ports) => pageFromGit({ ...common, out }, ports, io))(given);
    });
}
