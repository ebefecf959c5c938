/** How others see whether a watch goes well: metrics, probes, a file whose age counts, and a sign of life that is sent. */

import { resolve } from 'node:path';
import { jsonLine } from '../api/printable.ts';
import type { Instant } from '../api/time.ts';
import { type Io, UsageError, VERSION } from '../options.ts';
import type { ProbeServer, Probes } from '../ports/probes.ts';
import type { PassResult, Ports } from '../reconcile/pass.ts';
import { WatchMetrics } from '../reconcile/status/metrics.ts';
import { countedPorts } from './counted-ports.ts';
import type { ProbeOptions } from './watch-options.ts';

/** A pass may wait for its servers; one that was due this many seconds ago never comes back. */
const STUCK_SECONDS = 900;
/** Ready is who has passed lately: a few intervals, or one wait after failures. */
const FRESH_SECONDS = 330;

/** What became of one pass; `result` undefined: an error ended it. */
type Ended = { readonly result: PassResult | undefined; readonly seconds: number; readonly nextInSeconds: number };

export class WatchProbes {
  /** The ports that are to be used for passes: their calls are counted. */
  ports: Ports;
  private real: Ports;
  private readonly options: ProbeOptions;
  private readonly io: Io;
  private readonly probes: Probes;
  private readonly metrics: WatchMetrics;
  private server: ProbeServer | undefined;
  private dueAt: Instant;
  /** What failed last time, so that it is said once. */
  private readonly said = new Set<string>();

  constructor(options: ProbeOptions, given: { readonly ports: Ports; readonly probes: Probes; readonly io: Io }) {
    this.options = options;
    this.real = given.ports;
    this.io = given.io;
    this.probes = given.probes;
    this.dueAt = given.ports.clock.now();
    this.metrics = new WatchMetrics({ startedAt: this.dueAt, version: VERSION });
    this.ports = this.counting(given.ports);
  }

  /** From now on passes use these. */
  renew(ports: Ports): void {
    this.said.delete('secret');
    this.real = ports;
    this.ports = this.counting(ports);
  }

  private counting(ports: Ports): Ports {
    return countedPorts(ports, (port, isFailure) => this.metrics.called(port, isFailure));
  }

  /** Where it answers; undefined: nobody asked for that. Throws UsageError, and PortError where the address is taken. */
  async start(): Promise<string | undefined> {
    const { heartbeat, metrics } = this.options;
    const targets = this.real.notifier?.targets ?? [];
    if (heartbeat !== undefined && !targets.includes(heartbeat))
      throw new UsageError(
        `--heartbeat is ${heartbeat}, wanted the name of a target in the environment (TRANCHE_NOTIFY_…); there is: ${targets.join(', ') || 'none'}`,
      );
    if (metrics === undefined) return undefined;
    this.server = await this.probes.serve(metrics, {
      live: () => this.stuck(),
      ready: () => this.unready(),
      metrics: () => this.metrics.families(),
    });
    return this.server.address;
  }

  /** Says what there is to say of a pass that ended. Nothing here fails a watch: a full disk is no reason to stop passes. */
  async passed({ result, seconds, nextInSeconds }: Ended): Promise<void> {
    const at = this.real.clock.now();
    this.dueAt = at + nextInSeconds;
    this.metrics.passed({ result, at, seconds });
    if (result === undefined) return;
    const { healthFile, heartbeat } = this.options;
    if (healthFile !== undefined) await this.touch(resolve(this.io.folder, healthFile), at);
    if (heartbeat !== undefined) await this.beat(heartbeat, { at, result });
  }

  /** How long the process may still go on without a successful pass; then it is to end, so that it is started again. */
  leftSeconds(): number {
    const { exitAfterSeconds } = this.options;
    if (exitAfterSeconds === undefined) return Number.POSITIVE_INFINITY;
    return Math.max(0, this.metrics.successAt() + exitAfterSeconds - this.real.clock.now());
  }

  async close(): Promise<void> {
    await this.server?.close();
  }

  private stuck(): string | undefined {
    const late = this.real.clock.now() - this.dueAt;
    return late > STUCK_SECONDS ? `a pass was due ${late} s ago and has not ended` : undefined;
  }

  private unready(): string | undefined {
    if (!this.metrics.hasSucceeded()) return 'no pass has succeeded yet';
    const since = this.real.clock.now() - this.metrics.successAt();
    return since > FRESH_SECONDS ? `the last successful pass was ${since} s ago` : undefined;
  }

  private async touch(path: string, at: Instant): Promise<void> {
    try {
      await this.probes.touch(path, `${at}\n`);
      this.said.delete('file');
    } catch (error) {
      this.warn('file', `--health-file: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  private async beat(to: string, { at, result }: { readonly at: Instant; readonly result: PassResult }): Promise<void> {
    const { main, failed } = result;
    const body = jsonLine({ version: 1, event: 'heartbeat', program: VERSION, main, failed, at }).trimEnd();
    const sent = await this.ports.notifier?.send({ to, body, key: `heartbeat ${at}` });
    if (sent?.kind === 'failed') this.warn('heartbeat', `--heartbeat: ${to} was not reached: ${sent.why}`);
    else this.said.delete('heartbeat');
  }

  /** Said once, until `said` forgets it: what fails in each pass is one line. */
  warn(what: 'file' | 'heartbeat' | 'secret', text: string): void {
    if (!this.said.has(what)) this.real.log.warn(text);
    this.said.add(what);
  }
}
