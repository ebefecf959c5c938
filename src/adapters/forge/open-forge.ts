/** Which forge a repository has, opened at the first question: most passes ask none, and load no client for it. */

import type { Forge } from '../../ports/forge.ts';
import type { ForgeKind, ForgeOptions, OpenedForge } from './forge-kind.ts';
import { github } from './github/kind.ts';

/** The first that serves the address of a repository is its forge. */
const FORGES: readonly ForgeKind[] = [github];

/** Whether the key of an App may be used at this host, though nobody has named it. */
export function isForgeHost(hostname: string): boolean {
  return FORGES.some((kind) => kind.isOwnHost(hostname));
}

type Repository = {
  /** As Git reads it. */
  readonly repository: string;
  /** The address of the API, where it is not what the host of the repository makes of it. */
  readonly apiUrl: string | undefined;
};

/** The forge of a repository, and the token that Git sends there; undefined: no kind of forge serves its address. */
export function openForge({ repository, apiUrl, ...options }: Repository & ForgeOptions): OpenedForge | undefined {
  const [opener] = FORGES.flatMap((kind) => kind.opener(repository, apiUrl) ?? []);
  if (opener === undefined) return undefined;
  let opening: Promise<OpenedForge> | undefined;
  const all = (): Promise<OpenedForge> => {
    opening ??= opener(options);
    return opening;
  };
  const opened = async (): Promise<Forge> => (await all()).forge;
  const forge: Forge = {
    // A forge that was not asked yet has nothing to start again.
    begin: () => void opening?.then((open) => open.forge.begin()),
    // The next call says what fails.
    share: (parts) =>
      void all().then(
        (open) => open.forge.share(parts),
        () => undefined,
      ),
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
