/** Writes what someone orders: reads afresh, plans the edits, pushes; again when somebody else was first. */

import type { Config } from '../api/config.ts';
import { at as valueAt } from '../api/json.ts';
import { absent, type Known, unknown } from '../api/known.ts';
import { MARK } from '../api/marks.ts';
import { stringsIn } from '../api/service.ts';
import type { Instant } from '../api/time.ts';
import type { Git, NewCommit } from '../ports/git.ts';
import { intentMessage } from '../rollout/commits/messages.ts';
import type { MadeDocument } from '../rollout/orders/eject-scene.ts';
import type { Ordered, Refused } from '../rollout/orders/ordered.ts';
import type { WrittenMarks } from '../rollout/orders/repair.ts';
import type { RolloutKey, Snapshot, Stable } from '../rollout/snapshot.ts';
import { printKey } from '../rollout/texts/key-text.ts';
import { unreadLive } from './cluster/observe-cluster.ts';
import type { Desired, DesiredRollout } from './desired/desired-rollout.ts';
import { madeDocuments } from './desired/made-documents.ts';
import type { GitReader } from './history/git-reader.ts';
import { marksInHistory } from './history/marks-in-history.ts';
import { gitReader } from './history/observe-git.ts';
import { orderedText } from './history/stable-in-history.ts';
import { observe } from './observe/observe.ts';
import { desiredHead, readConfig, readDesired, writableConfigIn } from './observe/read-main.ts';
import { deliveriesOf } from './observe/turns.ts';
import { newMemory, type Overrides, type Ports } from './pass.ts';
import { windowsAt } from './policies/windows.ts';
import { isOwn, shardOf } from './shard.ts';
import { proven } from './status/proven.ts';
import { EMPTY_STATUS, readStatus, STATUS_REQUEST, type StatusBranch } from './status/record-store.ts';
import { notAllowed } from './write/allowed.ts';
import type { Batch } from './write/execute.ts';
import { render } from './write/render.ts';
import { type OrderResult, writeOrder } from './write/write-order.ts';

/** Which rollout is meant; an empty namespace: the only one of that name. */
export type Target = {
  readonly name: string;
  readonly namespace: string;
  /** The LeaderWorkerSet of this name that no Rollout names, and not the Rollout. Not there: whichever there is. */
  readonly workload?: boolean;
  /** Of a Rollout and such a LeaderWorkerSet of one name, the one whose delivery is in progress is meant. */
  readonly underWay?: boolean;
};

/** What an order is planned on: the snapshot of the target without the cluster, which an intent does not need. */
type OrderScene = {
  readonly snapshot: Snapshot;
  readonly config: Config;
  readonly made: readonly MadeDocument[];
  /** The template of the commit that the order names; not there: it names none. */
  readonly from?: Known<Stable>;
  /** Annotations as the last commit of tranche wrote them; not there: not asked for. */
  readonly written?: WrittenMarks;
};

/**
 * Carries one order out: `decide` says what to write, or why not. Throws PortError where Git fails or main never
 * holds still.
 */
export async function order(
  ports: Ports,
  at: {
    readonly target: Target;
    readonly overrides: Overrides;
    readonly by: string;
    readonly from?: string | undefined;
    /** What else is read of main for it. Not there: nothing. */
    readonly reads?: 'marks';
  },
  decide: (scene: OrderScene) => Ordered,
): Promise<OrderResult> {
  return writeOrder(ports.git, async () => {
    const scene = await readScene(ports, at);
    if (typeof scene === 'string') return { kind: 'refused', why: scene };
    const { desired, entry, main } = scene;
    const git = gitReader(ports.git, main, { config: desired.config, texts: desired.trials.known });
    const snapshot = await snapshotOf(ports, scene, git);
    const made = madeDocuments(entry, desired);
    const from = at.from === undefined ? {} : { from: await orderedText(git, entry, at.from) };
    const written = at.reads === undefined ? {} : { written: await writtenMarks(scene, git) };
    const ordered = decide({ snapshot, config: desired.config, made, ...from, ...written });
    if (ordered.kind === 'refused') return ordered;
    const drawn = draw(ordered, { scene, by: at.by });
    if (drawn.kind === 'refused') return drawn;
    const { steps, what, diff } = drawn;
    const next = ordered.next === undefined ? {} : { next: ordered.next };
    if (steps.length === 0)
      return { kind: 'written', commits: [], what: `${what}: said already, nothing to write`, diff, ...next };
    return { kind: 'push', batch: batchOf(scene, steps, ports.clock.now()), what, diff, ...next };
  });
}

