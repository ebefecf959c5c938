/** What is asked before each kind of commit: one table, every gate with five words. All of a row are asked, in its order. */

import { tooManyRollbacks } from '../progress/automatic-rollbacks.ts';
import { whenSeen } from '../situation.ts';
import { releasesAlike } from './alike.ts';
import { atRestToAdopt } from './at-rest.ts';
import {
  blockedByUnreadyGroup,
  mixedRevisions,
  notApplied,
  recreated,
  recreatedUnaccepted,
  replicasUnknown,
  revisionChanged,
  scaledToZero,
} from './cluster.ts';
import { policiesContradict } from './contradiction.ts';
import { frozenChanged, stepCountChanged } from './frozen.ts';
import type { Gate } from './gate.ts';
import { historyRewritten, noRollback } from './git.ts';
import {
  budgetTooLarge,
  capacityTooLow,
  gpusOverLimit,
  removalTooDeep,
  removalTooLarge,
  stepTooLarge,
} from './limits.ts';
import { fieldContested, workloadOwned } from './other-writers.ts';
import { disabled, paused, rolloutAbsent, stalled } from './people.ts';
import { policyGone } from './policy-gone.ts';
import { analysisMissing, policyMissing } from './policy-missing.ts';
import { folderEmptied, notThere } from './removal.ts';
import {
  changeRefused,
  idleScaled,
  nothingServes,
  primaryNotCovered,
  requestTaken,
  scalerRefused,
  takenOverRefused,
} from './second.ts';
import { shareTooLarge } from './shares.ts';
import { surgeEndangered, surgeRefused } from './surge.ts';
import { notItsTurn } from './turns.ts';
import { clockSkewed, windowClosed } from './windows.ts';

/** Before whatever leads forward. */
const forward: readonly Gate[] = [
  stalled, // wrong files
  historyRewritten, // main was force-pushed
  rolloutAbsent, // nobody asks for steps
  policyMissing, // who is to say no is not there
  analysisMissing, // metrics that are asked for are not there
  disabled, // someone said stop
  paused, // someone said wait
];

/** What policies say of the groups that a step releases, and of the time. */
const limits: readonly Gate[] = [
  stepTooLarge, // more groups than a policy allows
  budgetTooLarge, // too many may be down
  capacityTooLow, // too few would serve
  gpusOverLimit, // more GPUs than a policy allows
  shareTooLarge, // more requests at once than a policy allows
  windowClosed, // not at this time
  clockSkewed, // what time it is, nobody knows
];

/** In mid-delivery. */
const frozen: readonly Gate[] = [
  stepCountChanged, // Kruise freezes it in mid-rollout
  frozenChanged, // and these
  policyGone, // who could say no is not there any more
];

/** Every step after the first. */
const next: readonly Gate[] = [
  ...forward,
  ...frozen,
  releasesAlike, // shown as another release is
  noRollback, // never go on without a rollback
  replicasUnknown, // N is not ours and not readable
  fieldContested, // somebody else writes our fields
  workloadOwned, // another object's controller makes it
  scaledToZero, // everything would come up on the new template
  whenSeen(revisionChanged), // somebody else restarts groups
  whenSeen((seen) => blockedByUnreadyGroup(seen, seen.partition)), // LWS would not move; its own groups apart
  surgeEndangered, // extra groups do not hold any more
  ...limits,
];

