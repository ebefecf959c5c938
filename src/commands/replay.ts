/** `tranche replay`: the pure core on saved snapshots. No Git, no cluster, no clock. */

import { resolve } from 'node:path';
import { asWritten, canonicalJson } from '../api/json.ts';
import { oneLine } from '../api/printable.ts';
import { EXIT, type Io } from '../options.ts';
import { decide } from '../reconcile/reconcile.ts';
import { planReport } from '../reconcile/status/report.ts';
import { readSavedPasses, type SavedPass } from './saved-pass.ts';

/** Decides every saved pass again. Exit code 1 where the decision is another than the one that was saved. */
export async function replay(folder: string, io: Io): Promise<number> {
  let differs = false;
  for (const saved of await readSavedPasses(resolve(io.folder, folder))) {
    const { plan, diff } = decide(saved.snapshot, new Map(Object.entries(saved.texts)));
    const same = isSame(saved, { plan, diff });
    differs ||= !same;
    io.out(
      planReport({
        key: saved.snapshot.key,
        snapshot: saved.snapshot,
        plan,
        diff,
        texts: saved.texts,
        written: undefined,
        error: undefined,
      }),
    );
    io.out(`${oneLine(saved.name)}: ${same ? 'the same decision as saved' : 'NOT the decision that was saved'}\n`);
  }
  return differs ? EXIT.failed : EXIT.ok;
}

function isSame(saved: SavedPass, now: Pick<SavedPass, 'plan' | 'diff'>): boolean {
  const text = (pass: Pick<SavedPass, 'plan' | 'diff'>): string =>
    canonicalJson(asWritten({ plan: pass.plan, diff: pass.diff }));
  return text(saved) === text(now);
}
