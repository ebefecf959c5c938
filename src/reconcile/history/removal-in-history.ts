/** Whether a LeaderWorkerSet is out of its file to be re-created: the commit that took it out says so, the annotation alone never. */

import { CONFIG_FILE, type Config, isBelow, OTHER_CONFIG_FILE } from '../../api/config.ts';
import { INTENT } from '../../api/intents.ts';
import type { Issue } from '../../api/issue.ts';
import { at } from '../../api/json.ts';
import { LWS_KIND } from '../../api/kinds.ts';
import { absent, type Known } from '../../api/known.ts';
import { parseRecreating, printRecreating, type Recreating } from '../../api/recreating.ts';
import { sameRelease, shortDigest } from '../../api/release.ts';
import { type ManifestDocument, parseManifestFile } from '../../manifests/parse-file.ts';
import type { Oid } from '../../ports/git.ts';
import { noteOf } from '../../rollout/edits/out-of-file.ts';
import type { RolloutFile, Stable, StableDocument, WorkloadFile } from '../../rollout/snapshot.ts';
import type { DesiredRollout } from '../desired/desired-rollout.ts';
import { namespaceOf } from '../documents/manifest-index.ts';
import { takesOut } from '../roots/taken-out.ts';
import { forgedMark } from './borne-out.ts';
import type { Observation } from './observation.ts';
import { rulesAt } from './rules-at.ts';
import { stableBorneOut } from './stable-in-history.ts';

/** What of a snapshot hangs on it. */
type Recreation = {
  /** Without the annotation, where it does not count. */
  readonly rollout: RolloutFile | undefined;
  readonly recreateText: Known<StableDocument>;
  /** undefined: as without it. */
  readonly stable: Known<Stable> | undefined;
  readonly issues: readonly Issue[];
};

/** What the annotation of the Rollout counts as. Throws PortError. */
export async function recreationOf(of: Observation): Promise<Recreation> {
  const { rollout } = of.entry.reading;
  const kept = rollout?.intents.recreating;
  if (rollout === undefined || kept === undefined)
    return { rollout, recreateText: absent, stable: undefined, issues: [] };
  const proof = await removalBorneOut(of, kept);
  if (typeof proof === 'string') {
    const issue = forgedMark(of, {
      key: INTENT.recreating,
      seen: `names ${kept.file}, and ${proof}`,
      hint: 'Take the annotation out. If the LeaderWorkerSet is missing, put its document back into its file by hand.',
    });
    const intents = { ...rollout.intents, recreating: undefined };
    return { rollout: { ...rollout, intents }, recreateText: absent, stable: undefined, issues: [issue] };
  }
  const { entry, document, commit, workload, removed } = proof;
  const { marks } = workload.workload;
  const { abort } = rollout.intents;
  const from = sameRelease(abort?.release, kept.release) ? abort?.from : undefined;
  const borne =
    marks === undefined ? undefined : await stableBorneOut({ ...of, entry }, { marks, below: removed, from });
  const { stable = absent } = borne ?? {};
  const recreateText = await of.git.releaseOf({ document, commit }, entry);
  return { rollout, recreateText, stable, issues: [] };
}

/** The commit that took the document out, and the one before it, which has it. */
type Removal = {
  readonly removed: Oid;
  readonly commit: Oid;
  readonly document: ManifestDocument;
  readonly workload: WorkloadFile;
  /** As if it were still there. */
  readonly entry: DesiredRollout;
};

/** The proof, or why there is none. */
async function removalBorneOut(of: Observation, kept: Recreating): Promise<Removal | string> {
  const { config } = of.desired;
  const refused = fileRefused(kept.file, config);
  if (refused !== undefined) return refused;
  const { identity } = of.entry;
  if (identity === undefined) return 'nobody knows what its workload is called';
  if (identity.root !== undefined && kept.file !== identity.file) return 'its workload is changed by another patch';
  const entry = { ...of.entry, identity: { ...identity, file: kept.file } };
  let wasAbsent = false;
  const walked = await of.git.line.walk<Removal | string>(entry, {
    keyOf: ({ kind }) => (kind === 'absent' ? 'absent' : 'there'),
    visit: ({ version, commit, until }) => {
      if (version.kind === 'absent') wasAbsent = true;
      if (version.kind === 'absent' || !wasAbsent || until === undefined) return undefined;
      if (version.kind === 'unreadable') return 'its marks could not be read there when it was taken out';
      return { removed: until, commit, document: version.document, workload: version.workload, entry };
    },
  });
  if (walked.kind === 'cut') return `main's own line does not tell when it was taken out of it: ${walked.why}`;
  if (walked.kind === 'ended') return "main's own line never took it out of that file";
  if (typeof walked.value === 'string') return walked.value;
  return (await removalRefused(of, kept, walked.value)) ?? walked.value;
}

/** Nothing but manifests on its paths is ever written, whatever an annotation says. */
function fileRefused(file: string, { paths }: Config): string | undefined {
  const isManifest = /\.ya?ml$/.test(file) && file !== CONFIG_FILE && file !== OTHER_CONFIG_FILE;
  const isPlain = file.split('/').every((part) => part !== '' && !part.startsWith('.'));
  return isManifest && isPlain && isBelow(paths, file)
    ? undefined
    : 'that is no file which a workload can come back to';
}

/** Why the commit is not what our removal would have been: its note, its annotation, its release, and the policy of that time. */
async function removalRefused(of: Observation, kept: Recreating, removal: Removal): Promise<string | undefined> {
  const { removed, commit, document, workload } = removal;
  const by = `${removed.slice(0, 12)}, which took it out of it,`;
  const text = (await of.git.fileAt(removed, kept.file)) ?? '';
  const note = `# ${noteOf(document.object)}`;
  if (of.entry.identity?.root !== undefined) {
    if (!parseManifestFile(kept.file, text, [LWS_KIND]).documents.some(takesOut))
      return `${by} did not do so by the patch`;
  } else if (!text.split(/\r?\n/).some((line) => line.trimEnd() === note)) return `${by} left no note in its place`;
  if (!(await keepsThere(of, removed, kept))) return `${by} did not write it`;
  const { marks } = workload.workload;
  if (kept.way === 'back') return marks?.step === undefined ? `no delivery was in progress before ${by}` : undefined;
  if (workload.digest !== kept.release.digest)
    return `the template before ${by} is ${shortDigest(workload.digest)}, not that of ${shortDigest(kept.release.digest)}`;
  const allowed =
    (await isAllowed(of, commit)) || ((await of.git.isAncestor(kept.text)) && (await isAllowed(of, kept.text)));
  return allowed ? undefined : `no RolloutPolicy allowed that (recreate: Allow) before ${by}`;
}

/** Whether the Rollout of that commit has the same annotation. */
async function keepsThere({ git, entry, desired }: Observation, commit: Oid, kept: Recreating): Promise<boolean> {
  const rollouts = await git.documentsAt(commit, { kinds: ['Rollout'], paths: undefined });
  return rollouts.some((document) => {
    const { name, kind } = document.object;
    const isSame =
      kind === 'Rollout' && name === entry.key.name && namespaceOf(document, desired.config) === entry.key.namespace;
    const text = at(document.value, ['metadata', 'annotations', INTENT.recreating]);
    const there = isSame && typeof text === 'string' ? parseRecreating(text) : undefined;
    return there !== undefined && printRecreating(there) === printRecreating(kept);
  });
}

/** Whether the policies of that commit allowed to delete for a change. */
async function isAllowed(of: Observation, commit: Oid): Promise<boolean> {
  return (await rulesAt(of, commit))?.recreate === 'Allow';
}
