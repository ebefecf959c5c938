/** Writes what someone orders: reads afresh, plans the edits, pushes; again when somebody else was first. */

import type { Config } from '../api/config.ts';
import { type Known, unknown } from '../api/known.ts';
import type { Release } from '../api/release.ts';
import type { Instant } from '../api/time.ts';
import { unifiedDiff } from '../manifests/diff.ts';
import type { FileWrite, Identity, NewCommit } from '../ports/git.ts';
import { orderedAt } from '../rollout/approvable.ts';
import { intentMessage, type OrderedAt } from '../rollout/commits/messages.ts';
import type { MadeDocument } from '../rollout/orders/eject-scene.ts';
import type { Ordered, Refused } from '../rollout/orders/ordered.ts';
import type { WrittenMarks } from '../rollout/orders/repair.ts';
import type { SettledReleases } from '../rollout/orders/undo.ts';
import type { Snapshot, Stable } from '../rollout/snapshot.ts';
import { printKey } from '../rollout/texts/key-text.ts';
import { unreadLive } from './cluster/observe-cluster.ts';
import { madeDocuments } from './desired/made-documents.ts';
import { handingBack } from './history/borne-out.ts';
import type { GitReader } from './history/git-reader.ts';
import { withMarksWhole } from './history/marks-whole.ts';
import type { Observation } from './history/observation.ts';
import { gitReader } from './history/observe-git.ts';
import { releasesAtRest, writtenMarks } from './history/order-facts.ts';
import { orderedText } from './history/stable-in-history.ts';
import { observe } from './observe/observe.ts';
import { deliveriesOf } from './observe/turns.ts';
import { readScene, type Scene } from './order-scene.ts';
import type { Overrides, Ports } from './pass.ts';
import { windowsAt } from './policies/windows.ts';
import type { Target } from './target.ts';
import { notAllowed } from './write/allowed.ts';
import { isOwnApply } from './write/allowed-patch.ts';
import type { Batch } from './write/execute.ts';
import { render } from './write/render.ts';
import { type OrderResult, writeOrder } from './write/write-order.ts';

/** Who gives an order, as far as the environment says: `by` for the trailer, `author` for the commit. Nothing is proven by it. */
export type Giver = {
  /** Empty: nobody is named. */
  readonly by: string;
  /** True: `--by` said so, and no environment. */
  readonly isClaim?: boolean;
  /** Not there: tranche is the author as well. */
  readonly author?: Identity | undefined;
};

/** For the trailer of its commit. */
export function trailerBy({ by, isClaim }: Pick<Giver, 'by' | 'isClaim'>): string {
  return isClaim === true && by !== '' ? `${by} (claim)` : by;
}

/**
 * `delivery`: what had settled, and what was on its way when the file was put back. `stable`: the order itself goes back, and no pass
 * after it looks whether main bears its marks out.
 */
type Reads = 'marks' | 'delivery' | 'stable';

/** What an order is planned on: the snapshot of the target without the cluster, which an intent does not need. */
type OrderScene = {
  readonly snapshot: Snapshot;
  readonly config: Config;
  readonly made: readonly MadeDocument[];
  /** The template of the commit that the order names; not there: it names none. */
  readonly from?: Known<Stable>;
  /** Annotations as the last commit of tranche wrote them; not there: not asked for. */
  readonly written?: WrittenMarks;
  /** What had settled before the present release; not there: not asked for. */
  readonly settled?: Known<SettledReleases>;
  /** The release that was on its way when the file was put back; not there: it was not, or not asked for. */
  readonly putBack?: Release | undefined;
  /** The release that the file says has settled, and main that it is on its way; not there: main does not, or not asked for. */
  readonly open?: Release | undefined;
};

/**
 * Carries one order out: `decide` says what to write, or why not. Throws PortError where Git fails or main never
 * holds still.
 */
export async function order(
  ports: Ports,
  at: Giver & {
    readonly target: Target;
    readonly overrides: Overrides;
    readonly from?: string | undefined;
    /** What else is read of main for it. Not there: nothing. */
    readonly reads?: Reads | undefined;
    /** True: by a pull request, and not by a push to the desired branch. */
    readonly pullRequest?: boolean;
  },
  decide: (scene: OrderScene) => Ordered,
): Promise<OrderResult> {
  return writeOrder(ports, { ...at, by: trailerBy(at) }, async () => {
    const there = await readScene(ports, at);
    if (typeof there === 'string') return { kind: 'refused', why: there };
    const { main, desired } = there;
    const { builder } = ports;
    const builds = builder === undefined ? undefined : { builder, cache: new Map() };
    const git = gitReader(ports.git, main, { config: desired.config, texts: desired.trials.known, builds });
    // What is to be put right is drawn on what is in the file.
    const { scene, once } = at.reads === 'marks' ? { scene: there, once: undefined } : await sceneOnce(git, there);
    const { entry } = scene;
    const seen = observationOf(ports, scene, git);
    const read = await observe(seen);
    const snapshot = at.reads === 'stable' ? await handingBack(seen, read) : read;
    const made = madeDocuments(entry, desired);
    const from = at.from === undefined ? {} : { from: await orderedText(git, entry, at.from) };
    const facts = await factsFor(at.reads, there, git);
    const ordered = decide({ snapshot, config: desired.config, made, ...from, ...facts });
    if (ordered.kind === 'refused') return refusal(ordered);
    const about = ordered.at ?? orderedAt(snapshot);
    const drawn = draw(ordered, { scene, message: (what) => messageOf(what, { scene, about, by: trailerBy(at) }) });
    if (drawn.kind === 'refused') return drawn;
    const { steps, what } = drawn;
    const isCleared = steps.some(({ writes }) => writes.some(({ path }) => path === once?.file));
    const diff = isCleared ? `${once?.diff ?? ''}${drawn.diff}` : drawn.diff;
    const next = ordered.next === undefined ? {} : { next: ordered.next };
    if (steps.length === 0)
      return { kind: 'written', commits: [], what: `${what}: said already, nothing to write`, diff, ...next };
    const batch = batchOf(scene, steps, { atSeconds: ports.clock.now(), author: at.author });
    return { kind: 'push', batch, what, diff, ...next };
  });
}

