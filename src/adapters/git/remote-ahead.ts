/**
 * Asks early for what is likely to be read, all in one round: what a head has next to a commit that was read before,
 * and the objects of that one by their ids. So the number of rounds does not grow with the depth of folders.
 */

import type { Expected, Oid } from '../../ports/git.ts';
import { PortError } from '../../ports/port-error.ts';
import { TooLarge } from './inflate.ts';
import { isOid } from './names.ts';
import { type FetchRequest, ServerSaid } from './protocol.ts';
import { type RemoteFetch, startReading } from './remote-fetch.ts';

/** Commits that lie between two passes; of more, each line is read when somebody looks for a commit in it. */
const mostBetween = 16;
/** A server that does not know the commit that we name sends everything: more than this is not taken from it. */
const limits = { packBytes: 16 * 1024 * 1024 } as const;
const mostObjects = 5000;

export class RemoteAhead {
  private readonly server: RemoteFetch;
  private readonly isKnown: (oid: Oid) => boolean;
  private running: Promise<unknown> = Promise.resolve();

  /** `isKnown`: an object that is at hand is not asked for. */
  constructor(server: RemoteFetch, isKnown: (oid: Oid) => boolean) {
    this.server = server;
    this.isKnown = isKnown;
  }

  /** Ends when everything has come, or nothing will. Throws only what is a fault of ours. */
  fetch(expected: Expected): Promise<void> {
    const { since, commits, folders } = expected;
    // A tree that git meets inside of another object that is asked for no longer counts as asked for by itself: so
    // commits go apart, and the deepest folders come first.
    const all = Promise.all([
      this.whatChanged(expected),
      this.byId([since, ...commits], { depth: 1, filter: 'tree:1' }),
      this.byId([...folders].reverse().flat(), { depth: undefined, filter: 'tree:0' }),
    ]).then(() => undefined);
    this.running = all.catch(() => undefined);
    return all;
  }

  /** After this, whatever was asked for early is at hand, or has to be asked for again. */
  async arrived(): Promise<void> {
    await this.running;
  }

  private async whatChanged({ head, since }: Expected): Promise<void> {
    if (head === undefined || head === since || this.isKnown(head) || !isOid(since)) return;
    // Files are left out: most of what others change is not ours to read.
    const request = { wants: [head], without: [since], depth: mostBetween, filter: 'blob:none' };
    await this.tried([head], (reading) => this.server.fetch(request, reading, { limits }));
  }

  private async byId(oids: readonly Oid[], asked: Pick<FetchRequest, 'depth' | 'filter'>): Promise<void> {
    const unknown = oids.filter((oid) => isOid(oid) && !this.isKnown(oid));
    if (unknown.length === 0) return;
    const wants = [...new Set(unknown)].slice(0, mostObjects);
    await this.tried([], (reading) => this.server.fetch({ ...asked, wants }, reading, { limits }));
  }

  /** What the server will not send, or no longer has, is asked for in the ordinary way by the one who reads it. */
  private async tried(commits: readonly Oid[], ask: (reading: ReturnType<typeof startReading>) => Promise<unknown>) {
    if (this.server.service !== 'withRoot' && this.server.service !== 'single') return;
    try {
      await ask(startReading('read', commits, []));
    } catch (error) {
      if (!(error instanceof PortError || error instanceof ServerSaid || error instanceof TooLarge)) throw error;
    }
  }
}
