/** What a kind of forge says of itself, so that another one is a folder and a line of the table. */

import type { Clock } from '../../ports/clock.ts';
import type { Forge } from '../../ports/forge.ts';
import type { Network } from '../network/proxy.ts';
import type { ForgeCredential } from './github/credentials.ts';

export type ForgeOptions = {
  readonly credential: ForgeCredential;
  readonly network: Network;
  readonly clock: Clock;
  readonly userAgent: string;
};

/** The forge, and the token that Git sends to the same host. */
export type OpenedForge = { readonly forge: Forge; readonly gitToken: () => Promise<string> };

export type ForgeKind = {
  /**
   * Opens the forge of the repository at this address, as Git reads it; undefined: it has another shape. `apiUrl` is the
   * address of the API, where it is not what the host of the repository makes of it. No client is loaded before that.
   */
  readonly opener: (
    repository: string,
    apiUrl: string | undefined,
  ) => ((options: ForgeOptions) => Promise<OpenedForge>) | undefined;
  /** Whether the key of an App may vouch for us at this host, though nobody has named it. */
  readonly isOwnHost: (hostname: string) => boolean;
};
