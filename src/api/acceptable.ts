/** The holds that someone may overrule. */

/** The holds that someone may overrule, each by a word of its own that names what was seen. */
export const ACCEPTABLE = [
  'Overshoot',
  'UnexpectedGroups',
  'GroupsElsewhere',
  'GroupsBehind',
  'PartitionEdited',
  'Recreated',
  'StepScaledAway',
  'GroupCrashLoop',
  'StepFailed',
  'TooManyRollbacks',
  'CanaryEdited',
  'TrafficWithdrawn',
  'PrimaryReplaced',
  'PolicyGone',
  'LateMerge',
  'AnalysisFailed',
  'AnalysisInconclusive',
  'BothSidesBad',
  'GroupOutlier',
] as const;
export type AcceptableReason = (typeof ACCEPTABLE)[number];
