/** The port to those that watch the process: scrapers of metrics, and probes of whether it lives and is ready. */

/** `suffix` follows the name of the metric, as `_sum`; not there: nothing does. */
export type Sample = {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  readonly suffix?: string;
};

export type MetricFamily = {
  readonly name: string;
  readonly type: 'gauge' | 'counter' | 'summary';
  readonly help: string;
  readonly samples: readonly Sample[];
};

/** Why the process is not well, in one line; undefined: it is. */
type Fault = string | undefined;

/** What is answered at any moment. */
export type Answers = {
  readonly live: () => Fault;
  readonly ready: () => Fault;
  readonly metrics: () => readonly MetricFamily[];
};

export type ProbeServer = { readonly address: string; readonly close: () => Promise<void> };

export interface Probes {
  /** Serves `/healthz`, `/readyz` and `/metrics`. Throws PortError where the address cannot be had. */
  serve(at: { readonly host: string; readonly port: number }, answers: Answers): Promise<ProbeServer>;
  /** Writes a file, whole or not at all, so that its age says when. Throws PortError. */
  touch(path: string, text: string): Promise<void>;
}
