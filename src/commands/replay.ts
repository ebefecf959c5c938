/** `tranche replay`: the pure core on saved snapshots. No Git, no cluster, no clock. */

import { resolve } from 'node:path';
import { asWritten, canonicalJson } from '../api/json.ts';
import { oneLine } from '../api/printable.ts';
import { EXIT, type Io, UsageError } from '../options.ts';
import { decide } from '../reconcile/reconcile.ts';
import { planReport } from '../reconcile/status/report.ts';
import { readSavedPasses, type SavedPass } from './saved-pass.ts';

/** Decides every saved pass again. Exit code 1 where the decision is another than the one that was saved. */
export async function replay(folder: string, io: Io): Promise<number> {
  let differs = false;
  for (const saved of await readSavedPasses(resolve(io.folder, folder))) {
    const { plan, diff } = decided(saved);
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

/** What is in a saved pass is taken as it is, so that a field of another type throws wherever it is first used. */
function decided({ name, snapshot, texts }: SavedPass): ReturnType<typeof decide> {
  try {
    return decide(snapshot, new Map(Object.entries(texts)));
  } catch (error) {
    throw new UsageError(
      `${oneLine(name)} cannot be decided: ${oneLine(String(error))}. Its snapshot is not as --save-pass writes it; if nobody has changed the file, it is a bug of tranche`,
    );
  }
}

function isSame(saved: SavedPass, now: Pick<SavedPass, 'plan' | 'diff'>): boolean {
  const text = (pass: Pick<SavedPass, 'plan' | 'diff'>): string =>
    canonicalJson(asWritten({ plan: pass.plan, diff: pass.diff }));
  return text(saved) === text(now);
}