async function writtenMarks({ entry, status }: Scene, git: GitReader): Promise<WrittenMarks> {
  const { workload } = entry;
  if (workload === undefined) return { document: undefined, marks: absent };
  const { file, object } = workload;
  const annotations = stringsIn(valueAt(workload.value, ['metadata', 'annotations']));
  const stored = status.records.get(printKey(entry.key));
  const recorded = stored?.kind === 'read' ? stored.record.marks : undefined;
  return { document: { file, object, annotations }, marks: await marksInHistory(git, entry, recorded) };
}

type Step = Pick<NewCommit, 'writes' | 'message'>;

type Drawn =
  | { readonly kind: 'ok'; readonly steps: readonly Step[]; readonly what: string; readonly diff: string }
  | Refused;

/** The ordered edits as commits, each on the text that the one before leaves; those that change nothing are left out. */
function draw(
  ordered: Ordered & { readonly kind: 'write' },
  at: { readonly scene: Scene; readonly by: string },
): Drawn {
  const steps: Step[] = [];
  const texts = new Map(at.scene.desired.texts);
  let diff = '';
  for (const commit of ordered.commits) {
    const rendered = render(commit.edits, texts);
    if (rendered.kind === 'refused') {
      const { file, line, message, hint } = rendered.issue;
      return { kind: 'refused', why: `${file}:${line}: ${message}. ${hint}` };
    }
    const denied = notAllowed(rendered.writes, { before: texts, customs: at.scene.desired.customs });
    if (denied !== undefined) return { kind: 'refused', why: `${denied.file}: ${denied.message}. ${denied.hint}` };
    for (const write of rendered.writes) if (write.text !== undefined) texts.set(write.path, write.text);
    diff += rendered.diff;
    const message = intentMessage(commit.what, { key: at.scene.entry.key, main: at.scene.main, by: at.by });
    if (rendered.writes.length > 0) steps.push({ writes: rendered.writes, message });
  }
  return { kind: 'ok', steps, what: ordered.commits.map((commit) => commit.what).join('; '), diff };
}

function batchOf({ desired, main }: Scene, steps: readonly Step[], now: Instant): Batch {
  const { config } = desired;
  const signature = { ...config.author, atSeconds: now };
  return {
    config,
    main,
    status: undefined,
    steps: steps.map((step) => ({ ...step, signature })),
    statusCommit: undefined,
  };
}

type Scene = {
  readonly main: string;
  readonly desired: Desired;
  readonly entry: DesiredRollout;
  /** The branch that has the record of the target. */
  readonly status: StatusBranch;
};

type OrderTarget = { readonly target: Target; readonly overrides: Overrides };

/** Everything that an order is planned on, or which Rollout it cannot be about. */
async function readScene(ports: Ports, { target, overrides }: OrderTarget): Promise<Scene | string> {
  const { git } = ports;
  const { main, config } = await desiredHead(git, overrides, writableConfigIn);
  const [ownHead] = await git.heads([config.statusBranch]);
  const desired = await readDesired(git, main, { config, memory: newMemory() });
  const entry = pick(desired, target);
  if (typeof entry === 'string') return entry;
  const statusHead = isOwn(entry.key, overrides.shard) ? ownHead : await headOfShard(git, entry, { main, overrides });
  const read = statusHead === undefined ? EMPTY_STATUS : readStatus(await git.readAt(statusHead, STATUS_REQUEST));
  const status = believed(read, ports, { key: entry.key, config, overrides });
  return { main, desired, entry, status };
}

