/** The laws of the simulation: what must hold, and where it is looked at. Their ids are those of the failure reports. */

import { secondLaws } from './second-laws.ts';

export type LawEntry = {
  readonly statement: string;
  /** Where it is checked; `not` says why it is not. */
  readonly checked: string | { readonly not: string };
};

export const laws = {
  'S1 steps': {
    statement: 'NoSkip: marks follow each other as the rows of the specification say',
    checked: 'each commit of ours (commit-laws.ts)',
  },
  'S1 releases': {
    statement: 'a release is one text, and no serial is given twice',
    checked: 'each commit of main (watch.ts)',
  },
  'S2 ceiling': {
    statement: 'a commit lets no more groups go than its step says for N as read',
    checked: 'each commit of ours (commit-laws.ts)',
  },
  'S2 budget': {
    statement: 'maxUnavailable rises only on a rollback, by the groups that are not ready, and comes back',
    checked: 'each commit of ours (commit-laws.ts)',
  },
  'S3 one in flight': {
    statement:
      'the step before was applied, and what a commit rests on was true, since it was written; without the documents of people, or with a tranche.yaml that nobody can read, nothing goes forward',
    checked: 'each commit of ours, against all that was so (commit-laws.ts)',
  },
  'S4 no phantom': {
    statement: 'the record says nothing that main never said',
    checked: 'each commit of the status branch (watch.ts)',
  },
  'S4 one record': {
    statement: 'at rest the record says what main says, for every workload that was taken over',
    checked: 'at the end (finish.ts)',
  },
  'S5 parent as planned': {
    statement: 'a commit stands on the files that it was planned from, and a push expects what was read',
    checked: 'each commit of ours (commit-laws.ts) and each push (process.ts)',
  },
  'S6 diff confined': {
    statement: 'a commit changes one file, only our fields, and a template only to one that main has had',
    checked: 'each commit of ours, byte by byte (commit-laws.ts)',
  },
  'S7 subset safe': {
    statement: 'each subset of the objects of a commit, and of those before that are not applied, keeps C1, C2 and C3',
    checked: 'each commit of ours, in copies of the world (part-laws.ts); none and all are what the agent does',
  },
  'S8 idempotent': {
    statement: 'a second pass over the same world writes nothing',
    checked: 'questions to a copy of the world (what-if.ts), and the end',
  },
  'S9 deterministic': {
    statement: 'two passes from one state write the same bytes; a snapshot gives one plan',
    checked: 'questions to a copy of the world (what-if.ts)',
  },
  'S10 no resurrect': {
    statement: 'a branch is created only where the pass has read that there is none',
    checked: 'each push (process.ts)',
  },
  'S11 recorded': {
    statement: 'a step forward is pushed with its record, or not at all: nobody else counts its pause',
    checked: 'each push (process.ts)',
  },
  'S11 pauses': { statement: 'no pause is cut short', checked: 'each commit of ours (commit-laws.ts)' },
  'S11 people': {
    statement: 'no step forward while someone says stop',
    checked: 'each commit of ours (commit-laws.ts)',
  },
  'S12 rollback': {
    statement: 'from every state an abort ends with every group ready on the stable version, and everything put back',
    checked: 'questions to a copy of the world (what-if.ts; what-if-forged.ts: none goes on to it), and the end',
  },
  'S13 undo': {
    statement:
      'an undo brings back every field of a release that had settled, byte for byte, and nothing else, from any state after settling',
    checked:
      'each commit of ours (undo-law.ts), the end of stories (story.ts), and an order at the end of each schedule (what-if-undo.ts)',
  },
  'F17 recreated': {
    statement: 'no step forward on objects that were re-created, until someone accepts them',
    checked: 'each commit of ours (evidence-laws.ts)',
  },
  'F6 rewritten': {
    statement: 'no step forward on a main that lost the commit of the record, until someone acknowledges it',
    checked: 'each commit of ours (evidence-laws.ts)',
  },
  'P1 policies': {
    statement:
      'what the policy of its parent holds is not written: steps, windows, turns; nor anything forward under a broken one',
    checked: 'each commit of ours (policy-laws.ts)',
  },
  'C1 capacity': {
    statement: 'no more groups are down than the budget, but for those that the cluster itself has harmed',
    checked: 'each moment while A1, A2 and A3 hold (cluster-laws.ts)',
  },
  'C2 traffic': {
    statement: 'every backend with weight has a ready group',
    checked: 'each moment of worlds that fill a second workload, as T3 and T10 (traffic-laws.ts)',
  },
  'C3 locked is inert': {
    statement: 'an edit that no step has released for update restarts nothing',
    checked: 'each moment (cluster-laws.ts)',
  },
  'C3 revision mix': {
    statement: 'at most two versions are there at once, but after a request in mid-delivery',
    checked: 'each moment while A1 and A3 hold (cluster-laws.ts)',
  },
  'K1 own steps': {
    statement:
      'where folders share a base or a component, a group is on a version only as far as the partition of its own folder has ever let it',
    checked: 'each moment of worlds that kustomize builds (built-laws.ts)',
  },
  'C4 kept': {
    statement: 'no leader is replaced whose pod template equals, our own labels left out, the one it is to have',
    checked: 'each moment (kept-law.ts), but for sizes, LWS upgrades, kills, and a label that a hand has changed',
  },
  'C5 rollback capacity': {
    statement:
      "of the groups that were ready when a rollback began at most the user's maxUnavailable are down at a time; groups that were unready before their turn do not count",
    checked: 'each moment of what really happened (back-law.ts)',
  },
  'L1 rest': {
    statement: 'without faults everything comes to rest where someone, a broken group or nothing keeps it',
    checked: 'the end (finish.ts)',
  },
  'L2 bounded': {
    statement: 'without faults every pass moves something until nothing moves, within a bounded number of passes',
    checked: 'the end, and every question to a copy (rest.ts)',
  },
  'L3 forward': {
    statement: 'of one release the steps only go up, and so do the groups released for update, but on a rollback',
    checked: 'each commit of ours (commit-laws.ts)',
  },
  'L4 isolation': {
    statement: 'the other Rollouts are delivered though one is poisoned',
    checked: 'the end (finish.ts)',
  },
  'H1 nothing goes by others': {
    statement:
      'anyone who pushes to the status branch, with a key or without one, or has a folder, has no group updated and no release rolled back that would not have been without them',
    checked: 'two copies of the world, with and without them (what-if-hostile.ts), and all other laws',
  },
  'H2 nothing waits by others': {
    statement:
      'with them, and whatever stays in their folder, no rollback takes longer than without them, and one audit',
    checked: 'two copies of the world (what-if-hostile.ts)',
  },
  'H3 no secret leaves': {
    statement:
      'no commit, file, message, log or answer of a pass has the private half of the key, or what only live pods have',
    checked:
      'each commit of both branches (watch.ts), each log and end of a pass (process.ts), each message (notified.ts)',
  },
  'H4 no word of others': {
    statement:
      'no message goes to a target that the policies of the owners do not name, and neither message nor commit says what a pusher wrote',
    checked: 'each message (notified.ts), each commit of ours (watch.ts)',
  },
  ...secondLaws,
  'no crash': { statement: 'only the world fails a pass', checked: 'the end of each pass (process.ts)' },
} as const satisfies Readonly<Record<string, LawEntry>>;

export type LawName = keyof typeof laws;

/** Laws about a world that is looked at in every moment. */
export type WorldLaws = {
  /** main has another commit. */
  readonly opened: (commit: string) => void;
  /** What is wrong since the last look. */
  readonly look: () => readonly [law: LawName, message: string] | undefined;
};

/** Laws about the cluster hold only while these do; a schedule in which one breaks is not judged by the law any more. */
export const assumptions = {
  A1: 'the agent applies only what main has, and main is only added to',
  A2: 'LWS honours maxUnavailable: not LWS 0.8 with workers (it looks at leaders), nor where rolls overlap',
  A3: 'nobody edits the cluster: no object is deleted, no partition is set by hand',
} as const;
