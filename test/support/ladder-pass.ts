/** Passes over a delivery with a second workload: its files, a cluster that has what they say, and each commit written. */

import { parseIntents } from '../../src/api/intents.ts';
import { known } from '../../src/api/known.ts';
import { NO_RULES } from '../../src/api/policy-rules.ts';
import type { RolloutRecord } from '../../src/api/record.ts';
import { printRelease } from '../../src/api/release.ts';
import { parseRollout } from '../../src/api/rollout.ts';
import { parseManifestFile } from '../../src/manifests/parse-file.ts';
import { rolloutHash, withFactDigests } from '../../src/reconcile/documents/digests.ts';
import { readWorkload } from '../../src/reconcile/documents/read-workload.ts';
import { deliveryIn, type Texts } from '../../src/reconcile/ladder/delivery-parts.ts';
import { ladderFilesIn } from '../../src/reconcile/observe/observe-traffic.ts';
import { draw } from '../../src/reconcile/reconcile.ts';
import { heldScaler } from '../../src/rollout/ladders/asides.ts';
import { type Plan, plan, recordWritten } from '../../src/rollout/plan.ts';
import { SNAPSHOT_VERSION, type Snapshot, type Stable, type WorkloadFile } from '../../src/rollout/snapshot.ts';
import { KNOWN, partsIn } from './ladder.ts';
import { MAIN } from './marks-notation.ts';
import { NOW, type ViewChange, viewOf } from './traffic-view.ts';
import { LWS_FILE, ROLLOUT_FILE } from './vllm.ts';

/** What is there between two passes. */
export type Stand = {
  readonly texts: Texts;
  readonly record: RolloutRecord | undefined;
  /** The text that the primary was on when it was last released for update, and which the delivery may go back to. */
  readonly stable: WorkloadFile;
  /** The digest of the text that the groups of the user's own workload are on. */
  readonly primary: string;
  readonly now: number;
};

/** What a pass finds as well. */
export type Found = {
  readonly view?: ViewChange;
  /** Annotations of the Rollout: `abort`, `jump`. */
  readonly intents?: Readonly<Record<string, string>>;
  readonly snapshot?: Partial<Snapshot>;
  /** What becomes of all of it. */
  readonly change?: (snapshot: Snapshot) => Snapshot;
};

function workloadIn(texts: Texts): WorkloadFile {
  const [document] = parseManifestFile(LWS_FILE, texts.get(LWS_FILE) ?? '', ['LeaderWorkerSet'], KNOWN).documents;
  const found = document === undefined ? undefined : readWorkload(document).workload;
  if (found === undefined) throw new Error('no workload');
  return found;
}

/** Settled on the text that is there. */
export function settledOn(texts: Texts): Stand {
  const stable = workloadIn(texts);
  return { texts, record: undefined, stable, primary: stable.digest, now: NOW };
}

