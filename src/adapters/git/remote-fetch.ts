/**
 * Asks a server for packs at the best service it offers. What it will not do is found out from its own words, once,
 * and remembered.
 */

import type { Oid } from '../../ports/git.ts';
import type { Log } from '../../ports/log.ts';
import { createFetchReader, type FetchAnswer } from './fetch-answer.ts';
import { type GitOperation, gitError } from './git-error.ts';
import { TooLarge } from './inflate.ts';
import type { GitLimits } from './limits.ts';
import { markerSearch } from './markers.ts';
import type { SentWhole } from './object-question.ts';
import { PackReader, type TakenObject } from './pack-read.ts';
import { type FetchRequest, fetchRequest, ServerSaid } from './protocol.ts';
import type { Remote } from './remote.ts';
import { serverSaidError } from './remote-error.ts';

/**
 * What the server does for us, best first: single objects and a commit together with its root tree; single objects
 * (`uploadpackfilter.tree.maxDepth` 0); trees without blobs; whole commits.
 */
const services = ['withRoot', 'single', 'blobless', 'whole'] as const;
export type Service = (typeof services)[number];

/** What is said of a server that does no better, and the setting that changes it; undefined: nothing worth saying. */
const costs = {
  withRoot: undefined,
  single: undefined,
  blobless:
    'sends all trees of a commit where a few would do. On the server: git config uploadpackfilter.tree.allow true',
  whole:
    'has no partial clone and sends whole commits where a few files would do. On the server: git config uploadpack.allowFilter true',
} satisfies Record<Service, string | undefined>;

/** One read or push: what it is of, and how much of it has been sent whole. */
export type Reading = {
  readonly operation: GitOperation;
  /** The commits that objects of this reading belong to. */
  readonly commits: readonly Oid[];
  readonly markers: readonly string[];
  readonly hasMarker: (bytes: Buffer) => boolean;
  readonly markersKey: string;
  /** Files that are kept without a marker. */
  readonly named: ReadonlySet<Oid>;
  /** `limited`: but for files over the limit. */
  sent: 'parts' | 'limited' | 'all';
  /**
   * Set where blobs without a marker were released unnamed, or not even sent: how many the commit has in all, where that is
   * known, those that were not, and when somebody had read them all; undefined: now.
   */
  whole: Pick<SentWhole, 'blobs' | 'kept' | 'readAt'> | undefined;
  /** True: objects over the limit came without a name, and a file that did not come may be one of them. */
  leftOut: boolean;
};

export type RemoteFetchOptions = {
  readonly remote: Remote;
  readonly limits: GitLimits;
  readonly log: Log | undefined;
  /** Asks for the server's offer once something was refused; throws where the server is no use at all. */
  readonly hasFilter: (operation: GitOperation) => Promise<boolean>;
};

type FetchEnd = FetchAnswer & {
  /** How many blobs came, wanted or not; undefined where that cannot be known. */
  readonly blobs: number | undefined;
};

type FetchHow = {
  /** Blobs that it says no to are dropped without a name. */
  readonly wantsBlob?: (bytes: Buffer) => boolean;
  /** Gets the objects instead of those who keep them for this read. */
  readonly take?: (oid: Oid, object: TakenObject) => void;
  readonly limits?: Partial<GitLimits>;
};

type Keep = (oid: Oid, object: TakenObject, reading: Reading) => void;

export class RemoteFetch {
  /** The best service that has worked. */
  service: Service = 'withRoot';
  private readonly options: RemoteFetchOptions;
  private readonly keep: Keep;
  /** The lowest service that the server announced. */
  private told: Service = 'withRoot';

  /** `keep` gets every object as it comes. */
  constructor(options: RemoteFetchOptions, keep: Keep) {
    this.options = options;
    this.keep = keep;
  }

