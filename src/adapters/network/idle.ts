/** Kept connections that nobody uses, and that the other side may have closed. */

import type { Agent } from 'node:http';

/**
 * Closes what an agent keeps and nobody uses. For when a kept connection was dead at its next use: the others are as
 * old, and a process that was busy since has not yet been told, so that the same request would fail once for each.
 */
export function closeIdle({ freeSockets }: Agent): void {
  for (const sockets of Object.values(freeSockets)) for (const socket of sockets ?? []) socket.destroy();
}
