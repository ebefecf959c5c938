/** What a record keeps of metrics: little enough that it stays one that people read, however many metrics there are. */

import { expect, test } from 'vitest';
import { withFactDigests } from '../../../src/reconcile/documents/digests.ts';
import { printRecord } from '../../../src/reconcile/status/status-writes.ts';
import type { AnalysisSeen } from '../../../src/rollout/analysis/seen.ts';
import { plan, recordWritten } from '../../../src/rollout/plan.ts';
import { BLOB, dated, done, judged, metric } from '../../support/measured-step.ts';
import { NOW, world } from '../../support/snapshot.ts';

const PARTS = Array.from({ length: 24 }, (_, at) => [NOW + at * 300, 71, 1200, 12, 1200] as const);

/** So many Analyses with so many metrics each, all of them open. */
function recorded(analyses: number, metrics: number) {
  const seen = Array.from({ length: analyses }, (_, place): AnalysisSeen => {
    const names = Array.from({ length: metrics }, (__, at) => `${'m'.repeat(50)}-${at}`);
    const open = metric('waiting');
    const said = judged(...names.map((name) => ({ ...open, name, said: { ...open.said, parts: PARTS } })));
    const asked = names.map((name) => ({ name, leadsTo: 'rollback' as const, isBound: true }));
    return { name: `chat-${place}`, blob: BLOB, metrics: asked, said, of: '1/3' };
  });
  const record = recordWritten(plan(withFactDigests(dated({ ...world(done), analyses: seen }))));
  const { measured, ...others } = record;
  const bytes = (of: typeof record): number => Buffer.byteLength(printRecord(of));
  return { kept: measured?.metrics ?? [], bytes: bytes(record) - bytes(others) };
}

test.each<readonly [analyses: number, metrics: number, kept: number, lines: number]>([
  [1, 8, 8, 8],
  [2, 6, 12, 0],
  [5, 10, 13, 0],
])('%i Analyses with %i metrics: 4 KB at most, and lines go before counts', (analyses, metrics, kept, lines) => {
  const found = recorded(analyses, metrics);
  expect(found.bytes).toBeLessThanOrEqual(4096);
  expect(found.kept).toHaveLength(kept);
  expect(found.kept.filter(({ line }) => line !== undefined)).toHaveLength(lines);
});
