/** An error as a sentence for people. */

import { PortError } from '../ports/port-error.ts';

/** A fault of the world in its own words; a fault of ours with where it happened. */
export function explain(error: unknown): string {
  if (error instanceof PortError)
    return `${error.port}: ${error.operation}: ${error.message}${error.hint === '' ? '' : `. ${error.hint}`}`;
  if (error instanceof Error) return `bug: ${error.stack?.split('\n').slice(0, 3).join(' ') ?? error.message}`;
  return `bug: ${String(error)}`;
}
