/** What `replicas` and `maxUnavailable` were before a delivery changed them, as main's own line has it. */

import { type IntOrPercent, isBudget, letsNone } from '../../api/int-or-percent.ts';
import type { Marks } from '../../api/marks.ts';
import type { Release } from '../../api/release.ts';
import { type Restore, withAside } from '../../api/restore.ts';
import type { Workload } from '../../api/workload.ts';
import { beforeAside, setOtherwise } from './before-aside.ts';
import type { Observation } from './observation.ts';
import type { Forged } from './stable-in-history.ts';
import { deliveredBy, isBefore, type Version } from './version.ts';

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
    const said: Entry | undefined = restore?.[field];
    const entry =
      restore === undefined
        ? undefined
        : await asSet(of, field, { said, now: workload[field], release: deliveredBy(marks) });
    if (restore === undefined || entry === undefined) continue;
    if (entry !== said) {
      restore = withAside(restore, { [field]: entry });
      forged.push(otherwiseSet(field, said, entry));
    }
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

function otherwiseSet(field: Field, said: Entry | undefined, { set }: Entry): Forged {
  if (said !== undefined) return setOtherwise(field, String(said.set), String(set));
  return {
    seen: `leaves out what ${field} was before this delivery set it to ${set}`,
    hint: 'It is put back. git log -p of the file shows who changed the mark.',
  };
}

/**
 * The entry of a field that is as this delivery has set it; undefined: it is not, so that it is its owner's. Where a commit changed the entry
 * alone, or took it out, the one before counts: the field would pass for one that a hand has written since.
 */
async function asSet(
  { git, entry }: Observation,
  field: Field,
  {
    said,
    now,
    release,
  }: {
    readonly said: Entry | undefined;
    readonly now: IntOrPercent | undefined;
    readonly release: Release | undefined;
  },
): Promise<Entry | undefined> {
  if (now === undefined || said?.set === now) return said;
  let later = now;
  const walked = await git.line.walk<{ readonly entry?: Entry }>(entry, {
    keyOf: (version) =>
      JSON.stringify([
        version.kind,
        isBefore(version, release),
        entryIn(version, field) ?? null,
        valueIn(version, field) ?? null,
      ]),
    visit: ({ version }) => {
      if (version.kind !== 'read') return undefined;
      const [then, kept] = [entryIn(version, field), later === now];
      later = valueIn(version, field) ?? '';
      if (then?.set === now && later === now) return kept ? { entry: then } : {};
      return isBefore(version, release) ? {} : undefined;
    },
  });
  return walked.kind === 'found' ? walked.value.entry : undefined;
}

function entryIn(version: Version, field: Field): Entry | undefined {
  return version.kind === 'read' ? version.workload.workload.marks?.restore?.[field] : undefined;
}

function valueIn(version: Version, field: Field): IntOrPercent | undefined {
  return version.kind === 'read' ? version.workload.workload[field] : undefined;
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
  const found = await beforeAside(of, {
    isAside: (version) => entryIn(version, field) !== undefined,
    isSame: (version) => entryIn(version, field)?.was === entry.was && entryIn(version, field) !== undefined,
  });
  return found.flatMap(({ version }) => (version.kind === 'read' ? [{ value: version.workload.workload[field] }] : []));
}
