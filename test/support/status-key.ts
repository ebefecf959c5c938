/** A key for tests and measurements: everybody can read it, so nothing outside of them is signed by it. */

import { openSignatures } from '../../src/adapters/system/ed25519.ts';
import { asWritten } from '../../src/api/json.ts';
import { PRIVATE_HALF } from '../../src/api/status-keys.ts';
import type { Signatures } from '../../src/ports/signatures.ts';
import { checksumOf } from '../../src/reconcile/status/record-store.ts';
import { digestOf, sign } from '../../src/reconcile/status/signed.ts';

/** The private half of the nth key. */
export function privateHalf(nth = 1): string {
  return `${PRIVATE_HALF}${Buffer.alloc(32, nth).toString('base64url')}`;
}

/** Opened once: a story opens a process for each of its passes, and OpenSSL takes longer for a key than most of them. */
const opened = new Map<number, Signatures>();

/** A process that has the nth key. */
export function signaturesOf(nth = 1): Signatures {
  const signatures = opened.get(nth) ?? openSignatures(privateHalf(nth));
  opened.set(nth, signatures);
  return signatures;
}

/** A bug that is planted in what opens them shows only in those that are opened after it. */
export function forgetSignatures(): void {
  opened.clear();
}

export function publicHalf(nth = 1): string {
  return signaturesOf(nth).own?.key ?? '';
}

/** What stands in `tranche.yaml` for the nth key. */
export function statusKeysText(nth = 1, cluster = 'default'): string {
  return `statusKeys: [{cluster: ${cluster}, key: ${publicHalf(nth)}}]\n`;
}

/** An index with other content, signed again by the nth key as the process would that wrote it. */
export function resigned(
  text: string,
  change: (index: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
  nth = 1,
): string {
  const { signature, ...index } = JSON.parse(text) as { signature: { number: number } };
  const content = change(index);
  const { own } = signaturesOf(nth);
  if (own === undefined) throw new Error('there is no such key');
  const of = {
    path: 'index.json',
    place: { cluster: 'default', shard: undefined },
    number: signature.number + 1,
    digest: digestOf(asWritten(content)),
  };
  return JSON.stringify({ signature: sign(own, of), ...content }, undefined, 2);
}

/** A record with other content, with its checksum, and signed by the nth key as the process would that wrote it. */
export function resignedRecord(
  text: string,
  change: (record: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
  nth = 1,
): string {
  const {
    signature,
    checksum: _,
    ...record
  } = JSON.parse(text) as {
    signature?: { number: number };
    checksum?: string;
  };
  const content = change(record);
  const { own } = signaturesOf(nth);
  if (own === undefined) throw new Error('there is no such key');
  const digest = digestOf(asWritten(content));
  const of = {
    path: 'rollouts/default/llm/vllm.json',
    place: { cluster: 'default', shard: undefined },
    number: (signature?.number ?? 0) + 1,
    digest,
  };
  return JSON.stringify({ checksum: checksumOf(digest), signature: sign(own, of), ...content }, undefined, 2);
}
