/** What is wrong with the entry of ours in `spec.postRenderers` of a managed HelmRelease. No step goes forward over it. */

import { inputsOf, isLast, RENDERERS_PATH, rendererItem, renderersIn } from '../../api/helm-release.ts';
import type { Issue } from '../../api/issue.ts';
import { at } from '../../api/json.ts';
import { MARK } from '../../api/marks.ts';
import { parseRelease } from '../../api/release.ts';
import { shellWord } from '../../api/shell-word.ts';
import { SENTINEL } from '../../api/workload.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import { type Called, command } from '../../rollout/texts/command-text.ts';
import { releaseDigest } from '../documents/digests.ts';
import { nameOf } from '../documents/read-rollout.ts';

/** Lost, not the last, or changed by hand to what no commit of ours writes. None of a release that nobody has taken over. */
export function entryIssues(release: ManifestDocument, name: string, rollout: Called): readonly Issue[] {
  const annotations = ['metadata', 'annotations'];
  if (at(release.value, [...annotations, MARK.release]) === undefined) return [];
  const there = renderersIn(release.value);
  const { places, entry } = there;
  const [place] = places;
  const repair = command('repair', rollout);
  const back = `Put it back as the last entry: ${bytesOf(release, name)}. ${repair} does, and so does an abort of a delivery.`;
  if (place === undefined)
    return [
      issueAt(release, RENDERERS_PATH, {
        reason: 'PatchNotApplied',
        message: `the entry of tranche in spec.postRenderers is gone: the partition of ${name} is what the chart says, 0 if it says none`,
        hint: back,
      }),
    ];
  const path = [...RENDERERS_PATH, String(place)];
  if (entry === undefined || isOfAnother(release, name))
    return [
      issueAt(release, path, {
        reason: 'PatchEdited',
        message:
          entry === undefined
            ? 'the entry of tranche is not as any commit of tranche writes it'
            : `the entry of tranche is for LeaderWorkerSet ${entry.name}, and the Rollout names ${name}`,
        hint:
          entry === undefined
            ? back
            : `Write ${entry.name} into workloadRef of the Rollout, or ${name} into the entry: until then nothing is written, no rollback either.`,
      }),
    ];
  if (isLast(there)) return [];
  return [
    issueAt(release, path, {
      reason: 'PatchNotLast',
      message: 'the entry of tranche is not the last of spec.postRenderers: what comes after it may undo a step',
      hint: `Move it to the end of the list, or order ${repair}.`,
    }),
  ];
}

/** Whether the entry is for another LeaderWorkerSet: what is seen of this one says nothing of it. */
export function isOfAnother(release: ManifestDocument, name: string): boolean {
  const { entry } = renderersIn(release.value);
  return entry !== undefined && entry.name !== name;
}

/** The LeaderWorkerSet that the entry is for; the name of the release itself where it has none that can be read. */
export function nameInEntry(release: ManifestDocument): string {
  return renderersIn(release.value).entry?.name ?? release.object.name;
}

/** At rest they follow from the document; in a delivery only history tells the partition. */
function bytesOf(release: ManifestDocument, name: string): string {
  const inputs = releaseDigest(inputsOf(release.value));
  const annotation = (key: string): unknown => at(release.value, ['metadata', 'annotations', key]);
  const said = annotation(MARK.release);
  const isAtRest = typeof said === 'string' && parseRelease(said)?.digest === inputs;
  if (isAtRest && annotation(MARK.step) === undefined)
    return JSON.stringify(rendererItem({ name, inputs, partition: SENTINEL }));
  return `git log -p ${shellWord(release.file)} shows it as the last commit of tranche wrote it`;
}

function issueAt(
  release: ManifestDocument,
  path: readonly string[],
  { reason, message, hint }: Pick<Issue, 'reason' | 'message' | 'hint'>,
): Issue {
  const { file, lineOf } = release;
  return { file, line: lineOf(path), path: path.join('.'), reason, message: `${nameOf(release)}: ${message}`, hint };
}
