/** What `replicas` and `maxUnavailable` were before a delivery changed them, as main's own line has it. */

import { type IntOrPercent, isBudget, letsNone } from '../../api/int-or-percent.ts';
import type { Marks } from '../../api/marks.ts';
import { type Restore, withAside } from '../../api/restore.ts';
import type { Workload } from '../../api/workload.ts';
import { beforeAside } from './before-aside.ts';
import type { Observation } from './observation.ts';
import type { Forged } from './stable-in-history.ts';
import type { Version } from './version.ts';

type Field = 'replicas' | 'maxUnavailable';
type Entry = { readonly was?: IntOrPercent | undefined; readonly set: IntOrPercent };

/**
 * The marks with what `restore` may say of the workload's own fields: the value that the field had in main's own line
 * right before a commit put it aside. A rollback that believed the mark alone would restart every group at once, or take
 * them away. Where history does not go back so far, the mark is all there is. Throws PortError.
 */
export async function ownFieldsBorneOut(
  of: Observation,
  marks: Marks,
  workload: Workload,
): Promise<{ readonly marks: Marks; readonly forged: readonly Forged[] }> {
  // What a chart says of them is in no commit.
  if (of.entry.identity?.carrier !== undefined) return { marks, forged: [] };
  let restore = marks.restore;
  const forged: Forged[] = [];
  for (const field of ['replicas', 'maxUnavailable'] as const) {
    const entry: Entry | undefined = restore?.[field];
    if (restore === undefined || entry === undefined || entry.set !== workload[field]) continue;
    const values = await valuesBefore(of, field, entry);
    const [first] = values;
    if (first === undefined || values.some(({ value }) => isTrue(value, entry, workload))) continue;
    restore = corrected(restore, field, first.value);
    forged.push({
      seen: `says that ${field} was ${entry.was ?? 'not there'}, and main's own line had ${first.value ?? 'none'} before this delivery`,
      hint: `${first.value ?? 'None'} is what is put back. git log -p of the file shows who changed the mark.`,
    });
  }
  return forged.length === 0 ? { marks, forged } : { marks: { ...marks, restore }, forged };
}

/** What was no budget, or one that allows no group to be down, is put back as one that the API server takes. */
function isTrue(value: IntOrPercent | undefined, { was }: Entry, { replicas }: Workload): boolean {
  if (value === was) return true;
  if (value === undefined) return false;
  return isBudget(value) ? was === 1 && letsNone(value, replicas) : was === '100%';
}

/** The entry with the true value; nothing was put aside where that is the value of the file. */
function corrected(restore: Restore, field: Field, was: IntOrPercent | undefined): Restore {
  if (field === 'maxUnavailable') {
    const { maxUnavailable: entry } = restore;
    return withAside(restore, {
      maxUnavailable: entry === undefined || entry.set === was ? undefined : { was, set: entry.set },
    });
  }
  const { replicas: entry } = restore;
  const isExtra = entry !== undefined && typeof was === 'number' && was > 0 && was < entry.set;
  return withAside(restore, { replicas: isExtra ? { was, set: entry.set } : undefined });
}

/** The best first, of those in main's own line that can be read. */
async function valuesBefore(
  of: Observation,
  field: Field,
  entry: Entry,
): Promise<readonly { readonly value: IntOrPercent | undefined }[]> {
  const entryIn = (version: Version): Entry | undefined =>
    version.kind === 'read' ? version.workload.workload.marks?.restore?.[field] : undefined;
  const found = await beforeAside(of, {
    isAside: (version) => entryIn(version) !== undefined,
    isSame: (version) => entryIn(version)?.was === entry.was && entryIn(version) !== undefined,
  });
  return found.flatMap(({ version }) => (version.kind === 'read' ? [{ value: version.workload.workload[field] }] : []));
}