/** What a pass reads: the cluster has what Git says, unless `found` says otherwise. */
export function snapshotAt({ texts, record, stable, primary, now }: Stand, found: Found = {}): Snapshot {
  const file = workloadIn(texts);
  const parts = partsIn(texts);
  const delivery = deliveryIn({ texts, displaced: [] }, parts, KNOWN);
  const ladder = ladderFilesIn(texts, parts, KNOWN);
  if (delivery === undefined || ladder === undefined) throw new Error('no delivery');
  const [document] = parseManifestFile(ROLLOUT_FILE, texts.get(ROLLOUT_FILE) ?? '', ['Rollout'], KNOWN).documents;
  const { rollout } = parseRollout(document?.value);
  if (document === undefined || rollout === undefined) throw new Error('no Rollout');
  const { marks } = file.workload;
  const moving = marks !== undefined && (marks.step !== undefined || marks.release.digest !== file.digest);
  // Under another version label the stable template is another revision.
  const isRelabelled = file.digest === stable.digest && file.workload.version !== stable.workload.version;
  const behind = primary === file.digest && !isRelabelled ? 'G' : 'O';
  const { replicas = 0, partition = 0 } = file.workload;
  const isOne = delivery.plan.style === 'partition';
  const word = (at: number): string => `${at}:${isOne && at >= partition ? 'G' : behind}+`;
  const own = Array.from({ length: replicas }, (_, at) => word(at)).join(' ');
  const scaler = heldScaler(ladder.scalers ?? [], marks?.restore?.objects ?? []);
  const seen = viewOf(
    { ...delivery, scaler },
    {
      own,
      ...found.view,
      ownLws: { maxUnavailable: file.workload.maxUnavailable ?? 1, ...found.view?.ownLws },
    },
  );
  const { content, version } = stable.workload;
  const label = version === undefined ? {} : { version };
  const before = { name: 'before', key: 'key-vllm-before', revision: 0, content, ...label };
  const revisions = seen.live.revisions.kind === 'known' ? seen.live.revisions.value : [];
  const text: Stable = {
    commit: 'a'.repeat(40),
    release: { digest: stable.digest, serial: 1 },
    content,
    ...label,
    text: stable.text,
  };
  const { change = (of: Snapshot) => of } = found;
  const snapshot: Snapshot = {
    version: SNAPSHOT_VERSION,
    key: { cluster: 'default', namespace: 'llm', name: 'vllm' },
    now,
    main: MAIN,
    history: { kind: 'continued' },
    blobs: {},
    rollout: {
      file: ROLLOUT_FILE,
      object: document.object,
      rollout,
      intents: parseIntents(annotationsOf(found.intents)).intents,
      hash: rolloutHash(rollout.strategy),
    },
    facts: {},
    policy: NO_RULES,
    lwsVersion: undefined,
    workload: file,
    ladder,
    stable: moving ? known(text) : { kind: 'absent' },
    delivered: known(MAIN),
    retryText: { kind: 'absent' },
    recreateText: { kind: 'absent' },
    issues: [],
    warnings: [],
    record,
    recordFault: '',
    audit: true,
    live: { ...seen.live, revisions: known([before, ...revisions]) },
    traffic: seen.traffic,
    ...found.snapshot,
  };
  return withFactDigests(change(snapshot));
}

function annotationsOf(intents: Found['intents'] = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(intents).map(([key, value]) => [`tranche.dev/${key}`, value]));
}

export type Passed = { readonly plan: Plan; readonly stand: Stand; readonly told: string };

/** One pass, an hour after the last: its commit is written, or its holds are told. */
export function passed(stand: Stand, found: Found = {}): Passed {
  const snapshot = snapshotAt(stand, found);
  const drawn = draw(plan(snapshot), snapshot, { texts: stand.texts, known: KNOWN });
  const texts = new Map(stand.texts);
  for (const { path, text } of drawn.writes) texts.set(path, text ?? '');
  const file = workloadIn(texts);
  const next: Stand = {
    ...stand,
    texts,
    record: recordWritten(drawn.plan),
    // At none, the next groups are on the text that is there then.
    primary: file.workload.partition === 0 || file.workload.replicas === 0 ? file.digest : stand.primary,
    now: stand.now + 3600,
  };
  const { commit, holds } = drawn.plan;
  const told =
    commit === undefined
      ? `hold ${holds.map(({ reason }) => reason).join(' ')}`
      : `${commit.reason}: ${commit.subject.replace('rollout(llm/vllm): ', '')}`;
  return { plan: drawn.plan, stand: next, told };
}

/** Passes until `until` says so, or until there is nothing to do; what each has told. */
export function passes(
  stand: Stand,
  { found = () => ({}), most = 40 }: { readonly found?: (stand: Stand) => Found; readonly most?: number } = {},
): { readonly told: readonly string[]; readonly stand: Stand } {
  const told: string[] = [];
  let at = stand;
  while (told.length < most) {
    const now = passed(at, found(at));
    at = now.stand;
    if (now.plan.commit === undefined && now.told === told.at(-1)) break;
    told.push(now.told);
    if (now.told === 'hold ') break;
  }
  return { told, stand: at };
}

/** `9c41d2e09c41d2e09c41d2e09c41d2e0.2`: the release that the file is at. */
export function releaseIn({ texts }: Stand): string {
  const release = workloadIn(texts).workload.marks?.release;
  return release === undefined ? '' : printRelease(release);
}
