/**
 * Moves branches of a server in one compare-and-swap and settles what came of it: the report where it is clear,
 * the branches themselves, read again, where it is not.
 */

import type { BranchUpdate, Oid, PushResult, Refused } from '../../ports/git.ts';
import type { Log } from '../../ports/log.ts';
import { PortError } from '../../ports/port-error.ts';
import type { BuiltUpdates } from './commit-chain.ts';
import { gitError } from './git-error.ts';
import type { GitLimits } from './limits.ts';
import { refOf } from './names.ts';
import { encodePack } from './pack-write.ts';
import { type Capabilities, type Discovery, ServerSaid } from './protocol.ts';
import { createReportReader, type PushReport, receiveRequest } from './receive-pack.ts';
import { quoted, verdictOf, wayOf } from './refusals.ts';
import type { Remote } from './remote.ts';
import { SentButUnknown, serverSaidError } from './remote-error.ts';

type Move = { readonly branch: string; readonly from: Oid | undefined; readonly to: Oid | undefined };

/** What is known after one request. `unclear`: only the refs themselves can tell. */
type Outcome =
  | { readonly kind: 'pushed' }
  | { readonly kind: 'moved'; readonly why: string }
  | Refused
  | {
      readonly kind: 'unclear';
      readonly why: string;
      readonly mayTryAgain: boolean;
      /** The server has said no to this branch, in words that nobody knows. */
      readonly refusal?: Refused | undefined;
    };

type PushOptions = {
  readonly remote: Remote;
  readonly limits: GitLimits;
  readonly heads: (branches: readonly string[]) => Promise<readonly (Oid | undefined)[]>;
  readonly log: Log | undefined;
};

/**
 * A server without `atomic` gets the updates one by one in the order given, so that what is decided (main) lands
 * before what is reported about it (status); a later one that fails is a PortError that says what has landed. A branch
 * that is only to be deleted is reported, and left: the rest has landed, and anyone who wants it gone looks again.
 */
export class RemotePush {
  private readonly options: PushOptions;
  /** The server's offer, once it has been asked. */
  private offer: Capabilities | undefined;
  private preparing: Promise<unknown> | undefined;

  constructor(options: PushOptions) {
    this.options = options;
  }

  /** Asks for the offer early. What goes wrong with that is found out by the push itself. */
  prepare(): void {
    if (this.offer !== undefined) return;
    this.preparing ??= this.discover([]).catch(() => {
      this.preparing = undefined;
    });
  }

  /** Moves the branches to what was built. Throws PortError. */
  async push(updates: readonly BranchUpdate[], built: BuiltUpdates): Promise<PushResult> {
    const pushed: PushResult = { kind: 'pushed', heads: built.heads, commits: built.commits };
    const moves = updates.map(({ branch, expectedOld }, i) => ({
      branch,
      from: expectedOld,
      to: built.heads[i],
    }));
    const { offer, seen } = await this.meet(moves);
    if (seen !== 'asExpected') return seen === 'ours' ? pushed : { kind: 'moved' };
    const pack = encodePack(built.objects.values());
    const groups = offer.has('atomic') ? [moves] : moves.map((move) => [move]);
    const landed: string[] = [];
    for (const group of groups) {
      const outcome = await this.swap({ moves: group, pack, offer, limits: this.options.limits }).catch(
        (error: unknown) => {
          if (landed.length === 0 || !(error instanceof PortError)) throw error;
          this.fallShort(landed, group, error.message);
        },
      );
      if (outcome === undefined) continue;
      if (outcome.kind === 'pushed') landed.push(...group.map(({ branch }) => branch));
      else if (landed.length > 0) this.fallShort(landed, group, wordsOf(outcome));
      else if (outcome.kind === 'moved') return { kind: 'moved' };
      else if (outcome.kind === 'refused') return outcome;
      else throw gitError(`${outcome.why}; the branches are as they were`, { operation: 'push', retryable: true });
    }
    return pushed;
  }

  /** What has landed stays. Throws PortError, unless all that is left undone is the end of a branch. */
  private fallShort(landed: readonly string[], failed: readonly Move[], why: string): void {
    const { remote, log } = this.options;
    const short = halfPushed(remote.name, landed, failed, why);
    if (failed.some(({ to }) => to !== undefined)) throw short;
    log?.warn(`git: push: ${short.message}`);
  }

  /** The first push asks for the offer, which lists all refs: a lost race is then seen before anything is sent. */
  private async meet(moves: readonly Move[]): Promise<{ readonly offer: Capabilities; readonly seen: Seen }> {
    await this.preparing;
    if (this.offer !== undefined) return { offer: this.offer, seen: 'asExpected' };
    const { capabilities, refs } = await this.discover(moves.map(({ branch }) => branch));
    const heads = moves.map(({ branch }) => refs.get(refOf(branch)));
    return { offer: capabilities, seen: compare(moves, heads) };
  }

  private async discover(branches: readonly string[]): Promise<Discovery> {
    const { remote } = this.options;
    const discovery = await remote
      .discover('git-receive-pack', { operation: 'push', branches })
      .catch((error: unknown) => {
        throw error instanceof ServerSaid ? serverSaidError(error, remote.errorContext('push')) : error;
      });
    if (!discovery.capabilities.has('report-status')) {
      throw gitError(`${remote.name} does not report what becomes of a push`, { operation: 'push', retryable: false });
    }
    this.offer = discovery.capabilities;
    return discovery;
  }

  private async swap(sending: Sending): Promise<Outcome> {
    const first = await this.settle(sending.moves, await sendOnce(this.options.remote, sending));
    // All branches are where they were, and the connection was dead before: sending again is safe under old oids.
    if (first.kind !== 'unclear' || !first.mayTryAgain) return first;
    return this.settle(sending.moves, await sendOnce(this.options.remote, sending));
  }

