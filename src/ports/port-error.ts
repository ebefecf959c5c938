/** The world failed: a server did not answer, answered nonsense, or refused us. Thrown by adapters only. */

type PortErrorFields = {
  /** Which port: `git`, `cluster`, … */
  readonly port: string;
  /** What was being done, in the words of the port: `push`, `list statefulsets`. */
  readonly operation: string;
  /** True where the same call may succeed later without anybody changing anything. */
  readonly retryable: boolean;
  /** What someone should do next; empty where waiting is all there is. */
  readonly hint: string;
  /** The commit that was asked for by its name and is not there. Not there: it is about something else. */
  readonly missing?: string | undefined;
};

export class PortError extends Error {
  readonly port: string;
  readonly operation: string;
  readonly retryable: boolean;
  readonly hint: string;
  readonly missing: string | undefined;

  constructor(message: string, fields: PortErrorFields) {
    super(message);
    this.name = 'PortError';
    this.port = fields.port;
    this.operation = fields.operation;
    this.retryable = fields.retryable;
    this.hint = fields.hint;
    this.missing = fields.missing;
  }
}

/** An error as a sentence: a fault of the world in its own words, a fault of ours with where it happened. */
export function explain(error: unknown): string {
  if (error instanceof PortError)
    return `${error.port}: ${error.operation}: ${error.message}${error.hint === '' ? '' : `. ${error.hint}`}`;
  if (error instanceof Error) return `bug: ${error.stack?.split('\n').slice(0, 3).join(' ') ?? error.message}`;
  return `bug: ${String(error)}`;
}
