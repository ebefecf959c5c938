/** `tranche reconcile`: one pass, or a loop of them. */

import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { type CommonOptions, EXIT, type Io } from '../options.ts';
import { newMemory, type PassResult, type Ports, QUIET_REPORT } from '../reconcile/pass.ts';
import { runPass } from '../reconcile/run.ts';
import type { ProbeOptions, Renew } from './watch-options.ts';

export type ReconcileOptions = CommonOptions & {
  readonly watch: boolean;
  /** undefined: passes are not saved. */
  readonly savePass: string | undefined;
  readonly only: readonly string[];
  /** Not there: nobody watches. */
  readonly probes?: ProbeOptions;
};

/** One pass, exit code by its outcome; with `watch` until the process is asked to stop. */
export async function reconcile(
  options: ReconcileOptions,
  ports: Ports,
  io: Io,
  renew: Renew = () => undefined,
): Promise<number> {
  const memory = newMemory(randomBytes(4).toString('hex'));
  const pass = async (world: Ports): Promise<PassResult> => {
    const result = await runPass(world, memory, { overrides: options.overrides, write: true, only: options.only });
    await save(result, options, { ports, io });
    return result;
  };
  if (options.savePass !== undefined) {
    const { openSaveFolder } = await import('./saved-pass.ts');
    await openSaveFolder(resolve(io.folder, options.savePass));
  }
  if (options.watch) {
    const { watch } = await import('./watch.ts');
    return watch(options, { ports, memory, io, pass, renew });
  }
  const result = await pass(ports);
  await show(result, options, io);
  return result.failed ? EXIT.failed : EXIT.ok;
}

async function show(result: PassResult, options: ReconcileOptions, io: Io): Promise<void> {
  if (result.quiet && options.output === 'text') {
    io.out(QUIET_REPORT);
    return;
  }
  const { passText } = await import('./show.ts');
  io.out(passText(result, options.output));
}

/** What the pass wrote to Git is written: a full disk here is said, and stops neither the pass nor the watch. */
async function save(
  result: PassResult,
  options: ReconcileOptions,
  { ports, io }: { readonly ports: Ports; readonly io: Io },
): Promise<void> {
  if (options.savePass === undefined || result.quiet) return;
  const { savePass } = await import('./saved-pass.ts');
  try {
    await savePass(resolve(io.folder, options.savePass), result);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    ports.log.warn(`--save-pass: this pass was not saved: ${why}`);
  }
}