/** The branch as far as the keys on main bear it out. */
function believed(
  read: StatusBranch,
  { clock, signatures }: Ports,
  of: { readonly key: RolloutKey; readonly config: Config; readonly overrides: Overrides },
): StatusBranch {
  const { shard } = of.overrides;
  const place = { cluster: of.config.cluster, shard: shard === undefined ? undefined : shardOf(of.key, shard.of) };
  const judging = { signatures, config: of.config, place, now: clock.now() };
  return proven(read, judging, { numbers: new Map(), own: new Map() }).status;
}

/** People need not know which shard their Rollout belongs to: the number of them tells. */
async function headOfShard(
  git: Git,
  { key }: DesiredRollout,
  { main, overrides }: { readonly main: string; readonly overrides: Overrides },
): Promise<string | undefined> {
  const { of } = overrides.shard ?? { of: 1 };
  const shard = { index: shardOf(key, of), of };
  const config = await readConfig(git, main, { ...overrides, shard }, writableConfigIn);
  return (await git.heads([config.statusBranch]))[0];
}

function pick(desired: Desired, target: Target): DesiredRollout | string {
  const called = desired.rollouts.filter(
    (entry) => isCalled(entry, target.name) && (target.namespace === '' || entry.key.namespace === target.namespace),
  );
  const found = target.workload === true ? called.filter(isOrphan) : called;
  const open = found.filter(isUnderWay);
  const [first, second] = target.underWay === true && open.length === 1 ? open : found;
  const all = desired.rollouts.map((entry) => `${entry.key.namespace}/${entry.key.name}`).join(', ');
  if (first === undefined)
    return `no Rollout ${target.namespace === '' ? '' : `${target.namespace}/`}${target.name}. There is: ${all === '' ? 'none' : all}`;
  if (second !== undefined && found.some((entry) => entry !== first && entry.key.namespace === first.key.namespace))
    return `${target.name} is a Rollout${namesOf(first, second)}, and a LeaderWorkerSet of this name is one that no Rollout names. Say that you mean the LeaderWorkerSet with --workload; else give it its Rollout back first (workloadRef)`;
  if (second !== undefined)
    return `${target.name} is in several namespaces: ${found.map((entry) => entry.key.namespace).join(', ')}. Say which with --namespace`;
  return first;
}

/** Next to a Rollout of its name a workload without one goes by a longer name, and by its own. */
function isCalled({ key, identity, rollout }: DesiredRollout, name: string): boolean {
  return key.name === name || (rollout === undefined && identity?.name === name);
}

/** A managed LeaderWorkerSet whose Rollout is gone, or names another one since. */
function isOrphan({ rollout }: DesiredRollout): boolean {
  return rollout === undefined;
}

function isUnderWay({ workload }: DesiredRollout): boolean {
  return (
    workload !== undefined && stringsIn(valueAt(workload.value, ['metadata', 'annotations']))[MARK.step] !== undefined
  );
}

function namesOf(...entries: readonly DesiredRollout[]): string {
  const other = entries.find((entry) => !isOrphan(entry))?.identity?.name;
  return other === undefined ? '' : ` of ${other}`;
}

async function snapshotOf(ports: Ports, scene: Scene, git: GitReader): Promise<Snapshot> {
  const { desired, entry, status } = scene;
  const now = ports.clock.now();
  return observe({
    desired,
    entry,
    stored: status.records.get(printKey(entry.key)),
    proof: status.proofs?.get(printKey(entry.key)),
    deliveries: deliveriesOf(desired.rollouts, { records: status.records, now }),
    windowsOf: windowsAt(now),
    now,
    git,
    live: async () => ({ ...unreadLive(unknown('not asked for this')), scaler: unknown('not asked for this') }),
  });
}
