/** The only reader: turns what Git, the record and the cluster say of one rollout into a snapshot. */

import type { Issue } from '../../api/issue.ts';
import { absent, known, notAsked, unknown } from '../../api/known.ts';
import type { Marks } from '../../api/marks.ts';
import type { RolloutRecord } from '../../api/record.ts';
import { PortError } from '../../ports/port-error.ts';
import { stableRendered, withRendered } from '../../rollout/observed/rendered.ts';
import {
  type History,
  type Retargeted,
  SNAPSHOT_VERSION,
  type Snapshot,
  type WorkloadFile,
} from '../../rollout/snapshot.ts';
import { observedAnalyses } from '../analysis/observe-analyses.ts';
import { unreadLive } from '../cluster/observe-cluster.ts';
import type { DesiredRollout } from '../desired/desired-rollout.ts';
import { withFactDigests } from '../documents/digests.ts';
import { readWorkload } from '../documents/read-workload.ts';
import { backsOf } from '../history/backs-in-history.ts';
import { earlierFacts } from '../history/earlier-request.ts';
import { withInputsBetween } from '../history/inputs-between.ts';
import type { Observation } from '../history/observation.ts';
import { withLostMarks } from '../history/observe-lost-marks.ts';
import { recreationOf } from '../history/removal-in-history.ts';
import { retargetedOf } from '../history/retargeted.ts';
import { undoFacts } from '../history/settled-before.ts';
import { stableOf } from '../history/stable-copy.ts';
import { deliveredOf, retryTextOf } from '../history/step-commits.ts';
import { recordFacts, trustedRecord } from '../history/trusted-record.ts';
import { requestFacts, rollbackFacts, unsignedFacts } from '../history/unsigned.ts';
import { policyFacts } from '../policies/read-policy.ts';
import { blobsOf } from './blobs.ts';
import { faultsOf } from './observe-faults.ts';
import { ladderFiles, trafficAsked } from './observe-traffic.ts';
import { readLive } from './read-live.ts';
import { isResting, type Resting } from './resting.ts';
import { sharedFacts } from './shared-facts.ts';

/**
 * Reads everything that the decision about one rollout may depend on. Throws PortError where Git fails. What one at rest
 * hangs on is compared in `rested.ts` as well.
 */
export async function observe(given: Observation): Promise<Snapshot> {
  const retargeted = await retargetedOf(given);
  const of = { ...given, stored: storedFor(given, retargeted) };
  const { desired, entry, now } = of;
  const workload = entry.workload === undefined ? undefined : readWorkload(entry.workload);
  const inGit = withBeneath(workload?.workload, entry.over);
  const { gone, seen } = await withLostMarks(of, inGit);
  const trusted = await trustedRecord(of, seen);
  const { record } = trusted;
  const blobs = blobsOf(desired, entry);
  const resting = isResting({ file: inGit, record, blobs, now, auditSeconds: desired.config.auditSeconds });
  const history = await historyOf(of, record, resting !== 'rest');
  const recreation = await recreationOf(of);
  const isAwaited = inGit !== undefined || recreation.rollout?.intents.recreating !== undefined;
  const live = isAwaited && resting !== 'rest' ? await readLive(of, entry) : unreadLive(notAsked(NOT_READ));
  const asRead = inGit === undefined ? undefined : await withInputsBetween(of, inGit);
  const file = asRead === undefined ? undefined : withRendered(asRead, live, entry.identity?.name ?? '');
  const named = seen !== undefined ? await stableOf(of, seen, record) : (recreation.stable ?? absent);
  const stable = stableRendered(named, { workload: file, live });
  const references = await referencesIn(of, { file, stable, resting });
  const unreadable = [...(workload?.issues ?? []), ...recreation.issues, ...(await danglingOf(of, stable))];
  return withFactDigests({
    version: SNAPSHOT_VERSION,
    key: entry.key,
    now,
    main: desired.commit,
    history,
    blobs,
    rollout: recreation.rollout,
    facts: {},
    policy: promotedRules(of),
    ...observedPolicies(of),
    ...sharedFacts(of),
    lwsVersion: desired.config.lwsVersion,
    workload: await withChanged(of, file),
    ...aloneIn(of, file),
    stable,
    ...gone,
    ...(retargeted === undefined ? {} : { retargeted }),
    delivered: seen === undefined ? absent : await deliveredOf(of, seen),
    ...(await undoFacts(of, file)),
    retryText: file === undefined ? absent : await retryTextOf(of, file),
    ...recreatedFrom(of, recreation),
    ...faultsOf(of, { file, stable, live, resting, unreadable, ...references, warnings: recreation.warnings }),
    ...recordFacts(of, trusted),
    audit: resting === 'audit' || record === undefined,
    live,
    ...(await readBesides(of, resting, seen)),
  });
}

