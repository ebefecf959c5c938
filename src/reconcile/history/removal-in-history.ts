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
import { rootOfPatch } from '../../manifests/patch-place.ts';
import type { Oid } from '../../ports/git.ts';
import { noteOf } from '../../rollout/edits/out-of-file.ts';
import type { RolloutFile, Stable, StableDocument, WorkloadFile } from '../../rollout/snapshot.ts';
import { command } from '../../rollout/texts/command-text.ts';
import type { DesiredRollout } from '../desired/desired-rollout.ts';
import { namespaceOf, workloadName } from '../documents/manifest-index.ts';
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
  readonly warnings: readonly Issue[];
};

/** What main's own line is asked with. */
type Asked = Pick<Observation, 'git' | 'entry' | 'desired'>;

/** Commits of tranche for one Rollout that may have found the annotation changed by hand already. */
const WRITTEN_MOST = 10;

/** What the annotation of the Rollout counts as. Throws PortError. */
export async function recreationOf(of: Observation): Promise<Recreation> {
  const { rollout } = of.entry.reading;
  const kept = rollout?.intents.recreating;
  if (rollout === undefined || kept === undefined)
    return { rollout, recreateText: absent, stable: undefined, issues: [], warnings: [] };
  const proof = await removalBorneOut(of, kept);
  if (typeof proof !== 'string') return { ...(await recreated(of, { rollout, kept, proof })), warnings: [] };
  const seen = `names ${kept.file}, and ${proof}`;
  const written = await removalWritten(of, kept);
  if (written !== undefined) {
    const hint = `What that commit wrote counts: ${printRecreating(written.kept)}. git log -p of the file shows who changed it.`;
    const warning = forgedMark(of, { key: INTENT.recreating, seen, hint });
    return { ...(await recreated(of, { rollout, ...written })), warnings: [warning] };
  }
  const issue = forgedMark(of, {
    key: INTENT.recreating,
    seen,
    hint: wayOut(kept, of.entry),
  });
  const intents = { ...rollout.intents, recreating: undefined };
  const without = { ...rollout, intents };
  return { rollout: without, recreateText: absent, stable: undefined, issues: [issue], warnings: [] };
}

/** Of a kustomize folder no file has the document: what took it out is a line of our patch. */
function wayOut({ file }: Recreating, { key }: DesiredRollout): string {
  if (rootOfPatch(file) === undefined)
    return 'Take the annotation out. If the LeaderWorkerSet is missing, put its document back into its file by hand.';
  return `If ${file} is gone or broken, order ${command('repair', key)}, until nothing is left to repair: that writes it as tranche left it. Else take the annotation out, and the line $patch: delete out of that file.`;
}

type Proven = { readonly kept: Recreating; readonly proof: Removal };

/** What comes back, and what to go back to, by an annotation that main bears out. */
async function recreated(
  of: Observation,
  { rollout, kept, proof }: Proven & { readonly rollout: RolloutFile },
): Promise<Omit<Recreation, 'warnings'>> {
  const { entry, document, commit, workload, removed } = proof;
  const { marks } = workload.workload;
  const { abort } = rollout.intents;
  const from = sameRelease(abort?.release, kept.release) ? abort?.from : undefined;
  const borne =
    marks === undefined ? undefined : await stableBorneOut({ ...of, entry }, { marks, below: removed, from });
  const { stable = absent } = borne ?? {};
  const recreateText = await of.git.releaseOf({ document, commit }, entry);
  const intents = { ...rollout.intents, recreating: kept };
  return { rollout: { ...rollout, intents }, recreateText, stable, issues: [] };
}

/**
 * What our commit wrote, where somebody has changed it since: no groups are there meanwhile, so that a hand would keep them all
 * away. Without a document alone: what came back since is not taken out any more. undefined: no such commit is found.
 */
async function removalWritten(of: Asked, changed: Recreating | undefined): Promise<Proven | undefined> {
  if (of.entry.workload !== undefined) return undefined;
  const tried = new Set(changed === undefined ? [] : [printRecreating(changed)]);
  const seen = new Set<Oid>();
  while (seen.size < WRITTEN_MOST) {
    const commit = await of.git.stepCommit([of.entry.key], (_, __, oid) => !seen.has(oid));
    if (commit === undefined) return undefined;
    seen.add(commit.oid);
    for (const kept of await notesAt(of, commit.oid)) {
      if (tried.has(printRecreating(kept))) continue;
      tried.add(printRecreating(kept));
      const proof = await removalBorneOut(of, kept);
      if (typeof proof !== 'string') return { kept, proof };
    }
  }
  return undefined;
}

/**
 * The annotation as our commit wrote it that took the document out, where that is missing still: for an order to write it back. A pass
 * does not go by it alone, because who takes it out of the Rollout may mean that nothing is to come back.
 */
export async function removalNote(of: Asked, rollout: ManifestDocument): Promise<Recreating | undefined> {
  const { entry } = of;
  const identity = entry.identity ?? { file: '', namespace: entry.key.namespace, name: workloadName(rollout) };
  return (await removalWritten({ ...of, entry: { ...entry, identity } }, undefined))?.kept;
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
async function removalBorneOut(of: Asked, kept: Recreating): Promise<Removal | string> {
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
      // A folder that was not built then says nothing, and hides nothing of what was before.
      if (version.kind === 'unreadable' && identity.root !== undefined) return undefined;
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
async function removalRefused(of: Asked, kept: Recreating, removal: Removal): Promise<string | undefined> {
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
async function keepsThere(of: Asked, commit: Oid, kept: Recreating): Promise<boolean> {
  return (await notesAt(of, commit)).some((there) => printRecreating(there) === printRecreating(kept));
}

/** The annotation of each Rollout of this name there: of two nobody knows here which one counts. */
async function notesAt({ git, entry, desired }: Asked, commit: Oid): Promise<readonly Recreating[]> {
  const rollouts = await git.documentsAt(commit, { kinds: ['Rollout'], paths: undefined });
  return rollouts.flatMap((document) => {
    const { name, kind } = document.object;
    const isSame =
      kind === 'Rollout' && name === entry.key.name && namespaceOf(document, desired.config) === entry.key.namespace;
    const text = at(document.value, ['metadata', 'annotations', INTENT.recreating]);
    return isSame && typeof text === 'string' ? (parseRecreating(text) ?? []) : [];
  });
}

/** Whether the policies of that commit allowed to delete for a change. */
async function isAllowed(of: Asked, commit: Oid): Promise<boolean> {
  return (await rulesAt(of, commit))?.recreate === 'Allow';
}
