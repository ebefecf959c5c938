/** Gets a commit with everything in it: servers send everything faster than a selection of it, so that is tried first. */

import type { Expected, Marked, Oid } from '../../ports/git.ts';
import { TooLarge } from './inflate.ts';
import type { GitLimits } from './limits.ts';
import type { FoundObject } from './object-question.ts';
import type { TakenObject } from './pack-read.ts';
import type { FetchRequest } from './protocol.ts';
import { type Reading, type RemoteFetch, type RemoteFetchOptions } from './remote-fetch.ts';
import type { fetchByMarks } from './remote-marked.ts';

/** Up to here. */
const firstTry = { packBytes: 64 * 1024 * 1024 } as const;

type WholeOptions = Pick<RemoteFetchOptions, 'limits' | 'log'> & {
  readonly server: RemoteFetch;
  readonly keep: (oid: Oid, object: TakenObject, reading: Reading) => void;
  /** An object as far as it is at hand. */
  readonly find: (oid: Oid, reading: Reading) => FoundObject | undefined;
  /** Says of a file that is not at hand that it is too large. */
  readonly markLarge: (oid: Oid, reading: Reading) => void;
};

export class RemoteWhole {
  private readonly options: WholeOptions;
  private marked: Marked | undefined;
  private isBelieved: () => Promise<boolean> = async () => true;
  /** What reads by marks: loaded once there are some, while others ask. */
  private loading: Promise<{ readonly fetchByMarks: typeof fetchByMarks }> | undefined;

  constructor(options: WholeOptions) {
    this.options = options;
  }

  /** Believes what is said of the files of an earlier commit. */
  expect({ marked, isBelieved = async () => true }: Expected): void {
    this.marked = marked;
    this.isBelieved = isBelieved;
    if (marked !== undefined) this.loading ??= import('./remote-marked.ts');
  }

  /** The commit and its whole tree; where that is much, without large files if the server can leave them out. */
  async fetch(commit: Oid, reading: Reading): Promise<void> {
    const { marked, loading } = this;
    const byMarks = marked && (await loading);
    const options = { ...this.options, isBelieved: this.isBelieved };
    if (marked !== undefined && (await byMarks?.fetchByMarks(marked, commit, reading, options)) === true) return;
    const request = { wants: [commit], depth: 1, filter: undefined };
    try {
      await this.orFail(request, reading, firstTry);
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
      this.options.log?.info(`git: leaving out large files: ${error.message}`);
      if (!(await this.fetchLimited(commit, reading))) await this.orFail(request, reading, undefined);
    }
  }

  private orFail(
    request: FetchRequest,
    reading: Reading,
    limits: Pick<GitLimits, 'packBytes'> | undefined,
  ): Promise<void> {
    return this.options.server.orFail(reading, () => this.fetchAll(request, reading, limits));
  }

  /** Everything but blobs without a marker, which are not even named: hashing them is most of the work. Throws as the server does. */
  private async fetchAll(
    request: FetchRequest,
    reading: Reading,
    limits: Pick<GitLimits, 'packBytes'> | undefined,
  ): Promise<void> {
    const { fileBytes } = this.options.limits;
    const wantsBlob = (bytes: Buffer) => bytes.length > fileBytes || reading.hasMarker(bytes);
    const kept = new Set<Oid>();
    const take = (oid: Oid, object: TakenObject) => {
      if (object.type === 'blob' || object.type === 'large') kept.add(oid);
      this.options.keep(oid, object, reading);
    };
    const asked = { wantsBlob, take };
    const how = limits === undefined ? asked : { ...asked, limits: smaller(this.options.limits, limits) };
    const { blobs } = await this.options.server.fetch(request, reading, how);
    reading.sent = 'all';
    reading.whole =
      reading.markers.length === 0 || blobs === undefined ? undefined : { blobs, kept, readAt: undefined };
  }

  private async fetchLimited(commit: Oid, reading: Reading): Promise<boolean> {
    const { limits, server, log } = this.options;
    const filter = `blob:limit=${limits.fileBytes + 1}`;
    try {
      await server.fetch({ wants: [commit], depth: 1, filter }, reading);
    } catch (error) {
      log?.info(`git: large files cannot be left out: ${server.saidBy(server.refusalOf(error, reading))}`);
      return false;
    }
    reading.sent = 'limited';
    return true;
  }
}

function smaller(limits: GitLimits, first: Pick<GitLimits, 'packBytes'>): Partial<GitLimits> {
  return { packBytes: Math.min(limits.packBytes, first.packBytes) };
}