export const before = {
  /** A workload is taken over. */
  adopt: [
    stalled, // wrong files
    historyRewritten, // main was force-pushed
    disabled, // someone said stop
    replicasUnknown, // N is not ours and not readable
    workloadOwned, // another object's controller makes it
    notApplied, // Git is not live
    whenSeen(atRestToAdopt), // groups are still moving
  ],
  /** A template that was aborted goes back into its file. */
  retry: [
    stalled, // wrong files
    historyRewritten, // main was force-pushed
    rolloutAbsent, // nobody asks for steps
    disabled, // someone said stop
  ],
  /** An edit that restarts nothing counts as delivered. */
  settleUnchanged: [
    stalled, // wrong files
    historyRewritten, // main was force-pushed
    disabled, // someone said stop
    notApplied, // the request is not live
  ],
  /** The first step of a request. */
  start: [
    ...forward,
    noRollback, // never start what cannot be undone
    replicasUnknown, // N is not ours and not readable
    notApplied, // the request is not live: late, or refused by a webhook
    fieldContested, // somebody else writes our fields
    workloadOwned, // another object's controller makes it
    scaledToZero, // on the way up everything starts on the new template
    recreated, // everything is on the new template already
    whenSeen(mixedRevisions), // something else is half-way
    whenSeen(blockedByUnreadyGroup), // LWS would not move
    surgeRefused, // extra groups would not hold
    ...limits,
    policiesContradict, // it would get stuck half-way
    notItsTurn, // others are in progress
    releasesAlike, // shown as another release is
    tooManyRollbacks, // one release after the other has failed
  ],
  /** The first step of a newer request, in the place of the one that is being delivered. */
  takeOver: [
    ...forward,
    frozenChanged, // its steps are those of another strategy
    noRollback, // never start what cannot be undone
    replicasUnknown, // N is not ours and not readable
    notApplied, // the request is not live
    fieldContested, // somebody else writes our fields
    workloadOwned, // another object's controller makes it
    scaledToZero, // on the way up everything starts on the new template
    surgeRefused, // extra groups would not hold
    ...limits,
    policiesContradict, // it would get stuck half-way
    releasesAlike, // shown as another release is
    tooManyRollbacks, // one release after the other has failed
  ],
  next,
  /** Extra groups start, and what follows on them. */
  surge: [
    ...next,
    surgeRefused, // extra groups would not hold
  ],
  /** The first rung of a request that a second workload is filled for. */
  fill: [
    ...forward,
    noRollback, // never start what cannot be undone
    replicasUnknown, // N is not ours and not readable
    notApplied, // the request is not live
    fieldContested, // somebody else writes our fields
    workloadOwned, // another object's controller makes it
    nothingServes, // nothing to compare with
    whenSeen(requestTaken), // a hand has released groups
    recreated, // everything is on the new template already
    whenSeen(mixedRevisions), // something else is half-way
    idleScaled, // somebody counts on its groups
    scalerRefused, // the idle side would shrink
    primaryNotCovered, // nothing would serve at the end
    changeRefused, // a copy cannot carry it
    ...limits,
    policiesContradict, // it would get stuck half-way
    notItsTurn, // others are in progress
    releasesAlike, // shown as another release is
    tooManyRollbacks, // one release after the other has failed
  ],
  /** The first rung of a step that lets a second workload grow or gives it more, and of a promotion. */
  climb: [
    ...forward,
    ...frozen,
    releasesAlike, // shown as another release is
    noRollback, // never go on without a rollback
    replicasUnknown, // N is not ours and not readable
    fieldContested, // somebody else writes our fields
    workloadOwned, // another object's controller makes it
    nothingServes, // nothing to compare with
    recreatedUnaccepted, // everything is on the new template already
    whenSeen(revisionChanged), // somebody else restarts groups
    scalerRefused, // the idle side would shrink
    primaryNotCovered, // nothing would serve at the end
    takenOverRefused, // a copy cannot carry it
    ...limits,
  ],
  /** The later rungs of such a step. */
  finish: [
    stalled, // wrong files
    rolloutAbsent, // nobody asks for steps
    disabled, // someone said stop
    paused, // someone said wait
    nothingServes, // nothing to compare with
  ],
  /** What is left of the plan once every group is on the release. */
  serve: [
    ...forward,
    ...frozen,
    replicasUnknown, // N is not ours and not readable
    scaledToZero, // nothing is seen of a release without groups
    whenSeen(revisionChanged), // the same template under another name
  ],
  /** Someone lets stand what was merged too late. */
  letStand: [
    ...forward,
    noRollback, // never go on without a rollback
    replicasUnknown, // N is not ours and not readable
    notApplied, // the step is not live
    scaledToZero, // no group is there
    windowClosed, // not at this time
    clockSkewed, // what time it is, nobody knows
  ],
  /** A budget that broken groups of an older template have spent is raised. */
  raise: [
    ...forward,
    noRollback, // never go on without a rollback
    replicasUnknown, // N is not ours and not readable
    notApplied, // the step is not live
    scaledToZero, // no group is there
  ],
  /** The document goes out of its file, to be re-created. */
  remove: [
    ...forward,
    noRollback, // never start what cannot be undone
    replicasUnknown, // N is not ours and not readable
    scaledToZero, // nothing is seen of a release without groups
    notThere, // nothing to delete, or it cannot be seen
    folderEmptied, // the agent would refuse to delete
    removalTooLarge, // all groups at once are too many
    removalTooDeep, // nobody would serve
    policiesContradict, // it would get stuck half-way
    notItsTurn, // others are in progress
    gpusOverLimit, // more GPUs than a policy allows
    windowClosed, // not at this time
    clockSkewed, // what time it is, nobody knows
    releasesAlike, // shown as another release is
    tooManyRollbacks, // one release after the other has failed
  ],
} as const satisfies Readonly<Record<string, readonly Gate[]>>;
