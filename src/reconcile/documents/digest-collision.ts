/** Two templates of one digest: whatever compares digests alone would deliver, approve or put back one for the other. */

import type { Issue } from '../../api/issue.ts';
import { canonicalJson, type JsonObject } from '../../api/json.ts';
import { DIGEST_DIGITS, shortDigest } from '../../api/release.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import type { Stable, WorkloadFile } from '../../rollout/snapshot.ts';

/** A template, the digest that it is known by, and where it was read: a commit, or words for it. */
type DigestedTemplate = { readonly digest: string; readonly content: JsonObject; readonly where: string };

type DigestCollision = { readonly digest: string; readonly where: readonly [string, string] };

/**
 * The first two of one digest whose contents differ; undefined: there are none. Digests have 128 bits of a SHA-256, so that
 * nobody is known to have made such a pair.
 */
export function collisionOf(templates: readonly DigestedTemplate[]): DigestCollision | undefined {
  const first = new Map<string, DigestedTemplate & { readonly text: string }>();
  for (const template of templates) {
    const text = canonicalJson(template.content);
    const there = first.get(template.digest);
    if (there === undefined) first.set(template.digest, { ...template, text });
    else if (there.text !== text) return { digest: template.digest, where: [there.where, template.where] };
  }
  return undefined;
}

/** The file against the template before, as a finding of the workload's document: no step forward while there is one. */
export function fileCollision(
  document: ManifestDocument,
  { digest, workload, carried }: WorkloadFile,
  before: Template | undefined,
): readonly Issue[] {
  const file = { digest, content: carried?.inputs ?? workload.content, where: 'the file' };
  const found = before === undefined ? undefined : collisionOf([templateOf(before), file]);
  return found === undefined ? [] : [collisionIssue(found, document)];
}

/** Of what a HelmRelease renders the digest is that of the inputs: its content is as the cluster has it. */
type Template = Pick<Stable, 'commit' | 'release' | 'content' | 'rendered'>;

/** A template that was found in a commit. */
export function templateOf({ commit, release, content, rendered }: Template): DigestedTemplate {
  return { digest: release.digest, content: rendered?.inputs ?? content, where: commit.slice(0, 12) };
}

/** The finding, at the template of the workload. */
export function collisionIssue({ digest, where: [one, other] }: DigestCollision, document: ManifestDocument): Issue {
  const path = ['spec', 'leaderWorkerTemplate'];
  return {
    file: document.file,
    line: document.lineOf(path),
    path: path.join('.'),
    reason: 'DigestCollision',
    message: `LeaderWorkerSet ${document.object.name}: the templates of ${one} and of ${other} differ, and both have the digest ${shortDigest(digest)}, of ${DIGEST_DIGITS} hex digits: to tranche they are one release`,
    hint: 'Somebody has made this pair on purpose. Compare the two templates, and change any field of the one that you want.',
  };
}
