/** `tranche reconcile`: one pass, or a loop of them. */

import { resolve } from 'node:path';
import type { Issue } from '../api/issue.ts';
import { type CommonOptions, EXIT, type Io } from '../options.ts';
import { explain, PortError } from '../ports/port-error.ts';
import { newMemory, type PassResult, type Ports, QUIET_REPORT } from '../reconcile/pass.ts';
import { runPass } from '../reconcile/run.ts';

export type ReconcileOptions = CommonOptions & {
  readonly watch: boolean;
  /** undefined: passes are not saved. */
  readonly savePass: string | undefined;
  readonly only: readonly string[];
};

/** The longest wait between passes that fail. */
const BACKOFF_LIMIT_SECONDS = 300;

/** One pass, exit code by its outcome; with `watch` until the process is asked to stop. */
export async function reconcile(options: ReconcileOptions, ports: Ports, io: Io): Promise<number> {
  const memory = newMemory();
  const told = new Set<string>();
  const once = async (): Promise<PassResult> => {
    const result = await runPass(ports, memory, { overrides: options.overrides, write: true, only: options.only });
    await show(options.watch ? unsaid(result, told) : result, options, io);
    await save(result, options, { ports, io });
    return result;
  };
  if (options.savePass !== undefined) {
    const { openSaveFolder } = await import('./saved-pass.ts');
    await openSaveFolder(resolve(io.folder, options.savePass));
  }
  if (!options.watch) return (await once()).failed ? EXIT.failed : EXIT.ok;
  let failures = 0;
  while (!io.signal.aborted) {
    const wait = await attempt(once, ports, failures);
    failures = wait.failures;
    await ports.clock.sleep(wait.seconds, io.signal);
  }
  return EXIT.ok;
}

/** The result without the warnings that this process has printed before: nothing has changed about them. */
function unsaid(result: PassResult, told: Set<string>): PassResult {
  const isNew = (warning: Issue): boolean => {
    const line = JSON.stringify(warning);
    const known = told.has(line);
    told.add(line);
    return !known;
  };
  const outcomes = result.outcomes.map((outcome) =>
    outcome.plan === undefined
      ? outcome
      : { ...outcome, plan: { ...outcome.plan, warnings: outcome.plan.warnings.filter(isNew) } },
  );
  return { ...result, warnings: result.warnings.filter(isNew), outcomes };
}

/** A pass that fails is tried again, later each time; what it read before is not trusted to be better. */
async function attempt(
  once: () => Promise<PassResult>,
  ports: Ports,
  failures: number,
): Promise<{ readonly seconds: number; readonly failures: number }> {
  try {
    return { seconds: (await once()).requeueAfterSeconds, failures: 0 };
  } catch (error) {
    if (!(error instanceof PortError) && !(error instanceof Error && error.name === 'ConfigError')) throw error;
    const seconds = Math.min(BACKOFF_LIMIT_SECONDS, 2 ** failures);
    const what = error instanceof PortError ? explain(error) : error.message;
    ports.log.error(`${what.replace(/\.$/, '')}; trying again in ${seconds} s`);
    return { seconds, failures: failures + 1 };
  }
}

async function show(result: PassResult, options: ReconcileOptions, io: Io): Promise<void> {
  if (result.quiet && options.output === 'text') {
    if (!options.watch) io.out(QUIET_REPORT);
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
