/** `tranche plan`: the same pass without writing. */

import { resolve } from 'node:path';
import { type CommonOptions, EXIT, type Io } from '../options.ts';
import { newMemory, type Ports } from '../reconcile/pass.ts';
import { runPass } from '../reconcile/run.ts';
import { withFaults } from './config-faults.ts';
import { openSaveFolder, savePass } from './saved-pass.ts';
import { planText } from './show.ts';

export type PlanOptions = CommonOptions & { readonly savePass: string | undefined; readonly only: readonly string[] };

/** Decision, holds, diff and commit message of every rollout. */
export async function plan(options: PlanOptions, ports: Ports, io: Io): Promise<number> {
  if (options.savePass !== undefined) await openSaveFolder(resolve(io.folder, options.savePass));
  const memory = newMemory();
  const result = await runPass(ports, memory, { overrides: options.overrides, write: false, only: options.only });
  const ended = withFaults(memory.config?.faults, io);
  io.out(planText(result, options.output));
  await sayUnpushed(options, { git: ports.git, main: result.main }, io);
  if (options.savePass !== undefined) await savePass(resolve(io.folder, options.savePass), result);
  return ended(result.failed ? EXIT.failed : EXIT.ok);
}

/** Files that are named one by one. */
const FILES_SHOWN = 5;

/** Who has just edited a file and asks what comes of it must not take the answer for one. */
async function sayUnpushed(
  options: PlanOptions,
  of: { readonly git: Ports['git']; readonly main: string },
  io: Io,
): Promise<void> {
  const { unpushed } = await import('../wiring.ts');
  const found = await unpushed(options, io, of.git, of.main);
  if (found === undefined || found.files.length + found.commits === 0) return;
  const { files, commits } = found;
  const named = `${files.slice(0, FILES_SHOWN).join(', ')}${files.length > FILES_SHOWN ? ` and ${files.length - FILES_SHOWN} more` : ''}`;
  const parts = [
    ...(files.length === 0 ? [] : [`what is not committed (${named})`]),
    ...(commits === 0 ? [] : [`${commits} ${commits === 1 ? 'commit' : 'commits'} of this clone that main has not`]),
  ];
  io.err(
    `warning: this plan is of main at ${of.main.slice(0, 12)}, and ignores ${parts.join(', and ')}. tranche lint reads the files as they lie here\n`,
  );
}
