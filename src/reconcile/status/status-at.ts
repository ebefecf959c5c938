/** Reads the status branch, whatever somebody has pushed there. */

import type { Git, Oid, ReadRequest } from '../../ports/git.ts';
import { PortError } from '../../ports/port-error.ts';
import { EMPTY_STATUS, readStatus, STATUS_REQUEST, type StatusBranch } from './record-store.ts';

type Asked = {
  /** What was read before, to read again only what has changed. */
  readonly before?: StatusBranch | undefined;
  readonly request?: ReadRequest;
};

/**
 * The branch at its head. A tree that nobody can read, as one of too many folders, counts as lost: who pushed it must not keep a
 * rollback waiting. Throws PortError where the world may be better later.
 */
export async function statusAt(
  git: Pick<Git, 'readAt'>,
  head: Oid | undefined,
  { before = EMPTY_STATUS, request = STATUS_REQUEST }: Asked = {},
): Promise<StatusBranch> {
  if (head === undefined) return EMPTY_STATUS;
  try {
    return readStatus(await git.readAt(head, request), before);
  } catch (error) {
    if (!(error instanceof PortError) || error.retryable) throw error;
    return { ...EMPTY_STATUS, head, unreadable: error.message };
  }
}
