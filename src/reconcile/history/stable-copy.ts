/** The text to go back to where no commit has it: the copy of a record, or the reason why there is none. */

import { CARRIER_KIND } from '../../api/carrier.ts';
import { LWS_KIND } from '../../api/kinds.ts';
import { absent, type Known, known, unknown } from '../../api/known.ts';
import type { Marks } from '../../api/marks.ts';
import type { RolloutRecord } from '../../api/record.ts';
import { type Release, sameRelease, shortDigest, shortRelease } from '../../api/release.ts';
import { parseManifestFile } from '../../manifests/parse-file.ts';
import type { Stable, WorkloadFile } from '../../rollout/snapshot.ts';
import { isLadder, isTemplateBack } from '../../rollout/state.ts';
import { readWorkload } from '../documents/read-workload.ts';
import type { Observation } from './observation.ts';
import { isUnsigned } from './unsigned.ts';

/** The copy that a record keeps, for a commit that cannot be fetched any more: checked by its digest like any other. */
export function stableFromRecord(record: RolloutRecord | undefined, expected: Release | undefined): Known<Stable> {
  const copy = record?.stable;
  if (copy === undefined) return absent;
  const [document] = parseManifestFile('stable.yaml', copy.text, [LWS_KIND, CARRIER_KIND]).documents;
  const workload = document === undefined ? undefined : readWorkload(document).workload;
  if (workload === undefined || workload.digest !== copy.release.digest)
    return unknown('the copy in the record does not fit its digest');
  if (expected !== undefined && !sameRelease(expected, copy.release))
    return unknown(`the copy in the record is of ${shortRelease(copy.release)}`);
  return known({ commit: copy.commit, release: copy.release, ...textOf({ ...workload, text: copy.text }) });
}

/** What a text says that can be gone back to: what its digest covers, and the label that it does not cover. */
export function textOf({ workload, text, carried }: Pick<WorkloadFile, 'workload' | 'text' | 'carried'>): TextOf {
  const { content, version } = workload;
  const { inputs, renderers } = carried ?? {};
  const rendered = inputs === undefined || renderers === undefined ? {} : { rendered: { inputs, renderers } };
  return { content, text, ...(version === undefined ? {} : { version }), ...rendered };
}

type TextOf = Pick<Stable, 'content' | 'version' | 'text' | 'rendered'>;

/** The stable commit has another template than the release that is delivered: a rollback would lead elsewhere. */
export function anotherText({ commit, release }: Stable, expected: Release): Known<Stable> {
  return unknown(
    `${commit.slice(0, 12)} has the template ${shortDigest(release.digest)} there, wanted ${shortDigest(expected.digest)}`,
  );
}

/**
 * The template of the file in a rollback that has put it back: where a squash, or a move to a file that is none of git's moves, has left
 * nothing of what was before, a rollback goes on as it was started. undefined: it has not. Throws PortError where Git fails for now.
 */
export async function backInFile(
  { git, entry }: Pick<Observation, 'git' | 'entry'>,
  marks: Marks,
): Promise<Known<Stable> | undefined> {
  if (isLadder(marks) || !isTemplateBack(marks)) return undefined;
  const head = await git.line.walk(entry, { keyOf: () => '', visit: ({ commit }) => commit });
  const there = head.kind === 'found' ? await git.textAt(head.value, entry) : absent;
  const isSame = there.kind === 'known' && there.value.release.digest === marks.release.digest;
  return isSame ? known({ ...there.value, release: marks.release }) : undefined;
}

/** The text to go back to; of no use, and so not read, while the workload is settled or not managed. */
export async function stableOf(
  of: Observation,
  file: WorkloadFile,
  record: RolloutRecord | undefined,
): Promise<Known<Stable>> {
  const { marks } = file.workload;
  if (marks === undefined || (marks.step === undefined && marks.release.digest === file.digest)) return absent;
  const expected = marks.step === undefined ? marks.release : undefined;
  const there = marks.stable === undefined ? absent : await of.git.textAt(marks.stable.commit, of.entry);
  if (there.kind === 'known' && (expected === undefined || there.value.release.digest === expected.digest)) {
    // In `requested` the stable version is the delivered one, whatever serial its commit was read under.
    return expected === undefined ? there : known({ ...there.value, release: expected });
  }
  const copy = stableFromRecord(isUnsigned(of) && expected === undefined ? undefined : record, expected);
  const back = copy.kind === 'known' ? undefined : await backInFile(of, marks);
  if (back !== undefined) return back;
  if (copy.kind === 'known' || there.kind === 'absent') return copy;
  return there.kind === 'known' && expected !== undefined ? anotherText(there.value, expected) : there;
}