/** The scene with one of each annotation of ours. */
async function sceneOnce(git: GitReader, scene: Scene) {
  const { desired, entry } = scene;
  const once = await withMarksWhole(git, { entry, texts: desired.texts, known: desired.trials.known });
  if (once === undefined) return { scene, once };
  return {
    scene: {
      ...scene,
      entry: once.entry,
      desired: { ...desired, texts: new Map([...desired.texts, [once.file, once.text]]) },
    },
    once,
  };
}

async function factsFor(
  reads: Reads | undefined,
  { entry, status, desired }: Scene,
  git: GitReader,
): Promise<Pick<OrderScene, 'written' | 'settled' | 'putBack' | 'open'>> {
  if (reads === undefined || reads === 'stable') return {};
  if (reads === 'delivery') return releasesAtRest({ entry, git });
  return { written: await writtenMarks({ entry, git, desired }, status.records.get(printKey(entry.key))) };
}

function refusal({ why, compare }: Refused): OrderResult {
  return { kind: 'refused', why, ...(compare === undefined ? {} : { diff: unifiedDiff(compare) }) };
}

type Step = Pick<NewCommit, 'writes' | 'message'>;

type Drawn =
  | { readonly kind: 'ok'; readonly steps: readonly Step[]; readonly what: string; readonly diff: string }
  | Refused;

/** The ordered edits as commits, each on the text that the one before leaves; those that change nothing are left out. */
function draw(
  ordered: Ordered & { readonly kind: 'write' },
  at: { readonly scene: Scene; readonly message: (what: string) => string },
): Drawn {
  const steps: Step[] = [];
  const texts = new Map(at.scene.desired.texts);
  let diff = '';
  for (const commit of ordered.commits) {
    const { files = [] } = commit;
    for (const { file, now = '' } of files) texts.set(file, now);
    const rendered = render(commit.edits, texts, { aliases: 'writeOut' });
    if (rendered.kind === 'refused') {
      const { file, line, message, hint } = rendered.issue;
      return { kind: 'refused', why: `${file}:${line}: ${message}. ${hint}` };
    }
    const writes = [...files.map(({ file: path, text }) => ({ path, text })), ...rendered.writes];
    // What applies patches is ours alone: it is written over whatever a hand has made of it.
    const isAnew = ({ path, text }: FileWrite): boolean =>
      files.some(({ file }) => file === path) && isOwnApply(path, text);
    const others = writes.filter((write) => !isAnew(write));
    const denied = notAllowed(others, { before: texts, customs: at.scene.desired.customs });
    if (denied !== undefined) return { kind: 'refused', why: `${denied.file}: ${denied.message}. ${denied.hint}` };
    for (const write of writes) if (write.text !== undefined) texts.set(write.path, write.text);
    diff += files.map(({ file, text, now = '' }) => unifiedDiff({ file, before: now, after: text })).join('');
    diff += rendered.diff;
    if (writes.length > 0) steps.push({ writes, message: at.message(commit.what) });
  }
  return { kind: 'ok', steps, what: ordered.commits.map((commit) => commit.what).join('; '), diff };
}

function messageOf(
  what: string,
  of: { readonly scene: Scene; readonly about: OrderedAt | undefined; readonly by: string },
): string {
  const { entry, main } = of.scene;
  return intentMessage(what, { key: entry.key, main, by: of.by, at: of.about });
}

function batchOf(
  { desired, main }: Scene,
  steps: readonly Step[],
  { atSeconds, author }: { readonly atSeconds: Instant; readonly author: Identity | undefined },
): Batch {
  const { config } = desired;
  const signature = { ...config.author, atSeconds };
  return {
    config,
    main,
    status: undefined,
    steps: steps.map((step) => ({ ...step, signature, author })),
    statusCommit: undefined,
  };
}

function observationOf(ports: Ports, scene: Scene, git: GitReader): Observation {
  const { desired, entry, status } = scene;
  const now = ports.clock.now();
  return {
    desired,
    entry,
    stored: status.records.get(printKey(entry.key)),
    proof: status.proofs?.get(printKey(entry.key)),
    deliveries: deliveriesOf(desired.rollouts, { records: status.records, proofs: status.proofs, now }),
    windowsOf: windowsAt(now),
    now,
    offSeconds: () => ports.clock.offSeconds?.(),
    git,
    live: async () => ({ ...unreadLive(unknown('not asked for this')), scaler: unknown('not asked for this') }),
  };
}
