/** `tranche plan`: the same pass without writing. */

import { resolve } from 'node:path';
import { type CommonOptions, EXIT, type Io } from '../options.ts';
import { newMemory, type Ports } from '../reconcile/pass.ts';
import { runPass } from '../reconcile/run.ts';
import { openSaveFolder, savePass } from './saved-pass.ts';
import { planText } from './show.ts';

export type PlanOptions = CommonOptions & { readonly savePass: string | undefined; readonly only: readonly string[] };

/** Decision, holds, diff and commit message of every rollout. */
export async function plan(options: PlanOptions, ports: Ports, io: Io): Promise<number> {
  if (options.savePass !== undefined) await openSaveFolder(resolve(io.folder, options.savePass));
  const result = await runPass(ports, newMemory(), { overrides: options.overrides, write: false, only: options.only });
  io.out(planText(result, options.output));
  if (options.savePass !== undefined) await savePass(resolve(io.folder, options.savePass), result);
  return result.failed ? EXIT.failed : EXIT.ok;
}
