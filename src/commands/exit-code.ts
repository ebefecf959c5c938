/** What an error means for the exit code, and what people are notified of it. */

import { CommanderError } from 'commander';
import { EXIT, type Io, UsageError } from '../options.ts';
import { explain, PortError } from '../ports/port-error.ts';

/**
 * Usage and configuration are 2: no such repository or branch, a token that is refused, a wrong `tranche.yaml`.
 * What may pass by itself, and a fault of ours, is 1. Errors of one rollout never come here.
 */
export async function exitCodeOf(error: unknown, io: Io): Promise<number> {
  // Commander has said it already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof UsageError) {
    io.err(`error: ${error.message}\n`);
    return EXIT.usage;
  }
  if (error instanceof Error && error.name === 'ConfigError') {
    io.err(`${error.message}\n`);
    return EXIT.usage;
  }
  io.err(`error: ${explain(error)}\n`);
  return error instanceof PortError && !error.retryable ? EXIT.usage : EXIT.failed;
}
