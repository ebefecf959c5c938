/** Records by the number of their version: this one is read, a newer one is left alone, and of an older one there is none. */

import { expect, test } from 'vitest';
import { RECORD_VERSION } from '../../src/api/record.ts';
import { readStatus } from '../../src/reconcile/status/record-store.ts';
import { printRecord } from '../../src/reconcile/status/status-writes.ts';
import { emptyRecord } from '../support/record.ts';

/** As a pass finds it on the branch, with a checksum that fits. */
function found(change: Readonly<Record<string, unknown>>) {
  const text = printRecord({ ...emptyRecord(), ...change });
  const content = { kind: 'text', text } as const;
  const files = [{ path: 'rollouts/default/llm/vllm.json', oid: '0'.repeat(40), mode: '100644' as const, content }];
  const tree = { commit: '0'.repeat(40), files, folders: [], skipped: () => [] };
  const record = readStatus(tree).records.get('default/llm/vllm');
  return record?.kind === 'untrusted' ? record.why : record?.kind;
}

/** What the metrics of a step said: it came after everything else, and stays the same form. */
const MEASURED = { measured: { of: '1/3', metrics: [] } };

test.each<readonly [what: string, change: Readonly<Record<string, unknown>>, then: string]>([
  ['of this version', { version: RECORD_VERSION }, 'read'],
  ['of this version, with what metrics said', MEASURED, 'read'],
  ['of the next one', { version: RECORD_VERSION + 1 }, 'newer'],
  ['of a much newer one, with fields that nobody knows', { version: 99, forecast: 'rain', step: 7 }, 'newer'],
  ['of an older one', { version: RECORD_VERSION - 1 }, 'its version is 0, wanted 1'],
  ['of a version that is no whole number', { version: 1.5 }, 'its version is 1.5, wanted 1'],
  ['of a version that is a text', { version: '2' }, 'its version is "2", wanted 1'],
  ['without a version', { version: undefined }, 'its version is undefined, wanted 1'],
  [
    'of an earlier commit, which lacks what was added since',
    { holds: undefined },
    'holds is not what a record has there',
  ],
])('a record %s', (_, change, then) => expect(found(change)).toBe(then));
