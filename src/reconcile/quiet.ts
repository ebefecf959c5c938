/** When a pass may end after looking at the branches alone: on its own word, by a key that main names, no longer than one audit's time. */

import type { Instant } from '../api/time.ts';
import type { Signatures } from '../ports/signatures.ts';
import type { Memory, PassOptions, PassResult } from './pass.ts';
import { isWhole } from './status/content.ts';
import { overridesText } from './status/overrides-text.ts';
import { INDEX_FILE, type StatusBranch, type StatusIndex } from './status/record-store.ts';
import { isOwn } from './status/signed.ts';

export { namedCluster } from './own-key.ts';

/** What a look at the branches found. */
export type Heads = { readonly main: string; readonly status: StatusBranch; readonly now: Instant };

/**
 * What such a pass says; undefined: something has moved or is due, or nothing proves that it has not. `named`: the cluster for which
 * main names the key of this process now, asked only where an index by that key would end the pass.
 */
export async function quietPass(
  { main, status, now }: Heads,
  of: {
    readonly memory: Memory;
    readonly options: PassOptions;
    readonly signatures: Signatures | undefined;
    readonly named: () => Promise<string | undefined>;
  },
): Promise<PassResult | undefined> {
  const { memory, options } = of;
  if (!options.write || options.only.length > 0 || !isSettled(status)) return undefined;
  const { atRest } = memory;
  const seen = atRest !== undefined && atRest.status === status.head ? atRest.index : undefined;
  const index = seen ?? signedIndex(status, of);
  if (index === undefined || !isQuiet(index, { main, now, options })) return undefined;
  return seen !== undefined || (await of.named()) === index.cluster ? quietResult(main, index, now) : undefined;
}

/** The index as far as this process has signed it, and what else it speaks of. One of before is looked at, which says so. */
function signedIndex(
  status: StatusBranch,
  { memory, options, signatures }: Parameters<typeof quietPass>[1],
): StatusIndex | undefined {
  const { index, texts, signed } = status;
  if (index?.content === undefined || !isOwnIndex(status, options, signatures)) return undefined;
  if ((signed?.signature.number ?? 0) < (memory.known.numbers.get(INDEX_FILE) ?? 0)) return undefined;
  return isWhole(texts, index.content) ? index : undefined;
}

/** Whether the key of this process has signed the index: where main names that key, it is believed which files have nothing of interest. */
export function isOwnIndex(
  { index, signed }: StatusBranch,
  { overrides }: PassOptions,
  signatures: Signatures | undefined,
): boolean {
  if (index === undefined || signatures === undefined) return false;
  const place = { cluster: index.cluster, shard: overrides.shard?.index };
  return isOwn(signatures, { path: INDEX_FILE, signed }, place);
}

/**
 * Settled at this very commit, and no audit due: there is nothing to look at. An audit that is further away than one
 * period was put there by a clock that ran ahead, and is due now; so is one that is not there.
 */
function isQuiet(
  { main, settled, overrides, nextAuditAt, auditSeconds }: StatusIndex,
  at: { readonly main: string; readonly now: Instant; readonly options: PassOptions },
): boolean {
  if (!settled || main !== at.main || overrides !== overridesText(at.options.overrides)) return false;
  return nextAuditAt !== undefined && at.now < nextAuditAt && nextAuditAt <= at.now + auditSeconds;
}

/** Whether no record says that something is in progress. It may be forged: then more is looked at than need be. */
export function isSettled({ records }: StatusBranch): boolean {
  for (const stored of records.values())
    if (stored.kind === 'newer' || (stored.kind === 'read' && !stored.record.settled)) return false;
  return true;
}

function quietResult(main: string, index: StatusIndex, now: Instant): PassResult {
  const audit = index.nextAuditAt;
  // Orders and edits wait no longer than the configuration says, whether something is in delivery or not.
  const interval = index.intervalSeconds;
  return {
    main,
    quiet: true,
    outcomes: [],
    issues: [],
    warnings: [],
    status: undefined,
    failed: false,
    requeueAfterSeconds: audit === undefined ? interval : Math.max(1, Math.min(interval, audit - now)),
  };
}