  /** Reads the branches again where a report does not say it all. */
  private async settle(moves: readonly Move[], outcome: Outcome): Promise<Outcome> {
    if (outcome.kind === 'refused' || outcome.kind === 'pushed') return outcome;
    this.options.remote.allow(this.options.limits.settleSeconds);
    const seen = compare(moves, await this.options.heads(moves.map(({ branch }) => branch)));
    if (seen === 'ours') return { kind: 'pushed' };
    if (seen === 'others') return { kind: 'moved', why: '' };
    if (outcome.kind === 'unclear') return outcome.refusal ?? outcome;
    // Somebody may be moving them right now; where it is a lock that was left behind, people need the words.
    const { remote, log } = this.options;
    log?.warn(`git push: ${remote.name} says "${outcome.why}", and the branches are as they were`);
    return outcome;
  }
}

type Seen = 'ours' | 'asExpected' | 'others';

function compare(moves: readonly Move[], heads: readonly (Oid | undefined)[]): Seen {
  if (moves.length > 0 && moves.every(({ to }, i) => heads[i] === to)) return 'ours';
  return moves.every(({ from }, i) => heads[i] === from) ? 'asExpected' : 'others';
}

type Sending = {
  readonly moves: readonly Move[];
  readonly pack: Buffer;
  readonly offer: Capabilities;
  readonly limits: GitLimits;
};

async function sendOnce(remote: Remote, { moves, pack, offer, limits }: Sending): Promise<Outcome> {
  const commands = moves.map(({ branch, from, to }) => ({ ref: refOf(branch), from, to }));
  try {
    const report = await remote.write({
      operation: 'push',
      service: 'git-receive-pack',
      body: receiveRequest(commands, pack, offer),
      maxBytes: limits.answerBytes,
      reader: () => createReportReader(offer.has('side-band-64k'), new Set(commands.map(({ ref }) => ref))),
    });
    return outcomeOf(report, { moves, clean: (text) => remote.clean(text) });
  } catch (error) {
    if (!(error instanceof SentButUnknown)) throw error;
    return { kind: 'unclear', why: error.message, mayTryAgain: error.stale };
  }
}

/** `clean`: words of the server, as they may be shown. */
type Told = { readonly moves: readonly Move[]; readonly clean: (text: string) => string };

function outcomeOf(report: PushReport, { moves, clean }: Told): Outcome {
  const answers = moves.map(({ branch }) => ({
    branch,
    reported: report.refs.has(refOf(branch)),
    reason: report.refs.get(refOf(branch)),
  }));
  if (report.unpack === 'ok' && answers.every(({ reported, reason }) => reported && reason === undefined)) {
    return { kind: 'pushed' };
  }
  const refusals = answers.flatMap(({ branch, reason }) => (reason === undefined ? [] : [{ branch, reason }]));
  const printed = verdictOf(report.printed);
  const ruled = refusals.filter(({ reason }) => printed === 'refused' || verdictOf(reason) === 'refused');
  // A refusal of one branch makes an atomic push fail for the others too; the one that the host names is the one.
  const named = ruled.find(({ branch }) => isNamed(branch, report.printed)) ?? ruled[0];
  const [first] = refusals;
  if (named !== undefined)
    return {
      kind: 'refused',
      branch: named.branch,
      rule: rule(named.reason, report.printed, clean),
      advice: wayOf(`${named.reason} ${report.printed}`),
    };
  const why = report.unpack === 'ok' ? (first?.reason ?? 'no word about a branch') : `unpack ${report.unpack}`;
  const said = rule(why, report.printed, clean);
  const unknown = refusals.find(({ reason }) => verdictOf(reason) === 'unknown');
  const isMoved = refusals.some(({ reason }) => verdictOf(reason) === 'moved') || printed === 'moved';
  if (isMoved || (refusals.length > 0 && unknown === undefined)) return { kind: 'moved', why: said };
  return {
    kind: 'unclear',
    why: `the server reports: ${said}`,
    mayTryAgain: false,
    refusal: refusalOf(unknown, report, clean),
  };
}

/** A pack that was not taken says nothing of a branch; where it was, a `no` is one, whatever the words. */
function refusalOf(
  unknown: { readonly branch: string; readonly reason: string } | undefined,
  { unpack, printed }: PushReport,
  clean: Told['clean'],
): Refused | undefined {
  if (unknown === undefined || unpack !== 'ok') return undefined;
  return { kind: 'refused', branch: unknown.branch, rule: rule(unknown.reason, printed, clean), advice: undefined };
}

function isNamed(branch: string, printed: string): boolean {
  return printed.split(/[\s'"`,;:()[\]]+/).some((word) => [branch, refOf(branch)].includes(word.replace(/\.+$/, '')));
}

function rule(reason: string, printed: string, clean: Told['clean']): string {
  return quoted(clean(reason), clean(printed));
}

function wordsOf(outcome: Exclude<Outcome, { readonly kind: 'pushed' }>): string {
  if (outcome.kind === 'moved') return 'moved by somebody else';
  return outcome.kind === 'refused' ? `refused: ${outcome.rule}` : outcome.why;
}

function halfPushed(name: string, landed: readonly string[], failed: readonly Move[], why: string): PortError {
  const branches = failed.map(({ branch }) => branch).join(', ');
  const message = `${name} has no atomic push: ${landed.join(', ')} landed, ${branches} did not (${why})`;
  return gitError(message, { operation: 'push', retryable: true });
}
