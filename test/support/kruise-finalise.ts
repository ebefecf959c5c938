/** What ends a delivery, in the words of Kruise's clean-up: its tasks in the order in which our commits do them. */

import { at } from '../../src/api/json.ts';
import { LWS_NAME } from '../../src/api/lws-labels.ts';
import { MARK, TEXT } from '../../src/api/marks.ts';
import type { RolloutRecord } from '../../src/api/record.ts';
import { deliveryIn } from '../../src/reconcile/ladder/delivery-parts.ts';
import {
  annotationsOf,
  canarySide,
  type Delivery,
  partitionIn,
  replicasOf,
  selectorOf,
  stableSide,
} from '../../src/rollout/ladders/delivery.ts';
import { shareIn } from '../../src/rollout/ladders/shares.ts';
import type { KruiseCase } from './kruise.ts';
import { ladderFiles, ladderRollout, partsIn } from './ladder.ts';
import { type Found, type Passed, passed, releaseIn, type Stand, settledOn } from './ladder-pass.ts';
import { asked, edited, NEWER } from './ladder-stands.ts';
import { NEW, OLD, ROLLOUT_FILE } from './vllm.ts';

type Style = 'canary' | 'blueGreen';
type Reason = 'Success' | 'Rollback' | 'RolloutDisabled' | 'RolloutDeleting' | 'Continuous';

type FinaliseCase = {
  readonly strategy: Style;
  readonly reason: Reason;
  readonly hasTraffic?: boolean;
  readonly current?: string;
};

const PASSES_MOST = 20;
/** All groups, and half of the requests: what is left is to give the new version the others, or to take them back. */
const STEP = 'replicas: 100%, traffic: 50%, pause: {duration: 60}';

/** Last steps that cases have stood on already: a stand is not changed by what is played from it. */
const lastSteps = new Map<string, Stand>();

/** The last step of a delivery, with all that it waits for but its pause. */
function atLastStep(style: Style, { routed = true } = {}): Stand {
  const key = `${style} ${routed}`;
  const known = lastSteps.get(key);
  if (known !== undefined) return known;
  const files = ladderFiles(ladderRollout(style, [STEP], routed));
  const start = asked(passed(settledOn(files)).stand, OLD, NEW);
  const stand = until(start, ({ plan }) => plan.holds.some(({ reason }) => reason === 'PauseDuration'));
  lastSteps.set(key, stand);
  return stand;
}

/** Where the first pass leaves it of which this is true. */
export function until(start: Stand, isThere: (pass: Passed) => boolean, found: Found = {}): Stand {
  let stand = start;
  for (let count = 0; count < PASSES_MOST; count += 1) {
    const now = passed(stand, found);
    stand = now.stand;
    if (isThere(now)) return stand;
  }
  throw new Error('no such pass');
}

/** What people do that ends a delivery, or what passes find of it. */
function ended(stand: Stand, reason: Reason): { readonly stand: Stand; readonly found: Found } {
  const found = { intents: { abort: releaseIn(stand) } };
  if (reason === 'Rollback') return { stand, found };
  if (reason === 'Continuous') return { stand: asked(stand, NEW, NEWER), found: {} };
  if (reason === 'RolloutDeleting') return { stand, found: { snapshot: { rollout: undefined } } };
  if (reason === 'Success') return { stand, found: {} };
  return { stand: edited(stand, ROLLOUT_FILE, 'spec:\n', 'spec:\n  disabled: true\n'), found: {} };
}

/** The tasks of all commits until nothing is left to do, or until the next release has its text. */
function finaliseOrderCase({ strategy, reason, hasTraffic = true, current }: FinaliseCase): unknown {
  const { stand, found } = ended(atLastStep(strategy, { routed: hasTraffic }), reason);
  const tasks: string[] = [];
  let record: RolloutRecord | undefined;
  let now = stand;
  for (let quiet = 0, count = 0; quiet < 2 && count < PASSES_MOST && tasks.at(-1) !== 'Initializing'; count += 1) {
    const before = deliveryOf(now);
    // A pass that has nothing to do any more is not told what to end.
    const { plan, stand: next } = passed(now, tasks.includes('END') ? {} : found);
    quiet = plan.commit === undefined ? quiet + 1 : 0;
    now = next;
    record = next.record ?? record;
    if (plan.commit !== undefined) tasks.push(...tasksOf(before, deliveryOf(now)));
  }
  if (current !== 'END') return tasks;
  const progressing = record?.conditions.find(({ type }) => type === 'Progressing');
  return { progressing: progressing?.status, progressingReason: progressing?.reason, phaseNext: record?.phase };
}