  /** One request. Throws PortError or ServerSaid; TooLarge only where `how` has limits of its own. */
  async fetch(request: FetchRequest, reading: Reading, how: FetchHow = {}): Promise<FetchEnd> {
    const limits = { ...this.options.limits, ...how.limits };
    let tooLarge: TooLarge | undefined;
    const noteTooLarge = (error: unknown): never => {
      if (error instanceof TooLarge && how.limits !== undefined) tooLarge = error;
      throw error;
    };
    const reader = () => {
      const take = how.take ?? ((oid: Oid, object: TakenObject) => this.keep(oid, object, reading));
      const pack = new PackReader(limits, {
        take,
        wantsBlob: how.wantsBlob ?? (() => true),
        leavesOut: how.limits === undefined,
      });
      const answer = createFetchReader((chunk) => {
        try {
          pack.push(chunk);
        } catch (error) {
          noteTooLarge(error);
        }
      }, limits.shallowCommits);
      const finish = (): FetchEnd => {
        const { shallow } = answer.finish();
        pack.finish();
        if (pack.unnamedLarge > 0) reading.leftOut = true;
        return { shallow, blobs: pack.unnamedLarge > 0 ? undefined : pack.blobs };
      };
      return { packet: answer.packet, finish };
    };
    const body = fetchRequest(request);
    const maxBytes = how.limits === undefined ? limits.wireBytes : limits.packBytes + limits.answerBytes;
    try {
      return await this.options.remote.read({
        operation: reading.operation,
        service: 'git-upload-pack',
        body,
        maxBytes,
        reader,
      });
    } catch (error) {
      throw tooLarge ?? error;
    }
  }

  /** Runs `attempt` at the best service known, and lower where the server says no in words. Throws PortError. */
  async withFallback<T>(reading: Reading, attempt: (at: Service) => Promise<T>): Promise<T> {
    const { remote } = this.options;
    let silences = 0;
    let said: ServerSaid | undefined;
    for (let at: Service = this.service; ; ) {
      try {
        const result = await attempt(at);
        this.service = at;
        if (said !== undefined) this.tell(at, said);
        return result;
      } catch (error) {
        said = this.refusalOf(error, reading);
        if (at === 'whole') throw serverSaidError(said, remote.errorContext(reading.operation));
        const hasFilter = await this.options.hasFilter(reading.operation);
        // A server that dies on a word it does not know looks like one that just dies: it gets a second chance.
        silences = said.message === '' ? silences + 1 : 0;
        if (hasFilter && silences === 1) continue;
        silences = 0;
        at = (hasFilter ? services[services.indexOf(at) + 1] : undefined) ?? 'whole';
      }
    }
  }

  /** Once, though several reads may find it out at the same time. */
  private tell(at: Service, said: ServerSaid): void {
    if (services.indexOf(at) <= services.indexOf(this.told)) return;
    this.told = at;
    const { remote, log } = this.options;
    if (costs[at] !== undefined) log?.warn(`git: ${remote.name} ${costs[at]} (${this.saidBy(said)})`);
  }

  /** What a server said, for a log. */
  saidBy({ message }: ServerSaid): string {
    return message === '' ? 'the server does no less' : `the server says "${this.options.remote.clean(message)}"`;
  }

  /** Runs `attempt` where there is nothing lower to fall back to. Throws PortError. */
  async orFail<T>(reading: Reading, attempt: () => Promise<T>): Promise<T> {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ServerSaid)) throw error;
      throw serverSaidError(this.refusalOf(error, reading), this.options.remote.errorContext(reading.operation));
    }
  }

  /** What the server said, if it is not about a commit that is gone; throws everything else. */
  refusalOf(error: unknown, reading: Reading): ServerSaid {
    if (!(error instanceof ServerSaid)) throw error;
    const missing = reading.commits.find((oid) => error.message.includes(oid));
    if (missing !== undefined) throw missingCommit(missing, this.options.remote.name, reading.operation);
    return error;
  }
}

/** A reading of which nothing has been sent yet. */
export function startReading(operation: GitOperation, commits: readonly Oid[], markers: readonly string[]): Reading {
  return {
    operation,
    commits,
    markers,
    hasMarker: markerSearch(markers),
    markersKey: JSON.stringify(markers),
    named: new Set(),
    sent: 'parts',
    whole: undefined,
    leftOut: false,
  };
}

/** The filter at a service, where the best one has `best`. */
export function filterAt(at: Service, best: string): string | undefined {
  if (at === 'withRoot') return best;
  if (at === 'single') return 'tree:0';
  return at === 'blobless' ? 'blob:none' : undefined;
}

function missingCommit(oid: Oid, name: string, operation: GitOperation) {
  return gitError(`${name} has no commit ${oid} (any more, or not yet)`, { operation, retryable: true, missing: oid });
}
