/** Holds that lasted, from the history of the status branch: reported, or signed where a key of main bears the record out. */

import { keysOf } from '../../api/status-keys.ts';
import type { Instant } from '../../api/time.ts';
import type { CommitHeader, Git, Oid } from '../../ports/git.ts';
import { PortError } from '../../ports/port-error.ts';
import type { Signatures } from '../../ports/signatures.ts';
import type { Judging } from '../status/proven.ts';
import { signatureFault } from '../status/signed.ts';
import { statusAt } from '../status/status-at.ts';

export type HoldTold = {
  readonly rollout: string;
  readonly reason: string;
  readonly message: string;
  readonly from: Instant;
  /** undefined: it holds still, as far as the last record says. */
  readonly until: Instant | undefined;
  readonly mark: 'reported' | 'signed';
};

/** Commits of the status branch that are looked at, newest first. */
const STATUS_COMMITS_MOST = 500;

type Asked = {
  readonly head: Oid | undefined;
  /** `cluster/namespace/name` of those that are meant. */
  readonly rollouts: readonly string[];
  readonly since: Instant | undefined;
  readonly judging: Judging;
};

/** Oldest first. A rewritten or shortened status branch tells less, and nothing of it is proven but what is signed. */
export async function holdsTold(git: Pick<Git, 'history' | 'readAt'>, asked: Asked): Promise<readonly HoldTold[]> {
  const { head, rollouts, since } = asked;
  if (head === undefined || rollouts.length === 0) return [];
  const line = await lineOf(git, head);
  const recent = line.filter(({ committedAt }) => since === undefined || committedAt >= since).reverse();
  const open = new Map<string, HoldTold>();
  const ended: HoldTold[] = [];
  for (const { oid, committedAt } of recent) {
    const seen = await holdsAt(git, oid, { ...asked, at: committedAt });
    for (const [key, hold] of open)
      if (!seen.has(key)) {
        ended.push({ ...hold, until: committedAt });
        open.delete(key);
      }
    for (const [key, hold] of seen) open.set(key, { ...hold, from: open.get(key)?.from ?? hold.from });
  }
  return [...ended, ...open.values()].sort((a, b) => a.from - b.from);
}

async function lineOf(git: Pick<Git, 'history'>, head: Oid): Promise<readonly CommitHeader[]> {
  for (let most = STATUS_COMMITS_MOST; ; most = Math.ceil(most / 4)) {
    try {
      return await git.history(head, undefined, most);
    } catch (error) {
      // A clone that was cut off has a shorter one.
      if (!(error instanceof PortError) || error.retryable) throw error;
      if (most === 1) return [];
    }
  }
}

async function holdsAt(
  git: Pick<Git, 'readAt'>,
  commit: Oid,
  { rollouts, judging, at }: Asked & { readonly at: Instant },
): Promise<ReadonlyMap<string, HoldTold>> {
  const paths = rollouts.map((key) => `rollouts/${key}.json`);
  const { records } = await statusAt(git, commit, { request: { paths, suffixes: [], markers: [] } });
  const holds = new Map<string, HoldTold>();
  for (const [rollout, stored] of records) {
    if (stored.kind !== 'read') continue;
    const mark = isSigned(rollout, stored.signed, judging) ? 'signed' : 'reported';
    for (const { reason, message } of stored.record.holds)
      holds.set(`${rollout} ${reason}`, { rollout, reason, message, from: at, until: undefined, mark });
  }
  return holds;
}

function isSigned(
  rollout: string,
  signed: Parameters<typeof signatureFault>[1]['signed'],
  { signatures, config, place, keysAt: now }: Judging & { readonly signatures: Signatures | undefined },
): boolean {
  const [cluster = ''] = rollout.split('/');
  if (signatures === undefined || keysOf(config.statusKeys, cluster).length === 0) return false;
  const by = { place: { ...place, cluster }, keys: config.statusKeys, now };
  return signatureFault(signatures, { path: `rollouts/${rollout}.json`, signed }, by) === undefined;
}
