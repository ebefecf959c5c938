/** Which pull requests are ours to write to: the number of a record is a line in a file that people may write. */

import type { ProposalRecord } from '../../api/proposal-record.ts';
import type { Forge, Pull } from '../../ports/forge.ts';
import type { Ports } from '../pass.ts';
import { ask } from '../write/execute-proposal.ts';

/** `unknown`: the forge has not said who we are, and the next pass asks again. */
type Whose = 'ours' | 'not ours' | 'unknown';

export type OwnPulls = {
  /** Asked before anything is written to the number of this proposal; what is not ours is named in the log. */
  readonly whose: (proposal: Pick<ProposalRecord, 'number' | 'branch'>) => Promise<Whose>;
  /** The account of our credential, as `selfOf` has it; asked once. */
  readonly self: () => ReturnType<typeof selfOf>;
  /** This pass has opened it. */
  readonly opened: (number: number) => void;
};

/**
 * Ours is what has the branch of the record in this repository, and was opened by the account of our credential. `pulls`
 * are those that were reported, also with another base. Who we are is asked once, and only where something is to be written.
 */
export function ownPulls({ forge, log }: Ports & { readonly forge: Forge }, pulls: readonly Pull[]): OwnPulls {
  const fresh = new Set<number>();
  let asked: ReturnType<typeof selfOf> | undefined;
  const self = (): ReturnType<typeof selfOf> => {
    asked ??= selfOf(forge);
    return asked;
  };
  return {
    self,
    opened: (number) => void fresh.add(number),
    whose: async ({ number, branch }) => {
      if (number === undefined) return 'not ours';
      if (fresh.has(number)) return 'ours';
      const leave = (why: string): Whose => {
        log.warn(`pull request ${number}, which the record of ${branch} names, is left alone: ${why}`);
        return 'not ours';
      };
      const pull = pulls.find((one) => one.number === number);
      if (pull === undefined) return leave('the forge has none of this number');
      if (!pull.isSameRepository) return leave('it comes from a fork');
      if (pull.branch !== branch) return leave(`its branch is ${pull.branch}`);
      const login = await self();
      if (login === undefined) return 'unknown';
      return login === '' || login === pull.author.login
        ? 'ours'
        : leave(
            `it is by ${pull.author.login}, and the credential is that of ${login}. Close it where nobody needs it`,
          );
    },
  };
}

/** The account of the credential; empty: the forge does not say that to anybody. undefined: not now. */
export async function selfOf(forge: Forge): Promise<string | undefined> {
  const said = await ask(() => forge.self());
  if (said.kind === 'done') return said.value.login;
  return said.kind === 'refused' ? '' : undefined;
}
