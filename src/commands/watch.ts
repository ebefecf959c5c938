/** `tranche reconcile --watch`: pass after pass until the process is asked to stop, with one line a change. */

import { type CommonOptions, EXIT, type Io } from '../options.ts';
import { explain, PortError } from '../ports/port-error.ts';
import type { Memory, PassResult, Ports } from '../reconcile/pass.ts';
import { type Change, changesOf, type Found } from '../reconcile/status/changes.ts';
import { configLine, logLine, startLine } from './log-lines.ts';

/** The longest wait between passes that fail. */
const BACKOFF_LIMIT_SECONDS = 300;

/** The settings of a watch. */
type WatchOptions = CommonOptions & { readonly only: readonly string[] };

/** What a watch needs of the verb: one pass that writes, and what the process remembers. */
type Watched = {
  readonly ports: Ports;
  readonly memory: Memory;
  readonly io: Io;
  readonly pass: () => Promise<PassResult>;
};

/** Ends with `ok` when it is asked to stop. A fault of ours ends it loudly: what restarts the process then says so. */
export async function watch(options: WatchOptions, watched: Watched): Promise<number> {
  const { ports, io } = watched;
  const log = new WatchLog(options, watched);
  log.say(startLine(options, options.only));
  let failures = 0;
  while (!io.signal.aborted) {
    const wait = await attempt(watched, log, failures);
    failures = wait.failures;
    await ports.clock.sleep(wait.seconds, io.signal);
  }
  log.say(plainLine('stop', 'as the process was asked to'));
  return EXIT.ok;
}

/** A pass that fails is tried again, later each time; what it read before is not trusted to be better. */
async function attempt(
  { ports, pass }: Watched,
  log: WatchLog,
  failures: number,
): Promise<{ readonly seconds: number; readonly failures: number }> {
  try {
    const result = await pass();
    if (failures > 0)
      log.say(plainLine('recovered', `after ${failures} ${failures === 1 ? 'pass' : 'passes'} that failed`));
    await log.sayPass(result);
    return { seconds: result.requeueAfterSeconds, failures: 0 };
  } catch (error) {
    if (!(error instanceof PortError) && !(error instanceof Error && error.name === 'ConfigError')) throw error;
    const seconds = Math.min(BACKOFF_LIMIT_SECONDS, 2 ** failures);
    const what = error instanceof PortError ? explain(error) : error.message;
    ports.log.error(`${what.replace(/\.$/, '')}; trying again in ${seconds} s`);
    return { seconds, failures: failures + 1 };
  }
}

function plainLine(event: string, text: string): Change {
  return { level: 'info', event, rollout: undefined, text, fields: {} };
}

/** Remembers what it has said. Lines go to standard output; where that is for passes as JSON, to standard error. */
class WatchLog {
  private readonly options: WatchOptions;
  private readonly watched: Watched;
  private found: Found = new Map();
  private config = '';

  constructor(options: WatchOptions, watched: Watched) {
    this.options = options;
    this.watched = watched;
  }

  say(change: Change): void {
    const { io, ports } = this.watched;
    const line = logLine(change, ports.clock.now(), this.options.log === 'json' ? 'json' : 'text');
    if (this.options.output === 'json') io.err(line);
    else io.out(line);
  }

  async sayPass(result: PassResult): Promise<void> {
    const config = configLine(this.watched.memory);
    if (config !== undefined && config.text !== this.config) {
      this.config = config.text;
      this.say(config);
    }
    const { changes, found } = changesOf(result, this.found);
    this.found = found;
    for (const change of changes) this.say(change);
    if (this.options.output !== 'json') return;
    const { passText } = await import('./show.ts');
    this.watched.io.out(passText(result, 'json'));
  }
}
