/** What decides how servers are reached: proxies of the environment, and certificates. */

import type { Heard } from './server-dates.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What decides how servers are reached. */
export type Network = {
  readonly env: Environment;
  /** Trusted authorities; undefined: those of Node. Asked for by the first secure connection. Throws PortError. */
  readonly authorities: () => Promise<readonly string[] | undefined>;
  /** Gets the date of every answer. */
  readonly heard?: Heard | undefined;
};

/** Nothing of the environment counts. */
export const plainNetwork: Network = { env: {}, authorities: async () => undefined };
