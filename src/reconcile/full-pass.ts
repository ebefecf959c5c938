/** A pass that has something to look at: every rollout decided alone, on the texts that the ones before it leave. */

import { type Config, isBelow } from '../api/config.ts';
import type { Issue } from '../api/issue.ts';
import { namesText } from '../api/names-text.ts';
import type { RolloutRecord } from '../api/record.ts';
import type { Instant } from '../api/time.ts';
import { holdKind } from '../rollout/hold.ts';
import { isDelivered, type Plan, recordWritten } from '../rollout/plan.ts';
import { printKey } from '../rollout/texts/key-text.ts';
import { signedRecords, withBuilt } from './built-records.ts';
import { liveReader } from './cluster/observe-cluster.ts';
import { type TrafficReader, trafficReader } from './cluster/observe-live-traffic.ts';
import { decideAll, isChosen } from './decide-all.ts';
import type { Desired } from './desired/desired-rollout.ts';
import { mainLost, tipOf } from './history/main-lost.ts';
import type { Readers } from './history/observation.ts';
import { gitReader } from './history/observe-git.ts';
import { metricsReader, withoutAsking } from './metrics-reader.ts';
import { notified } from './notify/deliver.ts';
import { trafficAsked } from './observe/observe-traffic.ts';
import { recordsElsewhere } from './observe/other-shards.ts';
import type { Ahead } from './observe/read-ahead.ts';
import { readDesired } from './observe/read-main.ts';
import type { Outcome, Reconciled, RefusedBrakes } from './outcome.ts';
import type { Memory, PassOptions, PassResult, Ports, Reading } from './pass.ts';
import { brakes } from './proposals/case.ts';
import { propose } from './proposals/propose.ts';
import { readApprovals } from './proposals/read-approvals.ts';
import { withOthers } from './refused-brakes.ts';
import { sent } from './sent.ts';
import { isOwn } from './shard.ts';
import { brakesIn } from './status/brakes.ts';
import { indexOf } from './status/index-of.ts';
import { keysAt } from './status/keys-at.ts';
import type { StatusBranch } from './status/record-store.ts';
import { trustOf } from './status/trust.ts';
import { keepsRecord } from './write/batch.ts';
import { writePass } from './write/write-pass.ts';

export { configFor } from './observe/read-settings.ts';

export type FullPass = {
  readonly main: string;
  readonly status: StatusBranch;
  readonly at: Instant;
  readonly config: Config;
  readonly memory: Memory;
  readonly options: PassOptions;
  readonly ahead: Ahead;
  /** How often this has been tried, with this time. */
  readonly attempt: number;
  /** Another look, in which what the server has refused stands aside. */
  readonly again: (refused: RefusedBrakes) => Promise<PassResult | 'moved'>;
};

