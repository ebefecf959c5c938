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

type Opened = { readonly forge: Forge; readonly gitToken: () => Promise<string> };

/** The forge of a repository, and the token that Git sends there; undefined: its address is not that of a repository on a GitHub. */
export function lazyForge({ repository, apiUrl, ...options }: OpenForge): Opened | undefined {
  const address = forgeAddress(repository, apiUrl);
  if (address === undefined) return undefined;
  let opening: Promise<Opened> | undefined;
  const all = (): Promise<Opened> => {
    opening ??= import('./open-github.ts').then(({ openGithubFor }) =>
      openGithubFor({ ...options, address, timers: systemTimers, limits: forgeLimits }),
    );
    return opening;
  };
  const opened = async (): Promise<Forge> => (await all()).forge;
  const forge: Forge = {
    // A forge that was not asked yet has nothing to begin anew.
    begin: () => void opening?.then((open) => open.forge.begin()),
    pulls: async (query) => (await opened()).pulls(query),
    waiting: async (numbers) => (await opened()).waiting(numbers),
    reviews: async (number) => (await opened()).reviews(number),
    members: async (team, logins) => (await opened()).members(team, logins),
    makers: async (commits) => (await opened()).makers(commits),
    self: async () => (await opened()).self(),
    rules: async (branch) => (await opened()).rules(branch),
    create: async (pull) => (await opened()).create(pull),
    attach: async (attachments) => (await opened()).attach(attachments),
    update: async (number, text) => (await opened()).update(number, text),
    close: async (number, why) => (await opened()).close(number, why),
    showCheck: async (check) => (await opened()).showCheck(check),
    setStatus: async (status) => (await opened()).setStatus(status),
    comment: async (comment) => (await opened()).comment(comment),
  };
  return { forge, gitToken: async () => (await all()).gitToken() };
}
