/** `tranche reconcile --watch`: pass after pass until the process is asked to stop, with one line a change. */

import { type CommonOptions, EXIT, type Io, UsageError } from '../options.ts';
import { explain, PortError } from '../ports/port-error.ts';
import type { Memory, PassResult, Ports } from '../reconcile/pass.ts';
import { type Change, changesOf, type Found } from '../reconcile/status/changes.ts';
import { configLine, logLine, startLine } from './log-lines.ts';
import { NO_PROBES, type ProbeOptions, type Renew } from './watch-options.ts';
import { WatchProbes } from './watch-probes.ts';

/** The longest wait between passes that fail. */
const BACKOFF_LIMIT_SECONDS = 300;

/** The settings of a watch. */
type WatchOptions = CommonOptions & { readonly only: readonly string[]; readonly probes?: ProbeOptions };

/** What a watch needs of the verb: one pass that writes, and what the process remembers. */
type Watched = {
  readonly ports: Ports;
  readonly memory: Memory;
  readonly io: Io;
  readonly pass: (ports: Ports) => Promise<PassResult>;
  readonly renew: Renew;
};

/**
 * Ends with `ok` when it is asked to stop, and as failed after `--exit-after` without a successful pass. A fault of ours ends
 * it loudly: what restarts the process then says so.
 */
export async function watch(options: WatchOptions, watched: Watched): Promise<number> {
  const { ports, io } = watched;
  const log = new WatchLog(options, watched);
  const { openProbes } = await import('../wiring.ts');
  const probes = new WatchProbes(options.probes ?? NO_PROBES, { ports, io, probes: await openProbes() });
  log.say(startLine(options, { only: options.only, process: watched.memory.process }));
  const address = await probes.start();
  if (address !== undefined) log.say(plainLine('metrics', `at ${address}/metrics, with /healthz and /readyz`));
  try {
    return await loop(watched, log, probes);
  } finally {
    await probes.close();
  }
}

async function loop(watched: Watched, log: WatchLog, probes: WatchProbes): Promise<number> {
  const { ports, io } = watched;
  let failures = 0;
  while (!io.signal.aborted) {
    renewPorts(watched, log, probes);
    const wait = await attempt(watched, { log, probes, failures });
    failures = wait.failures;
    const left = failures === 0 ? Number.POSITIVE_INFINITY : probes.leftSeconds();
    if (left === 0) {
      ports.log.error(
        'no pass has succeeded for as long as --exit-after allows: the process ends, to be started again',
      );
      return EXIT.failed;
    }
    await ports.clock.sleep(Math.min(wait.seconds, left), io.signal);
  }
  log.say(plainLine('stop', 'as the process was asked to'));
  return EXIT.ok;
}

/** A token that was exchanged counts from the next pass on. A file that cannot be read leaves the last one in use. */
function renewPorts({ renew }: Watched, log: WatchLog, probes: WatchProbes): void {
  try {
    const renewed = renew();
    if (renewed === undefined) return;
    probes.renew(renewed);
    log.say(plainLine('renewed', 'a secret in a file has changed, and counts from now on'));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    probes.warn('secret', `${error.message}; the secret before it is used`);
  }
}

/** A pass that fails is tried again, later each time; what it read before is not trusted to be better. */
async function attempt(
  { ports, pass }: Watched,
  { log, probes, failures }: { readonly log: WatchLog; readonly probes: WatchProbes; readonly failures: number },
): Promise<{ readonly seconds: number; readonly failures: number }> {
  const startedAt = performance.now();
  const took = (): number => (performance.now() - startedAt) / 1000;
  try {
    const result = await pass(probes.ports);
    const seconds = took();
    if (failures > 0)
      log.say(plainLine('recovered', `after ${failures} ${failures === 1 ? 'pass' : 'passes'} that failed`));
    await log.sayPass(result);
    await probes.passed({ result, seconds, nextInSeconds: result.requeueAfterSeconds });
    return { seconds: result.requeueAfterSeconds, failures: 0 };
  } catch (error) {
    if (!(error instanceof PortError) && !(error instanceof Error && error.name === 'ConfigError')) throw error;
    const seconds = Math.min(BACKOFF_LIMIT_SECONDS, 2 ** failures);
    const what = error instanceof PortError ? explain(error) : error.message;
    ports.log.error(`${what.replace(/\.$/, '')}; trying again in ${seconds} s`);
    await probes.passed({ result: undefined, seconds: took(), nextInSeconds: seconds });
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
