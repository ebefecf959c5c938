/** What a pull request is: the step itself, or an order for it; and why. */

import { samePath } from '../../api/field.ts';
import type { Known } from '../../api/known.ts';
import type { ProposalForm } from '../../api/proposal-record.ts';
import { PARTITION_PATH } from '../../api/workload-paths.ts';
import type { PlannedCommit } from '../commits/planned-commit.ts';
import { wantsEvidence } from '../gates/evidence.ts';
import type { Snapshot } from '../snapshot.ts';

/** What the rules of the desired branch want before a merge, as the forge shows them to us. */
export type MergeRules = {
  /** Our status at the head. */
  readonly isGateRequired: Known<boolean>;
  /** It counts from our App alone: from the one who may set a status, it says nothing of our gates. */
  readonly isGateOurs: Known<boolean>;
  /** The head holds the newest commit of the branch. */
  readonly isStrict: Known<boolean>;
  readonly hasQueue: Known<boolean>;
  /** Commits of ours reach the branch, so that what was merged can be locked and taken back. */
  readonly takesDirectPush: Known<boolean>;
};

/**
 * Each reason once. `fields`: the pull request is the step, so that its merge is what releases the groups. Only where a rule
 * keeps it from being merged as soon as it does not hold: git alone merges a stale one cleanly.
 */
export const FORMS = {
  Guarded: {
    form: 'fields',
    because: 'the branch accepts it only when it is up to date and has the status of our App',
  },
  WithoutPush: {
    form: 'fields',
    because:
      'a policy accepts that tranche cannot push to the branch: only pull requests of people can lock it or roll it back',
  },
  NotGroupsAlone: { form: 'approval', because: 'the commit does more than release groups of one workload for update' },
  Autoscaled: { form: 'approval', because: 'the number of groups is not decided in Git alone' },
  EvidenceWanted: { form: 'approval', because: 'a policy requires that the forge shows who approved, before the step' },
  GateNotRequired: { form: 'approval', because: 'no rule of the branch requires our status' },
  GateOpenToOthers: {
    form: 'approval',
    because: 'the rule that requires our status accepts it from others than our App',
  },
  NotUpToDate: { form: 'approval', because: 'no rule of the branch requires pull requests to be up to date' },
  Queued: { form: 'approval', because: 'a merge queue merges a commit that does not have our status' },
  NoDirectPush: { form: 'approval', because: 'tranche cannot push to the branch, so it could not roll the step back' },
  RulesUnread: { form: 'approval', because: 'the rules of the branch could not all be read' },
} as const satisfies Readonly<Record<ProposalForm, { readonly form: 'fields' | 'approval'; readonly because: string }>>;

/** Whether what is recorded so is the step itself. */
export function isFields(form: ProposalForm | undefined): boolean {
  return form !== undefined && FORMS[form].form === 'fields';
}

/** Moves of the user's own workload that release groups for update and do nothing else. */
const STEPS: readonly PlannedCommit['reason'][] = ['StepReady', 'Jumped', 'StepsEdited'];

/** The form of this commit's pull request under these rules. What is not known is never taken for a guard. */
export function formOf(
  { snapshot, commit }: { readonly snapshot: Snapshot; readonly commit: PlannedCommit },
  { isGateRequired, isGateOurs, isStrict, hasQueue, takesDirectPush }: MergeRules,
): ProposalForm {
  if (wantsEvidence(snapshot)) return 'EvidenceWanted';
  if (snapshot.live.scaler.kind !== 'absent') return 'Autoscaled';
  if (!movesGroupsAlone(commit)) return 'NotGroupsAlone';
  const rules = [isGateRequired, isGateOurs, isStrict, hasQueue, takesDirectPush];
  if (isGateRequired.kind === 'known' && !isGateRequired.value) return 'GateNotRequired';
  if (isGateOurs.kind === 'known' && !isGateOurs.value) return 'GateOpenToOthers';
  if (isStrict.kind === 'known' && !isStrict.value) return 'NotUpToDate';
  if (hasQueue.kind === 'known' && hasQueue.value) return 'Queued';
  const isRefused = takesDirectPush.kind === 'known' && !takesDirectPush.value;
  if (isRefused && snapshot.policy.withoutDirectPush !== 'Accept') return 'NoDirectPush';
  if (rules.some(({ kind }) => kind !== 'known')) return 'RulesUnread';
  return isRefused ? 'WithoutPush' : 'Guarded';
}

/**
 * One workload, its partition and our marks: no field that people write, no other object. And another step than Git has:
 * what was merged is found by that mark, and more groups of the same step would look like an edit by hand.
 */
function movesGroupsAlone({ reason, changes }: PlannedCommit): boolean {
  const [change, ...others] = changes;
  if (change?.kind !== 'edit' || others.length > 0 || !STEPS.includes(reason)) return false;
  const { workload, fields } = change;
  const [from, to] = [workload?.marks.from, workload?.marks.to];
  const isLadder = from?.at !== undefined || to?.at !== undefined;
  const isEntered = JSON.stringify(from?.step) !== JSON.stringify(to?.step);
  const moved = fields.filter((field) => field.from !== field.to);
  return isEntered && !isLadder && moved.length === 1 && moved.every(({ path }) => samePath(path, PARTITION_PATH));
}