const NOT_READ = 'settled: not read before the next audit';

/** What comes back; where kustomize builds it, by the patch as it is now, or not before that is known. */
function recreatedFrom(
  { entry }: Observation,
  { rollout, recreateText }: Pick<Snapshot, 'rollout' | 'recreateText'>,
): Pick<Snapshot, 'recreateText'> {
  const { over } = entry;
  if (over === undefined || over.document !== undefined || rollout?.intents.recreating === undefined)
    return { recreateText };
  const document = over.takenOut?.document;
  const file = document === undefined ? undefined : readWorkload(document).workload;
  const takenOut = withBeneath(file, over);
  if (takenOut?.beneath === undefined) return { recreateText: unknown(`${over.root} does not build it now`) };
  return { recreateText: recreateText.kind === 'known' ? known({ ...recreateText.value, takenOut }) : recreateText };
}

/** Asked where a policy allows that the document goes for a while. */
function aloneIn({ desired, entry }: Observation, file: WorkloadFile | undefined): Pick<Snapshot, 'alone'> {
  const isAsked = file !== undefined && entry.policy.rules.recreate === 'Allow';
  return isAsked ? { alone: entry.over?.isAlone ?? desired.index.isAlone(file.file) } : {};
}

/** Loaded where kustomize builds the workload alone. */
async function danglingOf({ git, entry }: Observation, stable: Snapshot['stable']): Promise<readonly Issue[]> {
  if (entry.over === undefined || stable.kind !== 'known') return [];
  const { generatedReferences } = await import('../roots/generated-references.ts');
  return generatedReferences(git.objectsBuiltAt, entry, stable.value);
}

type References = Pick<Parameters<typeof faultsOf>[1], 'compared' | 'notKept'>;

/** The stable commit is built where something is going on alone: then it is built in any case. */
async function referencesIn(
  { git, entry }: Observation,
  {
    file,
    stable,
    resting,
  }: { readonly file: WorkloadFile | undefined; readonly stable: Snapshot['stable']; readonly resting: Resting },
): Promise<References> {
  if (entry.over === undefined || file === undefined) return { compared: undefined, notKept: [] };
  const { comparedReferences, notKept } = await import('../roots/generated-references.ts');
  const asked = stable.kind === 'known' && resting !== 'rest' ? stable.value : undefined;
  const { content } = file.workload;
  return {
    compared: await comparedReferences(git.objectsBuiltAt, entry, { content, stable: asked }),
    notKept: notKept(entry, content),
  };
}

function withBeneath(file: WorkloadFile | undefined, over: DesiredRollout['over']): WorkloadFile | undefined {
  return file === undefined || over?.beneath === undefined ? file : { ...file, beneath: over.beneath };
}

/** Read where people's files ask for another template than that at rest, before the first step of it. */
async function withChanged({ git, entry }: Observation, file: WorkloadFile | undefined) {
  const { beneath, workload } = file ?? {};
  const marks = workload?.marks;
  if (file === undefined || beneath === undefined || marks?.stable === undefined) return file;
  const { release, step, stable } = marks;
  if (step !== undefined || beneath.digest === release.digest) return file;
  const changed = await changedIn(() => git.changedSince(stable.commit, entry));
  return changed === undefined ? file : { ...file, beneath: { ...beneath, changed } };
}

/** It is for people alone: where it cannot be read nothing waits for it. */
async function changedIn(read: () => ReturnType<Observation['git']['changedSince']>) {
  try {
    return await read();
  } catch (error) {
    if (error instanceof PortError) return undefined;
    throw error;
  }
}

