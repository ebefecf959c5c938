/** Sends what several reads ask for in the same turn as one request, so that reads that go on together wait together. */

import type { Oid } from '../../ports/git.ts';
import type { TakenObject } from './pack-read.ts';
import { type FetchRequest, ServerSaid } from './protocol.ts';
import type { Reading } from './remote-fetch.ts';

type FetchShape = Pick<FetchRequest, 'depth' | 'filter'>;

type Party = {
  readonly wants: ReadonlySet<Oid>;
  readonly reading: Reading;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
};

/** One request; `take` gets every object of the answer. Throws what RemoteFetch throws. */
type Send = (
  request: FetchRequest,
  reading: Reading,
  take: (oid: Oid, object: TakenObject) => void,
) => Promise<unknown>;

type GatherOptions = {
  readonly send: Send;
  readonly keep: (oid: Oid, object: TakenObject, reading: Reading) => void;
  readonly wantsPerRequest: number;
};

export class FetchGather {
  private readonly options: GatherOptions;
  private waiting: { readonly asked: FetchShape; readonly parties: Party[] }[] = [];

  constructor(options: GatherOptions) {
    this.options = options;
  }

  /** Asks for objects by id. What the server refuses to several reads at once, each of them is refused alone. */
  fetch(asked: FetchShape, wants: readonly Oid[], reading: Reading): Promise<void> {
    return new Promise((done, failed) => {
      if (this.waiting.length === 0) setImmediate(() => this.sendAll());
      const party: Party = { wants: new Set(wants), reading, done, failed };
      const same = this.waiting.find((group) => isSame(group.asked, asked) && this.hasRoom(group.parties, party));
      if (same === undefined) this.waiting.push({ asked, parties: [party] });
      else same.parties.push(party);
    });
  }

  private hasRoom(parties: readonly Party[], next: Party): boolean {
    const taken = parties.reduce((sum, { wants }) => sum + wants.size, 0);
    return taken + next.wants.size <= this.options.wantsPerRequest;
  }

  private sendAll(): void {
    const groups = this.waiting;
    this.waiting = [];
    for (const { asked, parties } of groups) void this.sendTogether(asked, parties);
  }

  private async sendTogether(asked: FetchShape, parties: readonly Party[]): Promise<void> {
    const [first] = parties;
    if (first === undefined) return;
    const wants = new Set(parties.flatMap((party) => [...party.wants]));
    const take = (oid: Oid, object: TakenObject): void => {
      // A blob that a read did not ask for says nothing to it; what is said of blobs depends on its markers.
      for (const party of parties)
        if (object.type !== 'blob' || party.wants.has(oid)) this.options.keep(oid, object, party.reading);
    };
    try {
      await this.options.send({ ...asked, wants: [...wants] }, first.reading, take);
      for (const party of parties) party.done();
    } catch (error) {
      // One of them may have asked for what is not there; the others must not suffer for it.
      if (error instanceof ServerSaid && parties.length > 1)
        for (const party of parties) void this.sendTogether(asked, [party]);
      else for (const party of parties) party.failed(error);
    }
  }
}

function isSame(left: FetchShape, right: FetchShape): boolean {
  return left.depth === right.depth && left.filter === right.filter;
}
