/** The options that go with `--watch` alone, checked. */

import { isIP } from 'node:net';
import { UsageError } from '../options.ts';
import type { Ports } from '../reconcile/pass.ts';
import { type Given, textOf } from './flags.ts';

/** How others see whether a watch goes well. All of it is off where nobody asks for it. */
export type ProbeOptions = {
  readonly metrics: { readonly host: string; readonly port: number } | undefined;
  readonly healthFile: string | undefined;
  /** The process ends, so that it is started again, after this time without a successful pass. */
  readonly exitAfterSeconds: number | undefined;
  /** The target of notifications that gets a sign of life after each successful pass. */
  readonly heartbeat: string | undefined;
};

/** The ports with secrets that have changed since it was asked last; undefined: none has. Throws UsageError. */
export type Renew = () => Ports | undefined;

export const NO_PROBES: ProbeOptions = {
  metrics: undefined,
  healthFile: undefined,
  exitAfterSeconds: undefined,
  heartbeat: undefined,
};

const NAMES = ['metricsPort', 'healthFile', 'exitAfter', 'heartbeat'] as const;
const SPELT = {
  metricsPort: '--metrics-port',
  healthFile: '--health-file',
  exitAfter: '--exit-after',
  heartbeat: '--heartbeat',
};
const DAY_SECONDS = 86_400;

/** Throws UsageError for what cannot be meant, and where a process that makes one pass is asked for any of it. */
export function probeOptions(given: Given): ProbeOptions {
  const [first] = NAMES.filter((name) => textOf(given, name) !== undefined);
  if (first === undefined) return NO_PROBES;
  if (given['watch'] !== true) throw new UsageError(`${SPELT[first]} goes with --watch: one pass ends by itself`);
  return {
    metrics: addressOf(textOf(given, 'metricsPort')),
    healthFile: textOf(given, 'healthFile'),
    exitAfterSeconds: secondsOf(textOf(given, 'exitAfter')),
    heartbeat: textOf(given, 'heartbeat'),
  };
}

/** `9090` is on this machine alone; `0.0.0.0:9090`, `[::]:9090` and `10.1.2.3:9090` are where they say. */
function addressOf(text: string | undefined): ProbeOptions['metrics'] {
  if (text === undefined) return undefined;
  const [, bracketed, plain, port = ''] = /^(?:(?:\[([^\]]+)\]|([^:[\]]+)):)?([0-9]{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain ?? '127.0.0.1';
  if (port !== '' && Number(port) <= 65_535 && isIP(host) !== 0) return { host, port: Number(port) };
  throw new UsageError(
    `--metrics-port is ${text}, wanted a port as 9090, or an address with it as 0.0.0.0:9090 or [::]:9090`,
  );
}

function secondsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (/^[1-9][0-9]*$/.test(text) && seconds >= 60 && seconds <= DAY_SECONDS) return seconds;
  throw new UsageError(`--exit-after is ${text}, wanted whole seconds from 60 to ${DAY_SECONDS}`);
}
