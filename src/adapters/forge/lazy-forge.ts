/** Which forge a repository has, opened at the first question: most passes ask none, and load no client for it. */

import type { Clock } from '../../ports/clock.ts';
import type { Forge } from '../../ports/forge.ts';
import type { Network } from '../network/proxy.ts';
import { systemTimers } from '../system/timers.ts';
import { forgeAddress } from './address.ts';
import type { ForgeCredential } from './credentials.ts';
import { forgeLimits } from './limits.ts';

type OpenForge = {
  /** As Git reads it. */
  readonly repository: string;
  /** The address of the API, where it is not what the host of the repository makes of it. */
  readonly apiUrl: string | undefined;
  readonly credential: ForgeCredential;
  readonly network: Network;
  readonly clock: Clock;
  readonly userAgent: string;
};

/** The forge of a repository; undefined: its address is not that of a repository on a GitHub. */
export function lazyForge({ repository, apiUrl, ...options }: OpenForge): Forge | undefined {
  const address = forgeAddress(repository, apiUrl);
  if (address === undefined) return undefined;
  let opening: Promise<Forge> | undefined;
  const opened = (): Promise<Forge> => {
    opening ??= import('./open-github.ts').then(({ openGithub }) =>
      openGithub({ ...options, address, timers: systemTimers, limits: forgeLimits }),
    );
    return opening;
  };
  return {
    // A forge that was not asked yet has nothing to begin anew.
    begin: () => void opening?.then((forge) => forge.begin()),
    pulls: async (query) => (await opened()).pulls(query),
    waiting: async (numbers) => (await opened()).waiting(numbers),
    reviews: async (number) => (await opened()).reviews(number),
    makers: async (commits) => (await opened()).makers(commits),
    rules: async (branch) => (await opened()).rules(branch),
    create: async (pull) => (await opened()).create(pull),
    update: async (number, text) => (await opened()).update(number, text),
    close: async (number, why) => (await opened()).close(number, why),
    setStatus: async (status) => (await opened()).setStatus(status),
    comment: async (comment) => (await opened()).comment(comment),
  };
}