/** Reads, decides and, where the options say so, writes. `moved`: a branch did meanwhile, and nothing was written. */
export async function fullPass(ports: Ports, pass: FullPass): Promise<PassResult | 'moved'> {
  const { main, at, config, memory, options } = pass;
  const place = { cluster: config.cluster, shard: options.overrides.shard?.index };
  const judging = { signatures: ports.signatures, config, place, now: at, keysAt: keysAt(ports.clock) };
  const trust = trustOf(pass.status, judging, { known: memory.known, isWriting: options.write });
  const { status, signing, keyMissing } = trust;
  if (status.isNewer && options.write)
    ports.log.warn(
      `index.json on ${config.statusBranch} is of a newer tranche: it and the page stay as they are, and no pass of this one is a quiet one. Run the newer one, or delete that file`,
    );
  ports.forge?.begin();
  const live = liveReader(ports.cluster, namespacesUnderWay(status, config, options));
  const { builder } = ports;
  const builds = builder === undefined ? undefined : { builder, cache: memory.builds };
  await sent();
  const records = signedRecords(status, { signing, now: at, auditSeconds: config.auditSeconds });
  const desired = await readDesired(ports.git, main, { config, memory, ahead: pass.ahead.desired, builder, records });
  const tip = memory.main ?? tipOf(status, desired.config, options);
  memory.main = main;
  const reading: Reading = { main, status, desired, at, signing, keyMissing };
  const git = gitReader(ports.git, main, { config: desired.config, texts: desired.trials.known, builds });
  const offSeconds = (): number | undefined => ports.clock.offSeconds?.();
  const clockNow = (): Instant => ports.clock.now();
  const liveTraffic = trafficReader(ports.cluster, live);
  startTraffic(liveTraffic, reading, options);
  const others = await recordsElsewhere(ports.git, reading, { shard: options.overrides.shard, judging });
  const isMainLost = mainLost(git, { tip, main });
  const notifyTargets = ports.notifier?.targets ?? [];
  const seen = { git, isMainLost, live, liveTraffic, offSeconds, clockNow };
  const readers = { ...seen, others, notifyTargets, builder, ...metricsOf(ports, memory) };
  const first = await decidedFirst(readers, reading, options, memory);
  const approvals = await readApprovals(ports, { reading, reconciled: first, commits: git });
  const decided = approvals.size === 0 ? first : await decideAll({ ...readers, approvals }, reading, options, memory);
  const reconciled = options.write ? await propose(ports, { reading, reconciled: decided, commits: git }) : decided;
  const kept = recordsOf(reading, reconciled, options);
  const decision = resultOf(reading, reconciled, options);
  const result = { ...decision, warnings: [...decision.warnings, ...trust.warnings] };
  if (!options.write) return result;
  const index = await indexOf(ports.git, reading, { records: kept, result, options, folders: git.folders() });
  const { attempt } = pass;
  const written = await writePass(ports, { reading, reconciled, records: kept, result, index, memory, attempt });
  if (written === 'moved') return written;
  memory.atRest = options.only.length > 0 ? undefined : { status: written.status ?? status.head, index };
  const { refused, ...tried } = written;
  const told = await notified(ports, tried, reading);
  return refused === undefined || options.refused !== undefined
    ? told
    : withOthers(told, ports, () => pass.again(refused));
}

/** Who asks providers of metrics, if anyone does. */
function metricsOf({ metrics }: Ports, memory: Memory): Pick<Readers, 'metrics'> {
  return metrics === undefined ? {} : { metrics: metricsReader(metrics, memory.metrics) };
}

/**
 * What protects or leads back is written before any provider of metrics is asked, which may take its time: nobody's rollback
 * waits for the metrics of another Rollout. What waits for them is asked about in the first pass that has no such commit.
 */
async function decidedFirst(
  readers: Parameters<typeof decideAll>[0],
  reading: Reading,
  options: PassOptions,
  memory: Memory,
): Promise<readonly Reconciled[]> {
  const { metrics } = readers;
  if (metrics === undefined) return decideAll(readers, reading, options, memory);
  const quiet = withoutAsking(metrics);
  const unasked = await decideAll({ ...readers, metrics: quiet.reader }, reading, options, memory);
  return quiet.wants() && !unasked.some(brakes) ? decideAll(readers, reading, options, memory) : unasked;
}

/** Services and routes of the deliveries that are in progress: asked for all at once, as far as the records know them. */
function startTraffic({ start }: TrafficReader, { desired, status }: Reading, { only }: PassOptions): void {
  for (const entry of desired.rollouts) {
    const stored = status.records.get(printKey(entry.key));
    if (stored?.kind !== 'read' || stored.record.settled) continue;
    const asked = isChosen(only, entry.key) ? trafficAsked({ entry, desired }) : undefined;
    if (asked !== undefined) start(asked);
  }
}

/** Where the cluster is going to be asked, as far as the records know. */
function namespacesUnderWay(status: StatusBranch, config: Config, { only }: PassOptions): ReadonlySet<string> {
  const namespaces = new Set<string>();
  for (const stored of status.records.values()) {
    if (stored.kind !== 'read') continue;
    const { cluster, namespace, name, settled } = stored.record;
    if (!settled && cluster === config.cluster && isChosen(only, { namespace, name })) namespaces.add(namespace);
  }
  return namespaces;
}

