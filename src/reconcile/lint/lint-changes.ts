/** What an edit of the template changes that LWS cannot take in steps: refused, or said, as the policies want it. */

import type { Issue } from '../../api/issue.ts';
import { at, canonicalJson, type Json } from '../../api/json.ts';
import { EXCLUSIVE_TOPOLOGY } from '../../api/release-content.ts';
import type { FieldPath } from '../../rollout/edits/edit.ts';
import { immutableChanges, NOT_IN_PLACE, pathOf } from '../../rollout/edits/recreate-change.ts';
import { mixedSizes, type Sizes, wholeStepWritten } from '../../rollout/edits/size-change.ts';
import { SIZE_PATH } from '../documents/read-workload.ts';
import { type Finding, issueOf, type LintFacts } from './lint-finding.ts';

/** The sizes of an edit that may not stand half-way, while no step of ours has released all groups for it. */
function sizesAtStake({ file, stable, lwsVersion }: LintFacts): Sizes | undefined {
  const { marks, content } = file.workload;
  if (stable === undefined || wholeStepWritten(marks, file.digest)) return undefined;
  return mixedSizes({ before: stable.content, after: content, lwsVersion });
}

/** A new size that no policy releases to all groups at once. */
export function refusedSize(facts: LintFacts): readonly Finding[] {
  const sizes = sizesAtStake(facts);
  if (sizes === undefined || facts.policy.sizeChange === 'Whole') return [];
  return [
    {
      path: SIZE_PATH,
      reason: 'SizeChangeRefused',
      what: `the edit changes the size of a group from ${sizes.from} to ${sizes.to}, which LWS up to 0.10 cannot take in steps: an old group that dies would come back with the new number of workers and its old template`,
      hint: 'Allow it as one step of all groups with sizeChange: Whole in a RolloutPolicy; or put the old size back. A later LWS takes it in steps: declare it as lwsVersion in tranche.yaml.',
    },
  ];
}

/** A new size that goes to all groups at once: said, because there is no canary. */
export function wholeSize(facts: LintFacts): readonly Issue[] {
  const sizes = sizesAtStake(facts);
  if (sizes === undefined || facts.policy.sizeChange !== 'Whole') return [];
  const finding: Finding = {
    path: SIZE_PATH,
    reason: 'SizeChangeWhole',
    what: `the edit changes the size of a group from ${sizes.from} to ${sizes.to}: all groups go to it in one step, no canary before`,
    hint: 'That is what sizeChange: Whole in the RolloutPolicy allows.',
  };
  return [issueOf(facts.document, finding)];
}

/** Changes that no object takes that is there, and those that leave LWS's own steps. */
export function changes(facts: LintFacts): readonly Finding[] {
  const { file, stable, policy } = facts;
  const { marks, content } = file.workload;
  if (stable === undefined || wholeStepWritten(marks, file.digest)) return [];
  const fields = immutableChanges(stable.content, content);
  const refused = (policy.recreate === 'Allow' ? [] : fields).map((field): Finding => {
    return {
      path: ['spec', ...pathOf(field)],
      reason: 'RecreateRefused',
      what: `the edit changes ${field}, ${NOT_IN_PLACE[field]}; the LeaderWorkerSet would have to be deleted and re-created, with all groups down meanwhile`,
      hint: 'Allow that with recreate: Allow in a RolloutPolicy; or put the old value back, and make this change on a second LeaderWorkerSet.',
    };
  });
  return [
    ...refused,
    ...(fields.includes('subGroupSize') ? [] : differing(facts, POLICY)),
    ...differing(facts, TOPOLOGY),
  ];
}

type Unsupported = { readonly content: FieldPath; readonly path: FieldPath; readonly what: string };

const POLICY: Unsupported = {
  content: ['leaderWorkerTemplate', 'subGroupPolicy'],
  path: ['spec', 'leaderWorkerTemplate', 'subGroupPolicy'],
  what: 'subGroupPolicy: an old group that dies would come back with the new policy',
};
const TOPOLOGY: Unsupported = {
  content: ['exclusiveTopology'],
  path: ['metadata', 'annotations', EXCLUSIVE_TOPOLOGY],
  what: 'the exclusive-topology annotation: leaders would restart outside the partition',
};

function differing({ file, stable }: LintFacts, field: Unsupported): readonly Finding[] {
  if (text(at(stable?.content, field.content)) === text(at(file.workload.content, field.content))) return [];
  return [
    {
      path: field.path,
      reason: 'ChangeNotSupportedYet',
      what: `the edit changes ${field.what}`,
      hint: 'Put the old value back, and make this change on a second LeaderWorkerSet.',
    },
  ];
}

/** A change for which the workload is deleted and re-created: said, because all groups are down meanwhile. */
export function recreated({ document, file, stable, policy }: LintFacts): readonly Issue[] {
  const { marks, content } = file.workload;
  const isAllowed = policy.recreate === 'Allow';
  if (stable === undefined || wholeStepWritten(marks, file.digest) || !isAllowed) return [];
  const [field] = immutableChanges(stable.content, content);
  if (field === undefined) return [];
  const finding: Finding = {
    path: ['spec', ...pathOf(field)],
    reason: 'RecreateAllowed',
    what: `the edit changes ${field}, ${NOT_IN_PLACE[field]}; the LeaderWorkerSet is deleted and re-created, with all groups down meanwhile`,
    hint: 'That is what recreate: Allow in the RolloutPolicy allows. The agent must prune.',
  };
  return [issueOf(document, finding)];
}

function text(value: Json | undefined): string {
  return value === undefined ? '' : canonicalJson(value);
}