function deliveryOf({ texts }: Stand): Delivery {
  const delivery = deliveryIn({ texts, displaced: [] }, partsIn(texts));
  if (delivery === undefined) throw new Error('no delivery');
  return delivery;
}

/** Which of Kruise's tasks a commit does: told by what it changes, never by its name. */
function tasksOf(before: Delivery, after: Delivery): readonly string[] {
  const mark = (delivery: Delivery, key: string) => annotationsOf(delivery.own)[key];
  const share = { before: shareIn(before), after: shareIn(after) };
  const emptied = [stableSide, canarySide].some((side) => replicasOf(side(before)) > 0 && emptyIn(after, side(before)));
  const text = (delivery: Delivery) => JSON.stringify(at(delivery.own.value, ['spec', 'leaderWorkerTemplate']));
  const secondText = (delivery: Delivery) =>
    delivery.second === undefined ? '' : annotationsOf(delivery.second)[TEXT];
  const done: Readonly<Record<string, boolean>> = {
    FinalisingStepRouteTrafficToNew: share.before !== share.after && share.after === '100%',
    RestoreStableService: selectorOf(before.service)[LWS_NAME] !== selectorOf(after.service)[LWS_NAME],
    FinalisingStepRouteTrafficToStable: share.before !== share.after && share.after === '–',
    RemoveCanaryService: before.canaryService !== undefined && after.canaryService === undefined,
    ResumeWorkload: text(before) !== text(after) || (partitionIn(before.own) !== 0 && partitionIn(after.own) === 0),
    ReleaseWorkloadControl: emptied,
    'reset-status':
      (mark(after, MARK.step) ?? '').startsWith('1/') && mark(before, MARK.release) !== mark(after, MARK.release),
    Initializing: secondText(before) !== secondText(after),
    END: isUnmarked(after) && !isUnmarked(before),
  };
  return Object.keys(done).filter((task) => done[task] === true);
}

const isUnmarked = ({ own }: Delivery): boolean => annotationsOf(own)[MARK.step] === undefined;

/** Whether this workload has no groups any more; the colours may have changed places. */
function emptyIn({ own, second }: Delivery, side: Delivery['second']): boolean {
  const now = [own, second].find((one) => one?.object.name === side?.object.name);
  return now !== undefined && replicasOf(now) === 0;
}

type ReleaseCase = {
  readonly release: {
    readonly batchPartition: number | null;
    readonly phase: string;
    readonly policy: string;
  } | null;
  readonly waitReady: boolean;
};

const POLICY = { true: 'WaitResume', false: 'Immediate' } as const;

/**
 * One call of handing the workload back: a promotion waits for the groups (WaitResume), a rollback for none (Immediate).
 * `retry`: it is not over; `patch`: what the commit of this pass changes.
 */
function finaliseReleaseCase({ release, waitReady }: ReleaseCase): unknown {
  const { stand, found } = handingBack({ release, waitReady });
  const { plan } = passed(stand, found);
  const wanted = POLICY[`${waitReady}`];
  if (plan.commit !== undefined) return { retry: true, patch: { batchPartition: null, policy: wanted } };
  return { retry: annotationsOf(deliveryOf(stand).own)[MARK.step] !== undefined, patch: null };
}

function handingBack({ release, waitReady }: ReleaseCase): { readonly stand: Stand; readonly found: Found } {
  if (release === null)
    return { stand: passed(settledOn(ladderFiles(ladderRollout('canary', [STEP])))).stand, found: {} };
  const step = atLastStep('canary');
  const isCommit = ({ plan }: Passed): boolean => plan.commit !== undefined;
  const abort = (stand: Stand): Found => ({ intents: { abort: releaseIn(stand) } });
  if (release.batchPartition !== null) return { stand: step, found: waitReady ? {} : abort(step) };
  const isBack = release.policy === POLICY.false;
  const begun = until(step, isCommit, isBack ? abort(step) : {});
  if (release.phase === 'Completed')
    return {
      stand: until(begun, ({ plan }) => plan.commit?.reason === (isBack ? 'RolledBack' : 'Settled')),
      found: {},
    };
  // The groups of the primary are still on the text before.
  const found: Found = { view: { own: '0:O+ 1:O+ 2:O+ 3:O+' } };
  return { stand: begun, found: waitReady || isBack ? found : { ...found, ...abort(begun) } };
}

/** Cases have shapes of their own, so their inputs are read as what their group says. */
export const finaliseAnswers: Readonly<Record<string, (of: KruiseCase) => unknown>> = {
  'finalise-order': (of) => finaliseOrderCase(of.input as FinaliseCase),
  'finalise-release': (of) => finaliseReleaseCase(of.input as ReleaseCase),
};
