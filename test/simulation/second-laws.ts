/**
 * The laws of deliveries that fill a second workload, or share out requests between versions of one: T1–T14 of the
 * specification. For the latter the same laws are in shared-laws.ts and shared-commit-laws.ts.
 */

import type { LawEntry } from './laws.ts';

export const secondLaws = {
  'T1 serving share': {
    statement: 'a side is given a share only where groups of it serve, and loses it within a pass where none does',
    checked:
      'each commit of ours (ladder-laws.ts), parts of it (part-laws.ts), questions to a copy (what-if-filled.ts)',
  },
  'T2 not all zero': {
    statement: 'no rule of a route sends nowhere',
    checked: 'each moment (traffic-laws.ts) and each commit of ours (ladder-laws.ts)',
  },
  'T3 no request lost': {
    statement:
      'a release that stays healthy loses no request: of gateways that follow late, or of the last that a side was asked',
    checked: 'each moment (traffic-laws.ts), and before a primary goes that may be down at once (ladder-laws.ts)',
  },
  'T4 rollback serves': {
    statement: 'a rollback takes no share away before the other side serves',
    checked: 'each commit of ours (ladder-laws.ts)',
  },
  'T5 bytes as before': {
    statement:
      'once settled the route and the Service are as before, but for the colour that the Service selects; what a hand has taken out stays so, and to a route that is out no version is sent alone',
    checked: 'each commit of ours that ends a delivery (ladder-laws.ts)',
  },
  'T6 one side': {
    statement: 'once settled only the side that serves has groups; the other had them as long as it is the rollback',
    checked: 'each commit of ours that ends a delivery (ladder-laws.ts)',
  },
  'T7 leaders only': { statement: 'requests never reach workers', checked: 'each moment (traffic-laws.ts)' },
  'T8 groups': {
    statement: 'no more groups are asked for than the primary and what a step adds to it',
    checked: 'each moment (traffic-laws.ts)',
  },
  'T9 approved share': {
    statement:
      'the share is that of the step, or all while a canary stands in for a primary that is down at once in its promotion or rollback; no version has one that no commit gave it; nor does a Service take in a release before its step says so',
    checked: 'each commit of ours (ladder-laws.ts) and each moment (traffic-laws.ts)',
  },
  'T10 never empty': {
    statement: 'a Service with a share has a ready endpoint',
    checked: 'each moment (traffic-laws.ts)',
  },
  'T11 stable until promoted': {
    statement: "the user's own workload is locked, and so on the stable version, until the promotion",
    checked: 'each commit of ours (ladder-laws.ts); C3 looks at the groups',
  },
  'T12 rollback settles': {
    statement: 'an abort settles though nothing of the new version serves any more',
    checked: 'questions to a copy (what-if.ts)',
  },
  'T13 bounded': {
    statement: 'a delivery that nobody touches is over after a bounded number of commits',
    checked: 'each commit of main (watch.ts)',
  },
  'T14 position': {
    statement: 'without its record a delivery goes on by the same next commit',
    checked: 'questions to a copy (what-if-filled.ts)',
  },
  'T9 one text': {
    statement: 'the workload that we made is given another text only at no groups',
    checked: 'each moment (traffic-laws.ts)',
  },
} as const satisfies Readonly<Record<string, LawEntry>>;