/** What the status branch is to hold: what the plans saw, and the records of rollouts that could not be looked at. */
function recordsOf(
  reading: Reading,
  reconciled: readonly Reconciled[],
  options: PassOptions,
): ReadonlyMap<string, RolloutRecord> {
  const records = new Map<string, RolloutRecord>();
  const byKey = new Map(reconciled.map((one) => [printKey(one.key), one]));
  const isHidden = hiddenBy(reading.desired);
  const toKeep = new Map(reading.desired.rollouts.map(({ key, over }) => [printKey(key), over?.toKeep]));
  for (const [key, stored] of reading.status.records) {
    const one = byKey.get(key);
    const failed = one !== undefined && one.plan === undefined;
    const skipped = options.only.length > 0 && one === undefined;
    // Records of other clusters, on a branch that several share, are not ours to remove.
    const foreign = !key.startsWith(`${reading.desired.config.cluster}/`);
    if (stored.kind !== 'read') continue;
    const hidden = one === undefined && isHidden(stored.record);
    const own = isOwn(stored.record, options.overrides.shard);
    if (failed || skipped || foreign || (hidden && own)) records.set(key, stored.record);
  }
  for (const one of reconciled.filter(keepsRecord)) {
    const { key, plan, writes } = one;
    if (plan === undefined) continue;
    const record = isOnMain(plan, writes) ? recordWritten(plan) : plan.record;
    records.set(printKey(key), withBuilt(record, toKeep.get(printKey(key))));
  }
  return records;
}

/** An edit of the plan may lead to what the files say already: such a commit changes no byte, and is not waited for. */
function isOnMain({ commit }: Plan, writes: Reconciled['writes']): boolean {
  return commit !== undefined && isDelivered({ commit }) && writes.length === 0;
}

/**
 * Whether what a record is of may be in a file that nobody could read, or below a path that is not there: a slip in `paths`
 * is no reason to forget drains, pauses and approvals. Who takes a path out, and not its folder, has withdrawn it.
 */
function hiddenBy({ files, issues, config, absentPaths = [] }: Desired): (record: RolloutRecord) => boolean {
  const unread = new Set([
    ...files.flatMap(({ file, issues: own }) => (own.length === 0 ? [] : [file])),
    ...issues.flatMap(({ file, reason }) => (reason === 'UnreadableFile' ? [file] : [])),
  ]);
  const there = config.paths.filter((path) => !absentPaths.includes(path));
  const isAway = (file: string): boolean => absentPaths.length > 0 && !isBelow(there, file);
  return ({ blobs }) => there.length === 0 || Object.keys(blobs).some((file) => unread.has(file) || isAway(file));
}

/** What could not be looked at must not look like waiting; nor what only an edit of the files ends. */
function isFailed({ plan, error }: Outcome): boolean {
  return (
    error !== undefined ||
    (plan?.issues.length ?? 0) > 0 ||
    (plan?.holds.some((hold) => holdKind(hold.reason)?.failure !== undefined) ?? false)
  );
}

/** Names that were asked for and are not there. */
function missingOf({ desired }: Reading, { only }: PassOptions): readonly Issue[] {
  const names = desired.rollouts.map(({ key }) => `${key.namespace}/${key.name}`);
  return only
    .filter((name) => !desired.rollouts.some(({ key }) => isChosen([name], key)))
    .map((name) => ({
      file: '',
      line: 0,
      path: '',
      reason: 'NoSuchRollout',
      message: `there is no Rollout ${name}; there is: ${namesText(names, name)}`,
      hint: 'Check the spelling, and paths in tranche.yaml.',
    }));
}

function resultOf(reading: Reading, reconciled: readonly Reconciled[], options: PassOptions): PassResult {
  const place = new Map(reading.desired.rollouts.map(({ key }, at) => [printKey(key), at]));
  const placeOf = ({ key }: Outcome): number => place.get(printKey(key)) ?? 0;
  // Whichever was read first, they are listed in the order of their names.
  const outcomes: readonly Outcome[] = [...reconciled].sort((a, b) => placeOf(a) - placeOf(b));
  const waits = outcomes.map((one) => one.plan?.requeueAfterSeconds).filter((seconds) => seconds !== undefined);
  const issues = [...reading.desired.issues, ...missingOf(reading, options)];
  return {
    main: reading.main,
    quiet: false,
    outcomes,
    issues,
    warnings: reading.desired.warnings,
    status: undefined,
    brakes: brakesIn(reading.desired, reading.at),
    failed: outcomes.some(isFailed) || issues.length > 0,
    requeueAfterSeconds: Math.min(reading.desired.config.intervalSeconds, ...waits),
  };
}