/** What policies ask for, and the Analyses that they name: those can say no as well, and govern with them. */
function observedPolicies(of: Observation) {
  const facts = policyFacts(of.entry.policy, of.desired.blobs);
  const { analyses } = observedAnalyses(of);
  if (analyses === undefined) return facts;
  const named = analyses.flatMap(({ name, blob, wrong }) => (wrong === undefined ? [`${name}@${blob}`] : []));
  return { ...facts, analyses, governing: [...(facts.governing ?? []), ...named] };
}

/**
 * What is remembered under the name of a Rollout is of the workload that it named then: annotations, objects and groups of
 * another say nothing of this one. A forged note of it costs a record that is made from main.
 */
function storedFor({ stored, entry }: Observation, retargeted: Retargeted | undefined): Observation['stored'] {
  if (stored?.kind !== 'read') return stored;
  const about = retargeted === undefined ? undefined : entry.identity?.name;
  return stored.record.retargeted === about ? stored : undefined;
}

/** `tranche.yaml` asks it of every Rollout, and so does who wants approvals proven; no policy takes that back. */
function promotedRules({ desired, entry }: Observation): Snapshot['policy'] {
  const { rules } = entry.policy;
  const isProposed = desired.config.promotion === 'pullRequest' || rules.approvals !== undefined;
  return isProposed ? { ...rules, promotion: 'pullRequest' } : rules;
}

/** A settled rollout whose files have not changed does not care how main came to them, where main goes on from what was read last. */
async function historyOf(of: Observation, record: RolloutRecord | undefined, awake: boolean): Promise<History> {
  if (record === undefined || (!awake && (await of.isMainLost?.()) !== true)) return { kind: 'continued' };
  return of.git.historyOf(record.main, of.entry.reading.rollout?.intents.acknowledge);
}

/** What a delivery hangs on next to the workload; nothing where the Rollout has no second one. */
type TrafficFacts = Pick<Snapshot, 'ladder' | 'traffic' | 'readSeconds'>;

/** What only some deliveries hang on. */
async function readBesides(of: Observation, resting: Resting, file?: WorkloadFile): Promise<Partial<Snapshot>> {
  const rollback = resting === 'rest' ? {} : await rollbackFacts(of, file);
  // At rest main is not asked for dates; what such a record holds for people is theirs who wrote it all the same.
  const unsigned = await unsignedFacts(of, resting === 'rest' ? undefined : file);
  const request = resting === 'rest' ? {} : await requestFacts(of, file);
  const traffic = await readTraffic(of, resting, file);
  const earlier = await earlierFacts(of, file);
  return { ...(await backsOf(of, file)), ...unsigned, ...rollback, ...request, ...earlier, ...traffic };
}

/**
 * `proven` with the documents of its delivery, where main's own line has other annotations than `before` was read by: where its Rollout
 * is gone they alone say which documents these are. Throws PortError.
 */
export async function withItsDocuments(of: Observation, before: Snapshot, proven: Snapshot): Promise<Snapshot> {
  const { workload } = proven;
  const marks = marksInUse(proven);
  if (workload === undefined || marks === undefined || marks === marksInUse(before)) return proven;
  const file = { ...workload, workload: { ...workload.workload, marks } };
  return { ...proven, ...(await readTraffic(of, 'audit', file)) };
}

const marksInUse = ({ lostMarks, workload }: Snapshot): Marks | undefined => lostMarks ?? workload?.workload.marks;

async function readTraffic(of: Observation, resting: Resting, file?: WorkloadFile): Promise<TrafficFacts> {
  const asked = resting === 'rest' || file === undefined ? undefined : trafficAsked(of, file.workload.marks);
  if (asked === undefined || file === undefined) return {};
  const ladder = ladderFiles(of, file);
  const traffic = await of.liveTraffic?.read(asked);
  const readSeconds = (of.clockNow?.() ?? of.now) - of.now;
  return {
    ...(ladder === undefined ? {} : { ladder }),
    ...(traffic === undefined ? {} : { traffic }),
    ...(readSeconds > 0 ? { readSeconds } : {}),
  };
}
